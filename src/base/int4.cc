// int4.h is all that there is; here it is held to what it says.
#include "ingot/int4.h"

namespace ingot {

static_assert(sizeof(int4) == 1 && std::is_trivial_v<int4>);
static_assert(int4(-1).bits == 0x0f && int4(-1) == -1 && int4(8) == -8 && uint4(17) == 1);
static_assert(int2(-2) == -2 && uint2(-1) == 3);
static_assert(std::numeric_limits<int4>::min() == -8 && std::numeric_limits<uint2>::max() == 3);

}  // namespace ingot
