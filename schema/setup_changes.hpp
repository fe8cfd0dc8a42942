#pragma once

#include "schema/registration.hpp"

#include <string>
#include <vector>

namespace weir {

/// What a configuration that was read again changes.
struct setup_changes {
  std::vector<std::string> added;   ///< Appservice ids, in their order.
  std::vector<std::string> changed; ///< Likewise: file or options.
  std::vector<std::string> removed; ///< Likewise.
  /// Top-level keys that differ and of which only a restart takes notice.
  std::vector<std::string> need_restart;

  [[nodiscard]] bool any() const noexcept {
    return !added.empty() || !changed.empty() || !removed.empty();
  }
};

/// Compares what is in force with what was read. Only appservices and how they
/// are served can change while Weir runs.
setup_changes changes_between(const loaded_setup& in_force,
                              const loaded_setup& read);

/// `in_force` with the appservices of `read`.
loaded_setup with_appservices_of(loaded_setup in_force,
                                 const loaded_setup& read);

/// Why `read` must not take the place of `in_force`: its own problems, or that
/// it lets go of every appservice, which a folder that is not mounted looks
/// like. Empty: it may.
std::vector<config_problem> reload_problems(const loaded_setup& in_force,
                                            const loaded_setup& read);

} // namespace weir
