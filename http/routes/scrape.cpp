#include "http/routes/scrape.hpp"

#include "schema/limits.hpp"

#include <memory>

namespace weir {

namespace {

/// One scrape under way. It lives in its continuations.
class scrape : public std::enable_shared_from_this<scrape> {
public:
  scrape(house& door, scrape_sources sources,
         std::function<void(stored_figures)> done)
    : house_{door},
      sources_{std::move(sources)},
      done_{std::move(done)} {
  }

  void next_page(int64_t after) {
    house_.queues({after, limits::page_rows_max},
                  [self = shared_from_this()](
                    const expected<queues_page>& page) { self->take(page); });
  }

private:
  void take(const expected<queues_page>& page) {
    if (!page) {
      found_ = {}; // Half of the series would look as if bridges were gone.
      return finish();
    }
    const auto& queues = page.value().queues;
    for (const auto& view : queues)
      add(view, page.value().as_of);
    if (queues.size() == limits::page_rows_max)
      return next_page(queues.back().row.no);
    house_.figures(
      [self = shared_from_this()](const expected<store_figures>& told) {
        if (told)
          self->found_.store = told.value();
        self->finish();
      });
  }

  void add(const queue_view& view, stored_time as_of) {
    const auto& id = view.row.id;
    if (sources_.serves && !sources_.serves(id.value))
      return found_.removed.add(view);
    const auto sending_for
      = sources_.sending_for ? sources_.sending_for(id) : milliseconds{0};
    found_.appservices.push_back(figures_of(view, as_of, sending_for));
  }

  void finish() {
    done_(std::move(found_));
  }

  house& house_;
  scrape_sources sources_;
  std::function<void(stored_figures)> done_;
  stored_figures found_;
};

} // namespace

void scrape_store(house& door, scrape_sources sources,
                  std::function<void(stored_figures)> done) {
  std::make_shared<scrape>(door, std::move(sources), std::move(done))
    ->next_page(0);
}

} // namespace weir
