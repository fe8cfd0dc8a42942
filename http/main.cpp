#include "http/cli/admin_connection.hpp"
#include "http/cli/command_line.hpp"
#include "http/service.hpp"

#include <iostream>

int main(int argc, char** argv) {
  weir::command_line_parts parts;
  parts.serve = weir::run_service;
  parts.connect_admin = weir::connect_admin;
  return weir::run_command_line(argc, argv, parts, std::cout, std::cerr);
}
