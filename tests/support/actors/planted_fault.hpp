#pragma once

#include "actors/stop_points.hpp"

#include <memory>
#include <stdexcept>
#include <string>

namespace weir::test {

/// Makes a step throw, so often, as a fault in a handler would. One at a time.
class planted_fault {
public:
  planted_fault(std::string step, size_t times)
    : left_{std::make_shared<size_t>(times)} {
    install_stop_points([step, left = left_](std::string_view reached) {
      if (reached != step || *left == 0)
        return;
      --*left;
      throw std::runtime_error{"planted"};
    });
  }
  ~planted_fault() {
    install_stop_points({});
  }
  planted_fault(const planted_fault&) = delete;
  planted_fault& operator=(const planted_fault&) = delete;

  [[nodiscard]] size_t left() const {
    return *left_;
  }

private:
  std::shared_ptr<size_t> left_;
};

} // namespace weir::test
