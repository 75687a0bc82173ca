#include "backend/interpret/kernel_interpreter.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/check.h"
#include "base/fork.h"
#include "ir/builder.h"
#include "ir/op_record.h"
#include "kernel/ir/commutes.h"

namespace ingot::backend {
namespace {

using namespace kernel;

class NoRegions : public ir::Evaluator {
 public:
  std::vector<Tensor> run(const ir::Region&, std::span<const Tensor>) override {
    throw InternalError("an operation on scalars has a region");
  }
};

}  // namespace

class KernelMachine {
 public:
  explicit KernelMachine(const Kernel& kernel, bool backwards = false)
      : kernel_(kernel),
        backwards_(backwards),
        scalars_(kernel.scalars.size()),
        vars_(kernel.var_names.size(), 0),
        scratch_(module_.add_function("scalars")),
        ops_(kernel.scalars.size(), nullptr) {}

  // Before each run.
  void begin(std::span<const Tensor> inputs) {
    memory_.clear();
    written_.clear();
    touched_.clear();
    for (size_t b = 0; b < kernel_.buffers.size(); ++b) {
      const Buffer& buffer = kernel_.buffers[b];
      const size_t elements = static_cast<size_t>(buffer.elements);
      if (buffer.kind == Buffer::Kind::kInput) {
        const Tensor& given = inputs[b];
        check(given.size() == buffer.elements && given.dtype() == buffer.dtype,
              "input " + std::to_string(b) + " of the kernel does not fit");
        memory_.push_back(given);
        written_.emplace_back(elements, true);
      } else {
        memory_.emplace_back(buffer.dtype, Shape{buffer.elements});
        written_.emplace_back(elements, false);
      }
      touched_.emplace_back(elements, false);
    }
  }

  // Writes the elements of outputs that the kernel writes where `buffers` says.
  void run_into(void* const* buffers) {
    block(kernel_.body);
    for (int b = kernel_.input_count; b < kernel_.input_count + kernel_.output_count; ++b) {
      const size_t at = static_cast<size_t>(b), bytes = byte_size(kernel_.buffers[at].dtype);
      auto* to = static_cast<std::byte*>(buffers[at]);
      for (size_t i = 0; i < written_[at].size(); ++i) {
        if (written_[at][i]) std::memcpy(to + i * bytes, memory_[at].raw() + i * bytes, bytes);
      }
    }
  }

  KernelRun run() {
    block(kernel_.body);
    KernelRun result;
    for (int b = 0; b < kernel_.input_count + kernel_.output_count; ++b) {
      const size_t at = static_cast<size_t>(b);
      const Buffer& buffer = kernel_.buffers[at];
      int64_t touched = 0;
      for (size_t i = 0; i < touched_[at].size(); ++i) {
        if (!written_[at][i])
          fail("element " + std::to_string(i) + " of " + buffer.name + " is never written");
        touched += touched_[at][i];
      }
      result.elements_touched.push_back(touched);
      if (buffer.kind != Buffer::Kind::kOutput) continue;
      Tensor shaped(buffer.dtype, buffer.shape);
      std::memcpy(shaped.raw(), memory_[at].raw(), shaped.bytes());
      result.outputs.push_back(shaped);
    }
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InternalError("kernel " + kernel_.name + ": " + message + "\n" + to_string(kernel_));
  }

  Tensor& scalar(ScalarId id) { return scalars_[static_cast<size_t>(id)]; }
  int64_t value_of(const Index& index) const {
    return index.evaluate([&](int id) {
      const auto bound = kernel_.bound.find(id);
      return bound == kernel_.bound.end() ? vars_[static_cast<size_t>(id)]
                                          : scalars_[static_cast<size_t>(bound->second)].get_int(0);
    });
  }

  // The element's place in its buffer.
  size_t place(BufferId buffer, const Index& offset) {
    const int64_t at = value_of(offset);
    const Buffer& b = kernel_.buffers[static_cast<size_t>(buffer)];
    if (at < 0 || at >= b.elements) fail("an access at " + std::to_string(at) + " of " + b.name);
    touched_[static_cast<size_t>(buffer)][static_cast<size_t>(at)] = true;
    return static_cast<size_t>(at);
  }

