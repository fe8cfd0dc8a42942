#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace weir {

/// What makes a log line the repetition of another: the component, the phrase
/// and its first pair, as in `appservice:push refused dest=irc`. Lines about
/// another subject are no repetitions; other values behind it are.
std::string repetition_key(std::string_view component, std::string_view line);

/// Holds back log lines that repeat another within `quiet_time`, and counts
/// them. Not thread-safe. Takes every time from the caller.
class flood_gate {
public:
  using time_point = std::chrono::steady_clock::time_point;

  static constexpr auto quiet_time = std::chrono::seconds{10};
  /// Strangers choose some subjects: at the bound all is forgotten, which at
  /// worst prints a line early.
  static constexpr size_t remembered_lines_max = 4096;

  /// What becomes of a line.
  struct passage {
    bool prints = true;
    int64_t held_back = 0; ///< Equal lines before this one, told by this one.
    time_point since{};    ///< When the first of them came.
    friend bool operator==(const passage&, const passage&) = default;
  };

  passage pass(const std::string& key, time_point now);

private:
  struct entry {
    time_point printed;
    int64_t held_back = 0;
    time_point since{};
  };
  std::unordered_map<std::string, entry> lines_;
};

} // namespace weir
