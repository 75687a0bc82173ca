// The state of a grouping: which operations share a kernel so far, and the steps that change it. Private to
// the choice of groups.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>

#include "kernel/candidates.h"
#include "pass/fusion/fusion_groups.h"

namespace ingot::pass {

// Whether one kernel waits for a result of another one, by whatever way. Operations that both hold as copies,
// and constants, are nothing to wait for.
bool waits_for(const std::vector<FusionGroup>& groups, size_t late, size_t early);
inline constexpr std::string_view kNeedsTheOther = "one of them needs what the other one makes";
bool reads_constants_alone(const ir::Op& op);

// Takes the operations of a region in reverse, each to the groups of its users, and then joins groups.
class Grouping {
 public:
  // Trying each free operation by lowering its group costs quadratic time. A grouping trusts the operations
  // that it has no doubt about, and looks at their groups once, at the end. Where one went wrong, the
  // operation that made it so is looked for (culprit_of), and tried in the next attempt: it is `doubted`.
  using Doubts = std::unordered_set<const ir::Op*>;
  // The `last` one cuts groups that went wrong.
  Grouping(ir::Region& region, kernel::Candidates& candidates, const Doubts& doubted, bool last)
      : region_(region), candidates_(candidates), doubted_(doubted), last_(last), order_(positions(region)) {}
  // Nothing if a group with operations that were trusted went wrong: see went_wrong().
  std::optional<FusionChoice> run();
  // What is to be doubted then.
  const Doubts& went_wrong() const { return went_wrong_; }

 private:
  using GroupId = size_t;

  // --- operations join groups (fusion_groups.cc)
  void place(ir::Op& op);
  // A scan that cannot be a kernel is a loop of the machine over the kernels of its body.
  bool alone_in_a_kernel(ir::Op& op);
  // So is a while, and a cond is a branch of the machine: says why.
  void tell_machine_control(const ir::Op& op);
  void start_group(ir::Op& op);
  bool holds(GroupId g, const ir::Op& op) const;
  // Whether others may read its results from that group, which holds it. What reads constants alone has
  // copies wherever it is wanted, and only one that leaves its kernel is anything to wait for.
  bool gives(GroupId g, const ir::Op& op) const;
  // Whether a reader finds such a copy in each of its kernels.
  bool has_own_copy(const ir::Op& reader, const ir::Op& maker) const;
  void add(ir::Op& op, GroupId g);
  // Arithmetic at one place each always is one kernel: to try it for each of thousands of operations would
  // take the square of their number.
  static bool is_one_kernel(const Shape* shape, const Shape* other) {
    return shape != nullptr && other != nullptr && *shape == *other;
  }
  // Adds the operation to the group if that makes a good kernel; with `leaves`, its results are outputs.
  bool join(ir::Op& op, GroupId g, bool leaves);
  using Outputs = decltype(FusionGroup::outputs);
  Outputs outputs_with(const ir::Op& op, GroupId g, bool leaves) const;
  // A user in the group may have copies in other groups, which read the value too.
  bool used_outside(ir::Value* value, const FusionGroup& group, GroupId id) const;
  kernel::Candidate kernel_of(const FusionGroup& group) const;
  bool refuse(const ir::Op& op, GroupId g, const std::string& reason);
  bool cheap_to_repeat(const ir::Op& op) const;
  void add_constants(FusionGroup& group) const;

  // --- why an operation does not join a group, and a group is no good kernel (why_not_joined.cc)
  // Why it must not join; empty if it may, with the outputs that the group has then, where they change.
  std::string why_not_joined(ir::Op& op, GroupId g, bool leaves, std::optional<Outputs>* outputs) const;
  bool feeds_contraction(const ir::Op& op, const FusionGroup& group) const;
  bool feeds_each_term_once(const ir::Op& op, const FusionGroup& group) const;
  bool holds_anchor(const FusionGroup& group) const;
  static const ir::Op& contraction_of(const FusionGroup& group);
  bool is_written_out(const ir::Op& product) const;  // has its kernel no loop for its contraction?
  // Empty if the group reduces rows of the contraction, which blocks of them can compute well.
  std::string why_not_rows(const ir::Op& product, const FusionGroup& group) const;
  // Arithmetic that the group reads without a view between.
  bool is_plain_arithmetic(const ir::Op& op, const FusionGroup& group) const;
  bool computes_at_places(const ir::Op& op, const FusionGroup& group) const;
  bool through_view(const ir::Op& op, const FusionGroup& group) const;
  // Empty if the candidate is a good kernel.
  std::string why_not(const FusionGroup& candidate, const FusionGroup& without, const ir::Op& op) const;
  // A large value that leaves the kernel while reductions of its columns stay: the band holds columns, so
  // that its rows would be written in pieces, next to a loop that computes it for the sums. By itself it
  // streams, and is read once more.
  bool writes_columns(const FusionGroup& candidate, const kernel::Dimensions& dims, const ir::Op& op) const;
  bool lowers(const FusionGroup& group) const;  // is there a kernel of it at all?
  bool buildable(const FusionGroup& group) const;
  // Whether there is no better group of its operations: each has been tried, or there is only one.
  bool is_doubted(const FusionGroup& group) const;
  // Why no kernel can be built from it, or, where some were trusted, none that is worth it; or empty.
  std::string why_unbuildable(const FusionGroup& group) const;

