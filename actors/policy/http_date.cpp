#include "actors/policy/http_date.hpp"

#include <fmt/chrono.h>

#include <algorithm>
#include <chrono>

namespace weir::policy {

namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::string_view month_names[]
  = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
/// RFC 9110: a two-digit year that seems further ahead is one of the past.
constexpr int years_ahead_max = 50;

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/// Takes the parts of a date off the front of a text. After the first part that
/// does not fit all further ones fail too.
class date_scanner {
public:
  explicit date_scanner(std::string_view text) : rest_{text} {
  }

  void literal(std::string_view expected) {
    if (rest_.starts_with(expected))
      rest_.remove_prefix(expected.size());
    else
      fail();
  }

  void weekday() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_letter);
    const auto length = static_cast<size_t>(end - rest_.begin());
    length >= 3 ? rest_.remove_prefix(length) : fail();
  }

  int number(size_t digits) {
    if (rest_.size() < digits
        || !std::all_of(rest_.begin(), rest_.begin() + digits, is_digit)) {
      fail();
      return 0;
    }
    int value = 0;
    for (const char c : rest_.substr(0, digits))
      value = value * 10 + (c - '0');
    rest_.remove_prefix(digits);
    return value;
  }

  unsigned month() {
    unsigned number = 0;
    for (const auto name : month_names) {
      ++number;
      if (rest_.starts_with(name)) {
        rest_.remove_prefix(name.size());
        return number;
      }
    }
    fail();
    return 0;
  }

  /// `08:49:37`; a leap second counts as the one before it.
  std::chrono::seconds time_of_day() {
    const auto hour = number(2);
    literal(":");
    const auto minute = number(2);
    literal(":");
    const auto second = number(2);
    if (hour > 23 || minute > 59 || second > 60)
      fail();
    return std::chrono::hours{hour} + std::chrono::minutes{minute}
    + std::chrono::seconds{std::min(second, 59)};
  }

  char peek() const {
    return rest_.empty() ? '\0' : rest_.front();
  }

  bool is_done() const {
    return good_ && rest_.empty();
  }

private:
  void fail() {
    good_ = false;
    rest_ = {};
  }

  std::string_view rest_;
  bool good_ = true;
};

struct date_parts {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  std::chrono::seconds time{0};
};

int year_of(stored_time at) {
  const std::chrono::sys_time<milliseconds> point{milliseconds{at.ms}};
  const year_month_day date{std::chrono::floor<std::chrono::days>(point)};
  return static_cast<int>(date.year());
}

int full_year(int two_digits, stored_time now) {
  const auto this_year = year_of(now);
  const auto year = this_year - this_year % 100 + two_digits;
  return year > this_year + years_ahead_max ? year - 100 : year;
}

/// ` 6 08:49:37 1994`, what follows the month of the asctime form.
void read_asctime(date_scanner& scan, date_parts& date) {
  date.month = scan.month();
  scan.literal(" ");
  if (scan.peek() == ' ') {
    scan.literal(" ");
    date.day = static_cast<unsigned>(scan.number(1));
  } else {
    date.day = static_cast<unsigned>(scan.number(2));
  }
  scan.literal(" ");
  date.time = scan.time_of_day();
  scan.literal(" ");
  date.year = scan.number(4);
}

/// `06 Nov 1994 08:49:37 GMT` or `06-Nov-94 08:49:37 GMT`.
void read_gmt(date_scanner& scan, date_parts& date, stored_time now) {
  date.day = static_cast<unsigned>(scan.number(2));
  const bool is_old_form = scan.peek() == '-';
  const std::string_view separator = is_old_form ? "-" : " ";
  scan.literal(separator);
  date.month = scan.month();
  scan.literal(separator);
  date.year = is_old_form ? full_year(scan.number(2), now) : scan.number(4);
  scan.literal(" ");
  date.time = scan.time_of_day();
  scan.literal(" GMT");
}

} // namespace

std::optional<stored_time> parse_http_date(std::string_view text,
                                           stored_time now) {
  date_scanner scan{text};
  date_parts date;
  scan.weekday();
  if (scan.peek() == ',') {
    scan.literal(", ");
    read_gmt(scan, date, now);
  } else {
    scan.literal(" ");
    read_asctime(scan, date);
  }
  const year_month_day day{std::chrono::year{date.year},
                           std::chrono::month{date.month},
                           std::chrono::day{date.day}};
  if (!scan.is_done() || !day.ok())
    return std::nullopt;
  const milliseconds since_epoch = sys_days{day}.time_since_epoch() + date.time;
  return stored_time{since_epoch.count()};
}

std::string to_http_date(stored_time at) {
  const std::chrono::sys_time<milliseconds> point{milliseconds{at.ms}};
  return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(
                       std::chrono::floor<std::chrono::seconds>(point))));
}

} // namespace weir::policy
