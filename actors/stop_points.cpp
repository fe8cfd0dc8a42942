#include "actors/stop_points.hpp"

#include <utility>

namespace weir {

namespace {

std::function<void(std::string_view)>& installed() {
  static std::function<void(std::string_view)> handler;
  return handler;
}

} // namespace

void stop_point(std::string_view step) {
  if (installed())
    installed()(step);
}

void install_stop_points(std::function<void(std::string_view)> handler) {
  installed() = std::move(handler);
}

} // namespace weir
