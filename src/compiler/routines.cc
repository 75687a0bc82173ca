#include "compiler/routines.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/stop.h"
#include "compiler/planned_kernels.h"
#include "ir/op_record.h"
#include "ir/structural.h"
#include "ops/control.h"
#include "ops/host_call.h"
#include "ops/kinds.h"
#include "runtime/executable.h"
#include "runtime/routines/linear_algebra.h"
#include "runtime/routines/sort.h"
#include "transform/extract.h"

namespace ingot::compiler {
namespace {

using ir::Op;
using ir::Value;
using runtime::Executable;
using runtime::Routine;

using MakeRoutine = std::shared_ptr<const Routine> (*)(const Op&, const Options&);
struct Entry {
  std::string_view name;
  MakeRoutine make;
};

int input_of(const std::vector<Value*>& inputs, const Value* operand) {
  return static_cast<int>(std::find(inputs.begin(), inputs.end(), operand) - inputs.begin());
}

// --- functions of scalars

// A region of scalars as machine code of the host. Mostly it is one kernel, which is called without more ado.
class ScalarFunction final : public runtime::Comparator {
 public:
  ScalarFunction(const ir::Region& region, const Options& options) {
    auto module = std::make_unique<ir::Module>();
    const ir::Module& program = *region.function()->module();
    std::string name = region.function()->name() + "_comparator";
    while (program.find(name) != nullptr) name += "_";
    ir::Function* function = module->add_function(name);
    transform::copy_callees(region, program, *module);
    ir::clone_region(region, function->body());
    form_ = std::to_string(ir::structural_hash(region));
    Options plain;
    plain.fma_contraction = options.fma_contraction;
    plain.backend = &backend::host_backend();  // the sort calls it
    if (&backend_of(options) == plain.backend) plain.target = options.target;
    executable_ = compile(std::move(module), plain).executable;
    const runtime::PlanFunction& entry = executable_->entry();
    const auto* launch =
        entry.steps.size() == 1 ? std::get_if<runtime::LaunchStep>(&entry.steps.front()) : nullptr;
    if (launch == nullptr) return;
    const runtime::CompiledKernel& kernel = *executable_->plan().kernels[static_cast<size_t>(launch->kernel)];
    if (kernel.function == nullptr || kernel.units != 1 || kernel.scratch_bytes > 0 ||
        kernel.shared_bytes > 0 || kernel.stack_bytes > kSmallFrame || launch->buffers.size() > kMostPointers)
      return;
    for (const runtime::Location& location : launch->buffers) {
      if (location.kind == runtime::Location::Kind::kFrame) return;
    }
    function_ = kernel.function;
    buffers_ = &launch->buffers;
  }

  std::string form() const override { return form_; }

  bool less(const void* const* elements) const override {
    alignas(64) std::array<std::byte, 64> answer{};
    void* result = answer.data();
    if (function_ == nullptr) {
      executable_->run(elements, &result);
      return answer[0] != std::byte{0};
    }
    std::array<void*, kMostPointers> pointers;
    for (size_t i = 0; i < buffers_->size(); ++i) {
      const runtime::Location& at = (*buffers_)[i];
      const void* base = result;
      if (at.kind == runtime::Location::Kind::kArgument) base = elements[at.index];
      if (at.kind == runtime::Location::Kind::kConstant)
        base = executable_->plan().constants[static_cast<size_t>(at.index)].data.get();
      pointers[i] = const_cast<std::byte*>(static_cast<const std::byte*>(base)) + at.offset;
    }
    function_(pointers.data(), 0, 1, nullptr);
    return answer[0] != std::byte{0};
  }

 private:
  static constexpr size_t kMostPointers = 16, kSmallFrame = 4096;

