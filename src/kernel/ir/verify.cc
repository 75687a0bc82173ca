// What every kernel must keep true, whoever made it. A broken rule is a bug of the lowering: InternalError
// with the kernel's text.
#include <algorithm>
#include <bit>
#include <concepts>
#include <utility>

#include "base/check.h"
#include "kernel/ir/blocks.h"
#include "kernel/ir/kernel_ir.h"
#include "kernel/ir/reductions.h"
#include "kernel/ir/varying.h"
#include "ops/kinds.h"

namespace ingot::kernel {
namespace {

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel)
      : kernel_(kernel),
        visible_(kernel.scalars.size(), false),
        made_(kernel.scalars.size(), false),
        extents_(kernel.var_names.size(), 0),
        live_(kernel.buffers.size(), false) {}

  void run() {
    require(kernel_.var_extents.size() == kernel_.var_names.size(),
            "every variable needs a name and an extent");
    int inputs = 0, outputs = 0;
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      const Buffer& b = kernel_.buffers[i];
      inputs += b.kind == Buffer::Kind::kInput;
      outputs += b.kind == Buffer::Kind::kOutput;
      live_[i] = i < static_cast<size_t>(kernel_.input_count + kernel_.output_count);
      const size_t parameters = static_cast<size_t>(kernel_.input_count + kernel_.output_count);
      const Buffer::Kind expected = i < static_cast<size_t>(kernel_.input_count) ? Buffer::Kind::kInput
                                    : i < parameters                             ? Buffer::Kind::kOutput
                                    : b.kind == Buffer::Kind::kShared            ? Buffer::Kind::kShared
                                                                                 : Buffer::Kind::kLocal;
      require(b.kind == expected, "buffers must be ordered: inputs, outputs, others");
    }
    require(inputs == kernel_.input_count && outputs == kernel_.output_count, "wrong number of parameters");
    block(kernel_.body);
  }

 private:
  void require(bool condition, const char* message) const {
    if (!condition) fail(message);
  }
  // What the message is made of is asked where the rule is broken alone.
  template <std::invocable Message>
  void require(bool condition, const Message& message) const {
    if (!condition) fail(message());
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw InternalError("kernel does not verify: " + message + "\n" + to_string(kernel_));
  }
  static std::string name(ScalarId id) {
    std::string text = "%";
    return text += std::to_string(id);
  }

  DType dtype(ScalarId id) const { return kernel_.scalars[static_cast<size_t>(id)]; }
  void use(ScalarId id) const {
    require(id >= 0 && static_cast<size_t>(id) < visible_.size(),
            [&] { return "scalar " + name(id) + " does not exist"; });
    require(visible_[static_cast<size_t>(id)],
            [&] { return "scalar " + name(id) + " is used before it is made or out of its scope"; });
  }
  void define(ScalarId id) {
    require(id >= 0 && static_cast<size_t>(id) < visible_.size(),
            [&] { return "scalar " + name(id) + " does not exist"; });
    require(!made_[static_cast<size_t>(id)], [&] { return "scalar " + name(id) + " is made twice"; });
    made_[static_cast<size_t>(id)] = visible_[static_cast<size_t>(id)] = true;
    scope_.push_back(id);
  }
  void expect(ScalarId id, DType wanted, const std::string& what) const {
    require(dtype(id) == wanted, [&] {
      return what + " " + name(id) + " is " + std::string(name_of(dtype(id))) + ", not " +
             std::string(name_of(wanted));
    });
  }

  // The index with the true ranges of the open loops' variables: a variable of a loop with step s ends at
  // extent - s, whatever extent its atom was made with.
  Index in_scope(const Index& index) const {
    return index.substitute([&](int id, int64_t extent) {
      if (auto bound = kernel_.bound.find(id); bound != kernel_.bound.end()) {
        use(bound->second);
        require(extent == kernel_.var_extents[static_cast<size_t>(id)],
                "a bound variable has another extent");
        return Index::variable(id, extent);
      }
      require(id >= 0 && static_cast<size_t>(id) < extents_.size() && extents_[static_cast<size_t>(id)] > 0,
              "an index uses a variable of no open loop");
      return Index::variable(id, extents_[static_cast<size_t>(id)]);
    });
  }
  void access(BufferId buffer, const Index& offset, bool guarded) const {
    require(buffer >= 0 && static_cast<size_t>(buffer) < kernel_.buffers.size(), "no such buffer");
    const Buffer& b = kernel_.buffers[static_cast<size_t>(buffer)];
    require(live_[static_cast<size_t>(buffer)],
            [&] { return "local " + b.name + " is used where it does not live"; });
    const Index inside = in_scope(offset);
    if (guarded || empty_) return;  // the predicate keeps it inside, or the code never runs
    require(inside.min() >= 0 && inside.max() < b.elements, [&] {
      return "an offset into " + b.name + " can leave it: " + std::to_string(inside.min()) + " .. " +
             std::to_string(inside.max()) + " of " + std::to_string(b.elements);
    });
  }

  static bool is_parallel(const Stmt& stmt) {
    const Loop* loop = std::get_if<Loop>(&stmt.node);
    return loop && loop->kind == LoopKind::kParallel;
  }

  void block(const Block& block) {
    const auto parallel = std::count_if(block.stmts.begin(), block.stmts.end(), is_parallel);
    require(parallel <= 1 || &block == &kernel_.body, "phases are not at the root");
    bool prelude = false;
    for (const Stmt& stmt : block.stmts) {
      const Alloc* alloc = std::get_if<Alloc>(&stmt.node);
      const bool literal = std::holds_alternative<Literal>(stmt.node) || (alloc && is_shared(alloc->buffer));
      std::visit([&](const auto& node) { visit(node); }, stmt.node);
      if (parallel > 0 && !is_parallel(stmt) && !literal) {
        require(&block != &kernel_.body, "beside phases stand only literals and shared buffers");
        require(is_prelude(stmt), "beside a parallel loop stand only literals and what fills local buffers");
        prelude = true;
      }
      if (is_parallel(stmt) && prelude) require(!std::exchange(prelude_, true), "a band has two preludes");
      if (&block == &kernel_.body) prelude_ = false;
    }
  }
  // What may be done once for several units: it fills local buffers.
  bool is_prelude(const Stmt& stmt) const {
    if (std::holds_alternative<Alloc>(stmt.node)) return true;
    const Loop* loop = std::get_if<Loop>(&stmt.node);
    return loop && loop->kind == LoopKind::kMap && stores_only_locals(loop->body);
  }
  bool stores_only_locals(const Block& block) const {
    return std::all_of(block.stmts.begin(), block.stmts.end(), [&](const Stmt& stmt) {
      if (const Loop* loop = std::get_if<Loop>(&stmt.node)) return stores_only_locals(loop->body);
      const Store* store = std::get_if<Store>(&stmt.node);
      return !store || kernel_.buffers[static_cast<size_t>(store->buffer)].kind == Buffer::Kind::kLocal;
    });
  }
  bool is_shared(BufferId id) const {
    return id >= 0 && static_cast<size_t>(id) < kernel_.buffers.size() &&
           kernel_.buffers[static_cast<size_t>(id)].kind == Buffer::Kind::kShared;
  }

  void visit(const Let& let) {
    require(std::holds_alternative<ir::ScalarRecipe>(*let.record->becomes),
            [&] { return std::string(*let.record->name) + " has no scalar recipe"; });
    for (ScalarId operand : let.operands) use(operand);
    const std::string_view name = *let.record->name;
    require(!is_complex(dtype(let.result)),
            [&] { return std::string(name) + " gives a complex number, which kernels do not know"; });
    if (!ops::moves_elements(*let.record)) {
      bool narrow = is_narrow(dtype(let.result));
      for (ScalarId operand : let.operands) narrow = narrow || is_narrow(dtype(operand));
      require(!narrow, [&] {
        return std::string(name) + " computes on a narrow number, which kernels only store and convert";
      });
    }
    const ir::Arity arity = *let.record->operands;
    const int count = static_cast<int>(let.operands.size());
    require(count >= arity.min && (arity.max == ir::Arity::kAny || count <= arity.max),
            [&] { return std::string(*let.record->name) + ": wrong number of operands"; });
    define(let.result);
  }
  void visit(const Literal& literal) {
    define(literal.result);
    require(literal.value.size() == 1, "a literal is not a scalar");
    expect(literal.result, literal.value.dtype(), "literal");
  }
  void visit(const IndexValue& value) {
    in_scope(value.index);
    define(value.result);
  }
  void visit(const InRange& range) {
    in_scope(range.index);
    define(range.result);
    expect(range.result, DType::kPred, "the result of a range test");
  }
  void visit(const Load& load) {
    if (load.predicate != kNone) {
      use(load.predicate);
      expect(load.predicate, DType::kPred, "predicate");
    }
    access(load.buffer, load.offset, load.predicate != kNone);
    define(load.result);
    expect(load.result, kernel_.buffers[static_cast<size_t>(load.buffer)].dtype, "loaded value");
  }
  void visit(const Append& append) {
    use(append.keep);
    expect(append.keep, DType::kPred, "whether a value is appended");
    const auto local = [&](BufferId id) -> const Buffer& {
      access(id, Index(0), false);
      const Buffer& buffer = kernel_.buffers[static_cast<size_t>(id)];
      require(buffer.kind == Buffer::Kind::kLocal,
              [&] { return "the list " + buffer.name + " is not local"; });
      return buffer;
    };
    const Buffer& count = local(append.count);
    require(count.dtype == DType::kS32 && count.elements == 1, "the count of a list is not one s32");
    require(append.lists.size() == append.values.size(), "each list needs a value");
    for (size_t i = 0; i < append.lists.size(); ++i) {
      const Buffer& list = local(append.lists[i]);
      use(append.values[i]);
      expect(append.values[i], list.dtype, "appended value");
      require(list.elements > kAppendedAtOnce,
              [&] { return "the list " + list.name + " has no room for a vector"; });
    }
    require(in_scan_, "the points of a loop that appends have an order");
  }
  void visit(const Prefetch& prefetch) { access(prefetch.buffer, prefetch.offset, true); }
  void visit(const Store& store) {
    use(store.value);
    access(store.buffer, store.offset, false);
    const Buffer& b = kernel_.buffers[static_cast<size_t>(store.buffer)];
    require(b.kind != Buffer::Kind::kInput, [&] { return "a store into the input " + b.name; });
    expect(store.value, b.dtype, "stored value");
  }
  void visit(const Alloc& alloc) {
    require(alloc.buffer >= kernel_.input_count + kernel_.output_count &&
                static_cast<size_t>(alloc.buffer) < kernel_.buffers.size(),
            "only local and shared buffers are allocated");
    require(!is_shared(alloc.buffer) || at_root_, "a shared buffer is not allocated at the root");
    live_[static_cast<size_t>(alloc.buffer)] = true;
    allocated_.push_back(alloc.buffer);
  }

  void visit(const Loop& loop) {
    require(loop.var >= 0 && static_cast<size_t>(loop.var) < extents_.size(),
            "a loop's variable does not exist");
    require(extents_[static_cast<size_t>(loop.var)] == 0, "two open loops share a variable");
    require(loop.extent >= 0 && loop.step >= 1, "a loop's extent or step is wrong");
    require(loop.extent == 0 || loop.step <= loop.extent, "a loop's step exceeds its extent");
    require(loop.step == 1 || loop.style == LoopStyle::kSerial, "only serial loops have steps");
    require(loop.vectors >= 1, "a loop needs at least one vector");
    widths(loop);
    require(loop.kind != LoopKind::kParallel || only_parallel_, "a parallel loop is not at the root");
    require(loop.style != LoopStyle::kLanes || !lanes_, "two loops with lanes nest");
    require(loop.style != LoopStyle::kTile || loop.kind == LoopKind::kMap, "only map loops are tiled");
    require(loop.kind != LoopKind::kScan || loop.style == LoopStyle::kSerial ||
                (loop.style == LoopStyle::kLanes && kernel_.bound.empty() && !running_totals(loop).empty()) ||
                (loop.style == LoopStyle::kLanes && appends(loop)),
            "a scan is serial, but for running totals and lists");
    require(loop.step == 1 || loop.kind == LoopKind::kParallel || loop.kind == LoopKind::kMap,
            "steps may overlap: only independent points have them");
    const bool carries = loop.kind == LoopKind::kReduce || loop.kind == LoopKind::kScan;
    require(carries || loop.carries.empty(), "independent points carry nothing");
    for (const Carry& carry : loop.carries) use(carry.init);
    if (loop.steps != kNone) {
      use(loop.steps);
      expect(loop.steps, DType::kS32, "number of steps");
      require(loop.kind == LoopKind::kScan && loop.style == LoopStyle::kSerial,
              "only serial scans end at a number that is known at run time");
    }
    require(loop.copies == kNone || (loop.copies >= 0 && loop.copies < kernel_.input_count),
            "only inputs are copied");

    const size_t scope = scope_.size(), allocated = allocated_.size();
    const bool was_parallel = only_parallel_, had_lanes = lanes_, was_empty = empty_, was_root = at_root_;
    const bool was_in_scan = std::exchange(in_scan_, loop.kind == LoopKind::kScan);
    at_root_ = false;
    only_parallel_ = only_parallel_ && loop.kind == LoopKind::kParallel;
    lanes_ = lanes_ || loop.style == LoopStyle::kLanes;
    empty_ = empty_ || loop.extent == 0;
    extents_[static_cast<size_t>(loop.var)] = std::max<int64_t>(loop.extent - loop.step + 1, 1);
    require(loop.active == Index(0) || loop.kind == LoopKind::kScan,
            "only steps of scans may change nothing");
    in_scope(loop.active);
    for (size_t carry : loop.running) {
      require(loop.kind == LoopKind::kScan && loop.style == LoopStyle::kSerial && loop.steps == kNone,
              "only serial scans end with a carry");
      require(carry < loop.carries.size(), "a scan ends with a carry that it does not have");
      expect(loop.carries[carry].init, DType::kPred, "whether a scan goes on");
    }
    for (const Carry& carry : loop.carries) {
      if (loop.kind != LoopKind::kScan) continue;
      define(carry.arg);
      expect(carry.arg, dtype(carry.init), "carry");
    }
    block(loop.body);
    for (const Carry& carry : loop.carries) {
      use(carry.next);
      expect(carry.next, dtype(carry.init), "carry");
    }
    close(scope);
    for (; allocated_.size() > allocated; allocated_.pop_back())
      live_[static_cast<size_t>(allocated_.back())] = false;
    extents_[static_cast<size_t>(loop.var)] = 0;
    only_parallel_ = was_parallel;
    lanes_ = had_lanes;
    empty_ = was_empty;
    at_root_ = was_root;
    in_scan_ = was_in_scan;

    if (loop.kind == LoopKind::kReduce) combiner(loop);
    for (const Carry& carry : loop.carries) {
      define(carry.result);
      expect(carry.result, dtype(carry.init), "carry");
    }
  }

  void widths(const Loop& loop) {
    const LoopWidths& w = loop.widths;
    if (w.lanes == 0) return;
    const bool lanes = loop.style == LoopStyle::kLanes;
    require(w.lanes > 0 && std::has_single_bit(static_cast<uint32_t>(w.lanes)),
            "the number of lanes is no power of two");
    require(w.vectors >= 1 && w.points() <= std::max<int64_t>(loop.extent, 1),
            "a block of vectors has more points than the loop");
    require(lanes || (w.points() == 1 && w.may_overlap), "a loop without lanes has vectors");
    require(w.unroll >= 1 && w.accumulators >= 1 && w.accumulators <= w.unroll,
            "a loop has more accumulators than steps in an iteration");
    const bool reduces = loop.kind == LoopKind::kReduce;
    require(w.accumulators == 1 || reduces, "only reductions have accumulators");
    require(loop.reduce_by == ReduceBy::kCombiner || reduces,
            "only reductions have instructions of their own");
    const bool products = loop.reduce_by == ReduceBy::kPairs || loop.reduce_by == ReduceBy::kMatrixTiles;
    require(!products || sums_products_of(DType::kBF16, kernel_, loop) ||
                (loop.reduce_by == ReduceBy::kPairs && sums_products_of(DType::kS16, kernel_, loop)),
            "the instruction is for sums of products of bf16 or s16");
    const Let* join = reduces ? only_operation(loop.combiner) : nullptr;
    require(loop.reduce_by != ReduceBy::kNumbers ||
                (lanes && join != nullptr && ops::is_any<ops::MaxOp, ops::MinOp>(*join->record)),
            "the instruction is for extremes on lanes");
    for (size_t carry : loop.rising) {
      require(reduces && loop.step == 1 && carry < loop.carries.size() && rises(kernel_, loop, carry),
              "a carry does not rise along its loop");
    }
  }

  void combiner(const Loop& loop) {
    const Combiner& c = loop.combiner;
    require(
        c.lhs.size() == loop.carries.size() && c.rhs.size() == c.lhs.size() && c.out.size() == c.lhs.size(),
        "a combiner needs as many values as the loop has carries");
    const size_t scope = scope_.size();
    for (size_t i = 0; i < c.lhs.size(); ++i) {
      define(c.lhs[i]);
      define(c.rhs[i]);
      expect(c.lhs[i], dtype(loop.carries[i].init), "combined value");
      expect(c.rhs[i], dtype(loop.carries[i].init), "combined value");
    }
    for (const Stmt& stmt : c.body.stmts) {
      require(std::holds_alternative<Let>(stmt.node) || std::holds_alternative<Literal>(stmt.node),
              "a combiner holds only operations and literals");
    }
    block(c.body);
    for (size_t i = 0; i < c.out.size(); ++i) {
      use(c.out[i]);
      expect(c.out[i], dtype(loop.carries[i].init), "combined value");
    }
    close(scope);
  }

  void close(size_t scope) {
    for (; scope_.size() > scope; scope_.pop_back()) visible_[static_cast<size_t>(scope_.back())] = false;
  }

  const Kernel& kernel_;
  std::vector<bool> visible_, made_;
  std::vector<ScalarId> scope_;
  std::vector<int64_t> extents_;  // number of values of each open loop's variable; 0: not open
  std::vector<bool> live_;        // of each buffer
  std::vector<BufferId> allocated_;
  bool only_parallel_ = true, lanes_ = false, empty_ = false, at_root_ = true;
  bool in_scan_ = false;  // the innermost loop is one
  bool prelude_ = false;  // of this phase's band was seen
};

}  // namespace

void verify(const Kernel& kernel) {
  Verifier(kernel).run();
  if (kernel.bound.empty()) return;
  const Varying values = varying(kernel);
  for (const auto& [var, scalar] : kernel.bound) {
    if ((values.scalars[static_cast<size_t>(scalar)] & ~kLaneBit) == 0) continue;
    throw InternalError("an index that is known at run time differs between points of a tile\n" +
                        to_string(kernel));
  }
}

}  // namespace ingot::kernel
