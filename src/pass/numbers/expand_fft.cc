// expand_fft: Fourier transforms become programs over arrays, one dimension after the other (fft_program.h).
#include "ops/kinds.h"
#include "ops/make.h"
#include "pass/find_ops.h"
#include "pass/numbers/fft_program.h"
#include "pass/passes.h"

namespace ingot::pass {
namespace {

using ir::Op;
using ir::Value;

// An array of any rank as [batch, n, columns] around one of its dimensions.
Shape around(const Shape& shape, size_t axis) {
  Shape flat{1, shape[axis], 1};
  for (size_t i = 0; i < axis; ++i) flat[0] *= shape[i];
  for (size_t i = axis + 1; i < shape.size(); ++i) flat[2] *= shape[i];
  return flat;
}

class FftExpansion {
 public:
  explicit FftExpansion(Op& op) : op_(op), builder_(*op.parent(), &op), writer_(builder_) {
    builder_.set_provenance(op.provenance().derived("expand_fft", std::string(op.name())));
  }

  void run() {
    const ops::FftOp form(op_);
    const bool inverse = form.type() == ops::FftType::kIfft || form.type() == ops::FftType::kIrfft;
    ir::Function* function = op_.function();
    const std::string name = op_.result()->name();
    Value* result = expanded(form, inverse);
    op_.result()->replace_all_uses_with(result);
    op_.erase();
    function->rename(result, name);
  }

 private:
  Value* expanded(const ops::FftOp& form, bool inverse) {
    const ir::TensorType wanted = op_.result()->type();
    if (wanted.elements() == 0) return builder_.constant(Tensor(wanted.dtype, wanted.shape));
    Value* x = op_.operand(0);
    const Shape given = x->shape();
    const size_t last = given.size() - 1, first = last + 1 - form.lengths().size();
    FftProgram program(writer_, real_dtype(x->dtype()), inverse,
                       function_name() + "_" + op_.result()->name());
    double scale = 1;
    if (inverse) {
      for (const int64_t n : form.lengths()) scale /= static_cast<double>(n);
    }
    const bool from_real = form.type() == ops::FftType::kRfft, to_real = form.type() == ops::FftType::kIrfft;
    ComplexArray y;
    if (from_real)
      y = program.half_of_real(writer_.reshape(x, around(given, last)));
    else
      y = taken(x);
    const Shape shape = from_real ? wanted.shape : given;
    // Along the others as complex numbers.
    const size_t end = from_real || to_real ? last : last + 1;
    for (size_t axis = end; axis-- > first;) {
      y = program.transform(y, around(shape, axis), scale, axis == first && !to_real);
      scale = 1;
    }
    if (to_real) {
      Value* x = program.real_of_half(y, around(given, last), form.lengths().back(), scale);
      return writer_.reshape(x, wanted.shape);
    }
    return make::bitcast(builder_, program.pairs_of(y, wanted.shape), wanted.dtype);
  }

  std::string function_name() const { return op_.function()->name(); }

  // What split_complex has put together of parts is those parts; of an argument, its pairs.
  ComplexArray taken(Value* x) {
    const DType part = real_dtype(x->dtype());
    const Op* bytes = ops::made_by<ops::BitcastOp>(x);
    if (bytes == nullptr) return {{}, make::bitcast(builder_, x, part)};
    Value* pairs = bytes->operand(0);
    const Op* joined = ops::made_by<ops::ConcatenateOp>(pairs);
    if (joined == nullptr || joined->operand_count() != 2 || joined->operand(0)->shape().back() != 1 ||
        joined->operand(1)->shape().back() != 1)
      return {{}, pairs};
    const Parts parts = writer_.each({joined->operand(0), joined->operand(1)},
                                     [&](Value* v) { return writer_.reshape(v, x->shape()); });
    if (Value* whole = sliced_from(joined->operand(0), 0);
        whole != nullptr && whole == sliced_from(joined->operand(1), 1))
      return {{}, whole};
    return {parts};
  }

  // The array whose first or second element along the last dimension, an extent of 2, this is; or null.
  static Value* sliced_from(Value* x, int64_t which) {
    while (const Op* view = ops::made_by<ops::ReshapeOp>(x)) x = view->operand(0);
    const Op* slice = ops::made_by<ops::SliceOp>(x);
    if (slice == nullptr || slice->operand(0)->rank() == 0 || slice->operand(0)->shape().back() != 2)
      return nullptr;
    ir::IntList starts(slice->operand(0)->shape().size(), 0), limits = slice->operand(0)->shape();
    starts.back() = which;
    limits.back() = which + 1;
    const ir::Attributes& attributes = slice->attributes();
    return attributes.list("starts") == starts && attributes.list("limits") == limits ? slice->operand(0)
                                                                                      : nullptr;
  }

  Op& op_;
  ir::Builder builder_;
  FftWriter writer_;
};

class ExpandFft : public Pass {
 public:
  std::string_view name() const override { return "expand_fft"; }
  std::string_view why() const override {
    return "Writes Fourier transforms as programs over arrays; it follows the passes that make real numbers "
           "of "
           "complex ones, since it knows their parts, and precedes fusion, for which it makes kernels "
           "already.";
  }
  bool required() const override { return true; }

  bool run(ir::Module& module, PassContext& context) override {
    const std::vector<Op*> found =
        find_ops(module, [](const Op& op) { return ops::is<ops::FftOp>(op) && op.used(); });
    bool changed = false;
    for (Op* op : found) {
      if (!context.must("expand", *op)) continue;
      FftExpansion(*op).run();
      changed = true;
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> make_expand_fft() {
  return std::make_unique<ExpandFft>();
}

}  // namespace ingot::pass
