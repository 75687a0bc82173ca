// expand_fft: Fourier transforms become programs over arrays, one dimension after the other (fft_program.h).
#include "ops/kinds.h"
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
    const ops::FftType type = form.type();
    const bool inverse = type == ops::FftType::kIfft || type == ops::FftType::kIrfft;
    Value* x = op_.operand(0);
    const DType part = real_dtype(x->dtype());
    const size_t last = x->shape().size() - 1, first = last + 1 - form.lengths().size();
    double scale = 1;
    if (inverse) {
      for (const int64_t n : form.lengths()) scale /= static_cast<double>(n);
    }
    Value* result = nullptr;
    if (op_.result()->type().elements() == 0) {
      result = builder_.constant(Tensor(op_.result()->dtype(), op_.result()->shape()));
    } else {
      FftProgram program(writer_, part, inverse);
      const auto along = [&](const Parts& v, size_t axis) {
        const Shape shape = v.re->shape();
        const auto as = [&](const Shape& wanted) {
          return [&, wanted](Value* u) { return writer_.reshape(u, wanted); };
        };
        const Parts y = program.transform(writer_.each(v, as(around(shape, axis))), scale);
        scale = 1;
        return writer_.each(y, as(shape));
      };
      Parts y;
      size_t rest = last;  // dimensions before it are transformed as complex numbers
      if (type == ops::FftType::kRfft) {
        y = program.half_of_real(writer_.reshape(x, around(x->shape(), last)));
        y = writer_.each(y, [&](Value* v) { return writer_.reshape(v, op_.result()->shape()); });
      } else {
        y = {builder_.value("real", {x}), builder_.value("imag", {x})};
        if (type != ops::FftType::kIrfft) rest = last + 1;
      }
      for (size_t axis = rest; axis-- > first;) y = along(y, axis);
      if (type == ops::FftType::kIrfft) {
        const Shape flat = around(y.re->shape(), last);
        y = writer_.each(y, [&](Value* v) { return writer_.reshape(v, flat); });
        result =
            writer_.reshape(program.real_of_half(y, form.lengths().back(), scale), op_.result()->shape());
      } else {
        result = builder_.value("complex", {y.re, y.im});
      }
    }
    const std::string name = op_.result()->name();
    op_.result()->replace_all_uses_with(result);
    ir::Function* function = op_.function();
    op_.erase();
    function->rename(result, name);
  }

 private:
  Op& op_;
  ir::Builder builder_;
  FftWriter writer_;
};

class ExpandFft : public Pass {
 public:
  std::string_view name() const override { return "expand_fft"; }
  std::string_view why() const override {
    return "Writes Fourier transforms as programs over arrays; it follows the algebra, which has nothing to "
           "find in them, and precedes all that is about real numbers and kernels.";
  }
  bool required() const override { return true; }

  bool run(ir::Module& module, PassContext& context) override {
    std::vector<Op*> found;
    for (const auto& function : module.functions()) {
      walk(function->body(), [&](Op& op) {
        if (ops::is<ops::FftOp>(op) && op.used()) found.push_back(&op);
      });
    }
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
