#include "tests/conformance/realm_world.hpp"

using namespace weir;
using namespace weir::test;

TEST_CASE_TEMPLATE("realm store: an event is kept as it was saved", Where,
                   WEIR_EVERY_STORE) {
  realm_world<Where> on;
  const auto no = on.realm.no;
  auto row = queued(7, realm_class::lossy);
  const realm_content_row content{R"({"a":"\u00e9", "b" : 1e400})",
                                  rooms({"!a", "!1:b"})};
  on.batch([&] {
    must(on.ports().events.append(no, row, content));
    CHECK(must(on.ports().events.read(no, 7)) == row);
    CHECK(must(on.ports().events.content(no, 7)) == content);
  });
  row.size = 9;
  row.expires_at = noon;
  row.state = realm_event_state::over;
  row.how = send_outcome::merged;
  row.audience_version = 4;
  row.bound_at = noon;
  row.bound_after = "!x";
  row.targets = 5;
  row.written = 4;
  row.unsettled = 3;
  row.delivered = 2;
  row.failed = 1;
  row.over_at = noon + milliseconds{1};
  row.merged_into = "we_1";
  on.batch([&] {
    must(on.ports().events.save(no, row));
    must(on.ports().events.put_content(no, 7, {"{}", {}}));
  });
  on.batch([&] {
    CHECK(must(on.ports().events.read(no, 7)) == row);
    CHECK(must(on.ports().events.find_id(no, "we_7")) == row);
    CHECK(!must(on.ports().events.find_id(no + 1, "we_7")));
    CHECK(must(on.ports().events.find_key(no, "k7")) == std::vector{row});
    CHECK(must(on.ports().events.content(no, 7))
          == realm_content_row{"{}", {}});
    must(on.ports().events.drop_content(no, 7));
    CHECK(!must(on.ports().events.content(no, 7)));
  });
  CHECK(must(on.reader->realms().event(no, "we_7")) == row);
  on.batch([&] {
    must(on.ports().events.remove(no, 7));
    CHECK(!must(on.ports().events.read(no, 7)));
    CHECK(must(on.ports().events.find_key(no, "k7")).empty());
  });
}

TEST_CASE_TEMPLATE("realm store: a key, an id and a seq are used once", Where,
                   WEIR_EVERY_STORE) {
  realm_world<Where> on;
  const auto no = on.realm.no;
  on.batch([&] {
    must(on.ports().events.append(no, queued(1)));
    auto second = queued(2);
    second.key = "k1";
    second.part = 2;
    must(on.ports().events.append(no, second));
    CHECK(must(on.ports().events.find_key(no, "k1")).size() == 2);
  });
  for (const int which : {0, 1, 2}) {
    auto again = queued(3);
    if (which == 0)
      again.key = "k1";
    if (which == 1)
      again.event_id = "we_1";
    if (which == 2)
      again.seq = 1;
    must(on.db->begin(on.lease, 1));
    CHECK(code_of(on.ports().events.append(no, again)) == ec::rejected);
    on.db->rollback();
  }
}

TEST_CASE_TEMPLATE("realm store: events are found by where they stand", Where,
                   WEIR_EVERY_STORE) {
  realm_world<Where> on;
  const auto no = on.realm.no;
  on.batch([&] {
    auto& events = on.ports().events;
    CHECK(!must(events.head(no)));
    CHECK(!must(events.tail(no)));
    for (uint64_t seq = 1; seq <= 6; ++seq) {
      auto row
        = queued(seq, seq == 4 ? realm_class::lossy : realm_class::progress);
      row.expires_at = noon + milliseconds{100 - static_cast<int64_t>(seq)};
      if (seq == 1)
        row.state = realm_event_state::bound;
      if (seq == 2)
        row.state = realm_event_state::binding;
      if (seq == 5)
        row.importance = realm_class::completion;
      if (seq == 6) {
        row.state = realm_event_state::over;
        row.over_at = noon + milliseconds{3};
      }
      must(events.append(no, row));
    }
    CHECK(must(events.head(no))->seq == 3);
    CHECK(must(events.tail(no))->seq == 5);
    CHECK(!must(events.head(no + 1)));
    const auto seqs = [](const std::vector<realm_event_row>& rows) {
      std::vector<uint64_t> found;
      for (const auto& row : rows)
        found.push_back(row.seq);
      return found;
    };
    using seqs_list = std::vector<uint64_t>;
    CHECK(seqs(must(events.in_state(no, realm_event_state::queued, 0, 2)))
          == seqs_list{3, 4});
    CHECK(seqs(must(events.in_state(no, realm_event_state::queued, 3, 9)))
          == seqs_list{4, 5});
    CHECK(seqs(must(events.in_state(no, realm_event_state::binding, 0, 9)))
          == seqs_list{2});
    CHECK(seqs(must(events.in_state(no, realm_event_state::bound, 0, 9)))
          == seqs_list{1});
    // In the order of their times; a completion is never among them.
    CHECK(seqs(must(events.due(no, noon + milliseconds{97}, 9)))
          == seqs_list{4, 3});
    CHECK(seqs(must(events.due(no, noon + milliseconds{96}, 9)))
          == seqs_list{4});
    CHECK(must(events.due(no, noon + milliseconds{95}, 9)).empty());
    CHECK(seqs(must(events.lossy(no, 9))) == seqs_list{4});
    CHECK(must(events.over(no, noon + milliseconds{3}, true, 9)).empty());
    CHECK(seqs(must(events.over(no, noon + milliseconds{4}, true, 9)))
          == seqs_list{6});
  });
  CHECK(must(on.reader->realms().oldest_open(no)) == noon + milliseconds{1});
  CHECK(must(on.reader->realms().oldest_open(no + 1)) == stored_time{});
}

