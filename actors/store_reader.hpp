#pragma once

#include "actors/interfaces.hpp"
#include "persistence/store.hpp"
#include "persistence/tokens.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace weir {

/// Opens one reading connection.
using open_reader_function
  = std::function<expected<std::unique_ptr<store_reader>>()>;

/// Whose stream tokens are taken and made; null where none are.
using token_source = std::function<std::shared_ptr<const token_authority>()>;

/// Reads pages for people from one connection, opened again after a failure.
/// Blocks on SQL, so it is spawned detached.
class store_reader_state {
public:
  static constexpr const char* name = "store_reader";
  using self_pointer = traced_actor<store_reader_actor>*;

  explicit store_reader_state(self_pointer self) : self_{self} {
  }

  store_reader_actor::behavior_type start(open_reader_function open,
                                          token_source tokens);

private:
  template <class Reply, class Read>
  caf::result<Reply> read(Read read);
  expected<store_figures> figures(store_reader& db);
  template <class Reply, class Request, class Operation>
  caf::result<Reply> read_by_token(const Request& request, Operation how);

  self_pointer self_;
  open_reader_function open_;
  token_source tokens_;
  std::unique_ptr<store_reader> reader_;
  uint64_t database_bytes_ = 0;          ///< As the database told last,
  std::optional<instant> size_asked_at_; ///< when it was asked.
};

using store_reader_process = weir_actor<store_reader_actor, store_reader_state,
                                        open_reader_function, token_source>;

} // namespace weir
