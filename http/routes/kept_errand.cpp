#include "http/routes/kept_errand.hpp"

#include "http/matrix_reply.hpp"
#include "http/query.hpp"
#include "http/routes/listing.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <vector>

namespace weir {

namespace {

using nlohmann::json;

json body_of(const kept_changed& total) {
  return {{"done", total.done},
          {"missing", total.missing},
          {"after", total.after},
          {"until", total.until},
          {"more", total.more}};
}

/// Of a store that did not answer nobody knows whether it did the last part.
http_response why_not(const error& what) {
  return what.code == ec::not_current ? error_reply(what) : done_or_not();
}

/// A refusal that tells how far it came.
http_response refused(http_response why, const kept_changed& total) {
  auto body = json::parse(why.body, nullptr, false);
  body.update(body_of(total));
  why.body = dumped(body);
  return why;
}

/// One request, from what it names to its answer. Each step begins when the one
/// before was answered; it lives in their continuations.
class kept_errand : public std::enable_shared_from_this<kept_errand> {
public:
  kept_errand(kept_kind kind, kept_change what, reply answer)
    : kind_{std::move(kind)},
      what_{std::move(what)},
      answer_{std::move(answer)} {
  }

  void begin() {
    if (!what_.which.ids.empty())
      return find_next(0);
    groups_.emplace(what_.appservice->value, what_.which);
    change_all();
  }

private:
  /// Whose is the row at `index`?
  void find_next(size_t index) {
    const auto& ids = what_.which.ids;
    if (index == ids.size())
      return found_all();
    kind_.owner_of(ids[index],
                   [self = shared_from_this(), index](
                     const expected<std::optional<appservice_id>>& owner) {
                     if (!owner)
                       return self->answer_(error_reply(owner.error()));
                     self->note_owner(self->what_.which.ids[index],
                                      owner.value());
                     self->find_next(index + 1);
                   });
  }

  void note_owner(int64_t id, const std::optional<appservice_id>& owner) {
    if (owner && (!what_.appservice || *owner == *what_.appservice))
      groups_[owner->value].ids.push_back(id);
    else
      ++total_.missing;
  }

  void found_all() {
    if (what_.which.ids.size() == 1 && groups_.empty())
      return answer_(matrix_error(404, "M_NOT_FOUND", kind_.not_found));
    change_all();
  }

  /// All or nothing is refused, before anything is done.
  void change_all() {
    for (const auto& [id, which] : groups_)
      if (auto why = kind_.objection(id))
        return answer_(*why);
    change_next();
  }

  void change_next() {
    if (groups_.empty())
      return answer_(json_ok(dumped(body_of(total_))));
    const auto& [id, which] = *groups_.begin();
    kind_.change(
      {id}, which,
      [self = shared_from_this()](const expected<kept_changed>& done) {
        self->changed(done);
      });
  }

  void changed(const expected<kept_changed>& result) {
    if (!result)
      return answer_(refused(why_not(result.error()), total_));
    const auto& done = result.value();
    auto& [id, which] = *groups_.begin();
    total_.done += done.done;
    total_.missing += done.missing;
    total_.more = done.more;
    total_.after = which.after = done.after;
    total_.until = done.until;
    if (done.full)
      return answer_(refused(
        matrix_error(409, "ORG.WEIR.QUEUE_FULL",
                     "the queue of " + id
                       + " is at its bound: the rest stays where it is"),
        total_));
    // Named rows are few: they may take several commits for their bytes.
    if (which.ids.empty() || !done.more)
      groups_.erase(groups_.begin());
    change_next();
  }

  kept_kind kind_;
  kept_change what_;
  reply answer_;
  std::map<std::string, kept_selection> groups_; ///< By appservice, to do.
  kept_changed total_;
};

} // namespace

expected<kept_change> parse_kept_change(std::string_view query) {
  kept_change what;
  for (const auto& [name, value] : read_query(query)) {
    if (name == "appservice" && !value.empty()) {
      what.appservice = appservice_id{value};
    } else if (name == "id") {
      WEIR_TRY(const auto id, whole_number(name, value));
      what.which.ids.push_back(id);
    } else if (name == "after" && !value.empty()) {
      WEIR_TRY(what.which.after, whole_number(name, value));
    } else if (name == "until" && !value.empty()) {
      WEIR_TRY(what.which.until, whole_number(name, value));
    } else if (name == "by" && !value.empty()) {
      WEIR_TRY(what.by, asker_name(value));
    }
  }
  if (what.which.ids.empty() && !what.appservice)
    return fail(ec::invalid_argument, "name rows by id, or an appservice");
  if (what.which.ids.size() > named_rows_max)
    return fail(ec::invalid_argument,
                "at most " + std::to_string(named_rows_max)
                  + " rows are named in a request");
  if (!what.which.ids.empty())
    what.which.after = 0;
  return what;
}

void change_kept(kept_kind kind, kept_change what, reply answer) {
  std::make_shared<kept_errand>(std::move(kind), std::move(what),
                                std::move(answer))
    ->begin();
}

} // namespace weir
