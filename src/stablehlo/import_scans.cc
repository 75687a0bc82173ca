// chlo.scan: a loop over slices along a dimension, and what it carries.
#include <algorithm>

#include "stablehlo/importer.h"

namespace ingot::stablehlo {
namespace {

// Inputs, then initial values; its region takes slices of the inputs and the carries, and returns slices of
// the outputs and the next carries.
void import_scan(OpImport& op) {
  const Ints segments = op.ints("operandSegmentSizes");
  if (segments.size() != 2 || segments[0] < 0 || segments[1] < 0 ||
      segments[0] + segments[1] != static_cast<int64_t>(op.operand_count()) || op.op().regions.size() != 1)
    op.fail("takes arrays, initial values, and a region");
  const auto inputs = static_cast<size_t>(segments[0]), carries = static_cast<size_t>(segments[1]);
  if (op.op().results.size() < carries) op.fail("gives outputs, and as many carries as it takes");
  const size_t outputs = op.op().results.size() - carries;
  const Region& body = op.op().regions.front();
  if (body.arguments.size() != inputs + carries)
    op.fail("its region takes a slice of each array, and the carries");
  OpImport::Loop loop;
  const int64_t dimension = op.integer("dimension");
  for (size_t i = 0; i < op.operand_count(); ++i)
    (i < inputs ? loop.scanned : loop.carries).push_back(op.operand(i));
  loop.length = op.integer("scan_dim_size", 0);
  for (const ir::Value* array : loop.scanned) {
    if (dimension < 0 || dimension >= array->rank())
      op.fail("there is no dimension " + std::to_string(dimension));
    loop.length = array->shape()[static_cast<size_t>(dimension)];
  }
  if (inputs == 0 && op.find("scan_dim_size") == nullptr) op.fail("nothing says how many steps there are");
  loop.reverse = op.integer("is_reverse", 0) != 0;
  loop.xs_axes.assign(inputs, dimension);
  loop.ys_axes.assign(outputs, dimension);
  std::vector<ir::Value*> results =
      op.loop(loop, [&](OpImport& inside, const std::vector<ir::Value*>& arguments) {
        Frame frame = inside.frame();
        for (size_t i = 0; i < inputs + carries; ++i)
          frame.values[body.arguments[i]] = {arguments[i < inputs ? carries + i : i - inputs], nullptr};
        op.importer().import_operations(body.operations, op.function(), frame);
        const auto made = frame.region->results();
        std::vector<ir::Value*> next(made.begin(), made.end());
        if (next.size() != outputs + carries)
          op.fail("its region returns slices of outputs, and the carries");
        std::rotate(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(outputs), next.end());
        return next;
      });
  std::rotate(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(carries), results.end());
  op.set_all(results);
}

constexpr NamedRule kScans[] = {{"chlo.scan", import_scan}};

}  // namespace

Rules scan_rules() {
  return kScans;
}

}  // namespace ingot::stablehlo
