// Scalars, variables and local buffers are numbered by the order in which they first appear, and the terms of
// a sum are sorted by what they are written as, so kernels that differ only in numbering have the same form.
// Whatever has no fixed length begins with it, and whatever may be missing with a word that says so: no two
// kernels are written as the same bytes.
#include "kernel/ir/form.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <unordered_map>

namespace ingot::kernel {
namespace {

// A whole number in as many bytes as it needs, seven bits in each.
void put(std::string& to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<char>(value | 0x80));
  to.push_back(static_cast<char>(value));
}
// Small negative numbers are short, too.
void put_signed(std::string& to, int64_t value) {
  put(to, static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
}

class Writer {
 public:
  explicit Writer(const Kernel& kernel)
      : kernel_(kernel),
        scalars_(kernel.scalars.size()),
        variables_(kernel.var_extents.size()),
        buffers_(kernel.buffers.size()) {}

  std::string write() {
    add(kernel_.input_count);
    add(kernel_.output_count);
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      const Buffer& b = kernel_.buffers[i];
      if (b.kind == Buffer::Kind::kLocal || b.kind == Buffer::Kind::kShared) continue;
      buffer(static_cast<BufferId>(i));
    }
    block(kernel_.body);
    return std::move(form_);
  }

 private:
  // Numbers from 1 on, given at the first question; 0 stands for none.
  class Numbers {
   public:
    explicit Numbers(size_t size) : numbers_(size, 0) {}
    // The number, and whether it is new.
    std::pair<uint64_t, bool> of(int id) {
      uint64_t& number = numbers_.at(static_cast<size_t>(id));
      const bool fresh = number == 0;
      if (fresh) number = ++used_;
      return {number, fresh};
    }

   private:
    std::vector<uint64_t> numbers_;
    uint64_t used_ = 0;
  };

  static constexpr uint64_t kKinds = 4;  // of buffers

  void add(uint64_t value) { put(form_, value); }
  void add(int value) { put_signed(form_, value); }
  void add(int64_t value) { put_signed(form_, value); }
  void add(bool value) { put(form_, value ? 1 : 0); }
  void add(DType dtype) { put(form_, static_cast<uint64_t>(dtype)); }
  void add(std::string_view text) {
    add(uint64_t{text.size()});
    form_ += text;
  }
  void add(const Tensor& tensor) {
    add(tensor.dtype());
    add(uint64_t{tensor.shape().size()});
    for (int64_t extent : tensor.shape()) add(extent);
    form_.append(reinterpret_cast<const char*>(tensor.raw()), tensor.bytes());
  }

  void scalar(ScalarId id) {
    if (id == kNone) return add(uint64_t{0});
    const auto [number, fresh] = scalars_.of(id);
    add(number);
    if (fresh) add(kernel_.scalars[static_cast<size_t>(id)]);
  }
  void scalars(const std::vector<ScalarId>& ids) {
    add(uint64_t{ids.size()});
    for (ScalarId id : ids) scalar(id);
  }
  void variable(VarId id) {
    const auto [number, fresh] = variables_.of(id);
    add(number);
    if (fresh) add(kernel_.var_extents[static_cast<size_t>(id)]);
  }
  void buffer(BufferId id) {
    if (id == kNone) return add(uint64_t{0});
    const auto [number, fresh] = buffers_.of(id);
    add(number);
    if (!fresh) return;
    const Buffer& b = kernel_.buffers[static_cast<size_t>(id)];
    add(static_cast<uint64_t>(b.kind) + (b.kept ? kKinds : 0));
    add(b.dtype);
    add(b.elements);
  }

  void index(const Index& index) {
    add(index.constant());
    const std::vector<Index::Term>& terms = index.terms();
    add(uint64_t{terms.size()});
    if (terms.size() == 1) return term(terms[0]);
    // Each is written behind the others, then all are put in the order of what was written.
    const size_t start = form_.size();
    std::vector<std::string> written;
    for (const Index::Term& t : terms) {
      const size_t begin = form_.size();
      term(t);
      written.push_back(form_.substr(begin));
      form_.resize(begin);
    }
    std::sort(written.begin(), written.end());
    form_.resize(start);
    for (const std::string& text : written) form_ += text;
  }
  void term(const Index::Term& term) {
    const IndexAtom& atom = *term.atom;
    add(term.coefficient);
    add(static_cast<uint64_t>(atom.kind));
    if (atom.kind == IndexAtom::Kind::kVariable) {
      const auto bound = kernel_.bound.find(atom.id);
      const bool is_bound = bound != kernel_.bound.end();
      add(is_bound);
      // A bound variable is its scalar, which has a number already; loops have numbered all others.
      if (is_bound) {
        scalar(bound->second);
        add(atom.extent);
      } else {
        variable(atom.id);
      }
      return;
    }
    index(atom.argument);
    if (atom.kind != IndexAtom::Kind::kLookup) return add(atom.divisor);
    add(uint64_t{atom.table->size()});
    for (int64_t value : *atom.table) add(value);
  }

  void block(const Block& block) {
    add(uint64_t{block.stmts.size()});
    for (const Stmt& stmt : block.stmts) {
      add(uint64_t{stmt.node.index()});
      std::visit([&](const auto& node) { visit(node); }, stmt.node);
    }
  }

  void visit(const Let& let) {
    add(*let.record->name);
    scalars(let.operands);
    scalar(let.result);
    add(uint64_t{let.attributes.items().size()});
    for (const auto& [key, value] : let.attributes.items()) {
      add(std::string_view(key));
      add(uint64_t{value.index()});
      std::visit([&](const auto& v) { attribute(v); }, value);
    }
  }
  template <class T>
  void attribute(const T& value) {
    add(value);
  }
  void attribute(double v) { add(std::bit_cast<uint64_t>(v)); }
  void attribute(const std::string& v) { add(std::string_view(v)); }
  void attribute(const ir::IntList& v) {
    add(uint64_t{v.size()});
    for (int64_t i : v) add(i);
  }
  void attribute(const ir::Symbol& v) { add(std::string_view(v.name)); }

  void visit(const Literal& literal) {
    scalar(literal.result);
    add(literal.value);
  }
  void visit(const IndexValue& value) {
    index(value.index);
    scalar(value.result);
  }
  void visit(const InRange& range) {
    index(range.index);
    scalar(range.result);
    add(range.low);
    add(range.high);
  }
  void visit(const Load& load) {
    buffer(load.buffer);
    index(load.offset);
    scalar(load.predicate);
    scalar(load.result);
  }
  void visit(const Store& store) {
    buffer(store.buffer);
    index(store.offset);
    scalar(store.value);
  }
  void visit(const Append& append) {
    add(uint64_t{append.lists.size()});
    for (BufferId list : append.lists) buffer(list);
    buffer(append.count);
    for (ScalarId value : append.values) scalar(value);
    scalar(append.keep);
  }
  void visit(const Prefetch& prefetch) {
    buffer(prefetch.buffer);
    index(prefetch.offset);
  }
  void visit(const Alloc& alloc) { buffer(alloc.buffer); }

  void visit(const Loop& loop) {
    variable(loop.var);
    add(loop.extent);
    add(loop.step);
    add(static_cast<uint64_t>(loop.kind));
    add(static_cast<uint64_t>(loop.style));
    add(loop.vectors);
    // How many carries follow that end the loop.
    add(uint64_t{loop.outline ? 1U : 0U} + 2 * uint64_t{loop.running.size()});
    for (size_t carry : loop.running) add(uint64_t{carry});
    if (loop.widths.lanes != 0) {
      add(loop.widths.lanes);
      add(loop.widths.vectors);
      add(loop.widths.unroll);
      add(loop.widths.accumulators);
      add(loop.widths.may_overlap);
      add(static_cast<uint64_t>(loop.reduce_by));
      add(uint64_t{loop.rising.size()});
      for (size_t carry : loop.rising) add(uint64_t{carry});
    }
    scalar(loop.steps);
    index(loop.active);
    buffer(loop.copies);
    add(uint64_t{loop.carries.size()});
    for (const Carry& carry : loop.carries) {
      scalar(carry.init);
      scalar(carry.arg);
    }
    block(loop.body);
    for (const Carry& carry : loop.carries) {
      scalar(carry.next);
      scalar(carry.result);
    }
    scalars(loop.combiner.lhs);
    scalars(loop.combiner.rhs);
    block(loop.combiner.body);
    scalars(loop.combiner.out);
  }

  const Kernel& kernel_;
  std::string form_;
  Numbers scalars_, variables_, buffers_;
};

std::atomic<FormHash> replaced_hash{nullptr};

}  // namespace

std::string canonical_form(const Kernel& kernel) {
  return Writer(kernel).write();
}

uint64_t hash_of_form(std::string_view form) {
  if (const FormHash hash = replaced_hash.load(std::memory_order_relaxed)) [[unlikely]]
    return hash(form);
  Hasher hasher;
  hasher.add(form);
  return hasher.value();
}

void replace_hash_of_forms(FormHash hash) {
  replaced_hash.store(hash);
}

uint64_t structural_hash(const Kernel& kernel) {
  return hash_of_form(canonical_form(kernel));
}

}  // namespace ingot::kernel
