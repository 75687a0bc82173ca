// layout: values between kernels lie in memory with their dimensions in the order that costs least.
//
// It follows fuse, which decides what the kernels are. The kernel that makes a value ends in a transpose,
// those that read it begin with the inverse one, and both are folded into addresses, so that the program
// still says what it computes and nobody else learns of it. Loops of the machine, the functions that calls
// name, and what they hand over have the types of what is stored.
//
// Which values share an order is for layout_classes.h to say, which order it is for layout_choice.h; where
// the program's arguments and results meet loops and calls, layout_copies.h puts copies. layout_rewrite.h
// makes the program anew.
#include <cmath>
#include <cstdlib>
#include <optional>
#include <random>

#include "kernel/cost/table.h"
#include "pass/layout/layout_choice.h"
#include "pass/layout/layout_classes.h"
#include "pass/layout/layout_copies.h"
#include "pass/layout/layout_rewrite.h"
#include "pass/passes.h"

namespace ingot::pass {
namespace {

std::string text_of(const Order& order) {
  std::string text;
  for (int64_t dim : order) text += (text.empty() ? "[" : ",") + std::to_string(dim);
  return text + "]";
}

// The first value of the class that an operation makes: what reports call it by.
const ir::Value* maker_of(const LayoutClasses::Class& one) {
  for (const ir::Value* value : one.members) {
    if (value->op() != nullptr) return value;
  }
  return nullptr;
}

class Layout : public Pass {
 public:
  std::string_view name() const override { return "layout"; }
  std::string_view why() const override {
    return "gives values between kernels the dimension order that costs least; it follows fuse, which makes "
           "the kernels that it asks";
  }

  bool run(ir::Module& module, PassContext& context) override {
    const int64_t small = context.option("small", prices::kInAnyOrder);
    LayoutCopies copies = insert_copies(module, small);
    LayoutClasses classes(module);
    LayoutPrices prices(copies, context.candidates());
    LayoutChoice choice(classes, prices, small);
    // For tests: orders by chance instead of by price.
    if (const int64_t seed = context.option("shuffle", -1); seed >= 0) {
      std::minstd_rand random(static_cast<uint32_t>(seed));
      choice.shuffle(random);
    } else {
      choice.choose();
    }
    const bool changed = ask(classes, choice, context);
    erase_needless_copies(module, copies, classes, choice.orders());
    if (changed) rewrite_layout(module, choice.orders());
    return changed;
  }

 private:
  // Leave for each order, of all classes at once that are linked.
  static bool ask(const LayoutClasses& classes, LayoutChoice& choice, PassContext& context) {
    std::vector<char> asked(static_cast<size_t>(classes.count()), 0);
    bool changed = false, refused = false;
    for (int i = 0; i < classes.count(); ++i) {
      if (asked[static_cast<size_t>(i)] != 0 || !choice.orders().moved(i)) continue;
      const ir::Value* value = nullptr;
      for (int other : choice.linked(i)) {
        asked[static_cast<size_t>(other)] = 1;
        if (value == nullptr && choice.orders().moved(other)) value = maker_of(classes.at(other));
      }
      if (value == nullptr || !context.may("order", *value->op())) {
        choice.take_back(i);
        refused = true;
      } else {
        changed = true;
      }
    }
    // What is left after a refusal may be orders that there are no kernels for.
    if (refused && changed && !choice.possible()) {
      for (int i = 0; i < classes.count(); ++i) choice.take_back(i);
      changed = false;
    }
    for (int i = 0; i < classes.count() && changed; ++i) {
      if (choice.orders().moved(i)) tell(classes, i, choice, context);
    }
    return changed;
  }

  static void tell(const LayoutClasses& classes, int number, LayoutChoice& choice, PassContext& context) {
    const ir::Value* value = maker_of(classes.at(number));
    if (value == nullptr) return;
    std::string text = "lies in the order " + text_of(choice.orders().of(number));
    if (const std::optional<double> gain = choice.gain(number)) {
      const int64_t percent = std::llround(100 * *gain);
      text += ", under which what makes and reads it" +
              std::string(choice.linked(number).size() > 1 ? ", and what must lie alike," : "") + " costs " +
              std::to_string(std::abs(percent)) + (percent < 0 ? " % more" : " % less");
    }
    context.note("%" + value->name(), text);
  }
};

}  // namespace

std::unique_ptr<Pass> make_layout() {
  return std::make_unique<Layout>();
}

}  // namespace ingot::pass