  // --- a group that turned out not to lower as a whole becomes several (cut_groups.cc)
  // The group must become another one: doubts its culprit, or, where there is none to be tried, all of it.
  // False if that is too much to try: then it has to be cut.
  bool doubt(const FusionGroup& group);
  // The operation without which, and without those before it, what is behind it is a good kernel; or null.
  const ir::Op* culprit_of(const FusionGroup& group) const;
  void cut(const FusionGroup& group, const std::string& reason, std::vector<FusionGroup>& result);
  std::set<ir::Op*> repeated_in(const FusionGroup& group) const;
  // The operations [from, to) of the group, with what others need of them as outputs.
  FusionGroup part(const FusionGroup& group, const std::set<ir::Op*>& repeated,
                   const std::vector<ir::Op*>& ops, size_t from, size_t to) const;
  // The last resort: every operation on its own.
  void take_apart(const FusionGroup& group, const std::string& reason, std::vector<FusionGroup>& result);

  // --- groups join, and what may depend on what (merge_groups.cc)
  // One kernel with several outputs instead of several that read the same: merges those that can be, into the
  // first. Returns why the others cannot be.
  std::map<GroupId, std::string> merge(std::set<GroupId>& ids);
  // Reductions of the same large value are one kernel, which reads it once.
  void merge_readers();
  // Elementwise groups that read the same value are one kernel, and so are reductions of the same little
  // value (merge_siblings.cc).
  void merge_siblings();
  void merge_all(const std::vector<GroupId>& ids);
  std::vector<int> levels() const;
  // What the points of a group are, if they are the same for all of it: elements of its outputs, or those of
  // arrays of a shape that are reduced over axes.
  struct Work {
    Shape outputs, over;
    std::vector<int64_t> axes;
    auto operator<=>(const Work&) const = default;
  };
  std::optional<Work> even_work(const FusionGroup& group) const;
  std::set<const ir::Value*> large_arrays(const FusionGroup& group) const;  // that it reads or writes
  // Reductions of the columns of a product are done on its tiles.
  void merge_columns();
  void merge_columns(GroupId product, GroupId reader);
  // A value that another kernel reads only to round it to a narrow float is rounded where it is made, and
  // travels as that.
  void round_where_made();
  void move_rounding(ir::Op& op, const std::set<GroupId>& readers, GroupId maker);
  bool holds_reduction(const FusionGroup& group) const;
  void merge(GroupId from, GroupId into);
  // Why two groups cannot be one kernel; empty if they can.
  std::string why_not_merged(GroupId from, GroupId into) const;
  // Groups grow while operations are placed: what one of them needs of the other it will need.
  std::string why_always_apart(GroupId from, GroupId into) const;
  // ... for a contraction's sake; of groups as they are in the end, too, which have other numbers.
  std::string why_contraction_apart(const FusionGroup& one, const FusionGroup& other) const;
  std::string why_not_one_kernel(const FusionGroup& from, const FusionGroup& into) const;  // circles aside
  FusionGroup merged(const FusionGroup& from, const FusionGroup& into) const;
  static void note_reads(FusionGroup& group);  // of its operations as they are
  // True if `to` needs something that depends on a result of `from`; with `by_others`, something that others
  // make.
  bool reaches(const FusionGroup& from, const FusionGroup& to, bool by_others = false) const;
  // Walks from operations to what they depend on, whole groups at a time. The groups of copies count one by
  // one. What is not placed yet depends on nothing that is.
  bool walk_back(std::vector<ir::Op*>& pending, std::unordered_set<ir::Op*>& seen,
                 const std::function<bool(ir::Op*)>& arrived) const;
  // True if the group depends on a user of the operation that is not in the group: joining would close a
  // cycle.
  bool depends_on_user_outside(const ir::Op& op, GroupId g);

  // --- what is told of it (fusion_refusals.cc)
  std::vector<FusionRefusal> refusals(const std::vector<FusionGroup>& groups) const;
  void add_edges(const std::vector<FusionGroup>& groups, std::vector<FusionRefusal>& found) const;
  void add_siblings(const std::vector<FusionGroup>& groups, std::vector<FusionRefusal>& found) const;
  std::string why_apart(const ir::Op& producer, const FusionGroup& maker, const FusionGroup& reader) const;
  std::string why_siblings(const std::vector<FusionGroup>& groups, size_t a, size_t b) const;

  static std::shared_ptr<const ByPosition::Positions> positions(ir::Region& region) {
    auto positions = std::make_shared<ByPosition::Positions>();
    for (auto& op : region.ops()) positions->emplace(op.get(), static_cast<int>(positions->size()));
    return positions;
  }

  // An operation that did not join the group of one that reads it; without a reader: any group.
  struct Attempt {
    const ir::Op *producer, *consumer;
    std::string reason;
  };

  ir::Region& region_;
  kernel::Candidates& candidates_;
  const Doubts& doubted_;
  const bool last_;
  Doubts went_wrong_;
  const ByPosition order_;
  std::vector<Attempt> attempts_;
  std::vector<Attempt> merges_;  // of groups: the first operations of both
  // What is known while groups only grow: pairs that stay apart, and why; the first needs the second.
  std::map<std::pair<GroupId, GroupId>, std::string> stay_apart_;
  std::set<std::pair<GroupId, GroupId>> needs_;
  // Whether several groups hold an operation that others make something for: then two groups may each count
  // as needed by the other.
  bool copies_ = false;
  std::vector<std::pair<const ir::Op*, std::string>> alone_;
  int placed_from_ = 0;  // the position of the operation that is being placed, before which none is
  std::vector<FusionGroup> groups_;
  std::unordered_map<const ir::Op*, std::set<GroupId>> groups_of_;
};

}  // namespace ingot::pass
