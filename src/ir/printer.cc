// IR to text. One operation a line, regions indented; what is printed reads back to the same program.

#include <iostream>

#include "ir/deferred_text.h"
#include "ir/literal.h"
#include "ir/op_record.h"
#include "ir/text.h"
#include "ir/text_cursor.h"

namespace ingot::ir {
namespace {

void append_elements(std::string& text, const Tensor& value) {
  const int64_t count = value.size();
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    append_element(text, value, i);
  }
}

}  // namespace

class Printer {
 public:
  // Long literals, if they are to be written later, go to `deferred`.
  explicit Printer(const PrintOptions& options, DeferredText* deferred = nullptr)
      : options_(options), deferred_(deferred) {}

  std::string take() { return std::move(text_); }

  void print(const Module& module) {
    if (options_.version) text_ += "version " + std::to_string(kTextVersion) + "\n";
    for (const auto& function : module.functions()) {
      if (function != module.functions().front()) text_ += '\n';
      print(*function);
    }
  }

  void print(const Function& function) {
    text_ += "func ";
    name('@', function.name());
    text_ += '(';
    for (int i = 0; i < function.body().argument_count(); ++i) {
      if (i > 0) text_ += ", ";
      declare(function.body().argument(i));
      if (function.donated.contains(i)) text_ += " donated";
    }
    text_ += ") -> (";
    types(function.body().results());
    text_ += ") {\n";
    ops(function.body(), 1);
    text_ += "}\n";
  }

  void print(const Op& op, int depth) {
    if (op.is_return()) {
      text_ += "return";
      if (op.operand_count() > 0) text_ += ' ';
      values(op.operands());
    } else {
      for (int i = 0; i < op.result_count(); ++i) {
        if (i > 0) text_ += ", ";
        name('%', op.result(i)->name());
      }
      if (op.result_count() > 0) text_ += " = ";
      text_ += op.name();
      text_ += '(';
      values(op.operands());
      text_ += ')';
      attributes(op.attributes());
      for (int i = 0; i < op.region_count(); ++i) region(op.region(i), depth);
      if (op.result_count() > 0) text_ += " : ";
      for (int i = 0; i < op.result_count(); ++i) {
        if (i > 0) text_ += ", ";
        text_ += to_string(op.result(i)->type());
      }
    }
    if (options_.locations) location(op.provenance());
  }

 private:
  void name(char sigil, std::string_view name) {
    text_ += sigil;
    if (TextCursor::is_plain_name(name)) {
      text_ += name;
    } else {
      append_quoted(text_, name);
    }
  }

  void declare(const Value* value) {
    name('%', value->name());
    text_ += ": " + to_string(value->type());
  }

  // An operand is null only in a broken program, which must still print for the verifier's message.
  void values(std::span<Value* const> list) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (i > 0) text_ += ", ";
      if (list[i] == nullptr) {
        text_ += "<null>";
      } else {
        name('%', list[i]->name());
      }
    }
  }

  void types(std::span<Value* const> list) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (i > 0) text_ += ", ";
      text_ += list[i] == nullptr ? "<null>" : to_string(list[i]->type());
    }
  }

  void ops(const Region& region, int depth) {
    for (const auto& op : region.ops()) {
      indent(depth);
      print(*op, depth);
      text_ += '\n';
    }
  }

  void region(const Region& region, int depth) {
    text_ += " (";
    for (int i = 0; i < region.argument_count(); ++i) {
      if (i > 0) text_ += ", ";
      declare(region.argument(i));
    }
    text_ += ") {\n";
    ops(region, depth + 1);
    indent(depth);
    text_ += '}';
  }

  void indent(int depth) { text_.append(2 * static_cast<size_t>(depth), ' '); }

  void attributes(const Attributes& attributes) {
    if (attributes.items().empty()) return;
    text_ += " {";
    bool first = true;
    for (const auto& [key, value] : attributes.items()) {
      if (!first) text_ += ", ";
      first = false;
      text_ += key + " = ";
      std::visit([&](const auto& v) { attribute(v); }, value);
    }
    text_ += '}';
  }

  void attribute(bool value) { text_ += value ? "true" : "false"; }
  void attribute(int64_t value) { text_ += std::to_string(value); }
  void attribute(double value) { append_double(text_, value); }
  void attribute(const std::string& value) { append_quoted(text_, value); }
  void attribute(DType value) { text_ += name_of(value); }
  void attribute(const IntList& value) { text_ += ingot::to_string(value); }
  void attribute(const Symbol& value) { name('@', value.name); }
  void attribute(const Tensor& value) {
    text_ += "dense " + std::string(name_of(value.dtype())) + ingot::to_string(value.shape()) + "{";
    if (options_.max_literal_elements >= 0 && value.size() > options_.max_literal_elements) {
      text_ += "...";
    } else if (deferred_ != nullptr && value.size() > kWrittenAtOnce) {
      deferred_->literals_.push_back({text_.size(), value});
    } else {
      append_elements(text_, value);
    }
    text_ += '}';
  }

  void location(const Provenance& provenance) {
    if (provenance == Provenance()) return;
    std::string text;
    if (!provenance.file.empty() || provenance.line != 0) {
      append_quoted(text, provenance.file);
      text += ":" + std::to_string(provenance.line);
    }
    auto part = [&](std::string_view word, const std::string& content) {
      if (content.empty()) return;
      if (!text.empty()) text += ' ';
      text += word;
      append_quoted(text, content);
    };
    part("in ", provenance.scope);
    for (const std::string& line : provenance.also) part("and ", line);
    part("by ", provenance.made_by);
    part("from ", provenance.made_from);
    text_ += " loc(" + text + ")";
  }

  static constexpr int64_t kWrittenAtOnce =
      64;  // elements, which take no longer than what stands around them

  PrintOptions options_;
  DeferredText* deferred_;
  std::string text_;
};

std::string to_string(const Op& op, const PrintOptions& options) {
  Printer printer(options);
  printer.print(op, 0);
  return printer.take();
}

std::string to_string(const Function& function, const PrintOptions& options) {
  Printer printer(options);
  printer.print(function);
  return printer.take();
}

std::string to_string(const Module& module, const PrintOptions& options) {
  Printer printer(options);
  printer.print(module);
  return printer.take();
}

DeferredText::DeferredText(const Module& module) {
  Printer printer({}, this);
  printer.print(module);
  text_ = printer.take();
}

std::string DeferredText::str() const {
  std::string whole;
  size_t written = 0;
  for (const Literal& literal : literals_) {
    whole.append(text_, written, literal.position - written);
    append_elements(whole, literal.value);
    written = literal.position;
  }
  return whole.append(text_, written);
}

size_t DeferredText::bytes() const {
  size_t bytes = text_.size();
  for (const Literal& literal : literals_) bytes += sizeof(literal) + literal.value.bytes();
  return bytes;
}

void Op::dump() const {
  std::cerr << to_string(*this) << '\n';
}
void Function::dump() const {
  std::cerr << to_string(*this);
}
void Module::dump() const {
  std::cerr << to_string(*this);
}

}  // namespace ingot::ir
