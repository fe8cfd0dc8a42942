#include "http/cli/command_line.hpp"

#include <iostream>

int main(int argc, char** argv) {
  const weir::command_line_parts parts;
  return weir::run_command_line(argc, argv, parts, std::cout, std::cerr);
}
