// The text of a kernel, as the comment in kernel_ir.h shows it. For people; nothing reads it back.
#include <map>
#include <set>

#include "ir/literal.h"
#include "kernel/ir/kernel_ir.h"

namespace ingot::kernel {
namespace {

class Printer {
 public:
  explicit Printer(const Kernel& kernel) : kernel_(kernel) {
    name_variables();
    name_buffers();
  }

  std::string print() {
    text_ = "kernel " + kernel_.name + "(";
    bool first = true;
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      const Buffer& b = kernel_.buffers[i];
      if (b.kind == Buffer::Kind::kLocal || b.kind == Buffer::Kind::kShared) continue;
      text_ += std::string(first ? "" : ", ") + (b.kind == Buffer::Kind::kInput ? "in " : "out ") +
               (b.kept ? "kept " : "") + buffer_names_[i] + ": " + type(b);
      first = false;
    }
    text_ += ") {\n";
    block(kernel_.body, 1);
    return text_ + "}\n";
  }

 private:
  // Loops of a fused kernel may share a name; numbers keep the text unambiguous.
  void name_variables() {
    std::map<std::string, int> seen;
    for (const std::string& name : kernel_.var_names) {
      int count = seen[name]++;
      names_.push_back(count == 0 ? name : name + "_" + std::to_string(count));
    }
  }

  // So may buffers: a value that is made in place, and the local memory of one of its copies. Parameters,
  // which stand first, keep the names that the program knows.
  void name_buffers() {
    std::set<std::string> taken;
    for (const Buffer& b : kernel_.buffers) taken.insert(b.name);
    std::set<std::string> seen;
    for (const Buffer& b : kernel_.buffers) {
      std::string name = b.name;
      for (int i = 1; !seen.insert(name).second; ++i) {
        name = b.name + "_" + std::to_string(i);
        if (taken.count(name) > 0) name = b.name;
      }
      buffer_names_.push_back(name);
    }
  }
  const std::string& name_of_buffer(BufferId id) const { return buffer_names_.at(static_cast<size_t>(id)); }

  static std::string type(const Buffer& b) {
    return std::string(name_of(b.dtype)) + (element_count(b.shape) == b.elements
                                                ? ingot::to_string(b.shape)
                                                : "[" + std::to_string(b.elements) + "]");
  }
  std::string var(VarId id) const {
    if (auto bound = kernel_.bound.find(id); bound != kernel_.bound.end()) return scalar(bound->second);
    return static_cast<size_t>(id) < names_.size() ? names_[static_cast<size_t>(id)]
                                                   : "?" + std::to_string(id);
  }
  std::string index(const Index& index) const {
    return index.to_string([this](int id) { return var(id); });
  }
  std::string access(BufferId buffer, const Index& offset) const {
    return name_of_buffer(buffer) + "[" + index(offset) + "]";
  }
  std::string dtype(ScalarId id) const {
    return std::string(name_of(kernel_.scalars.at(static_cast<size_t>(id))));
  }
  static std::string scalar(ScalarId id) {
    std::string text = "%";
    return text += std::to_string(id);
  }
  static std::string list(const std::vector<ScalarId>& ids) {
    std::string text;
    for (size_t i = 0; i < ids.size(); ++i) text += (i ? ", " : "") + scalar(ids[i]);
    return text;
  }

  void block(const Block& block, int depth) {
    for (const Stmt& stmt : block.stmts) {
      text_.append(static_cast<size_t>(depth) * 2, ' ');
      std::visit([&](const auto& node) { print(node, depth); }, stmt.node);
      text_ += "\n";
    }
  }

  void print(const Let& let, int) {
    text_ += scalar(let.result) + " = " + std::string(*let.record->name) + "(" + list(let.operands) + ")";
    if (!let.attributes.items().empty()) {
      std::string attributes;
      for (const auto& [key, value] : let.attributes.items()) {
        attributes += (attributes.empty() ? "" : ", ") + key + " = ";
        std::visit([&](const auto& v) { attribute(attributes, v); }, value);
      }
      text_ += " {" + attributes + "}";
    }
    text_ += " : " + dtype(let.result);
  }
  static void attribute(std::string& text, bool v) { text += v ? "true" : "false"; }
  static void attribute(std::string& text, int64_t v) { text += std::to_string(v); }
  static void attribute(std::string& text, double v) { ir::append_double(text, v); }
  static void attribute(std::string& text, const std::string& v) { ir::append_quoted(text, v); }
  static void attribute(std::string& text, DType v) { text += name_of(v); }
  static void attribute(std::string& text, const ir::IntList& v) { text += ingot::to_string(v); }
  static void attribute(std::string& text, const ir::Symbol& v) { text += "@" + v.name; }
  static void attribute(std::string& text, const Tensor& v) {
    text += "dense " + std::string(name_of(v.dtype())) + ingot::to_string(v.shape()) + "{...}";
  }