  void block(const Block& block) {
    for (const Stmt& stmt : block.stmts) std::visit([&](const auto& node) { visit(node); }, stmt.node);
  }

  void visit(const Let& let) {
    ir::Op*& op = ops_[static_cast<size_t>(let.result)];
    if (op == nullptr) {
      std::vector<ir::Value*> operands;
      for (ScalarId id : let.operands) {
        operands.push_back(scratch_->body().add_argument({kernel_.scalars[static_cast<size_t>(id)], {}}));
      }
      op = ir::Builder(scratch_->body()).make(*let.record->name, operands, let.attributes);
      if (op->result()->dtype() != kernel_.scalars[static_cast<size_t>(let.result)])
        fail("the result of " + std::string(*let.record->name) + " has another dtype");
    }
    operands_.clear();
    for (ScalarId id : let.operands) operands_.push_back(scalar(id));
    NoRegions none;
    const ir::ReferenceFn& reference = *let.record->reference;
    scalar(let.result) = std::move(reference(*op, operands_, none)[0]);
  }
  void visit(const Literal& literal) { scalar(literal.result) = literal.value; }
  void visit(const IndexValue& value) {
    Tensor result(kernel_.scalars[static_cast<size_t>(value.result)], {});
    const int64_t number = value_of(value.index);
    if (is_float(result.dtype()))
      result.set_double(0, static_cast<double>(number));
    else
      result.set_int(0, number);
    scalar(value.result) = std::move(result);
  }
  void visit(const InRange& range) {
    const int64_t index = value_of(range.index);
    Tensor result(DType::kPred, {});
    result.set_int(0, range.low <= index && index < range.high);
    scalar(range.result) = std::move(result);
  }
  void visit(const Load& load) {
    Tensor result(kernel_.scalars[static_cast<size_t>(load.result)], {});
    const size_t b = static_cast<size_t>(load.buffer), bytes = byte_size(result.dtype());
    if (load.predicate == kNone || scalar(load.predicate).get_int(0) != 0) {
      const size_t at = place(load.buffer, load.offset);
      if (!written_[b][at])
        fail("element " + std::to_string(at) + " of " + kernel_.buffers[b].name +
             " is read before it is written");
      std::memcpy(result.raw(), memory_[b].raw() + at * bytes, bytes);
    }
    scalar(load.result) = std::move(result);
  }
  void visit(const Store& store) {
    const size_t b = static_cast<size_t>(store.buffer), at = place(store.buffer, store.offset);
    const size_t bytes = byte_size(kernel_.buffers[b].dtype);
    std::memcpy(memory_[b].raw() + at * bytes, scalar(store.value).raw(), bytes);
    written_[b][at] = true;
  }
  void visit(const Append& append) {
    if (scalar(append.keep).get_int(0) == 0) return;
    Tensor& count = memory_[static_cast<size_t>(append.count)];
    const int64_t at = count.get_int(0);
    for (size_t i = 0; i < append.lists.size(); ++i) {
      const auto b = static_cast<size_t>(append.lists[i]);
      const int64_t room = kernel_.buffers[b].elements - kernel::kAppendedAtOnce;
      if (!written_[static_cast<size_t>(append.count)][0] || at < 0 || at >= room)
        fail("a list has no room for what is appended to it");
      const size_t bytes = byte_size(kernel_.buffers[b].dtype), place = static_cast<size_t>(at);
      std::memcpy(memory_[b].raw() + place * bytes, scalar(append.values[i]).raw(), bytes);
      written_[b][place] = true;
    }
    count.set_int(0, at + 1);
  }
  void visit(const Prefetch&) {}
  void visit(const Alloc& alloc) {
    const size_t b = static_cast<size_t>(alloc.buffer);
    written_[b].assign(written_[b].size(), false);
  }

