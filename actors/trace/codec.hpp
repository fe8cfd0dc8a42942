#pragma once

#include "actors/messages/shared.hpp"
#include "actors/trace/guard.hpp"
#include "actors/trace/remembered.hpp"
#include "schema/bytes.hpp"
#include "schema/error.hpp"
#include "schema/http.hpp"
#include "schema/time.hpp"

#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

/// One way from any message to JSON and back, by the one description that each
/// struct has (Boost.Describe). Knows no CAF: handles are told in registry.cpp,
/// and so are transactions of a homeserver.
///
/// | C++ | JSON |
/// |---|---|
/// | a described struct | an object; with one member called `value`, that |
/// | a described enumeration | its enumerator's name |
/// | a moment of the monotonic clock | nanoseconds, null when it is unset |
/// | a duration | its count |
/// | optional, list | null or the value, array |
/// | `expected` | `{"value": …}` or `{"error": {code, context}}` |
/// | guarded text, shared bytes | see guard.hpp |
/// | callbacks, functions, pointers | `{"opaque": kind}`, read as an empty one
/// |
namespace weir::trace {

class actor_names;

/// How values are written.
struct writing {
  bool with_content = false;
};

/// How values are read: the first thing that was not understood is kept.
struct reading {
  actor_names* actors = nullptr; ///< Gives handles; may be null.
  std::string problem;           ///< Empty: none so far.
  /// Memory for stand-ins, whatever lengths a trace names: that of the largest
  /// body twice, which no message holds more of.
  uint64_t bytes_left = uint64_t{128} << 20;

