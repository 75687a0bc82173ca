#include "kernel/lower/group_form.h"

#include <bit>

#include "base/check.h"

namespace ingot::kernel {
namespace {

// Writes numbers and lengths in front of what they count, so that no two structures have the same bytes.
class FormWriter {
 public:
  GroupForm run(const Group& group) {
    add(group.inputs.size());
    for (const ir::Value* input : group.inputs) {
      define(*input);
      pitch(group, input);
    }
    add(group.ops.size());
    for (const ir::Op* op : group.ops) operation(*op);
    add(group.outputs.size());
    for (const ir::Value* output : group.outputs) {
      use(*output);
      pitch(group, output);
    }
    return std::move(form_);
  }

 private:
  void operation(const ir::Op& op) {
    add(std::bit_cast<uintptr_t>(&op.record()));
    const auto operands = op.operands();
    add(operands.size());
    for (const ir::Value* operand : operands) use(*operand);
    add(op.attributes().items().size());
    for (const auto& [name, value] : op.attributes().items()) {
      text(name);
      add(value.index());
      std::visit([&](const auto& held) { attribute(held); }, value);
    }
    add(op.region_count());
    for (int r = 0; r < op.region_count(); ++r) region(op.region(r));
    add(op.result_count());
    for (int i = 0; i < op.result_count(); ++i) define(*op.result(i));
  }

  void region(const ir::Region& region) {
    add(region.argument_count());
    for (int i = 0; i < region.argument_count(); ++i) define(*region.argument(i));
    add(region.ops().size());
    for (const auto& op : region.ops()) operation(*op);
  }

  void define(const ir::Value& value) {
    numbers_.emplace(&value, numbers_.size());
    form_.values.push_back(&value);
    add(value.dtype());
    list(value.shape());
  }
  void use(const ir::Value& value) {
    const auto it = numbers_.find(&value);
    check(it != numbers_.end(), "a group reads a value that is neither its own nor an input");
    add(it->second);
  }
  void pitch(const Group& group, const ir::Value* value) {
    const auto it = group.pitches.find(value);
    add(it == group.pitches.end() ? 0 : it->second);
  }

  void attribute(bool value) { add(value); }
  void attribute(int64_t value) { add(value); }
  void attribute(double value) { add(std::bit_cast<uint64_t>(value)); }
  void attribute(const std::string& value) { text(value); }
  void attribute(DType value) { add(value); }
  void attribute(const ir::Symbol& value) { text(value.name); }
  void attribute(const ir::IntList& value) { list(value); }
  void attribute(const Tensor& value) {
    add(value.dtype());
    list(value.shape());
    form_.bytes.append(reinterpret_cast<const char*>(value.raw()), value.bytes());
  }

  template <class T>
  void add(T value) {
    form_.bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view text) {
    add(text.size());
    form_.bytes.append(text);
  }
  void list(const std::vector<int64_t>& list) {
    add(list.size());
    form_.bytes.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(int64_t));
  }

  GroupForm form_;
  std::unordered_map<const ir::Value*, size_t> numbers_;
};

}  // namespace

GroupForm form_of(const Group& group) {
  return FormWriter().run(group);
}

}  // namespace ingot::kernel