  void visit(const Loop& loop) {
    std::vector<int64_t> positions;
    for (int64_t at = 0; at < loop.extent; at += loop.step) {
      positions.push_back(std::min(at, loop.extent - loop.step));
    }
    if (loop.steps != kNone) {
      const int64_t steps = std::max<int64_t>(scalar(loop.steps).get_int(0), 0);
      if (steps > loop.extent) fail("a loop runs " + std::to_string(steps) + " steps");
      positions.resize(static_cast<size_t>(steps));
    }
    const bool reversed = backwards_ && loop.kind != LoopKind::kScan;
    if (reversed) std::reverse(positions.begin(), positions.end());
    // Backwards, each point stands left of those before, unless the loop may join them in any order.
    const bool exchanged = reversed && loop.kind == LoopKind::kReduce && !kernel::commutes(kernel_, loop);
    std::vector<Tensor> carries;
    for (const Carry& carry : loop.carries) carries.push_back(scalar(carry.init));
    for (int64_t position : positions) {
      vars_[static_cast<size_t>(loop.var)] = position;
      if (loop.kind == LoopKind::kScan) {
        for (size_t i = 0; i < carries.size(); ++i) scalar(loop.carries[i].arg) = carries[i];
      }
      block(loop.body);
      std::vector<Tensor> next;
      for (const Carry& carry : loop.carries) next.push_back(scalar(carry.next));
      if (loop.kind == LoopKind::kReduce) {
        for (size_t i = 0; i < carries.size(); ++i) {
          scalar(loop.combiner.lhs[i]) = exchanged ? next[i] : carries[i];
          scalar(loop.combiner.rhs[i]) = exchanged ? carries[i] : next[i];
        }
        block(loop.combiner.body);
        for (size_t i = 0; i < carries.size(); ++i) next[i] = scalar(loop.combiner.out[i]);
      }
      const bool ended =
          !loop.running.empty() && std::none_of(loop.running.begin(), loop.running.end(),
                                                [&](size_t carry) { return carries[carry].get_int(0) != 0; });
      if (ended) {
        for (size_t i = 0; i < carries.size(); ++i) {
          if (std::memcmp(carries[i].raw(), next[i].raw(), byte_size(carries[i].dtype())) != 0)
            fail("a step changes a carry where it promises not to");
        }
        break;
      }
      carries = std::move(next);
    }
    for (size_t i = 0; i < carries.size(); ++i) scalar(loop.carries[i].result) = carries[i];
  }

  const Kernel& kernel_;
  const bool backwards_;
  std::vector<Tensor> scalars_;
  std::vector<int64_t> vars_;
  std::vector<Tensor> memory_;                        // of each buffer
  std::vector<std::vector<bool>> written_, touched_;  // each of its elements
  ir::Module module_;
  ir::Function* scratch_;         // holds an operation for each Let
  std::vector<ir::Op*> ops_;      // by the scalar that the Let makes
  std::vector<Tensor> operands_;  // of the Let at hand
};

KernelRun run_kernel(const kernel::Kernel& kernel, std::span<const Tensor> inputs, bool backwards) {
  check(static_cast<int>(inputs.size()) == kernel.input_count, "a kernel got the wrong number of inputs");
  KernelMachine machine(kernel, backwards);
  machine.begin(inputs);
  return machine.run();
}

// Those that no run is using. Most of what a machine takes to make is its operations, which stay.
struct KernelInterpreter::Idle {
  std::mutex mutex;
  std::vector<std::unique_ptr<KernelMachine>> machines;
};

KernelInterpreter::KernelInterpreter(kernel::Kernel kernel)
    : kernel_(std::move(kernel)), idle_(std::make_unique<Idle>()) {}

KernelInterpreter::~KernelInterpreter() = default;

void KernelInterpreter::run(void* const* buffers) const {
  std::unique_ptr<KernelMachine> machine;
  {
    const ShortLock lock(idle_->mutex);
    if (!idle_->machines.empty()) {
      machine = std::move(idle_->machines.back());
      idle_->machines.pop_back();
    }
  }
  if (machine == nullptr) machine = std::make_unique<KernelMachine>(kernel_);
  std::vector<Tensor> inputs;
  for (int b = 0; b < kernel_.input_count; ++b) {
    const Buffer& buffer = kernel_.buffers[static_cast<size_t>(b)];
    Tensor& input = inputs.emplace_back(buffer.dtype, Shape{buffer.elements});
    if (input.bytes() > 0) std::memcpy(input.raw(), buffers[b], input.bytes());
  }
  machine->begin(inputs);
  machine->run_into(buffers);
  const ShortLock lock(idle_->mutex);
  idle_->machines.push_back(std::move(machine));
}

}  // namespace ingot::backend
