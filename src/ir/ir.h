// The one array IR: typed SSA values, operations with regions, functions, modules.
//
// Ownership goes one way: Module > Function > Region > Op > (result Values, nested Regions). A region is
// closed: its operations use only the region's own arguments and results of earlier operations in it, so
// every captured value is an operand of the operation that holds the region. A region ends in `return`, the
// one operation that belongs to the IR itself; all others are described by records (op_record.h) that live in
// ops/.
//
// Values know their users. Names are unique within a function and stay with a value while it lives. A name
// that has been given is never given to another value: only what computes the same may take it over
// (rename()), and what is made from `x` without being it is called `x.1`, `x.2` and so on. What becomes of
// names that go, the module keeps (`Fate`).
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/attribute.h"
#include "ir/provenance.h"
#include "ir/type.h"

namespace ingot::ir {

// How many regions may lie around an operation, bodies of functions among them, along any chain of calls.
// Programs are walked by recursion; this many levels fit a stack of 8 MiB many times over, and one of 1 MiB.
inline constexpr int kMostNested = 500;

class Op;
class Region;
class Function;
class Module;
struct OpRecord;

struct Use {
  Op* op;
  int operand;  // which operand of it
};

class Value {
 public:
  Value() = default;
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;
  ~Value();  // users that are left, as in a program that a failed pass has broken, lose the operand

  const TensorType& type() const { return type_; }
  const Shape& shape() const { return type_.shape; }
  DType dtype() const { return type_.dtype; }
  int64_t rank() const { return static_cast<int64_t>(type_.shape.size()); }
  const std::string& name() const { return name_; }

  Op* op() const { return op_; }              // the operation that makes it, or null for a region's argument
  Region* region() const { return region_; }  // the region whose argument it is, or null
  int index() const { return index_; }        // which result or argument

  const std::vector<Use>& uses() const { return uses_; }
  bool used() const { return !uses_.empty(); }
  // Makes every user of this value use `other` instead (of the same type).
  void replace_all_uses_with(Value* other);

 private:
  friend class Op;
  friend class Region;
  friend class Function;
  TensorType type_;
  std::string name_;
  Op* op_ = nullptr;
  Region* region_ = nullptr;
  int index_ = 0;
  std::vector<Use> uses_;
};

class Op {
 public:
  ~Op();
  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;

  const OpRecord& record() const { return *record_; }
  std::string_view name() const;
  bool is_return() const;

  std::span<Value* const> operands() const { return operands_; }
  Value* operand(int i) const { return operands_[static_cast<size_t>(i)]; }
  int operand_count() const { return static_cast<int>(operands_.size()); }
  void set_operand(int i, Value* value);
  void set_operands(std::vector<Value*> values);

  int result_count() const { return static_cast<int>(results_.size()); }
  Value* result(int i = 0) const { return results_[static_cast<size_t>(i)].get(); }
  std::vector<Value*> results() const;

  const Attributes& attributes() const { return attributes_; }
  Attributes& attributes() { return attributes_; }

  int region_count() const { return static_cast<int>(regions_.size()); }
  Region& region(int i = 0) const { return *regions_[static_cast<size_t>(i)]; }

  const Provenance& provenance() const { return provenance_; }
  void set_provenance(Provenance provenance) { provenance_ = std::move(provenance); }

  Region* parent() const { return parent_; }  // the region that it stands in
  Function* function() const;

  // Takes it out of its region and destroys it; no result may have a user.
  void erase();
  bool used() const;  // any result has a user

  void dump() const;  // prints it to stderr, for debuggers

 private:
  friend class Region;
  friend class Function;
  friend class Value;
  Op(const OpRecord& record) : record_(&record) {}
  void drop_operands();

  const OpRecord* record_;
  std::vector<Value*> operands_;
  std::vector<std::unique_ptr<Value>> results_;
  std::vector<std::unique_ptr<Region>> regions_;
  Attributes attributes_;
  Provenance provenance_;
  Region* parent_ = nullptr;
  std::list<std::unique_ptr<Op>>::iterator position_;
};

class Region {
 public:
  using OpList = std::list<std::unique_ptr<Op>>;
  ~Region();

  Function* function() const { return function_; }
  Op* parent_op() const { return parent_op_; }  // null for the body of a function

  int argument_count() const { return static_cast<int>(arguments_.size()); }
  Value* argument(int i) const { return arguments_[static_cast<size_t>(i)].get(); }
  std::vector<Value*> arguments() const;
  Value* add_argument(TensorType type, std::string_view name = {});
  void erase_argument(int i);  // it must have no users

  OpList& ops() { return ops_; }
  const OpList& ops() const { return ops_; }

  // The values that the region returns: the operands of its final `return`. Empty before set_results().
  std::span<Value* const> results() const;
  void set_results(std::vector<Value*> values);
  bool terminated() const;

