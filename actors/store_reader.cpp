#include "actors/store_reader.hpp"

#include "actors/operations/export_pages.hpp"
#include "actors/operations/realm_reads.hpp"

#include "actors/trace/traced_store.hpp"
#include "persistence/realm_store.hpp"

#include <algorithm>

namespace weir {

namespace {

size_t page_size(uint64_t asked) {
  return std::clamp<size_t>(asked, 1, limits::page_rows_max);
}

/// What was looked for by its name, as a list.
template <class Row>
std::vector<Row> none_or_one(std::optional<Row> found) {
  std::vector<Row> rows;
  if (found)
    rows.push_back(std::move(*found));
  return rows;
}

expected<queues_page> queues(store_reader& db, const read_queues& request) {
  WEIR_TRY(auto found, db.queues({request.after, page_size(request.rows_max)}));
  WEIR_TRY(auto now, db.now());
  return queues_page{std::move(found), now};
}

expected<queues_page> one_queue(store_reader& db, const read_queue& request) {
  WEIR_TRY(auto found, db.queue(request.appservice));
  WEIR_TRY(auto now, db.now());
  return queues_page{none_or_one(std::move(found)), now};
}

expected<commands_page> commands(store_reader& db,
                                 const read_commands& request) {
  WEIR_TRY(auto found,
           db.commands(request.before, page_size(request.rows_max)));
  return commands_page{std::move(found)};
}

expected<dead_letters_page> letters(store_reader& db,
                                    const read_dead_letters& request) {
  WEIR_TRY(auto found,
           db.dead_letters(request.appservice,
                           {request.after, page_size(request.rows_max)}));
  return dead_letters_page{std::move(found)};
}

expected<dead_letters_page> letter(store_reader& db,
                                   const read_dead_letter& request) {
  WEIR_TRY(auto found, db.dead_letter(request.id));
  return dead_letters_page{none_or_one(std::move(found))};
}

expected<quarantine_page> bodies(store_reader& db,
                                 const read_quarantine& request) {
  WEIR_TRY(auto found,
           db.quarantined(request.appservice,
                          {request.after, page_size(request.rows_max)}));
  return quarantine_page{std::move(found)};
}

expected<quarantine_page> body(store_reader& db,
                               const read_quarantined& request) {
  WEIR_TRY(auto found, db.quarantined_body(request.id));
  return quarantine_page{none_or_one(std::move(found))};
}

} // namespace

template <class Reply, class Read>
caf::result<Reply> store_reader_state::read(Read read) {
  auto page = trace::drawn_result<Reply>([&]() -> expected<Reply> {
    if (!reader_) {
      WEIR_TRY(reader_, open_());
    }
    return read(*reader_);
  });
  if (page)
    return std::move(page.value());
  reader_.reset();
  return to_caf(page.error());
}

/// A size that cannot be told, for want of time or of a right, is no reason to
/// tell nothing else.
expected<store_figures> store_reader_state::figures(store_reader& db) {
  WEIR_TRY(auto kept, db.kept());
  WEIR_TRY(const auto realms, db.realms().totals());
  WEIR_TRY(const auto as_of, db.now());
  const auto now = self_->clock_now();
  if (!size_asked_at_ || now - *size_asked_at_ >= limits::database_size_every) {
    size_asked_at_ = now;
    const auto bytes = db.database_bytes();
    database_bytes_ = bytes ? bytes.value() : database_bytes_;
  }
  return store_figures{kept, database_bytes_, realms, as_of};
}

template <class Reply, class Request, class Operation>
caf::result<Reply> store_reader_state::read_by_token(const Request& request,
                                                     Operation how) {
  return read<Reply>([&](store_reader& db) -> expected<Reply> {
    const auto tokens = tokens_();
    if (!tokens)
      return fail(ec::unavailable, "no keys of stream tokens");
    return how(db, *tokens, request);
  });
}

store_reader_actor::behavior_type
store_reader_state::start(open_reader_function open, token_source tokens) {
  open_ = std::move(open);
  tokens_ = std::move(tokens);
  return {
    [this](const read_queues& request) {
      return read<queues_page>(
        [&](store_reader& db) { return queues(db, request); });
    },
    [this](const read_queue& request) {
      return read<queues_page>(
        [&](store_reader& db) { return one_queue(db, request); });
    },
    [this](const read_commands& request) {
      return read<commands_page>(
        [&](store_reader& db) { return commands(db, request); });
    },
    [this](const read_dead_letters& request) {
      return read<dead_letters_page>(
        [&](store_reader& db) { return letters(db, request); });
    },
    [this](const read_dead_letter& request) {
      return read<dead_letters_page>(
        [&](store_reader& db) { return letter(db, request); });
    },
    [this](const read_quarantine& request) {
      return read<quarantine_page>(
        [&](store_reader& db) { return bodies(db, request); });
    },
    [this](const read_quarantined& request) {
      return read<quarantine_page>(
        [&](store_reader& db) { return body(db, request); });
    },
    [this](const read_store_figures&) {
      return read<store_figures>(
        [this](store_reader& db) { return figures(db); });
    },
    [this](const read_export& request) {
      return read<export_page>(
        [&](store_reader& db) { return read_export_page(db, request); });
    },
    [this](const read_realm& request) {
      return read_by_token<realm_answer>(request, operations::answer_realm);
    },
    [this](const read_feed& request) {
      return read_by_token<feed_answer>(request, operations::answer_feed);
    },
    [this](const read_realms& request) {
      return read<realms_found>([&](store_reader& db) {
        return operations::list_rows(
          db, {request.after, page_size(request.rows_max)});
      });
    },
  };
}

} // namespace weir
