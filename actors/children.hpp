#pragma once

#include "actors/house.hpp"
#include "actors/supervisor.hpp"

#include <vector>

namespace weir {

/// How a child is made: by the supervisor, from the handles of those that are
/// there. It is told `known` as its peers.
using make_child
  = std::function<caf::actor(traced_actor<supervisor_actor>&, const peers& all,
                             std::shared_ptr<const peers> known)>;

/// The `index`th child called `name`: where the others find it and of what it
/// is told follow from the name, whoever makes it. Only for `is_child_name`.
child_spec child_named(const std::string& name, size_t index, make_child make);

bool is_child_name(const std::string& name);

/// The children of one house, in the order they are started: writers, readers,
/// transport, directory; where realms are served session, pacer, realm
/// directory; gateway, janitor, pinger.
std::vector<child_spec> house_children(const house_config& config);

} // namespace weir
