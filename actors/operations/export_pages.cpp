#include "actors/operations/export_pages.hpp"

#include "actors/operations/removal.hpp"

namespace weir {

namespace {

/// Of one page: some milliseconds, and what a listener may hold for an answer.
constexpr size_t page_bytes_max = size_t{4} << 20;

/// Where the next page begins: behind `last`, or with the next part.
void go_on(export_page& page, const read_export& from, bool part_ends,
           int64_t last) {
  page.next_part = from.part;
  page.next_after = last;
  if (!part_ends || from.part == export_part::bodies)
    return;
  page.next_part = from.part == export_part::owed ? export_part::letters
                                                  : export_part::bodies;
  page.next_after = 0;
}

expected<void> read_letters(store_reader& db, const read_export& request,
                            export_page& page) {
  WEIR_TRY(const auto heads,
           db.dead_letters(request.appservice,
                           {request.after, limits::page_rows_max}));
  size_t bytes = 0;
  auto last = request.after;
  for (const auto& head : heads) {
    if (bytes > page_bytes_max)
      break;
    last = head.id;
    WEIR_TRY(auto whole, db.dead_letter(head.id));
    if (!whole)
      continue;
    bytes += whole->item.bytes.size();
    page.letters.push_back(std::move(*whole));
  }
  go_on(page, request, heads.empty(), last);
  return ok();
}

expected<void> read_bodies(store_reader& db, const read_export& request,
                           export_page& page) {
  WEIR_TRY(
    const auto heads,
    db.quarantined(request.appservice, {request.after, limits::page_rows_max}));
  size_t bytes = 0;
  auto last = request.after;
  for (const auto& head : heads) {
    if (bytes > page_bytes_max)
      break;
    last = head.id;
    WEIR_TRY(auto whole, db.quarantined_body(head.id));
    if (!whole)
      continue;
    bytes += whole->body.size();
    page.bodies.push_back(std::move(*whole));
  }
  go_on(page, request, false, last);
  if (!heads.empty())
    return ok();
  WEIR_TRY(const auto view, db.queue(request.appservice));
  if (!view)
    return ok();
  WEIR_TRY(const auto kept, db.kept_by(request.appservice));
  page.end = export_end{view->row.owed_events + view->row.owed_others, kept,
                        operations::removal_mark(view->row, kept)};
  return ok();
}

expected<void> read_owed(store_reader& db, const read_export& request,
                         export_page& page) {
  WEIR_TRY(page.owed,
           db.owed(request.appservice, static_cast<uint64_t>(request.after),
                   limits::page_rows_max, page_bytes_max));
  go_on(page, request, page.owed.empty(),
        page.owed.empty() ? request.after
                          : static_cast<int64_t>(page.owed.back().seq));
  return ok();
}

} // namespace

expected<export_page> read_export_page(store_reader& db,
                                       const read_export& request) {
  export_page page;
  WEIR_TRY(const auto view, db.queue(request.appservice));
  page.known = view.has_value();
  if (!page.known)
    return page;
  switch (request.part) {
  case export_part::owed: {
    WEIR_TRY(read_owed(db, request, page));
    return page;
  }
  case export_part::letters: {
    WEIR_TRY(read_letters(db, request, page));
    return page;
  }
  case export_part::bodies: {
    WEIR_TRY(read_bodies(db, request, page));
    return page;
  }
  }
  return page;
}

} // namespace weir
