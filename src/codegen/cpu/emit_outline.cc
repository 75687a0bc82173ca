// Loops that become functions of their own.
//
// Such a loop is rewritten as a small kernel: its buffers are the places where its accesses begin (buffer and
// the part of the offset that surrounding loops fix), its free scalars are parameters. Loops that give the
// same small kernel share one function, so a chain of a thousand sines is a thousand calls.
#include <cstring>
#include <map>

#include "base/check.h"
#include "codegen/cpu/emitter.h"
#include "codegen/cpu/llvm_scalar_builder.h"
#include "kernel/ir/form.h"

namespace ingot::codegen {

using namespace kernel;
using llvm::Value;

// The small kernel and what each call passes to it.
class Emitter::Outline {
 public:
  explicit Outline(Emitter& parent) : parent_(parent), from_(parent.kernel_) {}

  Kernel part;
  std::vector<std::pair<BufferId, Index>> places;  // of the buffers: base and outer offset
  std::vector<ScalarId> parameters;                // scalars of `part`
  std::vector<Value*> arguments;
  std::vector<VarId> outer_vars;  // of `part`: sums of the parent's variables
  std::vector<Index> outer_values;

  // False if the loop cannot stand alone.
  bool describe(const Loop& loop) {
    part.name = "part";
    Block body;
    if (!copy(loop, body)) return false;
    part.body = std::move(literals_);
    for (Stmt& stmt : body.stmts) part.body.stmts.push_back(std::move(stmt));
    return true;
  }

 private:
  ScalarId fresh(ScalarId id) {
    return scalars_[id] = part.add_scalar(from_.scalars[static_cast<size_t>(id)]);
  }

  // A scalar that is used: the loop's own, or a parameter. Integer constants stay constants, since
  // instructions for them are better; floating ones differ from loop to loop and need no other instructions.
  ScalarId use(ScalarId id) {
    if (id == kNone) return kNone;
    if (auto known = scalars_.find(id); known != scalars_.end()) return known->second;
    Value* value = parent_.get(id, {}, false);
    const ScalarId mine = fresh(id);
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      Tensor tensor(from_.scalars[static_cast<size_t>(id)], {});
      const uint64_t bits = constant->getZExtValue();
      if (is_narrow(tensor.dtype()))
        std::memcpy(tensor.raw(), &bits, byte_size(tensor.dtype()));
      else
        tensor.set_int(0, constant->getSExtValue());
      literals_.stmts.push_back({Literal{mine, std::move(tensor)}});
    } else {
      add_parameter(mine, value);
    }
    return mine;
  }
  void add_parameter(ScalarId mine, Value* value) {
    parameters.push_back(mine);
    arguments.push_back(value);
  }

  // Splits into the loop's own variables, renamed, and the rest.
  bool split(const Index& index, Index& inner, Index& outer) {
    inner = Index(0);
    outer = Index(index.constant());
    for (const Index::Term& term : index.terms()) {
      const Index single = Index::of_atom(term.atom);
      std::vector<int> ids;
      single.collect_variables(ids);
      size_t own = 0;
      for (int id : ids) own += vars_.count(id);
      if (own == 0) {
        outer = outer + single * term.coefficient;
      } else if (own == ids.size()) {
        inner = inner + single.substitute([&](int id, int64_t extent) {
          return Index::variable(vars_.at(id), extent);
        }) * term.coefficient;
      } else {
        return false;
      }
    }
    return true;
  }

  bool place(BufferId& buffer, Index& offset) {
    Index inner, outer;
    if (from_.uses_bound(offset) || !split(offset, inner, outer)) return false;
    const Buffer& b = from_.buffers[static_cast<size_t>(buffer)];
    if (b.kind == Buffer::Kind::kLocal && parent_.varying_.locals[static_cast<size_t>(buffer)] != 0)
      return false;
    auto [known, made] = place_of_.try_emplace({buffer, outer}, static_cast<BufferId>(part.buffers.size()));
    if (made) {
      places.emplace_back(buffer, outer);
      part.add_buffer({"", b.dtype, std::min<int64_t>(b.elements, 1), b.kind, {}});
    }
    buffer = known->second;
    offset = inner;
    return true;
  }

  bool value(Index& index) {
    Index inner, outer;
    if (from_.uses_bound(index) || !split(index, inner, outer)) return false;
    const Index variable = outer - Index(outer.constant());
    if (!variable.is_constant()) {
      if (variable.min() < 0) return false;
      auto [known, made] = var_of_.try_emplace(variable, static_cast<VarId>(part.var_names.size()));
      if (made) {
        outer_vars.push_back(part.add_var("outer", variable.max() + 1));
        outer_values.push_back(variable);
      }
      inner = inner + part.var(known->second);
    }
    index = inner + Index(outer.constant());
    return true;
  }

