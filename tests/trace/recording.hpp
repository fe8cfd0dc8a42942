#pragma once

#include "actors/trace/reader.hpp"
#include "actors/trace/recorder.hpp"

#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace weir::test {

/// A trace of what happens while it stands.
class recording {
public:
  explicit recording(trace::recorder_options options = {}) {
    trace::start(lines_, std::move(options));
  }
  ~recording() {
    trace::stop();
  }
  recording(const recording&) = delete;
  recording& operator=(const recording&) = delete;

  [[nodiscard]] std::string text() const {
    std::string all;
    for (const auto& line : lines_->lines())
      all += line + '\n';
    return all;
  }

  /// As it would be read from a file.
  [[nodiscard]] trace::loaded_trace load(const trace::record_filter& filter
                                         = {}) const {
    std::istringstream from{text()};
    return trace::load(from, filter).value();
  }

  [[nodiscard]] std::vector<trace::record> of(const std::string& actor) const {
    return load({{actor}, {}, {}, {}}).records;
  }

private:
  std::shared_ptr<trace::memory_sink> lines_
    = std::make_shared<trace::memory_sink>();
};

} // namespace weir::test
