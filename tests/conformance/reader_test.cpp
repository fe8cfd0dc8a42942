#include "tests/conformance/stores.hpp"

#include <algorithm>

using namespace weir;
using namespace weir::test;

namespace {

bool is_key(const std::string& text) {
  return text.size() == 64
    && text.find_first_not_of("0123456789abcdef") == text.npos;
}

} // namespace

TEST_CASE_TEMPLATE("reader: a store has one identity for good", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto first = must(on.where.connect_reader()->identity());
  CHECK(is_key(first.store_id));
  CHECK(is_key(first.ping_key));
  CHECK(first.store_id != first.ping_key);
  // Another start, as after a restart of the process.
  auto again = on.where.connect();
  const auto second = must(on.where.connect_reader()->identity());
  CHECK(second.store_id == first.store_id);
  CHECK(second.ping_key == first.ping_key);
}

TEST_CASE_TEMPLATE("reader: two stores have two identities", Where,
                   WEIR_EVERY_STORE) {
  world<Where> one;
  world<Where> two;
  CHECK(must(one.where.connect_reader()->identity()).store_id
        != must(two.where.connect_reader()->identity()).store_id);
}

TEST_CASE_TEMPLATE("reader: its time is the writer's, offset and all", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  stored_time before;
  stored_time after;
  on.batch([&] {
    before = must(on.db->now());
    must(on.db->add_clock_offset(std::chrono::hours{10}));
    must(on.db->add_clock_offset(std::chrono::hours{-3}));
    after = must(on.db->now());
  });
  constexpr milliseconds slack = std::chrono::minutes{10};
  const auto near = [&](stored_time a, stored_time b) {
    return a - b < slack && b - a < slack;
  };
  CHECK(near(after, before - std::chrono::hours{7}));
  CHECK(near(must(on.reader->now()), after));
}

TEST_CASE_TEMPLATE("reader: sees nothing of an open batch", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto queue = on.adopted("a");
  must(on.db->begin(on.lease, 1));
  must(on.db->outbox().adopt_queue({"b"}));
  const std::vector rows{event(1)};
  must(on.db->outbox().append(queue.no, rows));
  const auto during = must(on.reader->queues({}));
  REQUIRE(during.size() == 1);
  CHECK(during[0].oldest_accepted_at == stored_time{});
  must(on.db->commit());
  const auto after = must(on.reader->queues({}));
  REQUIRE(after.size() == 2);
  CHECK(after[0].oldest_accepted_at == event(1).accepted_at);
}

TEST_CASE_TEMPLATE("reader: a queue is shown with all that concerns it", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  auto row = on.adopted("a");
  row.next_seq = 9;
  row.pinned = pin{{"r-3"}, 1, {{lane::event, 4, 5}}, std::string(64, '0')};
  const queue_status_row said{"appservice/a",
                              "sending",
                              "why",
                              noon,
                              noon,
                              "",
                              {},
                              1,
                              noon,
                              noon + milliseconds{3},
                              "r-3",
                              "reset by peer"};
  on.batch([&] {
    must(on.db->outbox().save_queue(row));
    const std::vector rows{event(4), event(5)};
    must(on.db->outbox().append(row.no, rows));
    must(on.db->outcomes().put_status(said));
    for (const std::string bytes : {"1", "2"}) {
      dead_letter_row letter;
      letter.appservice = {"a"};
      letter.item.bytes = bytes;
      must(on.db->keep().bury(letter));
    }
    for (const std::string body : {"three", "four", "three"}) {
      quarantine_row kept;
      kept.appservice = {"a"};
      kept.body = body;
      must(on.db->keep().quarantine(kept));
    }
  });
  const auto view = must(on.reader->queue({"a"}));
  REQUIRE(view);
  CHECK(view->row == row);
  CHECK(view->status == said);
  CHECK(view->oldest_accepted_at == event(4).accepted_at);
  CHECK(view->dead_letters == 2);
  CHECK(view->dead_letter_bytes == 2);
  CHECK(view->quarantined == 2);
  CHECK(view->quarantine_bytes == 9);
  CHECK(!must(on.reader->queue({"b"})));
}

