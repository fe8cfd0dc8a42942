#include "tests/sim/world.hpp"

#include "actors/stop_points.hpp"

#include <fmt/format.h>

#include <algorithm>

// Time, and the life of the node.
namespace weir::sim {

namespace {

constexpr stored_time epoch{1'700'000'000'000};
constexpr milliseconds hold{45'000};
/// What Weir may take beyond it: an operation and its commit.
constexpr milliseconds answer_grace{20'000};
/// A run that takes more messages is a loop.
constexpr uint64_t messages_max = 200'000;
/// A run that is not over so long after its plan never is: a bisection of hangs
/// takes minutes for each half.
constexpr milliseconds patience{8 * 3'600'000};
constexpr milliseconds idle_after{15'000};

std::vector<bridge_rules> rules_of(const plan& of) {
  std::vector<bridge_rules> result;
  const auto promised = make_lane_promises(of.seed, of.bridges.size());
  for (const auto& each : of.bridges) {
    bridge_rules rules;
    rules.age_max = promised[result.size()].age_max;
    rules.idle_after = idle_after;
    rules.pause_first = each.pause_first;
    rules.pause_ceiling = each.pause_ceiling;
    result.push_back(rules);
  }
  return result;
}

std::string name_of(size_t bridge) {
  return "b" + std::to_string(bridge);
}

uint64_t hashed(uint64_t before, std::string_view text) {
  for (const char each : text)
    before = (before ^ static_cast<unsigned char>(each)) * 0x100000001b3U;
  return before;
}

} // namespace

run_result run_plan(const plan& of, const run_options& how) {
  return world{of, how}.run();
}

world::world(plan of, run_options how)
  : plan_{std::move(of)},
    how_{how},
    random_{plan_.seed ^ 0x5eed},
    ledger_{rules_of(plan_)},
    promised_{make_lane_promises(plan_.seed, plan_.bridges.size())},
    letter_room_{make_letter_room(plan_.seed)},
    lanes_{promised_,
           [this](std::string rule, std::string what) {
             ledger_.report(std::move(rule), std::move(what));
           }},
    store_{make_backend(how.store)},
    watch_{std::shared_ptr<void>{}, this} {
  std::stable_sort(plan_.entries.begin(), plan_.entries.end(),
                   [](const entry& a, const entry& b) { return a.at < b.at; });
  result_.history = 0xcbf29ce484222325U;
  store_->set_clock([this] { return true_time() + clock_moved_; });
  for (size_t i = 0; i < plan_.bridges.size(); ++i)
    sides_.push_back(
      std::make_unique<side>(side{{i, plan_.bridges[i], plan_.seed},
                                  {i, plan_.bridges[i], plan_.seed},
                                  0,
                                  {},
                                  {},
                                  false,
                                  false,
                                  "token",
                                  milliseconds{-1},
                                  std::nullopt,
                                  false,
                                  {},
                                  {},
                                  std::nullopt,
                                  std::nullopt}));
  for (const auto& line : plan_.entries)
    if (line.what == act::yesterday)
      copies_.push_back(
        {std::max(line.at - milliseconds{line.amount}, milliseconds{0}),
         line.at, nullptr, 0});
  install_stop_points([this](std::string_view step) { at_stop_point(step); });
}

world::~world() {
  install_stop_points({});
  node_ended_ = true;
  ++life_;
  node_.reset();
}

stored_time world::true_time() const {
  return epoch + now_;
}

void world::note(const std::string& line) {
  const auto whole = fmt::format("{:>8} {}", now_.count(), line);
  result_.history = hashed(result_.history, whole);
  if (how_.tell)
    result_.lines.push_back(whole);
}

void world::trouble(milliseconds until) {
  ledger_.upheaval(until);
}

house_config world::config() {
  house_settings settings;
  for (size_t i = 0; i < plan_.bridges.size(); ++i) {
    queue_settings queue;
    queue.id = {name_of(i)};
    queue.peer.url = "http://" + name_of(i);
    queue.hs_token = sides_[i]->token;
    queue.deadlines
      = {milliseconds{5'000}, milliseconds{20'000}, milliseconds{10'000}};
    queue.bounds = bounds_of(i);
    queue.limits.pause.first = plan_.bridges[i].pause_first;
    queue.limits.pause.ceiling = plan_.bridges[i].pause_ceiling;
    settings.queues.push_back(queue);
  }
  settings.idle_after = idle_after;
  settings.beat_every = milliseconds{10'000};
  settings.seed = random_() | 1;
  settings_ = settings;
  house_config result;
  result.settings = std::make_shared<const house_settings>(in_force());
  result.open_store = [this]() -> expected<std::unique_ptr<store>> {
    if (is_away())
      return fail(ec::unavailable, "the database is away");
    WEIR_TRY(auto opened, store_->open());
    return watch_store(std::move(opened), watch_);
  };
  result.open_reader = [this]() -> expected<std::unique_ptr<store_reader>> {
    if (is_away())
      return fail(ec::unavailable, "the database is away");
    WEIR_TRY(auto opened, store_->open_reader());
    return watch_reader(std::move(opened), watch_);
  };
  result.network = this;
  result.elapsed_clock = [this] { return now_; };
  result.random = [this] { return random_(); };
  result.node = "node";
  result.readers = 1;
  result.store_threads = false;
  result.on_give_up = [this] { gave_up_ = true; };
  return result;
}

void world::start_node() {
  if (to_put_back_) {
    note("an old copy is put back");
    store_->put_back(to_put_back_->content);
    doubt_.reset();
    ledger_.put_back(to_put_back_->mark, now_);
    lanes_.put_back();
    for (auto& each : sides_)
      each->letters_going.clear();
    pauses_unknown();
    removals_lost();
    // Old pauses may be in force again; read by another clock, for long.
    trouble(now_ + milliseconds{clock_was_moved_ ? 1'200'000 : 100'000});
    to_put_back_.reset();
  }
  note("the node starts");
  node_ended_ = gave_up_ = draining_ = drained_ = power_cut_ = false;
  batches_ = 0;
  ++life_;
  ++result_.restarts;
  for (auto& each : sides_)
    each->restarted = true;
  node_ = std::make_unique<node>(config(), now_, random_(), plan_.fine);
}

/// All that ends with the process, whichever way it ended.
void world::end_life() {
  hang_up();
  for (auto& each : sides_) {
    each->offer = 0;
    each->hs.cut(now_);
    each->wakes.clear();
  }
  for (const auto& [number, since] : offers_) {
    ledger_.unanswerable(number);
    lanes_.unanswerable(number);
  }
  offers_.clear();
  commands_lost();
  removals_lost();
  ledger_.crashed(now_, store_well_since_);
  miss_move();
  starts_at_ = now_ + milliseconds{random_.between(50, 3'000)};
  trouble(moves_by(starts_at_));
}

void world::end_node() {
  if (node_ended_)
    return;
  node_ended_ = true;
  note(power_cut_ ? "the power is cut" : "the node ends");
  if (power_cut_)
    store_->cut_power(
      [this](size_t writes) { return random_.below(writes + 1); });
  else
    store_->end_process();
}

void world::crash() {
  end_node();
  ++life_;
  node_.reset();
  end_life();
  check_books();
}

void world::stop_gently() {
  note("the node stops");
  node_.reset();
  if (!offers_.empty())
    ledger_.report("answered once", "an offer outlived its node");
  ++life_;
  end_life();
  check_books();
}

void world::run_node() {
  while (node_ && !ledger_.found()) {
    if (node_ended_ || gave_up_)
      return crash();
    if (!node_->step()) {
      const auto timer = node_->next_timer();
      if (!timer || *timer > now_)
        break;
      node_->advance_to(now_); // A timer without delay.
      continue;
    }
    if (++result_.messages > messages_max)
      ledger_.report("comes to rest", "the actors never do");
  }
  if (node_ && drained_)
    stop_gently();
}

/// Does all that can be done without time going on.
void world::settle() {
  for (uint64_t before = ~uint64_t{0};
       before != result_.messages && !ledger_.found();) {
    before = result_.messages;
    run_node();
    offer_all();
    answer_due();
    run_node();
  }
}

void world::check_books() {
  for (const auto& each : store_->books())
    if (const auto fault = fault_in(each); !fault.empty())
      ledger_.report("books", fault);
}

std::optional<milliseconds> world::next_moment() const {
  std::optional<milliseconds> next;
  const auto consider = [&](std::optional<milliseconds> at) {
    if (at && *at > now_ && (!next || *at < *next))
      next = at;
  };
  if (node_)
    consider(node_->next_timer());
  else
    consider(starts_at_);
  for (const auto& [id, request] : open_)
    consider(request.due);
  if (next_entry_ < plan_.entries.size())
    consider(plan_.entries[next_entry_].at);
  for (const auto& copy : copies_)
    if (!copy.content)
      consider(copy.taken_at);
  for (const auto& each : sides_)
    consider(each->hs.next_at()), consider(each->resume_at),
      consider(each->back_at), consider(each->remove_at);
  consider(away_until_);
  consider(full_until_);
  consider(plan_.ends);
  return next;
}

bool world::advance() {
  const auto next = next_moment();
  if (!next) {
    ledger_.report("comes to rest", "nothing will happen any more");
    return false;
  }
  now_ = *next;
  if (!node_ || draining_)
    trouble(now_ + milliseconds{2'000});
  end_trouble();
  if (!node_ && now_ >= starts_at_)
    start_node();
  if (node_)
    node_->advance_to(now_);
  answer_due();
  act_due();
  return true;
}

void world::end_trouble() {
  if (now_ >= full_until_)
    store_->set_full(false);
  for (auto& copy : copies_) {
    if (copy.content || copy.taken_at > now_)
      continue;
    copy.content = store_->copy();
    copy.mark = ledger_.mark();
  }
  if (now_ < plan_.ends)
    return;
  armed_.clear();
  for (auto& each : sides_)
    each->peer.calm();
}

void world::act_due() {
  while (next_entry_ < plan_.entries.size()
         && plan_.entries[next_entry_].at <= now_)
    act_on(plan_.entries[next_entry_++]);
  resume_due();
  removals_due();
  offer_all();
}

run_result world::run() {
  start_node();
  while (!ledger_.found()) {
    settle();
    ledger_.check_progress(now_);
    for (const auto& [number, since] : offers_)
      if (now_ > since + hold + answer_grace)
        ledger_.report("answered in time", "an offer is still held");
    if (now_ > plan_.ends + patience)
      ledger_.report("drains", "something is still owed");
    if (is_over()) {
      finish();
      break;
    }
    if (!advance())
      break;
  }
  result_.found = ledger_.found();
  result_.lasted = now_;
  result_.transactions = ledger_.transactions_delivered();
  result_.elements = ledger_.elements_processed();
  result_.faults = result_.covered.faults();
  return std::move(result_);
}

} // namespace weir::sim
