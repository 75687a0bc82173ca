// Updates of a small array: a part of it for each chunk of the updates, and the parts joined in their order.
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
};

}  // namespace

Block combine_parts(UpdateBuilder builder, int64_t parts) {
  return UpdateParts(std::move(builder)).combine(parts);
}

}  // namespace ingot::kernel
