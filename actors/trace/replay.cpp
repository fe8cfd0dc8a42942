#include "actors/trace/replay.hpp"

#include "actors/trace/replay_world.hpp"
#include "actors/trace/show.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <deque>

namespace weir::trace {

namespace {

constexpr size_t messages_before = 10;

/// The records of one incarnation; cut short where the trace has a gap.
struct life {
  std::string label;
  std::vector<const record*> records;
  bool has_gap = false;
  bool closed = false; ///< By a gap: what comes later is not given to it.
  std::string next;    ///< The next one of its name that has a start.
};

/// Why an incarnation without a start is not replayed, and what is instead.
std::string running_before(const life& of) {
  std::string why = "it ran before the trace began, and what it knew then is "
                    "not in it; replayed is from its next start on: ";
  return why
    + (of.next.empty()
         ? std::string{"none in this trace, so let it go on until "
                       "there is one (docs/traces.md)"}
         : plain(of.next));
}

void name_next_starts(std::vector<life>& lives) {
  std::map<std::string, std::string> next; // By the name of the actor.
  for (auto one = lives.rbegin(); one != lives.rend(); ++one) {
    if (one->records.empty())
      continue;
    const auto& first = *one->records.front();
    if (first.kind == "start")
      next[first.actor] = one->label;
    else if (const auto found = next.find(first.actor); found != next.end())
      one->next = found->second;
  }
}

std::vector<life> lives_of(const loaded_trace& what) {
  std::vector<life> lives;
  std::map<std::string, size_t> index;
  for (const auto& each : what.records) {
    if (each.kind == "gap") {
      for (auto& one : lives)
        one.closed = true;
      continue;
    }
    const auto [found, added] = index.try_emplace(each.label(), lives.size());
    if (added)
      lives.push_back({each.label(), {}, false, false, {}});
    auto& one = lives[found->second];
    one.has_gap = one.has_gap || one.closed;
    if (!one.closed)
      one.records.push_back(&each);
  }
  name_next_starts(lives);
  return lives;
}

bool is_left_out(const json& message) {
  const auto content = message.find("content");
  return content != message.end() && content->is_object()
    && content->contains("left_out");
}

bool same_effect(const json& recorded, json replayed) {
  if (is_left_out(recorded))
    replayed["content"] = recorded.at("content");
  adopt_unknown_hashes(recorded, replayed);
  return nlohmann::json(recorded) == nlohmann::json(replayed);
}

/// Takes the lines of the replayed actor as records.
class replayed_lines final : public sink {
public:
  void take(std::string line) override {
    if (auto one = parse_record(line, 0); one && one.value().kind != "trace")
      records.push_back(std::move(one.value()));
  }
  std::deque<record> records;
};

/// Replays one incarnation.
class replay_of_life {
public:
  replay_of_life(const life& of, bool with_content) : life_{of} {
    result_.label = of.label;
    options_.with_content = with_content;
  }

  replayed_actor run() {
    const auto& first = *life_.records.front();
    if (first.kind != "start") {
      not_replayed(running_before(life_));
      return result_;
    }
    start_replay(lines_, options_, world_.seams);
    world_.seams.incarnation = first.incarnation;
    begin(first);
    if (actor_)
      go_on();
    stop();
    if (actor_)
      world_.end(actor_);
    return result_;
  }

private:
  void not_replayed(std::string why) {
    result_.result = replayed_actor::outcome::not_replayed;
    result_.why = std::move(why);
  }

  void begin(const record& first) {
    prepare(first);
    reading how;
    actor_ = world_.make(first.body.at("class").get<std::string>(),
                         first.body.at("arguments"), how);
    if (!actor_)
      return not_replayed(plain(how.problem));
    world_.run();
  }

  void go_on() {
    if (!compare_all())
      return;
    for (size_t i = 1; i < life_.records.size(); ++i) {
      const auto& next = *life_.records[i];
      if (next.kind != "message")
        continue; // An end comes by itself.
      if (!give(next) || !compare_all())
        return;
      if (!world_.seams.problem.empty())
        return not_replayed(
          plain(fmt::format("line {}: {}", next.line, world_.seams.problem)));
    }
    if (compared_ < life_.records.size())
      return differs(*life_.records[compared_], nullptr);
    if (life_.has_gap)
      result_.why = "up to where records were dropped";
  }

  /// The clock, and what the handler takes from elsewhere.
  void prepare(const record& next) {
    world_.set_time(instant{std::chrono::nanoseconds{next.at_ns}});
    world_.seams.drawn.clear();
    world_.seams.problem.clear();
    world_.seams.spawned.clear();
    if (const auto drawn = next.body.find("drawn");
        drawn != next.body.end() && drawn->is_array())
      world_.seams.drawn.assign(drawn->begin(), drawn->end());
    for (const auto& effect : next.effects())
      if (effect.at("do") == "spawn" && effect.contains("actor")
          && effect.at("actor").is_string())
        world_.seams.spawned.push_back(effect.at("actor"));
  }

  /// Puts one recorded message into the mailbox and lets the actor handle it.
  bool give(const record& next) {
    const auto& message = next.body.at("message");
    if (next.body.contains("threw")) {
      result_.why = "up to where its handler threw, for a reason that is not "
                    "in the trace";
      return false;
    }
    if (is_left_out(message)) {
      result_.why = "up to a message that was too long for the trace";
      return false;
    }
    prepare(next);
    reading how;
    how.actors = &world_;
    auto content = read_message(message, how);
    if (!how.problem.empty()) {
      not_replayed(plain(fmt::format("line {}: {}", next.line, how.problem)));
      return false;
    }
    actor_->enqueue(caf::make_mailbox_element(sender_of(next), id_of(next), {},
                                              std::move(content)),
                    nullptr);
    world_.run();
    return true;
  }

