// Operations whose regions all take the same arguments, `cond` and `while`, while they are put together.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "ir/builder.h"
#include "ir/derivative.h"
#include "ops/control.h"

namespace ingot::transform {

// Drafts of the regions come first, each with arguments of its own and its results set. Then it is said what
// operands these arguments stand for, and finish() copies the drafts into regions that take all of them.
// Operands that no draft uses are left out, but for carries.
class RegionsBuilder {
 public:
  RegionsBuilder(std::vector<ir::Region*> drafts, const ops::Lanes& lanes)
      : drafts_(std::move(drafts)), lanes_(lanes) {}

  // An operand that regions do not see: the index of a cond.
  void index(ir::Value* operand);
  // `inside`: what the operand is in each draft; null where the draft has nothing for it. The lanes are its
  // leading dimensions if it is mapped.
  void argument(std::vector<ir::Value*> inside, ir::Value* operand, bool mapped);
  // Returns its position among the carries. They come before all invariants.
  int carry(std::vector<ir::Value*> inside, ir::Value* operand);

  struct Result {
    std::vector<std::unique_ptr<ir::Region>> regions;
    std::vector<ir::Value*> operands;
    ops::Lanes lanes;
    int carries = 0;
    ir::Attributes of_cond() const;
    ir::Attributes of_while(const ops::WhileForm& like) const;  // with its bound
  };
  Result finish();

 private:
  struct Role {
    std::vector<ir::Value*> inside;  // empty: regions do not see it
    ir::Value* operand;
    bool mapped;
    bool stays;
  };
  std::vector<ir::Region*> drafts_;
  ops::Lanes lanes_;
  std::vector<Role> roles_;
  int carries_ = 0;
};

// A while like `loop` that may take no step (`max_steps` 0): it hands on what it carries, or is an error
// where the loop's predicate holds. `carried`: by carry of the loop; null: this one does not carry it.
// `asked`: what the predicate is given for an operand of the loop; called for those that it uses.
RegionsBuilder::Result loop_of_no_steps(const ops::WhileOp& loop, ir::Function& home,
                                        const std::vector<ir::Value*>& carried,
                                        const std::function<ir::Value*(int)>& asked);

// Results that the branches of a cond share for what they return besides its own: since one branch is taken,
// values of one type in different branches need but one result.
class SharedResults {
 public:
  // The places of the values of one branch.
  std::vector<int> places_for(const std::vector<ir::Value*>& values);
  // What the branch returns in all places: its values, and zeros that `emitter` makes elsewhere.
  std::vector<ir::Value*> filled(const std::vector<ir::Value*>& values, const std::vector<int>& places,
                                 ir::Emitter& emitter) const;
  const std::vector<ir::TensorType>& types() const { return types_; }

 private:
  std::vector<ir::TensorType> types_;
};

// Makes operations at the end of a region.
class RegionEmitter final : public ir::Emitter {
 public:
  RegionEmitter(ir::Region& region, const ir::Provenance& provenance) : builder_(region) {
    builder_.set_provenance(provenance);
  }
  ir::Op* emit(std::string_view record, std::vector<ir::Value*> operands, ir::Attributes attributes,
               const FillRegion& fill) override;

 private:
  ir::Builder builder_;
};

}  // namespace ingot::transform
