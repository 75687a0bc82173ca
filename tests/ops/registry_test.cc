#include <gtest/gtest.h>

#include <set>

#include "ir/op_record.h"
#include "ops/registry.h"

namespace ingot::ops {
namespace {

TEST(RegistryTest, RecordsAreThereBeforeMainAndFoundByName) {
  std::set<std::string_view> names;
  for (const ir::OpRecord* record : ir::all_records()) {
    EXPECT_EQ(ir::find_record(record->name), record);
    EXPECT_TRUE(names.insert(record->name).second);
    EXPECT_FALSE(record->doc->empty());
  }
  EXPECT_GE(names.size(), 40u);
  EXPECT_EQ(ir::find_record("no_such_operation"), nullptr);
  register_all();  // once more is no harm
  EXPECT_EQ(ir::all_records().size(), names.size());
}

}  // namespace
}  // namespace ingot::ops