  // Makes an operation before `before` (null: at the end, but before the return). The types of its results
  // are given; builder.h infers them. Names may be empty.
  Op* insert(const OpRecord& record, std::vector<Value*> operands, Attributes attributes,
             std::vector<TensorType> result_types, Provenance provenance, Op* before = nullptr,
             std::vector<std::unique_ptr<Region>> regions = {}, std::vector<std::string> result_names = {});
  // Moves an operation of the same function before `before` (null: before the return) of this region.
  void take(Op* op, Op* before = nullptr);

 private:
  friend class Op;
  friend class Function;
  explicit Region(Function* function) : function_(function) {}

  Function* function_;
  Op* parent_op_ = nullptr;
  std::vector<std::unique_ptr<Value>> arguments_;
  OpList ops_;
};

// A function whose body lies in another module: it has arguments and no operations. Only a program that is
// being traced has declarations.
struct Declaration {
  std::vector<TensorType> results;
  int depth = 1;  // of nested regions (depth.h)
};

class Function {
 public:
  const std::string& name() const { return name_; }
  Module* module() const { return module_; }
  Region& body() { return *body_; }
  const Region& body() const { return *body_; }

  // Which arguments the caller gives away: their memory may hold results.
  std::unordered_set<int> donated;

  std::optional<Declaration> declared;

  // A fresh, empty region of this function for an operation that is about to be made.
  std::unique_ptr<Region> make_region() { return std::unique_ptr<Region>(new Region(this)); }
  // A name that no value of this function has or had, for a value of its own: `add`, `add_1`, `add_2`.
  std::string fresh_name(std::string_view kind);
  // The same for what is made from the value called so: the name itself, or else `x.1`, `x.2`.
  std::string name_like(std::string_view name);
  void release_name(const std::string& name);
  // Gives the value the name of one that is gone and that it stands for; if that one lives, a name like it.
  void rename(Value* value, std::string_view name);

  void dump() const;

  ~Function() { names_.clear(); }  // what goes with all others need not give back its name

 private:
  friend class Module;
  friend class Value;
  friend std::unique_ptr<Module> clone(const Module& module);
  Function(Module* module, std::string name)
      : name_(std::move(name)), module_(module), body_(new Region(this)) {}

  struct NameState {
    bool live = true;
    int pass = 0;  // how many had run when it was first given
  };
  std::string number(std::string base, char separator);
  bool claim(const std::string& name);  // false if a value has it or had it

  std::string name_;
  Module* module_;
  std::unordered_map<std::string, int> next_number_;
  std::unordered_map<std::string, NameState> names_;       // all that were ever given
  std::vector<std::string> released_;                      // by the pass that is running
  std::unordered_map<std::string, std::string> replaced_;  // by it: a name, and that of what users use now
  std::unique_ptr<Region> body_;
};

// What became of a name that a pass took out of the program.
struct Fate {
  std::string function, name;  // without a name: the function itself is gone
  std::string replaced_by;     // the value that users use instead; empty if it had none
  std::string pass;
};
std::string to_string(const Fate& fate);  // "%b in @f: %a stands for it (cse)"

class Module {
 public:
  // Functions in the order of their definition; the first one is the entry unless one is called "main".
  const std::vector<std::unique_ptr<Function>>& functions() const { return functions_; }
  Function* entry() const;
  Function* find(std::string_view name) const;
  // The name is made unique with a number if it is taken.
  Function* add_function(std::string_view name);
  void erase_function(Function* function);
  void dump() const;

  // For the runner of passes: tells what became of the names that the last pass took away.
  void end_pass(std::string_view pass);
  const std::vector<Fate>& fates() const { return fates_; }

 private:
  friend class Function;
  friend std::unique_ptr<Module> clone(const Module& module);
  std::string unique_function_name(std::string_view wish);
  std::vector<std::unique_ptr<Function>> functions_;
  std::unordered_map<std::string, Function*> by_name_;
  std::unordered_map<std::string, int> taken_numbers_;  // of a name: those up to this one are taken
  std::vector<std::string> erased_functions_;           // by the pass that is running
  std::vector<Fate> fates_;
  int passes_ = 0;
};

// Copies the operations of `from` (all but its return) before `before` of `to`. `map` holds the new value for
// each argument of `from` and receives that of every result; returns the new values of from's results.
// Names are those of the originals behind `prefix`, or like them.
using ValueMap = std::unordered_map<const Value*, Value*>;
Op* clone_op(const Op& op, Region& to, ValueMap& map, Op* before = nullptr, std::string_view prefix = {});
std::vector<Value*> clone_ops(const Region& from, Region& to, ValueMap& map, Op* before = nullptr,
                              std::string_view prefix = {});
// Copies arguments, operations and results into the empty region `to`.
void clone_region(const Region& from, Region& to, std::string_view prefix = {});
std::unique_ptr<Module> clone(const Module& module);

// Calls fn on every operation of the region, those of nested regions included, outer before inner.
template <class Fn>
void walk(Region& region, Fn fn) {
  for (auto& op : region.ops()) {
    fn(*op);
    for (int i = 0; i < op->region_count(); ++i) walk(op->region(i), fn);
  }
}

}  // namespace ingot::ir
