// Decompositions by LAPACK, one matrix by one thread; a batch is shared out.
#include "base/lapack.h"
#include "runtime/routines/matrices.h"

namespace ingot::runtime {
namespace {

constexpr int64_t kMostWork = int64_t{256}
                              << 20;  // bytes that matrices at once may take, if they are several

class Decomposition final : public Routine {
 public:
  explicit Decomposition(const DecompositionForm& form)
      : form_(form), work_of_matrix_(lapack::work_bytes(form.of)) {
    slots_ = std::clamp<int64_t>(kMostWork / work_of_matrix_, 2, kMatricesAtOnce);
    slots_ = std::min(slots_, std::max<int64_t>(form.batch, 1));
  }

  std::string name() const override {
    switch (form_.of.kind) {
      case lapack::Kind::kEigh:
        return "eigh";
      case lapack::Kind::kSvd:
        return "svd";
      case lapack::Kind::kEig:
        return "eig";
      default:
        return "schur";
    }
  }
  std::string form() const override {
    const lapack::Form& of = form_.of;
    return std::string(of.lower ? "lower" : "upper") + (of.full ? " full" : "") + (of.left ? " left" : "") +
           (of.right ? " right" : "");
  }
  int64_t work_bytes() const override { return slots_ * work_of_matrix_; }

  void run(const RoutineCall& call) const override {
    const auto slot = [&](int64_t s) {
      std::vector<void*> results(form_.result_bytes.size());
      for (int64_t i = form_.batch * s / slots_; i < form_.batch * (s + 1) / slots_; ++i) {
        for (size_t r = 0; r < results.size(); ++r)
          results[r] = static_cast<std::byte*>(call.buffers[r + 1]) + i * form_.result_bytes[r];
        lapack::decompose(form_.of, call.input<std::byte>(0) + i * form_.operand_bytes, results.data(),
                          call.work + s * work_of_matrix_);
      }
    };
    slots_ == 1 ? slot(0) : call.for_each(slots_, slot);
  }

 private:
  const DecompositionForm form_;
  int64_t work_of_matrix_, slots_;
};

}  // namespace

std::shared_ptr<const Routine> decomposition(const DecompositionForm& form) {
  return std::make_shared<Decomposition>(form);
}

}  // namespace ingot::runtime
