// Results whose number depends on values: how many there are to be, and where they stand.
#pragma once

#include <functional>
#include <optional>

#include "frontend/apply.h"

namespace ingot::detail {

// Errors unless the axis has an element, and s32 the places of all.
void check_place(const char* name, const Array& x, int64_t axis, const std::source_location& where);
// The second alone.
void check_places(const char* name, const Array& x, int64_t axis, const std::source_location& where);

// The size that is given, or what count() says outside of a program. Error in one.
int64_t wanted_size(const char* name, const Array& x, Optional<int64_t> size,
                    const std::function<int64_t()>& count, const std::source_location& where);
// The places of the first `size` true elements of a vector, and -1 behind them: s64 where s32 cannot count
// the elements, or the places.
Array first_places(const Array& mask, int64_t size);
// Error where integers or preds cannot be the value that is to fill up what is not found: it is no whole
// number or out of their range. `what` tells whose they are.
void check_filling(const char* name, Optional<double> fill_value, DType dtype, const std::string& what,
                   const std::source_location& where);

}  // namespace ingot::detail
