#pragma once

#include "actors/interfaces.hpp"
#include "actors/settings.hpp"

#include <memory>

namespace weir {

/// Beats every writer's slot, so that others see it alive, and bounds what the
/// store remembers: dedupe windows, the outcome feed, free pages. One small
/// step at a time, never two at once.
class janitor_state {
public:
  static constexpr const char* name = "janitor";
  using self_pointer = traced_actor<janitor_actor>*;

  explicit janitor_state(self_pointer self) : self_{self} {
  }

  janitor_actor::behavior_type
  start(std::shared_ptr<const house_settings> settings,
        std::shared_ptr<const peers> house);

private:
  void beat();
  void clean();
  void forget(size_t step);
  void look_for_removed(const appservice_id& after);
  void judge(const held_page& page);
  void note(std::vector<appservice_id> ids, bool is_gone);
  void end(const appservice_id& id);
  void remove_on();
  template <class Reply, class Request, class Then>
  void ask(const store_writer_actor& writer, Request request, Then then);
  void tidy();

  self_pointer self_;
  std::shared_ptr<const house_settings> settings_;
  std::shared_ptr<const peers> house_;
  bool cleaning_ = false;
};

using janitor = weir_actor<janitor_actor, janitor_state,
                           std::shared_ptr<const house_settings>,
                           std::shared_ptr<const peers>>;

} // namespace weir
