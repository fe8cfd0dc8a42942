#include "actors/janitor.hpp"

#include "actors/policy/removal.hpp"

#include <set>

// The end of appservices that no configuration names any more.
namespace weir {

namespace {

const logger log_{"janitor"};

constexpr auto store_timeout
  = limits::operation_deadline + limits::operation_commit_grace;

} // namespace

/// Whatever fails is looked at again at the next cleaning.
template <class Reply, class Request, class Then>
void janitor_state::ask(const store_writer_actor& writer, Request request,
                        Then then) {
  request.deadline = self_->now() + limits::operation_deadline;
  self_->request(writer, store_timeout, std::move(request))
    .then(std::move(then), [this](const caf::error& why) {
      cleaning_ = false;
      log_.warn("removed appservices not looked at what={}",
                to_string(from_caf(why)));
    });
}

void janitor_state::look_for_removed(const appservice_id& after) {
  ask<held_page>(house_->writers.front(), list_held{after, {}},
                 [this](const held_page& page) { judge(page); });
}

void janitor_state::judge(const held_page& page) {
  std::set<appservice_id> configured;
  for (const auto& queue : settings_->queues)
    configured.insert(queue.id);
  std::vector<appservice_id> gone, back;
  for (const auto& [id, removed_at] : page.queues)
    switch (policy::next_removal_step(configured.contains(id), removed_at,
                                      page.now, settings_->keep_removed)) {
    case policy::removal_step::none: break;
    case policy::removal_step::note_gone: gone.push_back(id); break;
    case policy::removal_step::note_back: back.push_back(id); break;
    case policy::removal_step::remove: end(id); break;
    }
  note(std::move(gone), true);
  note(std::move(back), false);
  if (page.last)
    remove_on();
  else
    look_for_removed(page.queues.back().id);
}

void janitor_state::note(std::vector<appservice_id> ids, bool is_gone) {
  if (!ids.empty())
    ask<stored>(house_->writers.front(),
                note_removed{std::move(ids), is_gone, {}},
                [](const stored&) {});
}

/// The first commit frees the id; `remove_on` does the rest.
void janitor_state::end(const appservice_id& id) {
  log_.info("rows of a removed appservice are deleted appservice={}", id.value);
  ask<removal_done>(
    house_->writer_of(id),
    remove_appservice{id, {}, "janitor", settings_->keep_removed, {}},
    [](const removal_done&) {});
}

void janitor_state::remove_on() {
  ask<removal_done>(house_->writers.front(), continue_removals{},
                    [this](const removal_done& done) {
                      if (done.more)
                        remove_on();
                      else
                        tidy();
                    });
}

} // namespace weir
