#include "actors/bounds_log.hpp"

#include "actors/policy/overflow.hpp"

namespace weir {

void tell_bounds(const logger& log, const appservice_id& id,
                 const bounds_news& news) {
  if (news.near_before == 0 && news.near_now != 0)
    log.warn("queue is near its bound appservice={} of={} action=see what the "
             "bridge waits for, or raise the bound",
             id.value, policy::near_bounds_text(news.near_now));
  if (news.near_before != 0 && news.near_now == 0)
    log.info("queue is below its bounds appservice={}", id.value);
  if (news.overflowed > 0)
    log.error("elements given up at a bound appservice={} count={} action=weir "
              "dead-letters list",
              id.value, news.overflowed);
}

} // namespace weir
