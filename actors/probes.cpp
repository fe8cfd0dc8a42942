#include "actors/probes.hpp"

#include "actors/store_probe.hpp"

namespace weir {

actor_probes& process_probes() {
  static actor_probes instance;
  return instance;
}

store_probe& process_store_probe() {
  static store_probe instance;
  return instance;
}

} // namespace weir
