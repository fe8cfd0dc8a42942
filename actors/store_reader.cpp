#include "actors/store_reader.hpp"

#include "actors/trace/traced_store.hpp"

#include <algorithm>

namespace weir {

namespace {

size_t page_size(uint64_t asked) {
  return std::clamp<size_t>(asked, 1, limits::page_rows_max);
}

expected<queues_page> queues(store_reader& db, const read_queues& request) {
  WEIR_TRY(auto found, db.queues({request.after, page_size(request.rows_max)}));
  WEIR_TRY(auto now, db.now());
  return queues_page{std::move(found), now};
}

expected<queues_page> one_queue(store_reader& db, const read_queue& request) {
  WEIR_TRY(auto found, db.queue(request.appservice));
  WEIR_TRY(auto now, db.now());
  queues_page page{{}, now};
  if (found)
    page.queues.push_back(std::move(*found));
  return page;
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
  dead_letters_page page;
  if (found)
    page.letters.push_back(std::move(*found));
  return page;
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

store_reader_actor::behavior_type
store_reader_state::start(open_reader_function open) {
  open_ = std::move(open);
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
  };
}

} // namespace weir
