// The hash of a kernel's structure. Scalars, variables and local buffers count by the order in which they
// first appear, so kernels that differ only in numbering hash alike; nothing depends on addresses or on
// std::hash.
#include <algorithm>
#include <bit>
#include <unordered_map>

#include "kernel/kernel_ir.h"

namespace ingot::kernel {
namespace {

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2));
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

class Hasher {
 public:
  explicit Hasher(const Kernel& kernel) : kernel_(kernel) {}

  uint64_t hash() {
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      const Buffer& b = kernel_.buffers[i];
      if (b.kind == Buffer::Kind::kLocal || b.kind == Buffer::Kind::kShared) continue;
      buffer(static_cast<BufferId>(i));
      add(static_cast<uint64_t>(b.kind));
    }
    block(kernel_.body);
    return state_;
  }

 private:
  void add(uint64_t value) { state_ = mix(state_, value); }
  void add(std::string_view text) {
    add(text.size());
    for (char c : text) add(static_cast<uint64_t>(static_cast<unsigned char>(c)));
  }
  void bytes(const Tensor& tensor) {
    add(static_cast<uint64_t>(tensor.dtype()));
    for (int64_t extent : tensor.shape()) add(static_cast<uint64_t>(extent));
    for (size_t i = 0; i < tensor.bytes(); ++i) add(static_cast<uint64_t>(tensor.raw()[i]));
  }

  static uint64_t number(std::unordered_map<int, uint64_t>& numbers, int id) {
    return numbers.try_emplace(id, numbers.size()).first->second;
  }
  void scalar(ScalarId id) {
    if (id == kNone) return add(~uint64_t{0});
    add(number(scalars_, id));
    add(static_cast<uint64_t>(kernel_.scalars.at(static_cast<size_t>(id))));
  }
  void scalars(const std::vector<ScalarId>& ids) {
    add(ids.size());
    for (ScalarId id : ids) scalar(id);
  }
  void buffer(BufferId id) {
    const Buffer& b = kernel_.buffers.at(static_cast<size_t>(id));
    add(number(buffers_, id));
    add(static_cast<uint64_t>(b.dtype));
    add(static_cast<uint64_t>(b.elements));
  }

  // Terms are sorted by ids, which do not count here: sums are hashed without regard to order.
  uint64_t index_hash(const Index& index) {
    std::vector<uint64_t> terms;
    for (const Index::Term& term : index.terms()) {
      const IndexAtom& atom = *term.atom;
      uint64_t h = mix(static_cast<uint64_t>(term.coefficient), static_cast<uint64_t>(atom.kind));
      if (atom.kind == IndexAtom::Kind::kVariable) {
        const auto bound = kernel_.bound.find(atom.id);
        h = bound == kernel_.bound.end() ? mix(h, number(variables_, atom.id))
                                         : mix(~h, number(scalars_, bound->second));
      } else {
        h = mix(mix(h, index_hash(atom.argument)), static_cast<uint64_t>(atom.divisor));
        if (atom.table) {
          for (int64_t value : *atom.table) h = mix(h, static_cast<uint64_t>(value));
        }
      }
      terms.push_back(h);
    }
    std::sort(terms.begin(), terms.end());
    uint64_t h = mix(static_cast<uint64_t>(index.constant()), terms.size());
    for (uint64_t term : terms) h = mix(h, term);
    return h;
  }

  void block(const Block& block) {
    add(block.stmts.size());
    for (const Stmt& stmt : block.stmts) {
      add(stmt.node.index());
      std::visit([&](const auto& node) { visit(node); }, stmt.node);
    }
  }

  void visit(const Let& let) {
    add(*let.record->name);
    scalar(let.result);
    scalars(let.operands);
    for (const auto& [key, value] : let.attributes.items()) {
      add(key);
      add(value.index());
      std::visit([&](const auto& v) { attribute(v); }, value);
    }
  }
  void attribute(bool v) { add(static_cast<uint64_t>(v)); }
  void attribute(int64_t v) { add(static_cast<uint64_t>(v)); }
  void attribute(double v) { add(std::bit_cast<uint64_t>(v)); }
  void attribute(const std::string& v) { add(std::string_view(v)); }
  void attribute(DType v) { add(static_cast<uint64_t>(v)); }
  void attribute(const ir::IntList& v) {
    for (int64_t i : v) add(static_cast<uint64_t>(i));
  }
  void attribute(const ir::Symbol& v) { add(std::string_view(v.name)); }
  void attribute(const Tensor& v) { bytes(v); }

  void visit(const Literal& literal) {
    scalar(literal.result);
    bytes(literal.value);
  }
  void visit(const IndexValue& value) {
    scalar(value.result);
    add(index_hash(value.index));
  }
  void visit(const InRange& range) {
    scalar(range.result);
    add(index_hash(range.index));
    add(static_cast<uint64_t>(range.low));
    add(static_cast<uint64_t>(range.high));
  }
  void visit(const Load& load) {
    scalar(load.result);
    buffer(load.buffer);
    add(index_hash(load.offset));
    scalar(load.predicate);
    if (load.ahead) add(1);
  }
  void visit(const Store& store) {
    buffer(store.buffer);
    add(index_hash(store.offset));
    scalar(store.value);
  }
  void visit(const Alloc& alloc) { buffer(alloc.buffer); }

  void visit(const Loop& loop) {
    add(number(variables_, loop.var));
    for (int64_t value :
         {loop.extent, loop.step, static_cast<int64_t>(loop.kind), static_cast<int64_t>(loop.style),
          static_cast<int64_t>(loop.vectors), static_cast<int64_t>(loop.outline)}) {
      add(static_cast<uint64_t>(value));
    }
    if (loop.steps != kNone) scalar(loop.steps);
    if (loop.active != Index(0)) add(index_hash(loop.active));
    add(loop.carries.size());
    for (const Carry& carry : loop.carries) {
      scalar(carry.init);
      scalar(carry.arg);
    }
    block(loop.body);
    for (const Carry& carry : loop.carries) {
      scalar(carry.next);
      scalar(carry.result);
    }
    scalars(loop.combiner.lhs);
    scalars(loop.combiner.rhs);
    block(loop.combiner.body);
    scalars(loop.combiner.out);
  }

  const Kernel& kernel_;
  uint64_t state_ = 0x696e676f74u;
  std::unordered_map<int, uint64_t> scalars_, variables_, buffers_;
};

}  // namespace

uint64_t structural_hash(const Kernel& kernel) {
  return Hasher(kernel).hash();
}

}  // namespace ingot::kernel