  std::string form_;
  std::shared_ptr<const Executable> executable_;
  KernelFunction function_ = nullptr;
  const std::vector<runtime::Location>* buffers_ = nullptr;  // of the one launch
};

// --- sorts: the last dimension, which sort_keys has seen to

runtime::SortedRows sorted_rows(const Op& op, const std::vector<Value*>& inputs, int64_t axis, int first) {
  const Shape& shape = op.operand(0)->shape();
  check(axis + 1 == static_cast<int64_t>(shape.size()), "a sort along another dimension than the last one");
  runtime::SortedRows rows;
  rows.length = shape.back();
  rows.rows = rows.length == 0 ? 0 : element_count(shape) / rows.length;
  for (const Value* input : inputs)
    rows.element_bytes.push_back(static_cast<int64_t>(byte_size(input->dtype())));
  for (int i = 0; i < op.result_count(); ++i) rows.outputs.push_back(input_of(inputs, op.operand(first + i)));
  return rows;
}

std::shared_ptr<const Routine> make_radix_sort(const Op& op, const Options&) {
  const ops::SortByKeysOp sort(op);
  const std::vector<Value*> inputs = routine_inputs(op);
  std::vector<runtime::SortKey> keys;
  for (int k = 0; k < sort.key_count(); ++k) {
    const ops::KeyOrder order = sort.order(k);
    keys.push_back({input_of(inputs, sort.key(k)), sort.key(k)->dtype(), order.descending, order.by_value});
  }
  runtime::SortedRows rows = sorted_rows(op, inputs, sort.axis(), sort.key_count());
  rows.first = sort.first();
  return runtime::radix_sort(rows, keys);
}

std::shared_ptr<const Routine> make_merge_sort(const Op& op, const Options& options) {
  const ops::SortOp sort(op);
  return runtime::merge_sort(sorted_rows(op, routine_inputs(op), sort.axis(), 0),
                             std::make_shared<ScalarFunction>(sort.comparator(), options));
}

// --- matrices

int vector_bytes(const Options& options) {
  return target_of(options).vector_bytes;
}

int64_t matrices_of(const Value* value) {
  const Shape& shape = value->shape();
  return element_count(Shape(shape.begin(), shape.end() - 2));
}

std::shared_ptr<const Routine> make_cholesky(const Op& op, const Options& options) {
  const Value* a = op.operand(0);
  return runtime::cholesky({.dtype = a->dtype(),
                            .batch = matrices_of(a),
                            .n = a->shape().back(),
                            .lower = ops::CholeskyOp(op).lower(),
                            .vector_bytes = vector_bytes(options)});
}

std::shared_ptr<const Routine> make_triangular_solve(const Op& op, const Options& options) {
  const Value *a = op.operand(0), *b = op.operand(1);
  const ops::TriangularSolveForm form = ops::TriangularSolveOp(op).form();
  return runtime::triangular_solve(
      {.dtype = a->dtype(),
       .batch = matrices_of(a),
       .n = a->shape().back(),
       .sides = form.left_side ? b->shape().back() : b->shape()[b->shape().size() - 2],
       .left_side = form.left_side,
       .lower = form.lower,
       .unit_diagonal = form.unit_diagonal,
       .transposed = form.transposed,
       .conjugated = form.conjugated,
       .same = a == b,
       .vector_bytes = vector_bytes(options)});
}

std::shared_ptr<const Routine> make_lu(const Op& op, const Options& options) {
  const Value* a = op.operand(0);
  return runtime::lu({.dtype = a->dtype(),
                      .batch = matrices_of(a),
                      .m = a->shape()[a->shape().size() - 2],
                      .n = a->shape().back(),
                      .vector_bytes = vector_bytes(options)});
}

runtime::QrForm qr_form(const Op& op, const Options& options) {
  const Value* a = op.operand(0);
  const int64_t m = a->shape()[a->shape().size() - 2], n = a->shape().back();
  return {.dtype = a->dtype(),
          .batch = matrices_of(a),
          .m = m,
          .n = n,
          .reflections = std::min(m, n),
          .columns = n,
          .vector_bytes = vector_bytes(options)};
}

std::shared_ptr<const Routine> make_qr(const Op& op, const Options& options) {
  runtime::QrForm form = qr_form(op, options);
  form.columns = op.result(0)->shape().back();
  return runtime::qr(form);
}

std::shared_ptr<const Routine> make_geqrf(const Op& op, const Options& options) {
  runtime::QrForm form = qr_form(op, options);
  form.result = runtime::QrResult::kPacked;
  return runtime::qr(form);
}

std::shared_ptr<const Routine> make_householder_product(const Op& op, const Options& options) {
  runtime::QrForm form = qr_form(op, options);
  form.result = runtime::QrResult::kProduct;
  form.reflections = op.operand(1)->shape().back();
  return runtime::qr(form);
}

std::shared_ptr<const Routine> make_decomposition(const Op& op, lapack::Form of) {
  const Value* a = op.operand(0);
  of.dtype = a->dtype();
  of.m = a->shape()[a->shape().size() - 2];
  of.n = a->shape().back();
  runtime::DecompositionForm form{.of = of, .batch = matrices_of(a)};
  const auto bytes = [&](const Value* value) {
    return value->type().elements() / std::max<int64_t>(form.batch, 1) *
           static_cast<int64_t>(byte_size(value->dtype()));
  };
  form.operand_bytes = bytes(a);
  for (const Value* result : op.results()) form.result_bytes.push_back(bytes(result));
  return runtime::decomposition(form);
}

std::shared_ptr<const Routine> make_eigh(const Op& op, const Options&) {
  const ops::EighOp eigh(op);
  return make_decomposition(op,
                            {.kind = lapack::Kind::kEigh, .lower = eigh.lower(), .right = eigh.vectors()});
}

std::shared_ptr<const Routine> make_svd(const Op& op, const Options&) {
  const ops::SvdOp svd(op);
  return make_decomposition(
      op, {.kind = lapack::Kind::kSvd, .full = svd.full_matrices(), .right = svd.vectors()});
}

std::shared_ptr<const Routine> make_eig(const Op& op, const Options&) {
  const ops::EigOp eig(op);
  return make_decomposition(op, {.kind = lapack::Kind::kEig, .left = eig.left(), .right = eig.right()});
}

std::shared_ptr<const Routine> make_schur(const Op& op, const Options&) {
  return make_decomposition(op, {.kind = lapack::Kind::kSchur});
}

// A function of the host, with its operands as they are given: inputs that are alike are one buffer.
class HostRoutine final : public Routine {
 public:
  explicit HostRoutine(const Op& op) : call_(ops::host_call_of(op)), inputs_(routine_inputs(op).size()) {
    const std::vector<Value*> inputs = routine_inputs(op);
    for (const Value* operand : op.operands()) places_.push_back(input_of(inputs, operand));
  }

