// The back ends there are, a line for each.
#include <string>

#include "backend/backend.h"
#include "backend/cpu/cpu.h"
#include "backend/interpret/interpret.h"
#include "base/options.h"
#include "ingot/error.h"

namespace ingot::backend {
namespace {

// The first one is the host's.
constexpr const Backend& (*kBackends[])() = {
    cpu,
    interpret,
};

void want_backend(const std::string& name) {
  backend_named(name);
}

[[maybe_unused]] const bool checks_name = (check_backend(want_backend), true);

}  // namespace

const Backend& backend_named(std::string_view name) {
  for (const auto backend : kBackends) {
    if (backend().name() == name) return backend();
  }
  std::string known;
  for (const auto backend : kBackends) {
    if (!known.empty()) known += ", ";
    known += backend().name();
  }
  throw Error("INGOT_BACKEND: there is no back end '" + std::string(name) + "'; there are " + known +
              " (unset: " + std::string(host_backend().name()) + ")");
}

const Backend& host_backend() {
  return kBackends[0]();
}

const Backend& chosen_backend() {
  static const Backend& chosen = []() -> const Backend& {
    const std::string name = Options::global().backend();
    return name.empty() ? host_backend() : backend_named(name);
  }();
  return chosen;
}

}  // namespace ingot::backend
