#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <boost/outcome/basic_result.hpp>
#include <boost/outcome/policy/terminate.hpp>
#include <boost/outcome/try.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace weir {

/// Failure kinds a caller can act on. Stable: the name goes into logs, metric
/// labels and traces.
enum class ec : uint8_t {
  none,
  invalid_argument, ///< The caller must change its input. HTTP 400.
  not_json,         ///< Bytes are no JSON text. HTTP 400 M_NOT_JSON.
  bad_json,    ///< JSON, but not of the promised shape. HTTP 400 M_BAD_JSON.
  forbidden,   ///< Missing or wrong token. HTTP 403.
  not_found,   ///< No such row, queue or path. HTTP 404.
  not_current, ///< The named transaction is no longer the pinned one. HTTP 409.
  full,        ///< A bound is reached; retry later. HTTP 429 or 503.
  too_large,   ///< Larger than a bound that waiting does not change. HTTP 413.
  superseded,  ///< Another writer owns this now, or the store was rewound.
  unavailable, ///< Database or peer out of reach; retry later. HTTP 503.
  in_doubt,    ///< The connection was lost at COMMIT: it may have committed.
  rejected,    ///< The store refuses this operation whenever it is tried.
  expired,     ///< The deadline passed before the operation was begun.
  corrupt,     ///< Stored bytes are not what was promised. A person must act.
  busy,        ///< Another process holds what this one needs.
};
BOOST_DESCRIBE_ENUM(ec, none, invalid_argument, not_json, bad_json, forbidden,
                    not_found, not_current, full, too_large, superseded,
                    unavailable, in_doubt, rejected, expired, corrupt, busy)

/// The stable lower-case name of a failure kind, as in `ec`.
std::string_view to_string(ec code) noexcept;

/// An error with what we were doing when it happened. The context never holds
/// tokens, event bodies or bound SQL values.
struct error {
  ec code = ec::none;
  std::string context;

  friend bool operator==(const error&, const error&) = default;
};
BOOST_DESCRIBE_STRUCT(error, (), (code, context))

/// `code: context`, for logs.
std::string to_string(const error& what);

/// Either a `T` or an `error`. Never throws; reading the wrong side aborts.
/// Use only `has_value`, `value`, `error`, `operator bool` and `WEIR_TRY`, so
/// that a move to `std::expected` stays a change of one file.
template <class T>
using expected
  = boost::outcome_v2::basic_result<T, error,
                                    boost::outcome_v2::policy::terminate>;

/// Builds the failed side of any `expected<T>`.
inline auto fail(ec code, std::string context) {
  return boost::outcome_v2::failure(error{code, std::move(context)});
}

/// Passes an error on unchanged.
inline auto fail(error what) {
  return boost::outcome_v2::failure(std::move(what));
}

/// The succeeded side of an `expected<void>`.
inline auto ok() {
  return boost::outcome_v2::success();
}

/// Prints what was broken and aborts. On in release builds too: an operating
/// error is a value, a programming error stops the process before it can
/// spread to the store.
[[noreturn]] void assertion_failed(const char* condition, const char* file,
                                   int line) noexcept;

} // namespace weir

/// `WEIR_TRY(auto x, expression)`: `x` is the value, or this function returns
/// the error. `WEIR_TRY(expression)` for `expected<void>`.
#define WEIR_TRY(...) BOOST_OUTCOME_TRY(__VA_ARGS__)

#define WEIR_ASSERT(condition)                                                 \
  do {                                                                         \
    if (!(condition)) [[unlikely]]                                             \
      ::weir::assertion_failed(#condition, __FILE__, __LINE__);                \
  } while (false)
