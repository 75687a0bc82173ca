// Index expressions as integers, per loop level or per lane.
#include "base/check.h"
#include "codegen/cpu/emitter.h"
#include "codegen/cpu/llvm_scalar_builder.h"

namespace ingot::codegen {

using llvm::Value;

namespace {

int64_t bound(const Index& index) {
  const int64_t low = index.min(), high = index.max();
  int64_t sum = std::max(low < 0 ? -low : low, high < 0 ? -high : high);
  for (const Index::Term& term : index.terms()) {
    const IndexAtom& atom = *term.atom;
    const int64_t c = term.coefficient < 0 ? -term.coefficient : term.coefficient;
    const Index single = Index::of_atom(term.atom);
    sum = std::max(sum, c * std::max(std::abs(single.min()), std::abs(single.max())));
    if (atom.kind != IndexAtom::Kind::kVariable) sum = std::max(sum, bound(atom.argument));
  }
  return sum;
}

}  // namespace

// Splits an index at one point into what is uniform, what is constant and what grows with the lane.
Emitter::Offset Emitter::offset_at(const Index& index, const Coords& coords) {
  Offset result;
  result.constant = index.constant();
  for (const Index::Term& term : index.terms()) {
    const IndexAtom& atom = *term.atom;
    const Index single = Index::of_atom(term.atom);
    if (atom.kind == IndexAtom::Kind::kVariable) {
      const Variable& v = vars_[static_cast<size_t>(atom.id)];
      if (v.lanes != kernel::kNone) {
        result.linear = false;
        continue;
      }
      result.constant += term.coefficient * v.delta;
      if (v.dim == 0) {
        result.constant += term.coefficient * lanes_ * coords[0];
        result.lane_stride += term.coefficient;
      } else if (v.dim > 0) {
        result.constant += term.coefficient * coords[static_cast<size_t>(v.dim)];
      }
      if (v.base) result.uniform = result.uniform + single * term.coefficient;
    } else if (lanes_ > 1 && varies_by_lane(single)) {
      result.linear = false;
    } else if (is_plain(single)) {
      result.uniform = result.uniform + single * term.coefficient;
    } else {
      const Index simple = substituted(single, coords, false) * term.coefficient;
      result.constant += simple.constant();
      result.uniform = result.uniform + (simple - Index(simple.constant()));
    }
  }
  return result;
}

// True if every variable in it stands for its base alone.
bool Emitter::is_plain(const Index& index) const {
  std::vector<int> ids;
  index.collect_variables(ids);
  for (int id : ids) {
    const Variable& v = vars_[static_cast<size_t>(id)];
    if (!v.base || v.delta != 0 || v.dim >= 0) return false;
  }
  return true;
}

// The index in terms of bases; a lane variable keeps standing for its first lane. A base that is shifted has
// fewer values, so that the sum has the range of the variable: look-ups in tables and guards rely on it.
Index Emitter::substituted(const Index& index, const Coords& coords, bool keep_lane) {
  return index.substitute([&](int id, int64_t extent) {
    const Variable& v = vars_[static_cast<size_t>(id)];
    if (v.lanes != kernel::kNone) return Index::variable(id, extent);
    int64_t shift = v.delta;
    auto shifted = [&](bool varies, int64_t least) {
      if (!varies) return Index(shift);
      return Index::variable(id, std::max(extent - shift, least)) + Index(shift);
    };
    if (v.dim == 0) {
      check(keep_lane || lanes_ == 1, "an index depends on the lane where it should not");
      shift += static_cast<int64_t>(lanes_) * coords[0];
      return keep_lane ? shifted(true, 2) : shifted(v.base, 1);
    }
    if (v.dim > 0) shift += coords[static_cast<size_t>(v.dim)];
    return shifted(v.base, 1);
  });
}

bool Emitter::varies_by_lane(const Index& index) const {
  std::vector<int> ids;
  index.collect_variables(ids);
  for (int id : ids) {
    if (id == lane_var_ || vars_[static_cast<size_t>(id)].lanes != kernel::kNone) return true;
  }
  return false;
}

// Variables that are this scalar's value know it from here on: as the base of a level that begins here or,
// where it differs from lane to lane, lane by lane.
void Emitter::bind(kernel::ScalarId id) {
  for (auto [bound, end] = bound_.equal_range(id); bound != end; ++bound) {
    Variable& v = vars_[static_cast<size_t>(bound->second)];
    v = {};
    const DimMask mask = varying_.scalars[static_cast<size_t>(id)];
    if (width(mask) > 1) {
      v.lanes = id;
      continue;
    }
    check(copy_count(mask) == 1, "an index that is known at run time differs between points of a tile");
    auto* head = llvm::BasicBlock::Create(llvm_, "bound", function_);
    auto* inside = llvm::BasicBlock::Create(llvm_, "bound.body", function_);
    v.base = b_.CreateSExt(get(id, {}, false), b_.getInt64Ty());
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    b_.CreateBr(inside);
    b_.SetInsertPoint(inside);
    levels_.push_back({head, {}, {}});
    v.level = static_cast<int>(levels_.size()) - 1;
  }
}

int Emitter::level_of(const Index& index) const {
  std::vector<int> ids;
  index.collect_variables(ids);
  int level = 0;
  for (int id : ids) level = std::max(level, vars_[static_cast<size_t>(id)].level);
  return level;
}

llvm::IRBuilder<> Emitter::at_level(int level) {
  return llvm::IRBuilder<>(levels_[static_cast<size_t>(level)].head->getTerminator());
}

namespace {

// The terms whose value is known only at `level`, and the rest.
template <class LevelOf>
std::pair<Index, Index> split_at(const Index& index, int level, LevelOf level_of) {
  Index inner, outer(index.constant());
  for (const Index::Term& term : index.terms()) {
    const Index single = Index::of_atom(term.atom);
    Index& side = level_of(single) == level ? inner : outer;
    side = side + single * term.coefficient;
  }
  return {inner, outer};
}

}  // namespace

// An index over plain variables, computed where the deepest of them is known.
Value* Emitter::uniform_index(const Index& index) {
  if (index.is_constant()) return b_.getInt64(static_cast<uint64_t>(index.constant()));
  const int level = level_of(index);
  auto& known = levels_[static_cast<size_t>(level)].indices;
  if (auto found = known.find(index); found != known.end()) return found->second;
  auto [inner, outer] = split_at(index, level, [this](const Index& i) { return level_of(i); });
  Value* sum = outer == Index(0) ? nullptr : uniform_index(outer);
  for (const Index::Term& term : inner.terms()) {
    Value* value = atom_value(*term.atom);
    llvm::IRBuilder<> b = at_level(level);
    if (term.coefficient != 1)
      value = b.CreateMul(value, b.getInt64(static_cast<uint64_t>(term.coefficient)));
    sum = sum ? b.CreateAdd(sum, value) : value;
  }
  return known[index] = sum;
}

Value* Emitter::uniform_index(const Offset& offset) {
  return uniform_index(offset.uniform + Index(offset.constant));
}

Value* Emitter::atom_value(const IndexAtom& atom) {
  if (atom.kind == IndexAtom::Kind::kVariable) return vars_[static_cast<size_t>(atom.id)].base;
  const int level = level_of(atom.argument);
  Value* argument = uniform_index(atom.argument);
  llvm::IRBuilder<> b = at_level(level);
  if (atom.kind == IndexAtom::Kind::kLookup) return table_lookup(*atom.table, argument, b);
  // Shifted by a multiple of the divisor, the argument is not negative, and rounding down is truncation.
  const int64_t low = atom.argument.min();
  const int64_t shift = low >= 0 ? 0 : (-low + atom.divisor - 1) / atom.divisor;
  Value* divisor = b.getInt64(static_cast<uint64_t>(atom.divisor));
  if (shift) argument = b.CreateAdd(argument, b.getInt64(static_cast<uint64_t>(shift * atom.divisor)));
  if (atom.kind == IndexAtom::Kind::kMod) return b.CreateURem(argument, divisor);
  return b.CreateSub(b.CreateUDiv(argument, divisor), b.getInt64(static_cast<uint64_t>(shift)));
}

Value* Emitter::table_lookup(const std::vector<int64_t>& table, Value* at, llvm::IRBuilder<>& b) {
  llvm::GlobalVariable*& global = context_.tables[table];
  if (!global) {
    std::vector<uint64_t> bits(table.begin(), table.end());
    llvm::Constant* data = llvm::ConstantDataArray::get(llvm_, bits);
    global = new llvm::GlobalVariable(context_.module, data->getType(), true,
                                      llvm::GlobalValue::PrivateLinkage, data, "table");
  }
  return b.CreateLoad(b.getInt64Ty(), b.CreateGEP(b.getInt64Ty(), global, at));
}

// base + scale * uniform elements, computed level by level.
Value* Emitter::pointer(Value* base, const Index& uniform, int64_t scale, size_t element_bytes) {
  if (uniform.is_constant()) return base;
  const int level = level_of(uniform);
  const std::pair key{base, uniform};
  auto& known = levels_[static_cast<size_t>(level)].pointers;
  if (auto found = known.find(key); found != known.end()) return found->second;
  auto [inner, outer] = split_at(uniform, level, [this](const Index& i) { return level_of(i); });
  Value* from = pointer(base, outer, scale, element_bytes);
  Value* sum = uniform_index(inner);
  llvm::IRBuilder<> b = at_level(level);
  if (scale != 1) sum = b.CreateMul(sum, b.getInt64(static_cast<uint64_t>(scale)));
  Value* result = b.CreateGEP(b.getIntNTy(static_cast<unsigned>(element_bytes * 8)), from, sum);
  return levels_[static_cast<size_t>(level)].pointers[key] = result;
}

Value* Emitter::iota(llvm::Type* type, int64_t stride) {
  llvm::Type* element = type->getScalarType();
  std::vector<llvm::Constant*> values;
  for (int i = 0; i < lanes_; ++i) {
    values.push_back(llvm::ConstantInt::get(element, static_cast<uint64_t>(i * stride), true));
  }
  return llvm::ConstantVector::get(values);
}

// The index for every lane: 32 bits where all that is computed on the way fits.
Value* Emitter::lane_index(const Index& index, const Coords& coords) {
  const Index inside = substituted(index, coords, true);
  const bool narrow = bound(inside) < (int64_t{1} << 31) - (int64_t{lanes_} << 16);
  llvm::Type* type = value_type(llvm_, narrow ? DType::kS32 : DType::kS64, lanes_);
  return lane_sum(inside, type, coords);
}

Value* Emitter::lane_sum(const Index& index, llvm::Type* type, const Coords& coords) {
  Index uniform(index.constant());
  int64_t stride = 0;
  std::vector<std::pair<Value*, int64_t>> varying;
  for (const Index::Term& term : index.terms()) {
    const IndexAtom& atom = *term.atom;
    const Index single = Index::of_atom(term.atom);
    if (single.is_variable(lane_var_)) {
      stride += term.coefficient;
      if (vars_[static_cast<size_t>(lane_var_)].base) uniform = uniform + single * term.coefficient;
    } else if (varies_by_lane(single)) {
      varying.emplace_back(lane_atom(atom, type, coords), term.coefficient);
    } else {
      uniform = uniform + single * term.coefficient;
    }
  }
  Value* sum = splat(b_.CreateTrunc(uniform_index(uniform), type->getScalarType()), lanes_);
  if (stride) sum = b_.CreateAdd(sum, iota(type, stride));
  for (auto [value, coefficient] : varying) {
    Value* factor = llvm::ConstantInt::get(type, static_cast<uint64_t>(coefficient), true);
    sum = b_.CreateAdd(sum, coefficient == 1 ? value : b_.CreateMul(value, factor));
  }
  return sum;
}

Value* Emitter::lane_atom(const IndexAtom& atom, llvm::Type* type, const Coords& coords) {
  if (atom.kind == IndexAtom::Kind::kVariable)
    return b_.CreateSExtOrTrunc(get(vars_[static_cast<size_t>(atom.id)].lanes, coords, true), type);
  Value* argument = lane_sum(atom.argument, type, coords);
  if (atom.kind == IndexAtom::Kind::kLookup) {
    Value* result = llvm::PoisonValue::get(type);
    for (uint64_t lane = 0; lane < static_cast<uint64_t>(lanes_); ++lane) {
      Value* at = b_.CreateSExt(b_.CreateExtractElement(argument, lane), b_.getInt64Ty());
      Value* value = b_.CreateTrunc(table_lookup(*atom.table, at, b_), type->getScalarType());
      result = b_.CreateInsertElement(result, value, lane);
    }
    return result;
  }
  const int64_t low = atom.argument.min();
  const int64_t shift = low >= 0 ? 0 : (-low + atom.divisor - 1) / atom.divisor;
  auto constant = [&](int64_t value) {
    return llvm::ConstantInt::get(type, static_cast<uint64_t>(value), true);
  };
  if (shift) argument = b_.CreateAdd(argument, constant(shift * atom.divisor));
  if (atom.kind == IndexAtom::Kind::kMod) return b_.CreateURem(argument, constant(atom.divisor));
  return b_.CreateSub(b_.CreateUDiv(argument, constant(atom.divisor)), constant(shift));
}

}  // namespace ingot::codegen
