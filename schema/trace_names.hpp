#pragma once

#include <string>
#include <string_view>

namespace weir {

// What actors are called in traces, as far as it is known before they run.

/// Whether there can be an actor that `pattern` means: `NAME`, `NAME*` or
/// `NAME#2`, such as `gateway`, `store_writer/1`, `appservice/*`.
bool may_name_actor(std::string_view pattern);

/// All of them, for a person.
std::string known_actors();

} // namespace weir