  bool copy(const Block& from, Block& to) {
    for (const Stmt& stmt : from.stmts) {
      if (!std::visit([&](const auto& node) { return copy(node, to); }, stmt.node)) return false;
    }
    return true;
  }
  bool copy(const Let& let, Block& to) {
    Let mine = let;
    for (ScalarId& operand : mine.operands) operand = use(operand);
    mine.result = fresh(let.result);
    to.stmts.push_back({std::move(mine)});
    return true;
  }
  bool copy(const Literal& literal, Block& to) {
    const ScalarId mine = fresh(literal.result);
    if (is_float(literal.value.dtype()))
      add_parameter(mine, parent_.literal(literal, 1));
    else
      to.stmts.push_back({Literal{mine, literal.value}});
    return true;
  }
  bool copy(const IndexValue& v, Block& to) {
    IndexValue mine = v;
    if (!value(mine.index)) return false;
    mine.result = fresh(v.result);
    to.stmts.push_back({std::move(mine)});
    return true;
  }
  bool copy(const InRange& range, Block& to) {
    InRange mine = range;
    if (!value(mine.index)) return false;
    mine.result = fresh(range.result);
    to.stmts.push_back({std::move(mine)});
    return true;
  }
  bool copy(const Load& load, Block& to) {
    Load mine = load;
    mine.predicate = use(load.predicate);
    if (!place(mine.buffer, mine.offset)) return false;
    // A load with a predicate reads element 0 where it is false: that must be the buffer's own.
    if (mine.predicate != kNone && !(places[static_cast<size_t>(mine.buffer)].second == Index(0)))
      return false;
    mine.result = fresh(load.result);
    to.stmts.push_back({std::move(mine)});
    return true;
  }
  bool copy(const Store& store, Block& to) {
    Store mine = store;
    mine.value = use(store.value);
    if (!place(mine.buffer, mine.offset)) return false;
    to.stmts.push_back({std::move(mine)});
    return true;
  }
  bool copy(const Prefetch& prefetch, Block& to) {
    Prefetch mine = prefetch;
    if (!place(mine.buffer, mine.offset)) return false;
    to.stmts.push_back({std::move(mine)});
    return true;
  }
  bool copy(const kernel::Append&, Block&) { return false; }
  bool copy(const Alloc&, Block&) { return false; }
  bool copy(const Loop& loop, Block& to) {
    if (!loop.carries.empty()) return false;
    Loop mine = loop;
    mine.outline = false;
    mine.body = Block{};
    const auto var = static_cast<size_t>(loop.var);
    mine.var = vars_[loop.var] = part.add_var(from_.var_names[var], from_.var_extents[var]);
    if (!copy(loop.body, mine.body)) return false;
    to.stmts.push_back({std::move(mine)});
    return true;
  }

  Emitter& parent_;
  const Kernel& from_;
  Block literals_;
  std::unordered_map<ScalarId, ScalarId> scalars_;
  std::unordered_map<VarId, VarId> vars_;
  std::map<std::pair<BufferId, Index>, BufferId> place_of_;
  std::map<Index, VarId> var_of_;
};

// Floating parameters travel as integers: constants are then immediates of the call, where a thousand of them
// in floating registers would all be hoisted out of the loop over units, and spilled.
Value* Emitter::as_bits(Value* value) {
  llvm::Type* type = value->getType();
  return type->isFloatingPointTy() ? b_.CreateBitCast(value, b_.getIntNTy(type->getScalarSizeInBits()))
                                   : value;
}

// Calls the loop's function, if it can have one here.
bool Emitter::emit_outlined(const Loop& loop) {
  if (!loop.outline || lane_var_ != kNone || open_tiles_ > 0) return false;
  Outline outline(*this);
  if (!outline.describe(loop)) return false;
  std::vector<Value*> arguments;
  for (auto& [buffer, outer] : outline.places) arguments.push_back(address(buffer, offset_at(outer, {}), {}));
  for (Value* value : outline.arguments) arguments.push_back(as_bits(value));
  for (const Index& outer : outline.outer_values) arguments.push_back(uniform_index(offset_at(outer, {})));
  llvm::Function*& function = context_.outlined[kernel::canonical_form(outline.part)];
  if (!function) {
    ModuleContext context{context_.module, outline.part, context_.target, context_.options,
                          varying(outline.part)};
    context.instructions = context_.instructions;
    function = Emitter(context).emit_part(outline);
  }
  b_.CreateCall(function, arguments)->setCallingConv(function->getCallingConv());
  ++outlined_calls_;
  return true;
}

llvm::Function* Emitter::emit_part(const Outline& outline) {
  std::vector<llvm::Type*> types(outline.places.size(), b_.getPtrTy());
  for (ScalarId id : outline.parameters) {
    llvm::Type* type = value_type(llvm_, dtype(id), 1);
    types.push_back(b_.getIntNTy(type->getScalarSizeInBits()));
  }
  for (size_t i = 0; i < outline.outer_vars.size(); ++i) types.push_back(b_.getInt64Ty());
  function_ = context_.make_function("part", llvm::FunctionType::get(b_.getVoidTy(), types, false), true);
  function_->setCallingConv(llvm::CallingConv::Fast);
  auto* entry = llvm::BasicBlock::Create(llvm_, "entry", function_);
  auto* start = llvm::BasicBlock::Create(llvm_, "start", function_);
  b_.SetInsertPoint(entry);
  b_.CreateBr(start);
  b_.SetInsertPoint(start);
  levels_.push_back({entry, {}, {}});
  unsigned next = 0;
  for (size_t i = 0; i < outline.places.size(); ++i) bases_[i] = locals_[i].base = function_->getArg(next++);
  for (ScalarId id : outline.parameters) {
    define(id, 0).copies[0] = b_.CreateBitCast(function_->getArg(next++), value_type(llvm_, dtype(id), 1));
  }
  for (VarId var : outline.outer_vars) vars_[static_cast<size_t>(var)].base = function_->getArg(next++);
  emit_block(kernel_.body);
  b_.CreateRetVoid();
  return function_;
}

}  // namespace ingot::codegen