TEST_CASE_TEMPLATE("reader: what is kept in all is told at once", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  CHECK(must(on.reader->kept()) == kept_totals{});
  on.batch([&] {
    for (const std::string id : {"a", "b"}) {
      dead_letter_row letter;
      letter.appservice = {id};
      letter.item.bytes = "four";
      must(on.db->keep().bury(letter));
    }
    quarantine_row kept;
    kept.appservice = {"a"};
    kept.body = "three";
    must(on.db->keep().quarantine(kept));
  });
  CHECK(must(on.reader->kept()) == kept_totals{8, 5});
}

TEST_CASE_TEMPLATE("reader: a database has a size, and grows", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto queue = on.adopted("a");
  const auto before = must(on.reader->database_bytes());
  CHECK(before > 0);
  on.batch([&] {
    std::vector<owed_row> rows;
    for (uint64_t seq = 1; seq <= 20; ++seq)
      rows.push_back(event(seq, '"' + std::string(60'000, 'x') + '"'));
    must(on.db->outbox().append(queue.no, rows));
  });
  CHECK(must(on.reader->database_bytes()) > before);
}

TEST_CASE_TEMPLATE("reader: queues are listed page by page", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  for (const std::string id : {"c", "a", "b"})
    on.adopted(id);
  std::vector<std::string> seen;
  page_request page{0, 2};
  while (true) {
    const auto views = must(on.reader->queues(page));
    CHECK(views.size() <= 2);
    if (views.empty())
      break;
    for (const auto& view : views)
      seen.push_back(view.row.id.value);
    page.after = views.back().row.no;
  }
  CHECK(seen == std::vector<std::string>{"c", "a", "b"});
}

TEST_CASE_TEMPLATE("reader: dead letters are listed without their bytes", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  std::vector<int64_t> ids;
  on.batch([&] {
    for (const std::string id : {"a", "b", "a", "b", "a"}) {
      dead_letter_row letter;
      letter.appservice = {id};
      letter.seq = ids.size() + 1;
      letter.item.bytes = std::to_string(ids.size());
      letter.item.event_id = "$x";
      ids.push_back(must(on.db->keep().bury(letter)));
    }
  });
  const auto all = must(on.reader->dead_letters(std::nullopt, {}));
  REQUIRE(all.size() == 5);
  CHECK(std::all_of(all.begin(), all.end(), [](const auto& letter) {
    return letter.item.bytes.empty() && letter.size > 0
      && letter.item.event_id == "$x";
  }));
  CHECK(must(on.reader->dead_letters(std::nullopt, {ids[1], 2})).at(0).id
        == ids[2]);
  const auto page
    = must(on.reader->dead_letters(appservice_id{"a"}, {ids[0], 1}));
  REQUIRE(page.size() == 1);
  CHECK(page[0].id == ids[2]);
  CHECK(must(on.reader->dead_letters(appservice_id{"c"}, {})).empty());
}

TEST_CASE_TEMPLATE("reader: quarantined bodies are listed page by page", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  on.batch([&] {
    for (const std::string body : {"x", "y", "z"}) {
      quarantine_row row;
      row.appservice = {"a"};
      row.body = body;
      must(on.db->keep().quarantine(row));
      row.appservice = {"b"};
      row.body += body;
      must(on.db->keep().quarantine(row));
    }
  });
  const appservice_id of{"a"};
  const auto first = must(on.reader->quarantined(of, {0, 2}));
  REQUIRE(first.size() == 2);
  CHECK(first[0].size == 1);
  const auto rest = must(on.reader->quarantined(of, {first[1].id, 2}));
  REQUIRE(rest.size() == 1);
  CHECK(rest[0].id > first[1].id);
  CHECK(rest[0].body.empty());
  const auto all = must(on.reader->quarantined({}, {0, 100}));
  REQUIRE(all.size() == 6);
  CHECK(all[1].appservice == appservice_id{"b"});
  CHECK(all[1].size == 2);
  CHECK(must(on.reader->quarantined(appservice_id{"c"}, {})).empty());
}