  void print(const Literal& literal, int) {
    text_ += scalar(literal.result) + " = literal " + dtype(literal.result) + " ";
    ir::append_element(text_, literal.value, 0);
  }
  void print(const IndexValue& value, int) {
    text_ += scalar(value.result) + " = index " + dtype(value.result) + " " + index(value.index);
  }
  void print(const InRange& range, int) {
    text_ += scalar(range.result) + " = " + std::to_string(range.low) + " <= " + index(range.index) + " < " +
             std::to_string(range.high);
  }
  void print(const Load& load, int) {
    text_ += scalar(load.result) + " = load " + access(load.buffer, load.offset);
    if (load.predicate != kNone) text_ += " if " + scalar(load.predicate);
  }
  void print(const Store& store, int) {
    text_ += "store " + access(store.buffer, store.offset) + ", " + scalar(store.value);
  }
  void print(const Append& append, int) {
    text_ += "append ";
    for (size_t i = 0; i < append.lists.size(); ++i)
      text_ += name_of_buffer(append.lists[i]) + "[" + name_of_buffer(append.count) + "], " +
               scalar(append.values[i]) + (i + 1 < append.lists.size() ? ", " : " if ");
    text_ += scalar(append.keep);
  }
  void print(const Prefetch& prefetch, int) {
    text_ += "prefetch " + access(prefetch.buffer, prefetch.offset);
  }
  void print(const Alloc& alloc, int) {
    const Buffer& buffer = kernel_.buffers.at(static_cast<size_t>(alloc.buffer));
    text_ += (buffer.kind == Buffer::Kind::kShared ? "shared " : "local ") + name_of_buffer(alloc.buffer) +
             ": " + type(buffer);
  }

  void print(const Loop& loop, int depth) {
    constexpr const char* kKinds[] = {"parallel ", "map ", "reduce ", "scan "};
    text_ += kKinds[static_cast<int>(loop.kind)] + var(loop.var) + " in 0.." + std::to_string(loop.extent);
    if (loop.step != 1) text_ += " step " + std::to_string(loop.step);
    if (loop.style == LoopStyle::kTile) text_ += " tile";
    if (loop.style == LoopStyle::kLanes) {
      const LoopWidths& w = loop.widths;
      text_ += w.lanes == 0 ? " lanes" : " lanes " + std::to_string(w.lanes);
      const int vectors = w.lanes == 0 ? loop.vectors : w.vectors;
      if (vectors != 1) text_ += " x " + std::to_string(vectors);
      if (!w.may_overlap) text_ += " once";
    }
    if (loop.widths.unroll != 1) text_ += " unroll " + std::to_string(loop.widths.unroll);
    if (loop.widths.accumulators != 1) text_ += " accumulators " + std::to_string(loop.widths.accumulators);
    constexpr const char* kInstructions[] = {"", " by numbers", " by pairs", " by matrix tiles"};
    text_ += kInstructions[static_cast<int>(loop.reduce_by)];
    for (size_t i = 0; i < loop.rising.size(); ++i)
      text_ += (i == 0 ? " rising " : ", ") + std::to_string(loop.rising[i]);
    if (loop.outline) text_ += " outline";
    if (loop.steps != kNone) text_ += " first " + scalar(loop.steps);
    if (loop.active != Index(0)) text_ += " active where " + index(loop.active) + " >= 0";
    for (size_t i = 0; i < loop.running.size(); ++i)
      text_ += (i == 0 ? " while " : " or ") + scalar(loop.carries[loop.running[i]].arg);
    if (loop.copies != kNone) text_ += " unless in place of " + name_of_buffer(loop.copies);
    std::string args, nexts, results;
    for (size_t i = 0; i < loop.carries.size(); ++i) {
      const Carry& c = loop.carries[i];
      const std::string comma = i ? ", " : "";
      args += comma + (c.arg == kNone ? "" : scalar(c.arg) + " = ") + scalar(c.init);
      nexts += comma + scalar(c.next);
      results += comma + scalar(c.result);
    }
    if (!loop.carries.empty()) text_ += " carry(" + args + ") -> " + results;
    text_ += " {\n";
    const std::string indent(static_cast<size_t>(depth) * 2, ' ');
    block(loop.body, depth + 1);
    if (!loop.carries.empty()) text_ += indent + "  yield " + nexts + "\n";
    text_ += indent + "}";
    if (loop.kind == LoopKind::kReduce) {
      text_ += " combine(" + list(loop.combiner.lhs) + "; " + list(loop.combiner.rhs) + ") {\n";
      block(loop.combiner.body, depth + 1);
      text_ += indent + "  yield " + list(loop.combiner.out) + "\n" + indent + "}";
    }
  }

  const Kernel& kernel_;
  std::vector<std::string> names_;  // of variables
  std::vector<std::string> buffer_names_;
  std::string text_;
};

}  // namespace

std::string to_string(const Kernel& kernel) {
  return Printer(kernel).print();
}

}  // namespace ingot::kernel
