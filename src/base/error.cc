#include "ingot/error.h"

namespace ingot {

InternalError::InternalError(const std::string& message, std::source_location where)
    : std::logic_error("internal error in Ingot at " + std::string(where.file_name()) + ":" +
                       std::to_string(where.line()) + ": " + message +
                       "\nThis is a bug in Ingot, not in your program; please report it with this text.") {}

}  // namespace ingot
