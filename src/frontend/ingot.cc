#include "ingot/ingot.h"

namespace ingot {

const char* version() {
  return "0.1.0";
}

}  // namespace ingot
