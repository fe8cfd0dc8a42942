#pragma once

#include <string>
#include <vector>

namespace weir::test {

/// One thing that happens to a house, and whose part in it is recorded.
struct scene {
  std::string name;
  std::vector<std::string> actors;
  void (*play)();
};

/// Those of tests/traces. `record_traces FOLDER` plays and writes them.
const std::vector<scene>& all_scenes();

/// Plays a scene and returns its trace.
std::string record(const scene& of);

} // namespace weir::test
