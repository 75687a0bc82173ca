// One call of a function over arrays outside of jit, as the cache of programs sees it.
#pragma once

#include "frontend/apply.h"
#include "frontend/signature.h"

namespace ingot::detail {

// The body of the function, to be traced for its operands. What it refers to must outlive it.
class EagerCall final : public Callable {
 public:
  // `words` tell the call apart from others of the same function; the operands may be abstract.
  EagerCall(const std::vector<Array>& operands, const std::vector<int64_t>& words, const ArrayBody& body)
      : operands_(operands), words_(words), body_(body) {}

  void sign(Signature& signature) const;
  Outputs trace(const std::vector<Array>& leaves) const override { return {{body_(leaves)}, nullptr}; }
  Description describe() const override;

 private:
  const std::vector<Array>& operands_;
  const std::vector<int64_t>& words_;
  const ArrayBody& body_;
};

}  // namespace ingot::detail
