#include "tests/sim/world.hpp"

#include <boost/describe/enum_to_string.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

// What is done to the node and its homeservers.
namespace weir::sim {

namespace {

/// The children of a node that a fault may end, and the steps at which a
/// handler may throw.
constexpr std::array children{"store_writer", "transport", "directory",
                              "gateway",      "janitor",   "store_reader"};
constexpr std::array stop_points{"writer_throw", "before_ack_commit",
                                 "after_send", "after_accept_commit",
                                 "after_pin"};
/// After this an actor that was ended is there again, and a wake that went
/// down with it was made good by the next scan.
constexpr milliseconds actor_trouble{8'000};

std::string name(store_step of) {
  return boost::describe::enum_to_string(of, "unknown");
}

} // namespace

queue_step world::step_of(size_t bridge) const {
  for (const auto& [id, request] : open_)
    if (request.bridge == bridge)
      return queue_step::in_flight;
  if (sides_[bridge]->offer != 0)
    return queue_step::accepting;
  if (ledger_.owed(bridge) == 0)
    return queue_step::idle;
  return ledger_.rests(bridge, now_) ? queue_step::resting : queue_step::owed;
}

void world::met(act fault, std::string step) {
  note(fmt::format("fault {} at {}", to_string(fault), step));
  result_.covered.met(fault, step);
}

void world::met(act fault) {
  for (size_t i = 0; i < sides_.size(); ++i)
    met(fault, boost::describe::enum_to_string(step_of(i), "unknown"));
}

bool world::takes(act fault, const std::set<store_step>& at) {
  const auto found
    = std::find_if(armed_.begin(), armed_.end(), [&](const entry& line) {
        return line.what == fault
          && at.contains(static_cast<store_step>(line.step));
      });
  if (found == armed_.end())
    return false;
  met(fault, name(static_cast<store_step>(found->step)));
  armed_.erase(found);
  return true;
}

/// Some wait for a send of their step, so that seldom ones are met too.
bool world::takes(act fault, size_t bridge, const std::string& id) {
  const auto step = step_of_send(bridge, id);
  const auto found
    = std::find_if(armed_.begin(), armed_.end(), [&](const entry& line) {
        return line.what == fault && line.bridge == bridge
          && (line.count > 1 || static_cast<send_step>(line.step % 4) == step);
      });
  if (found == armed_.end())
    return false;
  met(fault, boost::describe::enum_to_string(step, "unknown"));
  armed_.erase(found);
  return true;
}

void world::act_on(const entry& line) {
  switch (line.what) {
  case act::offer:
  case act::burst:
    sides_[line.bridge]->hs.have(
      static_cast<size_t>(line.amount),
      line.what == act::offer && !promised_[line.bridge].by_ordering, now_);
    return;
  case act::ping:
    if (node_) {
      if (!draining_)
        ledger_.alive(line.bridge, now_);
      node_->alive({"b" + std::to_string(line.bridge)});
    }
    return;
  case act::repeat_transaction:
  case act::repeat_under_new_id:
  case act::restart_homeserver: return act_on_homeserver(line);
  case act::kill_actor:
  case act::drain:
  case act::yesterday: return act_on_process(line);
  case act::flush_fails:
  case act::database_away:
  case act::disk_full:
  case act::clock_step: return act_on_store(line);
  case act::wake_again:
  case act::wake_late: return wake(line);
  case act::reload: return reload(line);
  case act::pause_queue:
  case act::retry_now:
  case act::skip_current: return operate(line);
  case act::replay_dead:
  case act::drop_dead: return change_letters(line);
  case act::remove_bridge: return remove_bridge(line);
  case act::outage: met(line.what); [[fallthrough]];
  case act::answer_status:
  case act::retry_after:
  case act::hang:
  case act::reset_unread:
  case act::reset_processed:
  case act::torn:
  case act::slow:
  case act::no_connection: return sides_[line.bridge]->peer.befall(line, now_);
  default: armed_.push_back(line);
  }
}

/// A bridge that is served in another way is tried at once. What is pinned goes
/// out with the new token, and spelt as it was.
void world::reload(const entry& line) {
  met(line.what);
  auto& to = *sides_[line.bridge];
  to.token += '+';
  to.reloaded_at = now_;
  promised_[line.bridge].mirror = !promised_[line.bridge].mirror;
  lanes_.spelt_anew(line.bridge);
  if (!node_)
    return;
  settings_.queues[line.bridge].hs_token = to.token;
  settings_.queues[line.bridge].bounds = bounds_of(line.bridge);
  node_->reload(in_force());
  if (!draining_)
    ledger_.served_anew(line.bridge, now_);
}

void world::act_on_homeserver(const entry& line) {
  met(line.what);
  auto& to = *sides_[line.bridge];
  if (line.what != act::restart_homeserver)
    return to.hs.repeat(line.what == act::repeat_under_new_id);
  to.hs.restart(now_);
  to.offer = 0; // Whoever hears the answer is another one.
}

/// Queues end with the directory, and by a fault of their own. What is stored
/// or told at this moment may go down with whoever was to do it. A transport
/// that ends is nothing to wait for: the same is sent again at once.
void world::lose_actors(std::string_view named) {
  const bool is_transport = named == "transport";
  const bool are_queues = named == "directory" || named == "before_ack_commit";
  for (auto& [id, request] : open_) {
    request.cut = request.cut || is_transport;
    request.orphaned = request.orphaned || are_queues;
  }
  if (is_transport)
    return;
  ledger_.alive_unheard(now_);
  if (are_queues)
    ledger_.memory_lost(now_, store_well_since_);
  store_well_since_ = std::max(store_well_since_, now_ + milliseconds{1});
  trouble(now_ + actor_trouble);
}

void world::act_on_process(const entry& line) {
  if (!node_)
    return;
  if (line.what == act::yesterday)
    return put_copy_back(line);
  met(line.what);
  if (line.what == act::drain) {
    if (std::exchange(draining_, true))
      return;
    return node_->drain([this] { drained_ = true; });
  }
  const auto child = static_cast<size_t>(line.amount) % children.size();
  lose_actors(children.at(child));
  if (child == 0)
    lose_writer();
  node_->kill(children.at(child));
}

void world::put_copy_back(const entry& line) {
  const auto found
    = std::find_if(copies_.begin(), copies_.end(), [&](const auto& each) {
        return each.wanted_at == line.at && each.content;
      });
  if (found == copies_.end())
    return;
  met(line.what);
  to_put_back_ = *found;
  crash();
}

bool world::owes_something() const {
  bool owes = false;
  for (size_t i = 0; i < sides_.size(); ++i)
    owes = owes || ledger_.owed(i) > 0;
  return owes;
}

void world::at_stop_point(std::string_view step) {
  if (node_ended_)
    return;
  if (step == "before_ack_commit") {
    const auto found
      = std::find_if(armed_.begin(), armed_.end(), [](const entry& line) {
          return line.what == act::crash_before_acknowledge;
        });
    if (found != armed_.end()) {
      met(act::crash_before_acknowledge);
      armed_.erase(found);
      return end_node();
    }
  }
  // A writer that throws while nothing is owed holds up nobody.
  const bool tells = step != "writer_throw" || owes_something();
  const auto found
    = std::find_if(armed_.begin(), armed_.end(), [&](const entry& line) {
        return tells && line.what == act::handler_throws
          && step == stop_points.at(line.step % stop_points.size());
      });
  if (found == armed_.end())
    return;
  met(act::handler_throws, std::string{step});
  armed_.erase(found);
  lose_actors(step == "after_send" ? "transport" : step);
  lose_writer();
  throw std::runtime_error{"simulated"};
}

void world::wake(const entry& line) {
  if (!node_)
    return;
  const appservice_id id{"b" + std::to_string(line.bridge)};
  const auto& late = sides_[line.bridge]->wakes;
  if (line.what == act::wake_late && late.empty())
    return;
  met(line.what);
  node_->wake(
    id,
    line.what == act::wake_late
      ? std::optional{late[static_cast<size_t>(line.amount) % late.size()]}
      : std::nullopt);
}

} // namespace weir::sim
