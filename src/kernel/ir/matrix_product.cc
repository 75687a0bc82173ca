#include "kernel/ir/matrix_product.h"

#include "base/divide.h"
#include "kernel/ir/blocks.h"
#include "ops/kinds.h"

namespace ingot::kernel {
namespace {

class ProductSearch {
 public:
  ProductSearch(const Kernel& kernel, const Varying& varying, const std::array<const Loop*, kMaxDims>& open,
                const Loop& loop)
      : kernel_(kernel), varying_(varying), open_(open), loop_(loop) {}

  std::optional<MatrixProduct> run(const Block& block, size_t at) {
    found_.dim = tile_dim();
    const bool fits = found_.dim != 0 && open_[0] != nullptr && find_sums(block, at) && find_operands();
    return fits ? std::optional(found_) : std::nullopt;
  }

 private:
  // The dimension of the open tile, if the sums vary over it and the lanes alone; else 0.
  int tile_dim() const {
    const DimMask mask = varying_.loops.at(&loop_).carries[0];
    for (size_t d = 1; d < kMaxDims; ++d) {
      if (open_[d] != nullptr && mask == (kLaneBit | DimMask{1} << d)) return static_cast<int>(d);
    }
    return 0;
  }

  // Elements from one value of the variable to the next, if all of them lie equally far apart.
  std::optional<int64_t> distance_along(const Index& index, const Loop& along) const {
    const auto at = [&](int64_t value) {
      return index.substitute([&](int id, int64_t extent) {
        return id == along.var ? Index(value) : Index::variable(id, extent);
      });
    };
    const Index first = at(0);
    int64_t distance = 0;
    for (int64_t i = 1; i < along.extent; ++i) {
      const Index moved = at(i) - first;
      if (i == 1 && moved.is_constant()) distance = moved.constant();
      if (!moved.is_constant() || moved.constant() != i * distance) return std::nullopt;
    }
    return distance;
  }

  bool moves_by(const Index& index, int64_t stride) const {
    return index.coefficient(open_[0]->var) == stride && !index.uses_nonlinearly(open_[0]->var);
  }

  // Memory that all lanes and points share.
  bool is_shared(BufferId buffer) const { return varying_.locals[static_cast<size_t>(buffer)] == 0; }

  // The store of the sums, which ends the block; a load and an addition may stand before it.
  bool find_sums(const Block& block, size_t at) {
    const auto* old = at + 3 < block.stmts.size() ? std::get_if<Load>(&block.stmts[at + 1].node) : nullptr;
    const size_t last = old != nullptr ? at + 3 : at + 1;
    const auto* store = last < block.stmts.size() ? std::get_if<Store>(&block.stmts[last].node) : nullptr;
    if (store == nullptr || last + 1 != block.stmts.size()) return false;
    ScalarId sum = loop_.carries[0].result;
    if (old != nullptr) {
      const auto* add = std::get_if<Let>(&block.stmts[at + 2].node);
      if (add == nullptr || !ops::is<ops::AddOp>(*add->record) || old->predicate != kNone ||
          old->buffer != store->buffer || !(old->offset == store->offset) ||
          add->operands != std::vector{old->result, sum})
        return false;
      sum = add->result;
    }
    const Buffer& buffer = kernel_.buffers[static_cast<size_t>(store->buffer)];
    const std::optional<int64_t> distance =
        distance_along(store->offset, *open_[static_cast<size_t>(found_.dim)]);
    if (store->value != sum || buffer.kind != Buffer::Kind::kLocal || !is_shared(store->buffer) ||
        varying_.of(store->offset) != varying_.loops.at(&loop_).carries[0] || !distance ||
        !moves_by(store->offset, 1))
      return false;
    found_.store = store;
    found_.sum_stride = *distance;
    found_.accumulate = old != nullptr;
    found_.count = last - at;
    return true;
  }

  // Elements between two pairs of k, where the operand holds them interleaved with points of the lanes, or 0.
  int64_t pair_stride(const Index& offset) const {
    const VarId k = loop_.var;
    const auto at = [&](int64_t value) {
      return offset.substitute(
          [&](int id, int64_t extent) { return id == k ? Index(value) : Index::variable(id, extent); });
    };
    const Index distance = at(2) - at(0), var = kernel_.var(k);
    if (!distance.is_constant() || distance.constant() <= 0) return 0;
    const Index rest = offset - var.floor_div(2) * distance.constant() - var.mod(2);
    return rest.uses(k) ? 0 : distance.constant();
  }

  // The two operands, if they lie as the instructions want them.
  bool find_operands() {
    for (const Stmt& stmt : loop_.body.stmts) {
      if (const auto* prefetch = std::get_if<Prefetch>(&stmt.node)) {
        const bool along =
            varying_.of(prefetch->offset) == 0 && !prefetch->offset.uses_nonlinearly(loop_.var);
        if (along && prefetch->offset.coefficient(loop_.var) > 0) found_.prefetches.push_back(prefetch);
      }
      const auto* load = std::get_if<Load>(&stmt.node);
      if (load == nullptr) continue;
      const DimMask mask = varying_.scalars[static_cast<size_t>(load->result)];
      if (!is_shared(load->buffer) || load->predicate != kNone) return false;
      if (mask == kLaneBit) {
        found_.panel = load;
        found_.panel_stride = pair_stride(load->offset);
        if (found_.panel_stride == 0 || !moves_by(load->offset, 2)) return false;
      } else if (mask == DimMask{1} << found_.dim) {
        found_.row = load;
        const std::optional<int64_t> distance =
            distance_along(load->offset, *open_[static_cast<size_t>(found_.dim)]);
        if (!distance || load->offset.coefficient(loop_.var) != 1 || load->offset.uses_nonlinearly(loop_.var))
          return false;
        found_.row_stride = *distance;
      }
    }
    return found_.panel != nullptr && found_.row != nullptr;
  }

  const Kernel& kernel_;
  const Varying& varying_;
  const std::array<const Loop*, kMaxDims>& open_;
  const Loop& loop_;
  MatrixProduct found_;
};

}  // namespace

std::optional<MatrixProduct> matrix_product(const Kernel& kernel, const Varying& varying, const Block& block,
                                            size_t at, const std::array<const Loop*, kMaxDims>& open,
                                            int64_t columns, const MatrixTiles& tiles) {
  const auto* loop = std::get_if<Loop>(&block.stmts[at].node);
  if (loop == nullptr || tiles.count == 0 || loop->kind != LoopKind::kReduce ||
      loop->style != LoopStyle::kSerial || !sums_products_of(DType::kBF16, kernel, *loop))
    return std::nullopt;
  std::optional<MatrixProduct> found = ProductSearch(kernel, varying, open, *loop).run(block, at);
  if (!found) return std::nullopt;
  found->steps = divide_up(loop->extent, tiles.depth());
  found->depth = loop->extent / found->steps;
  found->down = divide_up(open[static_cast<size_t>(found->dim)]->extent, tiles.rows);
  found->across = divide_up(columns, tiles.columns());
  const bool whole = found->depth * found->steps == loop->extent && found->depth % 2 == 0;
  const bool room = found->down * found->across + found->down + found->across <= tiles.count;
  return whole && room ? found : std::nullopt;
}

}  // namespace ingot::kernel
