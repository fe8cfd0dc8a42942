#include "actors/trace/control.hpp"
#include "actors/trace/file_sink.hpp"
#include "actors/trace/reader.hpp"
#include "tests/support/actors/actor_fixture.hpp"
#include "tests/support/database/small_disk.hpp"
#include "tests/support/test_folder.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace weir;
using namespace weir::test;

namespace {

using trace::file_sink;

const auto no_failure = [](const std::string&) {};

std::string heading() {
  return R"({"v":1,"kind":"trace"})";
}

/// A record of about a hundred bytes.
std::string record_line(int number) {
  return R"({"v":1,"kind":"end","seq":)" + std::to_string(number)
    + R"(,"actor":"directory","incarnation":1,"at":1,"effects":[]})";
}

std::string file_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines)
    text += line + '\n';
  return text;
}

size_t records_in(const std::string& path) {
  const auto loaded = trace::load(path);
  REQUIRE_MESSAGE(loaded.has_value(),
                  (loaded ? std::string{} : to_string(loaded.error())));
  return loaded.value().records.size();
}

/// What the gap lines in `text` come to.
uint64_t dropped_in(const std::string& text) {
  const std::string mark = "\"dropped\":";
  uint64_t sum = 0;
  for (auto at = text.find(mark);
       at != std::string::npos && text.find('}', at) != std::string::npos;
       at = text.find(mark, at + 1))
    sum += std::stoull(text.substr(at + mark.size()));
  return sum;
}

} // namespace

TEST_CASE("trace file: lines are written in their order, for the owner only") {
  const test_folder folder;
  const auto path = folder.path() + "/t.jsonl";
  {
    auto sink = file_sink::open({path}, no_failure).value();
    sink->take(heading());
    for (int i = 0; i < 3; ++i)
      sink->take(record_line(i));
  }
  CHECK(
    folder.read("t.jsonl")
    == file_of({heading(), record_line(0), record_line(1), record_line(2)}));
  CHECK(folder.mode("t.jsonl") == 0600);
}

TEST_CASE("trace file: each file is bounded, whole and has the heading") {
  const test_folder folder;
  const auto path = folder.path() + "/t.jsonl";
  {
    auto sink = file_sink::open({path, 500, 2}, no_failure).value();
    sink->take(heading());
    for (int i = 0; i < 40; ++i)
      sink->take(record_line(i));
  }
  CHECK(folder.files() == 3); // Two older ones are kept.
  for (const std::string name : {"t.jsonl", "t.jsonl.1", "t.jsonl.2"}) {
    CAPTURE(name);
    CHECK(folder.read(name).size() <= 500);
    CHECK(records_in(folder.path() + "/" + name) >= 1);
  }
  CHECK(folder.read("t.jsonl").ends_with(record_line(39) + '\n'));
}

TEST_CASE("trace file: one that is there is kept as an older one") {
  const test_folder folder;
  const auto yesterday = file_of({heading(), record_line(1)});
  const auto path = folder.write("t.jsonl", yesterday);
  file_sink::open({path}, no_failure).value()->take(heading());
  CHECK(folder.read("t.jsonl.1") == yesterday);
  CHECK(folder.read("t.jsonl") == heading() + '\n');
}

TEST_CASE("trace file: one whose heading a kill cut off makes way") {
  for (const std::string cut : {"", "{\"v", R"({"v":1)", R"({"v":1,"kin)"}) {
    CAPTURE(cut);
    const test_folder folder;
    const auto path = folder.write("t.jsonl", cut);
    ::chmod(path.c_str(), 0666);
    REQUIRE(file_sink::open({path}, no_failure).has_value());
    CHECK(folder.mode("t.jsonl") == 0600);
    CHECK(folder.files() == (cut.empty() ? 1 : 2));
  }
}

TEST_CASE("trace file: without older ones the one that is there is replaced") {
  const test_folder folder;
  const auto path = folder.write("t.jsonl", file_of({heading()}));
  file_sink::open({path, uint64_t{1} << 20, 0}, no_failure)
    .value()
    ->take(heading());
  CHECK(folder.files() == 1);
  CHECK(folder.read("t.jsonl") == heading() + '\n');
}

TEST_CASE("trace file: a file that is no trace stays as it is") {
  for (const uint32_t rotate : {0U, 4U}) {
    for (const std::string held :
         {"SQLite format 3", "yesterday", R"({"v":1,"kind":"mail"})"}) {
      CAPTURE(held);
      const test_folder folder;
      const auto path = folder.write("weir.db", held);
      const auto begun
        = file_sink::open({path, uint64_t{1} << 20, rotate}, no_failure);
      REQUIRE_FALSE(begun.has_value());
      CHECK(begun.error().context.find("is no trace") != std::string::npos);
      CHECK(folder.read("weir.db") == held);
      CHECK(folder.files() == 1);
    }
  }
}

TEST_CASE("trace file: a folder, a link and a pipe stay as they are") {
  const test_folder folder;
  const auto path
    = [&](const char* name) { return folder.path() + '/' + name; };
  REQUIRE(::mkdir(path("data").c_str(), 0700) == 0);
  REQUIRE(::mkfifo(path("pipe").c_str(), 0600) == 0);
  REQUIRE(::symlink(path("elsewhere").c_str(), path("link").c_str()) == 0);
  for (const char* name : {"data", "pipe", "link"}) {
    CAPTURE(name);
    CHECK_FALSE(file_sink::open({path(name)}, no_failure).has_value());
  }
  CHECK(folder.files() == 3); // Nothing was made where the link points.
}

