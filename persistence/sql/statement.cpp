#include "persistence/sql/statement.hpp"

#include "persistence/sql/soci_parts.hpp"
#include "persistence/text_check.hpp"

#include <algorithm>
#include <cctype>

namespace weir::sql {

/// SOCI's half of a statement. The indicators live as long as it does.
struct statement::prepared {
  explicit prepared(soci::session& on) : made{on} {
  }
  std::deque<soci::indicator> parameters;
  std::deque<soci::indicator> results;
  // Last, so that it goes before what it points to.
  soci::statement made;
};

namespace {

/// The distinct `:names` of a statement in order of their first appearance.
std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  bool quoted = false;
  for (size_t at = 0; at < text.size(); ++at) {
    quoted = quoted != (text[at] == '\'');
    if (quoted || text[at] != ':')
      continue;
    size_t end = at + 1;
    while (end < text.size()
           && (std::isalnum(static_cast<unsigned char>(text[end])) != 0
               || text[end] == '_'))
      ++end;
    std::string name{text.substr(at + 1, end - at - 1)};
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
    at = end - 1;
  }
  return names;
}

void bind_anew(soci::statement& made) {
  made.undefine_and_bind();
  made.define_and_bind();
}

} // namespace

statement::statement(connection& on, std::string_view doing, std::string text,
                     std::string_view columns)
  : on_{on},
    doing_{doing},
    text_{std::move(text)},
    columns_{columns},
    names_{names_in(text_)} {
  for (const char each : columns_)
    results_.push_back({.is_text = each != 'i', .text = {}});
  on_.statements_.push_back(this);
}

statement::~statement() {
  std::erase(on_.statements_, this);
}

void statement::drop() noexcept {
  prepared_.reset();
}

statement::cell& statement::parameter(size_t at) {
  if (parameters_.size() <= at)
    parameters_.resize(at + 1);
  auto& found = parameters_[at];
  found.is_null = false;
  return found;
}

void statement::set_number(size_t at, int64_t number) {
  parameter(at).number = number;
}

void statement::set_text(size_t at, std::string_view text) {
  auto& to = parameter(at);
  to.is_text = true;
  to.text.assign(text);
  text_fits_ = text_fits_ && storable_as_text(text);
}

void statement::put(size_t at, raw_bytes bytes) {
  auto& to = parameter(at);
  to.is_text = true;
  to.text.clear();
  if (on_.speaks().postgresql)
    append_bytea(to.text, bytes.view);
  else
    to.text.assign(bytes.view);
}

void statement::prepare() {
  auto made = std::make_unique<prepared>(on_.parts_->session);
  made->parameters.resize(names_.size(), soci::i_ok);
  made->results.resize(results_.size(), soci::i_ok);
  for (size_t at = 0; at < names_.size(); ++at) {
    auto& from = parameters_[at];
    auto& indicator = made->parameters[at];
    if (from.is_text)
      made->made.exchange(soci::use(from.text, indicator, names_[at]));
    else
      made->made.exchange(soci::use(from.number, indicator, names_[at]));
  }
  for (size_t at = 0; at < results_.size(); ++at) {
    auto& to = results_[at];
    if (to.is_text)
      made->made.exchange(soci::into(to.text, made->results[at]));
    else
      made->made.exchange(soci::into(to.number, made->results[at]));
  }
  made->made.alloc();
  made->made.prepare(text_);
  made->made.define_and_bind();
  prepared_ = std::move(made);
}

expected<void> statement::execute(size_t arguments) {
  WEIR_ASSERT(arguments == names_.size());
  WEIR_TRY(on_.ready());
  if (!std::exchange(text_fits_, true)) {
    on_.failed_ = on_.in_transaction_;
    return fail(ec::rejected, doing_ + ": text that is not UTF-8");
  }
  try {
    if (!prepared_)
      prepare();
    for (size_t at = 0; at < names_.size(); ++at)
      prepared_->parameters[at]
        = parameters_[at].is_null ? soci::i_null : soci::i_ok;
    on_.start_clock();
    // With result columns only the execution; `next` steps.
    prepared_->made.execute(columns_.empty());
    if (columns_.empty())
      changed_ = static_cast<uint64_t>(prepared_->made.get_affected_rows());
  } catch (const soci::soci_error& thrown) {
    return fail(failed(thrown));
  }
  return ok();
}

error statement::failed(const soci::soci_error& thrown) {
  auto what = error_of(thrown, doing_, on_.parts_.get(), on_.speaks());
  on_.failed_ = on_.in_transaction_;
  // SOCI has let go of SQLite's half already. Of what it sent to PostgreSQL it
  // lets go after a success only, and the next execution would forget it.
  if (!on_.speaks().postgresql)
    drop();
  else if (prepared_)
    bind_anew(prepared_->made);
  return what;
}

expected<bool> statement::next() {
  WEIR_TRY(on_.ready());
  try {
    const bool found = prepared_->made.fetch();
    for (size_t at = 0; found && at < results_.size(); ++at)
      results_[at].is_null = prepared_->results[at] == soci::i_null;
    return found;
  } catch (const soci::soci_error& thrown) {
    return fail(failed(thrown));
  }
}

void statement::done() noexcept {
  if (!prepared_ || on_.speaks().postgresql)
    return;
  // An unfinished SELECT would keep its snapshot open past the COMMIT.
  auto* backend = static_cast<soci::sqlite3_statement_backend*>(
    prepared_->made.get_backend());
  sqlite_api::sqlite3_reset(backend->stmt_);
}

bool statement::null(size_t column) const {
  return results_[column].is_null;
}

int64_t statement::number(size_t column) const {
  return results_[column].is_null ? 0 : results_[column].number;
}

std::string statement::text(size_t column) {
  auto& from = results_[column];
  if (from.is_null)
    return {};
  if (on_.speaks().postgresql && columns_[column] == 'b')
    return bytes_of_bytea(from.text);
  return std::exchange(from.text, {});
}

} // namespace weir::sql
