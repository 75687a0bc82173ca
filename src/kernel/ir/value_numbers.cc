#include "kernel/ir/value_numbers.h"

#include <map>
#include <string>
#include <tuple>

#include "kernel/ir/blocks.h"

namespace ingot::kernel {
namespace {

// One walk from the first statement on: what a scalar is made of has its number before it.
class Numbering {
 public:
  Numbering(const Kernel& kernel, ValueNumbers& numbers) : kernel_(kernel), numbers_(numbers) {}

  void visit(const Block& block, int place) {
    for (const Stmt& stmt : block.stmts) {
      if (const auto* let = std::get_if<Let>(&stmt.node))
        let_number(*let);
      else if (const auto* literal = std::get_if<Literal>(&stmt.node))
        set(literal->result, number({kLiteral, 0, bytes_of(literal->value), {}, {}}, literal->result));
      else if (const auto* value = std::get_if<IndexValue>(&stmt.node))
        set(value->result, number({kIndex, 0, "", {}, {renamed(value->index)}}, value->result));
      else if (const auto* load = std::get_if<Load>(&stmt.node))
        load_number(*load);
      else if (const auto* loop = std::get_if<Loop>(&stmt.node))
        loop_numbers(*loop, place);
      else
        for (ScalarId id : results(stmt)) set(id, fresh());
    }
  }

 private:
  enum Kind { kLiteral, kIndex, kLoad, kReduction, kLet };
  // Of a value: what makes it (a record, a buffer), with which constants, from which numbers, at which index.
  using Form = std::tuple<int, uintptr_t, std::string, std::vector<int>, std::vector<Index>>;

  int fresh() { return next_++; }
  int number(Form form, ScalarId result) {
    std::get<2>(form) += static_cast<char>(kernel_.scalars[static_cast<size_t>(result)]);
    const auto [known, made] = known_.try_emplace(std::move(form), next_);
    if (made) ++next_;
    return known->second;
  }
  void set(ScalarId id, int number) {
    if (id != kNone) numbers_.of[static_cast<size_t>(id)] = number;
  }
  int of(ScalarId id) const { return id == kNone ? -1 : numbers_.of[static_cast<size_t>(id)]; }

  static std::string bytes_of(const Tensor& value) {
    return {reinterpret_cast<const char*>(value.raw()), value.bytes()};
  }

  // Operations with attributes: equal ones have one place in the list.
  std::string text_of(const ir::Attributes& attributes) {
    if (attributes.items().empty()) return "";
    size_t i = 0;
    while (i < attributes_.size() && !(*attributes_[i] == attributes)) ++i;
    if (i == attributes_.size()) attributes_.push_back(&attributes);
    return std::to_string(i) + " ";
  }

  // With variables of loops by their numbers, and bound ones by the numbers of the scalars that they are.
  Index renamed(const Index& index) const {
    return index.substitute([&](int id, int64_t extent) {
      const auto bound = kernel_.bound.find(id);
      const int loops = static_cast<int>(kernel_.var_extents.size());  // no loop has a number so large
      const int number = bound != kernel_.bound.end() ? loops + of(bound->second)
                                                      : numbers_.of_loop[static_cast<size_t>(id)];
      return Index::variable(number, extent);
    });
  }

  void let_number(const Let& let) {
    std::vector<int> operands;
    for (ScalarId operand : let.operands) operands.push_back(of(operand));
    set(let.result,
        number(
            {kLet, reinterpret_cast<uintptr_t>(let.record), text_of(let.attributes), std::move(operands), {}},
            let.result));
  }

  // What is read of other memory than an input may have changed.
  void load_number(const Load& load) {
    const bool input = kernel_.buffers[static_cast<size_t>(load.buffer)].kind == Buffer::Kind::kInput;
    set(load.result, !input ? fresh()
                            : number({kLoad,
                                      static_cast<uintptr_t>(load.buffer),
                                      "",
                                      {of(load.predicate)},
                                      {renamed(load.offset)}},
                                     load.result));
  }

  void loop_numbers(const Loop& loop, int place) {
    const int own = loops_.try_emplace({place, loop.extent}, static_cast<int>(loops_.size())).first->second;
    numbers_.of_loop[static_cast<size_t>(loop.var)] = own;
    for (const Carry& carry : loop.carries) set(carry.arg, fresh());
    visit(loop.body, own);
    for (const Stmt& stmt : loop.combiner.body.stmts) {
      for (ScalarId id : results(stmt)) set(id, fresh());
    }
    const std::vector<Stmt>& joining = loop.combiner.body.stmts;
    const auto* let = joining.size() == 1 ? std::get_if<Let>(&joining[0].node) : nullptr;
    const bool plain = loop.kind == LoopKind::kReduce && loop.carries.size() == 1 && let != nullptr &&
                       let->attributes.items().empty() && loop.steps == kNone;
    for (const Carry& carry : loop.carries) {
      set(carry.result, !plain ? fresh()
                               : number({kReduction,
                                         reinterpret_cast<uintptr_t>(let->record),
                                         "",
                                         {of(carry.init), of(carry.next), own},
                                         {}},
                                        carry.result));
    }
  }

  const Kernel& kernel_;
  ValueNumbers& numbers_;
  int next_ = 0;
  std::map<Form, int> known_;
  std::map<std::pair<int, int64_t>, int> loops_;
  std::vector<const ir::Attributes*> attributes_;
};

}  // namespace

ValueNumbers::ValueNumbers(const Kernel& kernel)
    : of(kernel.scalars.size(), -1),
      twice(kernel.scalars.size(), false),
      of_loop(kernel.var_extents.size(), -1) {
  Numbering(kernel, *this).visit(kernel.body, -1);
  std::map<int, int> count;
  for (int number : of) ++count[number];
  for (size_t id = 0; id < of.size(); ++id) twice[id] = of[id] >= 0 && count[of[id]] > 1;
}

}  // namespace ingot::kernel
