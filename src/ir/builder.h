// Makes operations at the end of a region (or before one of its operations), inferring the types of their
// results.
#pragma once

#include "ir/ir.h"
#include "ir/op_record.h"

namespace ingot::ir {

class Builder {
 public:
  // Inserts before `before`; null: at the end of the region, before its return if it has one.
  explicit Builder(Region& region, Op* before = nullptr) : region_(&region), before_(before) {}

  // The provenance of what is made next.
  void set_provenance(Provenance provenance) { provenance_ = std::move(provenance); }
  const Provenance& provenance() const { return provenance_; }

  // Throws ingot::Error "file:line: name: what is wrong" if the operands do not fit the record.
  Op* make(std::string_view record, std::vector<Value*> operands, Attributes attributes = {},
           std::vector<std::unique_ptr<Region>> regions = {}, std::vector<std::string> result_names = {});
  // With a `name` if it is made from the value called so.
  Value* value(std::string_view record, std::vector<Value*> operands, Attributes attributes = {},
               const std::string& name = {}) {
    return make(record, std::move(operands), std::move(attributes), {}, {name})->result();
  }
  Value* constant(const Tensor& tensor) { return value("constant", {}, {{"value", tensor}}); }

  Region& region() const { return *region_; }
  std::unique_ptr<Region> make_region() const { return region_->function()->make_region(); }

 private:
  Region* region_;
  Op* before_;
  Provenance provenance_;
};

// "file:line: ", where the user's line is known.
std::string line_of(const Provenance& provenance);
// The same, or "%name: " of the first result, for what goes wrong when a program runs.
std::string place_of(const Op& op);

// Throws the user's error that a rule of the operation has thrown, with the operation's line and name.
[[noreturn]] void fail_at(const Op& op, const Error& error);
template <class Rule>
decltype(auto) at_line_of(const Op& op, const Rule& rule) {
  try {
    return rule();
  } catch (const Error& error) {
    fail_at(op, error);
  }
}

// The result types of an operation, with the location and the operation's name added to an error's text.
std::vector<TensorType> infer_types(const OpRecord& record, std::span<Value* const> operands,
                                    const Attributes& attributes, std::span<const Region* const> regions,
                                    const Module* module, const Provenance& provenance);

}  // namespace ingot::ir
