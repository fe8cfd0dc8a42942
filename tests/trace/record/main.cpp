// Plays the scenes of tests/trace/scenes.cpp and writes their traces.
// usage: record_traces FOLDER
#include "tests/trace/scenes.hpp"

#include <cstdio>
#include <fstream>

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: record_traces FOLDER\n", stderr);
    return 2;
  }
  for (const auto& scene : weir::test::all_scenes()) {
    const auto path = std::string{arguments[1]} + "/" + scene.name + ".jsonl";
    std::ofstream file{path, std::ios::binary};
    file << weir::test::record(scene) << std::flush;
    if (!file) {
      std::fprintf(stderr, "cannot write %s\n", path.c_str());
      return 1;
    }
  }
}