  void fail(const std::string& what) {
    if (problem.empty())
      problem = what;
  }
};

template <class T>
concept described_struct = boost::describe::has_describe_members<T>::value;

template <class T>
concept described_enum = boost::describe::has_describe_enumerators<T>::value;

template <class T>
using members_of
  = boost::describe::describe_members<T, boost::describe::mod_public>;

/// The codec of one type; each specialisation below is a line of the table.
/// Types without one are opaque.
template <class T>
struct codec {
  static json write(const T&, const writing&) {
    return json{{"opaque", "value"}};
  }
  static void read(const json&, T& into, reading&) {
    into = T{};
  }
};

template <class T>
json write(const T& value, const writing& how) {
  return codec<T>::write(value, how);
}

template <class T>
void read(const json& from, T& into, reading& how) {
  codec<T>::read(from, into, how);
}

template <>
struct codec<bool> {
  static json write(bool value, const writing&) {
    return value;
  }
  static void read(const json& from, bool& into, reading& how) {
    if (from.is_boolean())
      into = from.get<bool>();
    else
      how.fail("expected true or false");
  }
};

template <class T>
requires(std::is_integral_v<T>) struct codec<T> {
  static json write(T value, const writing&) {
    return value;
  }
  static void read(const json& from, T& into, reading& how) {
    if (from.is_number_unsigned() && std::in_range<T>(from.get<uint64_t>()))
      into = static_cast<T>(from.get<uint64_t>());
    else if (from.is_number_integer() && !from.is_number_unsigned()
             && std::in_range<T>(from.get<int64_t>()))
      into = static_cast<T>(from.get<int64_t>());
    else
      how.fail("expected a whole number in range");
  }
};

template <>
struct codec<double> {
  static json write(double value, const writing&) {
    return value;
  }
  static void read(const json& from, double& into, reading& how) {
    if (from.is_number())
      into = from.get<double>();
    else
      how.fail("expected a number");
  }
};

template <>
struct codec<std::string> {
  static json write(const std::string& value, const writing&) {
    return text_json(value);
  }
  static void read(const json& from, std::string& into, reading& how) {
    if (!read_text(from, into))
      how.fail("expected text");
  }
};

template <class Tag>
struct codec<guarded_text<Tag>> {
  static json write(const guarded_text<Tag>& value, const writing& how) {
    return how.with_content ? text_json(value) : guarded_json(value);
  }
  static void read(const json& from, guarded_text<Tag>& into, reading& how) {
    if (!read_guarded(from, into, how.bytes_left))
      how.fail("expected text, or what stands for it");
  }
};

template <>
struct codec<shared_bytes> {
  static json write(const shared_bytes& value, const writing& how) {
    if (value.empty())
      return "";
    return how.with_content ? text_json(value.view()) : redacted(value);
  }
  static void read(const json& from, shared_bytes& into, reading& how) {
    std::string bytes;
    if (!read_guarded(from, bytes, how.bytes_left))
      how.fail("expected bytes, or what stands for them");
    into = bytes.empty() ? shared_bytes{} : shared_bytes{std::move(bytes)};
  }
};

template <>
struct codec<http_field> {
  static json write(const http_field& value, const writing& how) {
    const bool open = how.with_content || is_open_field(value.name);
    return json::array({text_json(value.name),
                        open ? text_json(value.value) : redacted(value.value)});
  }
  static void read(const json& from, http_field& into, reading& how) {
    if (!from.is_array() || from.size() != 2 || !read_text(from[0], into.name)
        || !read_guarded(from[1], into.value, how.bytes_left))
      how.fail("expected a header field");
  }
};

template <>
struct codec<instant> {
  static json write(instant value, const writing&) {
    if (value == instant{})
      return nullptr;
    return std::chrono::nanoseconds{value.time_since_epoch()}.count();
  }
  static void read(const json& from, instant& into, reading& how) {
    into = {};
    if (from.is_number_integer())
      into = instant{std::chrono::nanoseconds{from.get<int64_t>()}};
    else if (!from.is_null())
      how.fail("expected nanoseconds");
  }
};

template <class Rep, class Period>
struct codec<std::chrono::duration<Rep, Period>> {
  using duration = std::chrono::duration<Rep, Period>;
  static json write(duration value, const writing&) {
    return value.count();
  }
  static void read(const json& from, duration& into, reading& how) {
    Rep count{};
    trace::read(from, count, how);
    into = duration{count};
  }
};

template <class T>
struct codec<std::optional<T>> {
  static json write(const std::optional<T>& value, const writing& how) {
    return value ? trace::write(*value, how) : json{};
  }
  static void read(const json& from, std::optional<T>& into, reading& how) {
    into.reset();
    if (!from.is_null())
      trace::read(from, into.emplace(), how);
  }
};

template <class T>
struct codec<std::vector<T>> {
  static json write(const std::vector<T>& value, const writing& how) {
    auto list = json::array();
    for (const auto& each : value)
      list.push_back(trace::write(each, how));
    return list;
  }
  static void read(const json& from, std::vector<T>& into, reading& how) {
    into.clear();
    if (!from.is_array())
      return how.fail("expected a list");
    for (const auto& each : from)
      trace::read(each, into.emplace_back(), how);
  }
};

template <class T>
struct codec<shared<T>> {
  /// Large, and met again in the next mailbox: it is remembered for a while.
  static json write(const shared<T>& value, const writing& how) {
    if (!value.value)
      return nullptr;
    if (how.with_content)
      return trace::write(*value, how);
    thread_local remembered<T, json> known;
    return known.of(value.value, [&] { return trace::write(*value, how); });
  }
  static void read(const json& from, shared<T>& into, reading& how) {
    into = {};
    if (from.is_null())
      return;
    T value{};
    trace::read(from, value, how);
    into = shared<T>{std::move(value)};
  }
};

template <class T>
struct codec<expected<T>> {
  static json write(const expected<T>& value, const writing& how) {
    if (value)
      return json{{"value", trace::write(value.value(), how)}};
    return json{{"error", trace::write(value.error(), how)}};
  }
  static void read(const json& from, expected<T>& into, reading& how) {
    T good{};
    error bad;
    if (from.is_object() && from.contains("value")) {
      trace::read(from.at("value"), good, how);
      into = std::move(good);
    } else if (from.is_object() && from.contains("error")) {
      trace::read(from.at("error"), bad, how);
      into = weir::fail(std::move(bad));
    } else {
      how.fail("expected a value or an error");
    }
  }
};

template <class T>
struct codec<callback<T>> {
  static json write(const callback<T>&, const writing&) {
    return json{{"opaque", "callback"}};
  }
  /// One that may be run and tells nobody.
  static void read(const json&, callback<T>& into, reading&) {
    into = callback<T>{[](const T&) {}};
  }
};

template <described_struct T>
struct codec<std::shared_ptr<const T>> {
  static json write(const std::shared_ptr<const T>& value, const writing& how) {
    return value ? trace::write(*value, how) : json{};
  }
  static void read(const json& from, std::shared_ptr<const T>& into,
                   reading& how) {
    into.reset();
    if (from.is_null())
      return;
    auto value = std::make_shared<T>();
    trace::read(from, *value, how);
    into = std::move(value);
  }
};

template <described_enum T>
struct codec<T> {
  static json write(T value, const writing&) {
    json result = static_cast<std::underlying_type_t<T>>(value);
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>(
      [&](auto each) {
        if (each.value == value)
          result = each.name;
      });
    return result;
  }
  static void read(const json& from, T& into, reading& how) {
    bool found = false;
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>(
      [&](auto each) {
        if (!found && from.is_string()
            && from.get_ref<const std::string&>() == each.name) {
          into = each.value;
          found = true;
        }
      });
    if (!found)
      how.fail("expected a known word");
  }
};

/// Whether a struct is a wrapper of one member called `value`.
template <described_struct T>
constexpr bool is_wrapper() {
  using members = members_of<T>;
  if constexpr (boost::mp11::mp_size<members>::value == 1)
    return std::string_view{boost::mp11::mp_front<members>::name} == "value";
  return false;
}

/// By the description alone.
template <described_struct T>
struct struct_codec {
  static json write(const T& value, const writing& how) {
    json result = json::object();
    boost::mp11::mp_for_each<members_of<T>>([&](auto member) {
      if constexpr (is_wrapper<T>())
        result = trace::write(value.*member.pointer, how);
      else
        result[member.name] = trace::write(value.*member.pointer, how);
    });
    return result;
  }

  /// A member that is missing keeps its default, so that an old trace can be
  /// read after one was added. One that is not known is a problem: what it
  /// said is not replayed.
  static void read(const json& from, T& into, reading& how) {
    if constexpr (!is_wrapper<T>())
      if (!from.is_object())
        return how.fail("expected an object");
    size_t known = 0;
    boost::mp11::mp_for_each<members_of<T>>([&](auto member) {
      const bool ok = how.problem.empty();
      if constexpr (is_wrapper<T>()) {
        trace::read(from, into.*member.pointer, how);
      } else if (const auto found = from.find(member.name);
                 found != from.end()) {
        ++known;
        trace::read(*found, into.*member.pointer, how);
      }
      if (ok && !how.problem.empty())
        how.problem = std::string{member.name} + ": " + how.problem;
    });
    if constexpr (!is_wrapper<T>())
      if (known != from.size())
        how.fail("a member that is not known any more");
  }
};

template <described_struct T>
struct codec<T> : struct_codec<T> {};

} // namespace weir::trace
