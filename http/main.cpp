#include <cstdio>

int main() {
  std::puts("weir 0.1.0");
  return 0;
}
