// A long straight-line body is slow to compile and, as one chain of dependent instructions, slow to run: the
// processor cannot look far enough ahead to overlap two points. It becomes several short loops over a tile
// that stays in the first-level cache. Loops of equal structure become one function (Loop::outline), so a
// chain of a thousand sines is a thousand calls of one.
#include <algorithm>
#include <map>
#include <set>

#include "kernel/ir/blocks.h"
#include "kernel/ir/nest.h"
#include "kernel/schedule/loops/loops.h"

namespace ingot::kernel {
namespace {

constexpr int kSplitAbove = 120;  // instructions of a body that stays whole
constexpr int kPieceCost = 40;    // instructions of a piece

bool is_cheap_to_repeat(const Stmt& stmt, const Kernel& kernel) {
  if (auto* s = std::get_if<Load>(&stmt.node)) {
    return s->predicate == kNone && !kernel.uses_bound(s->offset) &&
           kernel.buffers[static_cast<size_t>(s->buffer)].kind == Buffer::Kind::kInput;
  }
  auto* value = std::get_if<IndexValue>(&stmt.node);
  return value != nullptr && !kernel.uses_bound(value->index);
}

class Splitter {
 public:
  explicit Splitter(Kernel& kernel) : kernel_(kernel) {}

  // Splits the lanes loops of `block` that need it. `root` receives the literals.
  void visit(Block& block, Block& root_literals) {
    Block out;
    for (Stmt& stmt : block.stmts) {
      auto* loop = std::get_if<Loop>(&stmt.node);
      if (loop == nullptr) {
        out.stmts.push_back(std::move(stmt));
        continue;
      }
      int total = 0;
      bool straight = true;
      for (const Stmt& inner : loop->body.stmts) {
        total += cost(inner);
        straight = straight && !std::holds_alternative<Loop>(inner.node) &&
                   !std::holds_alternative<Alloc>(inner.node);
      }
      const bool splits =
          loop->kind == LoopKind::kMap && loop->style == LoopStyle::kLanes && straight && total > kSplitAbove;
      if (!splits) {
        visit(loop->body, root_literals);
        out.stmts.push_back(std::move(stmt));
        continue;
      }
      split(*loop, out, root_literals);
    }
    block = std::move(out);
  }

 private:
  struct Piece {
    std::vector<Stmt> stmts;
  };

  // Where each scalar that a variable is bound to is used last.
  std::map<ScalarId, size_t> last_uses_as_index(const Block& block) const {
    std::map<ScalarId, size_t> last;
    for (auto [var, scalar] : kernel_.bound) last[scalar] = 0;
    for (size_t i = 0; i < block.stmts.size(); ++i) {
      for (ScalarId id : uses(kernel_, block.stmts[i])) {
        if (auto found = last.find(id); found != last.end()) found->second = i;
      }
    }
    return last;
  }

  void split(Loop& loop, Block& out, Block& root_literals) {
    std::vector<Piece> pieces(1);
    std::map<ScalarId, Stmt> repeatable;
    std::map<ScalarId, size_t> made_in, last_used_in;
    std::set<ScalarId> local_to_loop;
    int piece_cost = 0;
    // An index that is known at run time stays in one piece with what it is an index of.
    size_t position = 0, together_until = 0;
    const std::map<ScalarId, size_t> last_indexed = last_uses_as_index(loop.body);
    for (Stmt& stmt : loop.body.stmts) {
      const size_t here = position++;
      std::vector<ScalarId> made = results(stmt);
      if (std::holds_alternative<Literal>(stmt.node)) {
        root_literals.stmts.push_back(std::move(stmt));
        continue;
      }
      for (ScalarId id : made) local_to_loop.insert(id);
      if (is_cheap_to_repeat(stmt, kernel_)) {
        repeatable.emplace(made[0], std::move(stmt));
        continue;
      }
      const int c = cost(stmt);
      if (piece_cost > 0 && piece_cost + c > kPieceCost && here > together_until) {
        pieces.emplace_back();
        piece_cost = 0;
      }
      piece_cost += c;
      for (ScalarId id : uses(kernel_, stmt)) last_used_in[id] = pieces.size() - 1;
      for (ScalarId id : made) {
        made_in[id] = pieces.size() - 1;
        if (auto last = last_indexed.find(id); last != last_indexed.end())
          together_until = std::max(together_until, last->second);
      }
      pieces.back().stmts.push_back(std::move(stmt));
    }
    // Slots of the tile are shared by values whose lives do not overlap.
    std::map<ScalarId, size_t> slot_of;
    struct Slot {
      DType dtype;
      bool free;
    };
    std::vector<Slot> slots;
    std::vector<std::vector<ScalarId>> leave(pieces.size()), expire(pieces.size());
    for (auto& [id, piece] : made_in) {
      auto last = last_used_in.find(id);
      if (last == last_used_in.end() || last->second == piece) continue;
      leave[piece].push_back(id);
      expire[last->second].push_back(id);
    }
    for (size_t p = 0; p < pieces.size(); ++p) {
      for (ScalarId id : leave[p]) {
        DType dtype = kernel_.scalars[static_cast<size_t>(id)];
        auto it =
            std::find_if(slots.begin(), slots.end(), [&](Slot& s) { return s.free && s.dtype == dtype; });
        if (it == slots.end()) it = slots.insert(slots.end(), Slot{dtype, true});
        it->free = false;
        slot_of[id] = static_cast<size_t>(it - slots.begin());
      }
      // What is read here for the last time frees its slot for the next piece.
      for (ScalarId id : expire[p]) slots[slot_of.at(id)].free = true;
    }
    std::vector<BufferId> buffers;
    for (const Slot& slot : slots) {
      buffers.push_back(
          kernel_.add_buffer({"tile", slot.dtype, loop.extent, Buffer::Kind::kLocal, {loop.extent}}));
      out.stmts.push_back({Alloc{buffers.back()}});
    }
    for (size_t p = 0; p < pieces.size(); ++p)
      write_piece(loop, pieces[p], p, repeatable, made_in, last_used_in, slot_of, buffers, out);
  }

