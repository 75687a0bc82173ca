// Updates of a small array: a part of it for each chunk of the updates, and the parts joined in their order.
#include "kernel/schedule/lanes/lanes.h"
#include "kernel/schedule/loops/loops.h"
#include "kernel/schedule/updates/update_builder.h"

namespace ingot::kernel {
namespace {

class UpdateParts : public UpdateBuilder {
 public:
  explicit UpdateParts(UpdateBuilder builder) : UpdateBuilder(std::move(builder)) {}

  Block combine(int64_t parts) {
    const DType dtype = kernel_.buffers[static_cast<size_t>(u_.buffer)].dtype;
    const int64_t array = u_.slots * u_.window;
    const BufferId part = share_buffer("part", dtype, parts * array);
    const Tensor neutral = (*std::get<ir::ScalarRecipe>(*u_.combine->record->becomes).identity)(dtype);

    Loop chunk = make_loop(kernel_, "chunk", parts, 1, LoopKind::kParallel);
    const Index own = kernel_.var(chunk.var) * array;
    Block body;
    Loop clear = make_loop(kernel_, "j", array, 1, LoopKind::kMap, LoopStyle::kLanes);
    const ScalarId nothing = kernel_.add_scalar(dtype);
    body.stmts.push_back({Literal{nothing, neutral}});
    Block cleared;
    cleared.stmts.push_back({Store{part, own + kernel_.var(clear.var), nothing}});
    append(body, wrap({std::move(clear)}, std::move(cleared)));
    append(body, walk_chunk(kernel_.var(chunk.var), parts, [&](Block& to, const Index& at) {
             Copier copy(kernel_);
             Band band = fresh_band(copy, LoopKind::kMap);
             at_update(copy, at);
             Block update;
             copy_scalars(copy, update);
             for (size_t i = 0; i < u_.body.stmts.size(); ++i) {
               Stmt stmt = copy(u_.body.stmts[i]);
               if (i == u_.load) redirect(std::get<Load>(stmt.node), part, own);
               if (i == u_.store) redirect(std::get<Store>(stmt.node), part, own);
               update.stmts.push_back(std::move(stmt));
             }
             append(to, over_band(std::move(band), std::move(update)));
           }));
    append_phase({std::move(chunk)}, std::move(body));
    join_parts(part, parts);
    return std::move(phases_);
  }

 private:
  template <class Access>
  static void redirect(Access& access, BufferId buffer, const Index& start) {
    access.buffer = buffer;
    access.offset = start + access.offset;
  }

  void join_parts(BufferId part, int64_t parts) {
    const Loop& fill = std::get<Loop>(nest_.body.stmts[u_.fill].node);
    const int64_t array = u_.slots * u_.window;
    Copier copy(kernel_);
    std::vector<Loop> loops;
    for (const Loop& old : nest_.loops) loops.push_back(fresh_parallel(copy, old));
    loops.push_back(fresh_parallel(copy, fill));
    Block body;
    copy_scalars(copy, body);
    for (const Stmt& stmt : fill.body.stmts) {
      auto* old = std::get_if<Store>(&stmt.node);
      if (old == nullptr) {
        body.stmts.push_back(copy(stmt));
        continue;
      }
      Store store = std::get<Store>(copy(stmt).node);
      for (int64_t p = 0; p < parts; ++p) {
        const ScalarId term = load(body, part, store.offset + Index(p * array));
        const ScalarId sum = kernel_.add_scalar(kernel_.scalars[static_cast<size_t>(term)]);
        body.stmts.push_back({Let{sum, u_.combine->record, {store.value, term}, u_.combine->attributes}});
        store.value = sum;
      }
      body.stmts.push_back({store});
    }
    eliminate_dead(kernel_, body);
    schedule_phase(std::move(loops), std::move(body));
  }

  Loop fresh_parallel(Copier& copy, const Loop& old) {
    Loop loop = make_loop(kernel_, kernel_.var_names[static_cast<size_t>(old.var)], old.extent, 1,
                          LoopKind::kParallel);
    copy.replace_variable(old.var, kernel_.var(loop.var));
    return loop;
  }

  // An elementwise phase, scheduled as any other.
  void schedule_phase(std::vector<Loop> loops, Block body) {
    kernel_.body = wrap(std::move(loops), std::move(body));
    collapse_loops(kernel_);
    choose_lanes(kernel_, target_);
    append(phases_, as_phase(kernel_, std::move(kernel_.body)));
  }
};

}  // namespace

Block combine_parts(UpdateBuilder builder, int64_t parts) {
  return UpdateParts(std::move(builder)).combine(parts);
}

}  // namespace ingot::kernel
