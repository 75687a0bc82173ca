// Builds kernels by hand, for tests and benchmarks:
//
//   KernelBuilder b("sum");
//   BufferId x = b.input(DType::kF32, 100), y = b.output(DType::kF32, 1);
//   ScalarId sum = b.reduce(100, LoopStyle::kLanes, b.literal(0.0f), "add", [&](Index i) { return b.load(x,
//   i); }); b.store(y, 0, sum); Kernel kernel = b.finish();
#pragma once

#include <functional>
#include <utility>

#include "base/check.h"
#include "kernel/ir/kernel_ir.h"

namespace ingot::testing {

using namespace kernel;

class KernelBuilder {
 public:
  explicit KernelBuilder(std::string name) { kernel_.name = std::move(name); }

  BufferId input(DType dtype, int64_t elements) {
    return buffer("in", dtype, elements, Buffer::Kind::kInput);
  }
  BufferId output(DType dtype, int64_t elements) {
    return buffer("out", dtype, elements, Buffer::Kind::kOutput);
  }
  // All inputs and outputs must be there before the first local.
  BufferId local(DType dtype, int64_t elements) {
    const BufferId id = buffer("tmp", dtype, elements, Buffer::Kind::kLocal);
    add(Alloc{id});
    return id;
  }

  template <class T>
  ScalarId literal(T value) {
    const ScalarId id = kernel_.add_scalar(dtype_of<T>());
    add(Literal{id, Tensor::of<T>({}, {value})});
    return id;
  }
  ScalarId load(BufferId buffer, const Index& offset, ScalarId predicate = kNone) {
    const ScalarId id = kernel_.add_scalar(kernel_.buffers[static_cast<size_t>(buffer)].dtype);
    add(Load{id, buffer, offset, predicate});
    return id;
  }
  void store(BufferId buffer, const Index& offset, ScalarId value) { add(Store{buffer, offset, value}); }
  ScalarId index(DType dtype, const Index& index) {
    const ScalarId id = kernel_.add_scalar(dtype);
    add(IndexValue{id, index});
    return id;
  }
  ScalarId in_range(const Index& index, int64_t low, int64_t high) {
    const ScalarId id = kernel_.add_scalar(DType::kPred);
    add(InRange{id, index, low, high});
    return id;
  }
  // The result has the dtype of the first operand unless given.
  ScalarId let(std::string_view record, std::vector<ScalarId> operands, ir::Attributes attributes = {}) {
    const DType dtype = kernel_.scalars[static_cast<size_t>(operands[0])];
    return let_as(dtype, record, std::move(operands), std::move(attributes));
  }
  ScalarId let_as(DType dtype, std::string_view record, std::vector<ScalarId> operands,
                  ir::Attributes attributes = {}) {
    const ir::OpRecord* found = ir::find_record(record);
    check(found != nullptr, "no record " + std::string(record));
    const ScalarId id = kernel_.add_scalar(dtype);
    add(Let{id, found, std::move(operands), std::move(attributes)});
    return id;
  }

  using Body = std::function<void(Index)>;
  // Returns the loop for further settings; valid until the next statement.
  Loop& loop(LoopKind kind, LoopStyle style, int64_t extent, const Body& body, int64_t step = 1,
             int vectors = 1) {
    Loop loop = open(kind, style, extent, step);
    loop.vectors = vectors;
    loop.body = nested([&] { body(kernel_.var(loop.var)); });
    return add(std::move(loop));
  }
  void parallel(int64_t extent, const Body& body) {
    loop(LoopKind::kParallel, LoopStyle::kSerial, extent, body);
  }
  void parallel_lanes(int64_t extent, const Body& body, int vectors = 1) {
    loop(LoopKind::kParallel, LoopStyle::kLanes, extent, body, 1, vectors);
  }
  void map(int64_t extent, const Body& body) { loop(LoopKind::kMap, LoopStyle::kSerial, extent, body); }
  void map_lanes(int64_t extent, const Body& body, int vectors = 1) {
    loop(LoopKind::kMap, LoopStyle::kLanes, extent, body, 1, vectors);
  }
  void tile(int64_t extent, const Body& body) { loop(LoopKind::kMap, LoopStyle::kTile, extent, body); }

  ScalarId reduce(int64_t extent, LoopStyle style, ScalarId init, std::string_view combiner,
                  const std::function<ScalarId(Index)>& body, int vectors = 1) {
    Loop loop = open(LoopKind::kReduce, style, extent, 1);
    loop.vectors = vectors;
    const DType dtype = kernel_.scalars[static_cast<size_t>(init)];
    Carry carry{init, kNone, kNone, kNone};
    loop.body = nested([&] { carry.next = body(kernel_.var(loop.var)); });
    const ScalarId lhs = kernel_.add_scalar(dtype), rhs = kernel_.add_scalar(dtype);
    loop.combiner.lhs = {lhs};
    loop.combiner.rhs = {rhs};
    loop.combiner.body = nested([&] { loop.combiner.out = {let(combiner, {lhs, rhs})}; });
    carry.result = kernel_.add_scalar(dtype);
    loop.carries = {carry};
    add(std::move(loop));
    return carry.result;
  }

  std::vector<ScalarId> scan(int64_t extent, const std::vector<ScalarId>& inits,
                             const std::function<std::vector<ScalarId>(Index, std::vector<ScalarId>)>& body) {
    Loop loop = open(LoopKind::kScan, LoopStyle::kSerial, extent, 1);
    std::vector<ScalarId> args, results, nexts;
    for (ScalarId init : inits)
      args.push_back(kernel_.add_scalar(kernel_.scalars[static_cast<size_t>(init)]));
    loop.body = nested([&] { nexts = body(kernel_.var(loop.var), args); });
    for (size_t i = 0; i < inits.size(); ++i) {
      results.push_back(kernel_.add_scalar(kernel_.scalars[static_cast<size_t>(inits[i])]));
      loop.carries.push_back({inits[i], args[i], nexts[i], results[i]});
    }
    add(std::move(loop));
    return results;
  }

  // For what the helpers above do not cover.
  Kernel& kernel() { return kernel_; }
  Loop open(LoopKind kind, LoopStyle style, int64_t extent, int64_t step) {
    Loop loop;
    const std::string letters = "ijklmnpqrstuvw";
    loop.var = kernel_.add_var(std::string(1, letters[kernel_.var_names.size() % letters.size()]),
                               std::max<int64_t>(extent - step + 1, 1));
    loop.extent = extent;
    loop.step = step;
    loop.kind = kind;
    loop.style = style;
    return loop;
  }
  Block nested(const std::function<void()>& fill) {
    Block block;
    Block* outer = std::exchange(current_, &block);
    fill();
    current_ = outer;
    return block;
  }
  template <class Node>
  Node& add(Node node) {
    current_->stmts.push_back(Stmt{std::move(node)});
    return std::get<Node>(current_->stmts.back().node);
  }

  Kernel finish() {
    verify(kernel_);
    return kernel_;
  }

 private:
  BufferId buffer(const char* name, DType dtype, int64_t elements, Buffer::Kind kind) {
    if (kind == Buffer::Kind::kInput) ++kernel_.input_count;
    if (kind == Buffer::Kind::kOutput) ++kernel_.output_count;
    return kernel_.add_buffer(
        {name + std::to_string(kernel_.buffers.size()), dtype, elements, kind, Shape{elements}});
  }

  Kernel kernel_;
  Block* current_ = &kernel_.body;
};

}  // namespace ingot::testing