  void write_piece(const Loop& loop, Piece& piece, size_t number, const std::map<ScalarId, Stmt>& repeatable,
                   std::map<ScalarId, size_t>& made_in, std::map<ScalarId, size_t>& last_used_in,
                   std::map<ScalarId, size_t>& slot_of, const std::vector<BufferId>& buffers, Block& out) {
    Loop part = make_loop(kernel_, kernel_.var_names[static_cast<size_t>(loop.var)], loop.extent, 1,
                          LoopKind::kMap, LoopStyle::kLanes);
    part.outline = true;
    const Index j = kernel_.var(part.var);
    auto renew = [&](Index& index) {
      index = index.substitute(
          [&](int id, int64_t extent) { return id == loop.var ? j : Index::variable(id, extent); });
    };
    std::map<ScalarId, ScalarId> renamed;  // loaded anew in this piece
    auto bring = [&](ScalarId& id) {
      if (auto it = renamed.find(id); it != renamed.end()) {
        id = it->second;
        return;
      }
      if (auto it = repeatable.find(id); it != repeatable.end()) {
        Stmt copy = it->second;
        ScalarId fresh = kernel_.add_scalar(kernel_.scalars[static_cast<size_t>(id)]);
        if (auto* s = std::get_if<Load>(&copy.node)) s->result = fresh;
        if (auto* s = std::get_if<IndexValue>(&copy.node)) s->result = fresh;
        part.body.stmts.push_back(std::move(copy));
        id = renamed[id] = fresh;
      } else if (auto made = made_in.find(id); made != made_in.end() && made->second != number) {
        ScalarId fresh = kernel_.add_scalar(kernel_.scalars[static_cast<size_t>(id)]);
        part.body.stmts.push_back({Load{fresh, buffers[slot_of.at(id)], kernel_.var(loop.var)}});
        id = renamed[id] = fresh;
      }
    };
    for (Stmt& stmt : piece.stmts) {
      if (auto* s = std::get_if<Let>(&stmt.node)) {
        for (ScalarId& operand : s->operands) bring(operand);
      } else if (auto* s = std::get_if<Load>(&stmt.node)) {
        if (s->predicate != kNone) bring(s->predicate);
      } else if (auto* s = std::get_if<Store>(&stmt.node)) {
        bring(s->value);
      }
      std::vector<ScalarId> made = results(stmt);
      part.body.stmts.push_back(std::move(stmt));
      for (ScalarId id : made) {
        if (slot_of.count(id))
          part.body.stmts.push_back({Store{buffers[slot_of[id]], kernel_.var(loop.var), id}});
      }
    }
    for_each_index(part.body, renew);
    out.stmts.push_back({std::move(part)});
  }

  Kernel& kernel_;
};

}  // namespace

void split_long_bodies(Kernel& kernel) {
  Block literals;
  Splitter(kernel).visit(kernel.body, literals);
  if (literals.stmts.empty()) return;
  for (Stmt& stmt : kernel.body.stmts) literals.stmts.push_back(std::move(stmt));
  kernel.body = std::move(literals);
}

}  // namespace ingot::kernel
