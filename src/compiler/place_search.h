// The search for the values of one region that lie in the place of others. Private to shared_places.cc and
// place_search.cc.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/shared_places.h"

namespace ingot::compiler {

class PlaceSearch {
 public:
  PlaceSearch(SharedPlaces& shared, ir::Region& region);

  // Whether the result can lie in the argument's place, if nothing else is asked for.
  bool can(int result, int argument);
  RegionPlaces run(const Pairs& wanted);

 private:
  // An operation that can make one value in the place of another one.
  struct Link {
    ir::Op* op;
    ir::Value *from, *to;  // roots
    bool part;             // it changes a part of what is there, or may do so; else it makes all of it
  };
  // Those from the values that are wanted: a kernel of hundreds of carries has the square of them.
  std::vector<Link> links_to(ir::Value* value,
                             const std::function<bool(const ir::Value* from, bool part)>& wanted);
  // The links from the argument to the value, the last one first; false if there is no way. What has to come
  // before something is kept in before_, also where there is none: see forget_from.
  bool find(ir::Value* value, const ir::Value* argument, std::vector<Link>& path);
  static bool reads(const ir::Op& op, const ir::Value* value);  // a root
  // Makes readers of what the link changes come first. Why that cannot be, or empty.
  std::string why_not(const Link& link);
  bool depends(const ir::Op* late, const ir::Op* early) const;  // does the late one wait for the early one?
  void forget_from(size_t constraint);
  void take_pair(int result, int argument);
  void take_rest();
  void order();
  void place(ir::Op& op, std::unordered_set<const ir::Op*>& done);

  SharedPlaces& shared_;
  ir::Region& region_;
  RegionPlaces found_;
  std::unordered_map<const ir::Op*, int> position_;
  std::unordered_map<const ir::Value*, std::vector<ir::Op*>> readers_;  // by root
  std::vector<std::pair<ir::Op*, ir::Op*>> before_;                     // reader, change
  std::unordered_set<const ir::Value*> taken_;                          // another value lies in its place
  std::string refused_;  // the first reason for which a way ended
};

}  // namespace ingot::compiler