TEST_CASE_TEMPLATE("realm store: a lane's head is its oldest open send", Where,
                   WEIR_EVERY_STORE) {
  realm_world<Where> on;
  const auto no = on.realm.no;
  on.batch([&] {
    auto& sends = on.ports().sends;
    must(sends.append(
      no, std::vector{send_of(1, "!a"), send_of(1, "!b"), send_of(1, "!c")}));
    must(sends.append(no, std::vector{send_of(2, "!b"), send_of(2, "!d")}));
    auto done = send_of(1, "!c");
    done.outcome = send_outcome::delivered;
    must(sends.save(no, done));
    using lanes = std::vector<realm_lane_row>;
    CHECK(must(sends.lanes(no, "", 9))
          == lanes{{{"!a"}, 1, false}, {{"!b"}, 1, true}, {{"!d"}, 2, false}});
    CHECK(must(sends.lanes(no, "!a", 1)) == lanes{{{"!b"}, 1, true}});
    CHECK(must(sends.lanes(no, "!d", 9)).empty());
    CHECK(must(sends.lanes(no + 1, "", 9)).empty());
    CHECK(must(sends.lane(no, {"!b"})) == realm_lane_row{{"!b"}, 1, true});
    CHECK(must(sends.lane(no, {"!a"})) == realm_lane_row{{"!a"}, 1, false});
    CHECK(!must(sends.lane(no, {"!c"})));
    CHECK(must(sends.has_open_progress(no, {"!b"})));
    CHECK(!must(sends.has_open_progress(no, {"!c"})));
    // Begun anew, it is in its lane again.
    done.outcome = send_outcome::none;
    must(sends.save(no, done));
    CHECK(must(sends.lane(no, {"!c"})).has_value());
  });
}

TEST_CASE_TEMPLATE("realm store: a send is kept as it was saved", Where,
                   WEIR_EVERY_STORE) {
  realm_world<Where> on;
  const auto no = on.realm.no;
  auto row = send_of(1, "!a");
  auto ended = send_of(1, "!b");
  ended.outcome = send_outcome::skipped;
  ended.over_at = noon;
  on.batch([&] {
    must(on.ports().sends.append(no, std::vector{row, ended}));
    CHECK(must(on.ports().sends.read(no, 1, {"!a"})) == row);
    CHECK(must(on.ports().sends.read(no, 1, {"!b"})) == ended);
  });
  row.generation = 1;
  row.txn = "other";
  row.attempts = 2;
  row.tries = 3;
  row.may_be_stored = true;
  row.cause = "http_5xx";
  row.not_before = noon + milliseconds{1};
  row.remote_id = "$1";
  row.bound_at = noon + milliseconds{2};
  on.batch([&] {
    must(on.ports().sends.save(no, row));
    auto& sends = on.ports().sends;
    CHECK(must(sends.of_event(no, 1, true, "", 9)) == std::vector{row});
    CHECK(must(sends.of_event(no, 1, false, "!a", 9)) == std::vector{ended});
  });
  CHECK(must(on.reader->realms().sends(no, 1, "", 9))
        == std::vector{row, ended});
  on.batch([&] {
    CHECK(must(on.ports().sends.remove(no, 1, 1)) == 1);
    CHECK(must(on.ports().sends.remove(no, 1, 9)) == 1);
    CHECK(must(on.ports().sends.lanes(no, "", 9)).empty());
  });
}

TEST_CASE_TEMPLATE("realm store: a room is free when nothing is owed to it",
                   Where, WEIR_EVERY_STORE) {
  realm_world<Where> on;
  const auto no = on.realm.no;
  on.batch([&] {
    must(on.ports().rows.subscribe(no, rooms({"!a", "!b"}), 1));
    auto& sends = on.ports().sends;
    must(sends.append(no, std::vector{send_of(1, "!a")}));
    CHECK(must(sends.has_free_room(no, 1)));
    CHECK(!must(sends.has_free_room(no, 0)));
    must(sends.append(no, std::vector{send_of(1, "!b")}));
    CHECK(!must(sends.has_free_room(no, 1)));
  });
}

TEST_CASE_TEMPLATE("realm store: nothing survives a rollback", Where,
                   WEIR_EVERY_STORE) {
  realm_world<Where> on;
  const auto no = on.realm.no;
  must(on.db->begin(on.lease, 1));
  auto& rows = on.ports().rows;
  auto row = on.realm;
  row.open_events = 3;
  must(rows.save(row));
  must(rows.count_bytes(1, 5));
  must(rows.subscribe(no, std::vector{room_id{"!a"}}, 1));
  must(rows.leave_open(no, {"!a"}, true));
  must(rows.save_account({"@weir:x", noon, pause_cause::own, {}, "", ""}));
  must(on.ports().events.append(no, queued(1), {"{}", {}}));
  must(on.ports().sends.append(no, std::vector{send_of(1, "!a")}));
  on.db->rollback();
  on.batch([&] {
    CHECK(must(rows.lock(row.id)) == on.realm);
    CHECK(must(rows.queued_bytes()) == 0);
    CHECK(!must(rows.is_any_left_open(no)));
    CHECK(!must(rows.lock_account("@weir:x")));
    CHECK(!must(on.ports().events.read(no, 1)));
    CHECK(!must(on.ports().events.content(no, 1)));
    CHECK(must(on.ports().sends.lanes(no, "", 9)).empty());
  });
  CHECK(on.audience(1) == names{});
}