  caf::strong_actor_ptr sender_of(const record& next) {
    const auto from = next.body.find("from");
    if (from != next.body.end() && from->is_string() && *from != "?")
      return world_.named(from->get<std::string>());
    return next.body.contains("request") || from != next.body.end()
      ? world_.nobody()
      : nullptr;
  }

  static caf::message_id id_of(const record& next) {
    uint64_t id = next.body.contains("priority")
      ? 0
      : caf::message_id::default_async_value;
    const auto number = [](const json& in) {
      const auto found = in.find("request");
      return found != in.end() && found->is_number_unsigned()
        ? found->get<uint64_t>() & caf::message_id::request_id_mask
        : 0;
    };
    id |= number(next.body);
    if (const auto answers = next.body.find("answers");
        answers != next.body.end() && answers->is_object())
      id |= number(*answers) | caf::message_id::response_flag_mask;
    return caf::message_id{id};
  }

  /// Compares what the actor has done with what was recorded next. False: it
  /// differs.
  bool compare_all() {
    auto& done = lines_->records;
    for (; !done.empty(); done.pop_front()) {
      if (compared_ == life_.records.size())
        return true; // The trace ends here, its actor may have gone on.
      const auto& recorded = *life_.records[compared_];
      if (!compare(recorded, done.front()))
        return false;
      before_.push_back(&recorded);
      if (before_.size() > messages_before)
        before_.pop_front();
      ++compared_;
      ++result_.records;
    }
    return true;
  }

  bool compare(const record& recorded, const record& replayed) {
    bool same = recorded.kind == replayed.kind
      && recorded.effects().size() == replayed.effects().size()
      && recorded.body.contains("threw") == replayed.body.contains("threw");
    for (size_t i = 0; same && i < recorded.effects().size(); ++i)
      same = same_effect(recorded.effects()[i], replayed.effects()[i]);
    if (same && recorded.kind == "end")
      same = recorded.body.value("reason", json{})
        == replayed.body.value("reason", json{});
    if (!same)
      differs(recorded, &replayed);
    return same;
  }

  void differs(const record& recorded, const record* replayed) {
    result_.result = replayed_actor::outcome::different;
    auto& text = result_.why;
    const auto origin = life_.records.front()->at_ns;
    text = fmt::format("differs at line {} of the trace:\n  {}\n",
                       recorded.line, show_step(recorded, origin));
    if (replayed == nullptr)
      text += "  which the replay did not come to: it does nothing there\n";
    else
      text += sides(recorded, *replayed);
    if (!world_.seams.problem.empty())
      text += "  " + plain(world_.seams.problem) + '\n';
    text += "the messages before it:\n";
    for (const auto* each : before_)
      text += "  " + show_step(*each, origin) + '\n';
  }

  static std::string sides(const record& recorded, const record& replayed) {
    std::string text;
    if (recorded.kind != replayed.kind)
      text += fmt::format("  the trace has {}, the replay {}\n",
                          plain(recorded.step()), replayed.step());
    const auto& a = recorded.effects();
    const auto& b = replayed.effects();
    for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      if (i < a.size() && i < b.size() && same_effect(a[i], b[i]))
        continue;
      text += fmt::format("  effect {} in the trace:   {}\n", i + 1,
                          i < a.size() ? show_effect(a[i]) : "none");
      text += fmt::format("  effect {} in the replay:  {}\n", i + 1,
                          i < b.size() ? show_effect(b[i]) : "none");
      if (i < a.size() && i < b.size())
        text += show_difference(a[i], b[i]);
      break; // The first one tells.
    }
    return text;
  }

  const life& life_;
  recorder_options options_;
  replay_world world_;
  std::shared_ptr<replayed_lines> lines_ = std::make_shared<replayed_lines>();
  caf::strong_actor_ptr actor_;
  size_t compared_ = 0;
  std::deque<const record*> before_;
  replayed_actor result_;
};

} // namespace

bool replay_report::different() const {
  return std::any_of(actors.begin(), actors.end(), [](const auto& each) {
    return each.result == replayed_actor::outcome::different;
  });
}

bool replay_report::same() const {
  return !different()
    && std::any_of(actors.begin(), actors.end(), [](const auto& each) {
         return each.result == replayed_actor::outcome::same
           && each.records > 0;
       });
}

replay_report replay(const loaded_trace& what) {
  replay_report report;
  const auto shown = what.heading.find("with_content");
  const bool with_content = shown != what.heading.end() && *shown == true;
  for (const auto& one : lives_of(what))
    if (!one.records.empty())
      report.actors.push_back(replay_of_life{one, with_content}.run());
  return report;
}

std::string to_text(const replay_report& report) {
  std::string text;
  for (const auto& each : report.actors) {
    switch (each.result) {
    case replayed_actor::outcome::same:
      text += fmt::format("same          {}: {} records", plain(each.label),
                          each.records);
      break;
    case replayed_actor::outcome::different:
      text += fmt::format("DIFFERENT     {}: after {} records",
                          plain(each.label), each.records);
      break;
    case replayed_actor::outcome::not_replayed:
      text += fmt::format("not replayed  {}", plain(each.label));
      break;
    }
    if (!each.why.empty())
      text += ": " + each.why;
    text += text.ends_with('\n') ? "" : "\n";
  }
  return text;
}

} // namespace weir::trace
