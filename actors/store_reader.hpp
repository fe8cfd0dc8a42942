#pragma once

#include "actors/interfaces.hpp"
#include "persistence/store.hpp"

#include <functional>
#include <memory>

namespace weir {

/// Opens one reading connection.
using open_reader_function
  = std::function<expected<std::unique_ptr<store_reader>>()>;

/// Reads pages for people from one connection, opened again after a failure.
/// Blocks on SQL, so it is spawned detached.
class store_reader_state {
public:
  static constexpr const char* name = "store_reader";
  using self_pointer = traced_actor<store_reader_actor>*;

  explicit store_reader_state(self_pointer) {
  }

  store_reader_actor::behavior_type start(open_reader_function open);

private:
  template <class Reply, class Read>
  caf::result<Reply> read(Read read);

  open_reader_function open_;
  std::unique_ptr<store_reader> reader_;
};

using store_reader_process
  = weir_actor<store_reader_actor, store_reader_state, open_reader_function>;

} // namespace weir