TEST_CASE("trace file: an older one that cannot be kept is not lost") {
  const test_folder folder;
  const auto path = folder.write("t.jsonl", file_of({heading()}));
  REQUIRE(::mkdir((path + ".1").c_str(), 0700) == 0);
  CHECK_FALSE(
    file_sink::open({path, uint64_t{1} << 20, 1}, no_failure).has_value());
  CHECK(folder.read("t.jsonl") == file_of({heading()}));
}

TEST_CASE("trace file: a disk that is behind costs whole records, counted") {
  // A pipe that nobody reads is the slowest disk there is.
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const int pipe = ends[0];
  auto sink = file_sink::into(ends[1], {"", uint64_t{1} << 30}, no_failure);
  sink->take(heading());
  const std::string filler(trace::waiting_bytes_max / 4, 'x');
  for (int i = 0; i < 12; ++i)
    sink->take(filler);
  const auto dropped = sink->status().dropped;
  CHECK(dropped >= 3);
  std::string got;
  std::string piece(1 << 16, ' ');
  while (dropped_in(got) < dropped) {
    const auto count = ::read(pipe, piece.data(), piece.size());
    REQUIRE(count > 0);
    got.append(piece, 0, static_cast<size_t>(count));
  }
  CHECK(got.starts_with(heading() + '\n'));
  CHECK(dropped_in(got) == dropped);
  sink.reset();
  ::close(pipe);
}

TEST_CASE("trace file: a disk that hangs does not hold up the end") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  std::atomic<int> failures{0};
  auto sink = file_sink::into(ends[1],
                              {.path = "",
                               .bytes_max = uint64_t{1} << 30,
                               .finish_time = std::chrono::milliseconds{1}},
                              [&](const std::string&) { ++failures; });
  sink->take(heading());
  for (int i = 0; i < 4; ++i)
    sink->take(std::string(trace::waiting_bytes_max / 8, 'x'));
  sink->finish(); // Nobody has read a byte.
  CHECK(sink->status().failure.find("hangs") != std::string::npos);
  sink.reset();
  // When it goes on, what was under way is written and all is given back.
  std::string piece(1 << 16, ' ');
  ssize_t count = 0;
  while ((count = ::read(ends[0], piece.data(), piece.size())) > 0)
    ;
  CHECK(count == 0);
  CHECK(failures == 0);
  ::close(ends[0]);
}

TEST_CASE("trace file: a full disk ends the trace and leaves whole lines") {
  const small_disk disk{1};
  const auto path = (disk.path() / "t.jsonl").string();
  std::atomic<int> failures{0};
  {
    auto sink
      = file_sink::open({path, uint64_t{1} << 30}, [&](const std::string&) {
          ++failures;
        }).value();
    sink->take(heading());
    for (int i = 0; i < 30'000; ++i)
      sink->take(record_line(i));
  }
  CHECK(failures == 1);
  CHECK(records_in(path) > 100);
}

TEST_CASE("trace file: deliveries do not notice that its disk is full") {
  const small_disk disk{1};
  disk.fill();
  trace::control control{
    {(disk.path() / "t.jsonl").string()}, "node", [] { return int64_t{1}; }};
  REQUIRE(control.start({}).has_value());
  actor_fixture fixture;
  fixture.start();
  for (int i = 0; i < 20; ++i)
    (void)fixture.offer("irc", std::to_string(i));
  fixture.advance(std::chrono::seconds{10});
  CHECK(fixture.row("irc").delivered_events == 20);
  REQUIRE(control.stop());
  CHECK(control.status().file.failure != "");
  CHECK_FALSE(trace::is_on());
}

TEST_CASE("trace file: a folder that is not there is an error, not a trace") {
  const test_folder folder;
  trace::control control{
    {folder.path() + "/none/t.jsonl"}, "node", [] { return int64_t{1}; }};
  const auto begun = control.start({});
  REQUIRE_FALSE(begun.has_value());
  CHECK(begun.error().context.find("none/t.jsonl") != std::string::npos);
  CHECK_FALSE(trace::is_on());
}

TEST_CASE("trace file: what is recorded can be read, and begins again anew") {
  const test_folder folder;
  const auto path = folder.path() + "/t.jsonl";
  trace::control control{{path}, "node", [] { return int64_t{42}; }};
  for (int round = 0; round < 2; ++round) {
    REQUIRE(control.start({.actors = {"directory"}}).has_value());
    actor_fixture fixture;
    fixture.start();
    fixture.advance(std::chrono::seconds{1});
    CHECK(control.status().recorder.on);
    CHECK(control.status().recorder.records > 0);
    REQUIRE(control.stop());
  }
  const auto loaded = trace::load(path).value();
  CHECK(loaded.heading.at("node") == "node");
  CHECK(loaded.heading.at("began_unix_ms") == 42);
  CHECK(loaded.records.front().kind == "start");
  CHECK(records_in(path + ".1") > 0);
  CHECK_FALSE(control.status().recorder.on);
}