  std::string name() const override { return "custom_call"; }
  std::string form() const override {
    std::string form = call_.name + " " + std::to_string(call_.handle) + " " + call_.config + " " +
                       call_.place + " " + ingot::to_string(call_.batch);
    for (const int place : places_) form += " " + std::to_string(place);
    return form;
  }
  int64_t work_bytes() const override { return 0; }
  void run(const runtime::RoutineCall& call) const override {
    std::vector<void*> inputs;
    for (const int place : places_) inputs.push_back(call.buffers[place]);
    try {
      call_.run(inputs.data(), call.buffers + inputs_);
    } catch (const RunStopped&) {
      throw;
    } catch (const Error& error) {
      throw runtime::StepError(error.what());
    }
  }

 private:
  HostCall call_;
  std::vector<int> places_;  // of each operand among the inputs
  size_t inputs_;
};

std::shared_ptr<const Routine> make_custom_call(const Op& op, const Options&) {
  return std::make_shared<HostRoutine>(op);
}

constexpr Entry kRoutines[] = {
    {"cholesky", make_cholesky},
    {"custom_call", make_custom_call},
    {"eig", make_eig},
    {"eigh", make_eigh},
    {"geqrf", make_geqrf},
    {"householder_product", make_householder_product},
    {"lu", make_lu},
    {"merge_sort", make_merge_sort},
    {"qr", make_qr},
    {"radix_sort", make_radix_sort},
    {"schur", make_schur},
    {"svd", make_svd},
    {"triangular_solve", make_triangular_solve},
};

void collect(ir::Region& region, const Options& options, PlannedRoutines& found) {
  for (auto& op : region.ops()) {
    if (ops::runs_regions(*op)) {
      for (int r = 0; r < op->region_count(); ++r) collect(op->region(r), options, found);
    } else if (is_routine(*op) && !is_empty(*op)) {
      const std::string_view name = std::get<ir::LibraryRoutine>(*op->record().becomes).routine;
      const auto* entry = std::find_if(std::begin(kRoutines), std::end(kRoutines),
                                       [&](const Entry& one) { return one.name == name; });
      check(entry != std::end(kRoutines), "there is no routine called " + std::string(name));
      found[op.get()] = entry->make(*op, options);
    }
  }
}

}  // namespace

std::vector<Value*> routine_inputs(const Op& op) {
  std::vector<Value*> inputs;
  for (Value* operand : op.operands()) {
    if (std::find(inputs.begin(), inputs.end(), operand) == inputs.end()) inputs.push_back(operand);
  }
  return inputs;
}

PlannedRoutines plan_routines(ir::Module& module, const Options& options) {
  PlannedRoutines found;
  for (auto& function : module.functions()) collect(function->body(), options, found);
  return found;
}

}  // namespace ingot::compiler
