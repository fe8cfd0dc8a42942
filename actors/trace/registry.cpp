#include "actors/trace/registry.hpp"

#include "actors/trace/hooks.hpp"
#include "actors/trace/registry_types.hpp"

#include <boost/core/demangle.hpp>

#include <typeindex>
#include <unordered_map>

namespace weir::trace {

// -- values that are told in a way of their own -------------------------------

template <>
struct codec<expected<void>> {
  static json write(const expected<void>& value, const writing& how) {
    return value ? json("ok")
                 : json{{"error", trace::write(value.error(), how)}};
  }
  static void read(const json& from, expected<void>& into, reading& how) {
    error bad;
    if (from.is_object() && from.contains("error")) {
      trace::read(from.at("error"), bad, how);
      into = weir::fail(std::move(bad));
    } else if (from == "ok") {
      into = weir::ok();
    } else {
      how.fail("expected ok or an error");
    }
  }
};

/// Whose bytes are event bodies throughout: told by the ids of its events, by
/// how much it is and by one hash. What is read back is as much, under the same
/// ids, and is told the same again.
template <>
struct codec<incoming_transaction> {
  static json write(const incoming_transaction& value, const writing& how);
  static void read(const json& from, incoming_transaction& into, reading& how);
};

json codec<incoming_transaction>::write(const incoming_transaction& value,
                                        const writing& how) {
  if (how.with_content)
    return struct_codec<incoming_transaction>::write(value, how);
  auto ids = json::array();
  std::string bytes;
  for (const auto& each : value.elements) {
    ids.push_back(text_json(each.event_id));
    bytes += each.bytes;
  }
  auto result = redacted(bytes);
  result["event_ids"] = std::move(ids);
  if (!value.orderings.empty())
    result["orderings"] = value.orderings;
  return result;
}

void codec<incoming_transaction>::read(const json& from,
                                       incoming_transaction& into,
                                       reading& how) {
  const auto ids = from.find("event_ids");
  if (!from.is_object() || ids == from.end())
    return struct_codec<incoming_transaction>::read(from, into, how);
  into = {};
  std::vector<std::string> read_ids;
  trace::read(*ids, read_ids, how);
  for (auto& id : read_ids)
    into.elements.emplace_back().event_id = std::move(id);
  if (const auto given = from.find("orderings"); given != from.end())
    trace::read(*given, into.orderings, how);
  if (into.elements.empty())
    return;
  if (!read_guarded(from, into.elements.front().bytes, how.bytes_left))
    how.fail("expected what stands for the bytes of events");
}

// -- what only CAF knows ------------------------------------------------------

template <class... Signatures>
struct codec<caf::typed_actor<Signatures...>> {
  using handle = caf::typed_actor<Signatures...>;
  static json write(const handle& value, const writing&) {
    if (!value)
      return nullptr;
    return label_of(value.id(), caf::actor_cast<caf::strong_actor_ptr>(value));
  }
  static void read(const json& from, handle& into, reading& how) {
    into = handle{};
    if (from.is_string() && how.actors != nullptr)
      into = caf::actor_cast<handle>(
        how.actors->named(from.get_ref<const std::string&>()));
    else if (!from.is_null())
      how.fail("expected the name of an actor");
  }
};

template <>
struct codec<caf::actor_addr> {
  static json write(const caf::actor_addr& value, const writing&) {
    if (!value)
      return nullptr;
    return label_of(value.id(), caf::actor_cast<caf::strong_actor_ptr>(value));
  }
  static void read(const json& from, caf::actor_addr& into, reading& how) {
    into = caf::actor_addr{};
    if (from.is_string() && how.actors != nullptr)
      into = caf::actor_cast<caf::actor_addr>(
        how.actors->named(from.get_ref<const std::string&>()));
    else if (!from.is_null())
      how.fail("expected the name of an actor");
  }
};

/// Ours with its words, CAF's own by category and number.
template <>
struct codec<caf::error> {
  static json write(const caf::error& value, const writing& how) {
    if (!value)
      return nullptr;
    if (value.category() == caf::atom("weir"))
      return trace::write(from_caf(value), how);
    return json{{"category", to_string(value.category())},
                {"number", value.code()}};
  }
  static void read(const json& from, caf::error& into, reading& how) {
    into = caf::error{};
    if (from.is_null())
      return;
    if (from.is_object() && from.contains("category")
        && from.at("category").is_string() && from.contains("number")) {
      uint8_t number = 0;
      trace::read(from.at("number"), number, how);
      into = caf::error{
        number, caf::atom_from_string(from.at("category").get<std::string>())};
      return;
    }
    error ours;
    trace::read(from, ours, how);
    into = to_caf(ours);
  }
};

/// `exit_msg` and `down_msg` have the same two members.
template <class T>
requires(
  std::is_same_v<
    T, caf::exit_msg> || std::is_same_v<T, caf::down_msg>) struct codec<T> {
  static json write(const T& value, const writing& how) {
    return json{{"source", trace::write(value.source, how)},
                {"reason", trace::write(value.reason, how)}};
  }
  static void read(const json& from, T& into, reading& how) {
    if (!from.is_object() || !from.contains("source")
        || !from.contains("reason"))
      return how.fail("expected source and reason");
    trace::read(from.at("source"), into.source, how);
    trace::read(from.at("reason"), into.reason, how);
  }
};

namespace {

using system_messages = mp::mp_list<caf::error, caf::exit_msg, caf::down_msg>;

template <class T>
json write_any(const void* value, const writing& how) {
  return write(*static_cast<const T*>(value), how);
}

template <class T>
void read_any(const json& from, void* into, reading& how) {
  read(from, *static_cast<T*>(into), how);
}

template <class T>
caf::message make_any(const json& from, reading& how) {
  T value{};
  read(from, value, how);
  return caf::make_message(std::move(value));
}

/// `wake_queue`, `caf::down_msg`.
template <class T>
std::string name_of() {
  auto name = boost::core::demangle(typeid(T).name());
  if (name.starts_with("weir::"))
    name.erase(0, 6);
  return name;
}

struct tables {
  std::unordered_map<std::type_index, type_codec> by_type;
  std::unordered_map<std::string, const type_codec*> by_name;

  tables() {
    using messages = mp::mp_append<every_message, system_messages>;
    mp::mp_for_each<mp::mp_transform<mp::mp_identity, messages>>(
      [&](auto type) {
        using message = typename decltype(type)::type;
        auto& made = add<message>();
        made.make = make_any<message>;
        by_name.emplace(made.name, &made);
      });
    using values = mp::mp_append<every_argument, every_other_value>;
    mp::mp_for_each<mp::mp_transform<mp::mp_identity, values>>(
      [&](auto type) { add<typename decltype(type)::type>(); });
  }

  template <class T>
  type_codec& add() {
    return by_type
      .try_emplace(typeid(T),
                   type_codec{name_of<T>(), write_any<T>, read_any<T>, nullptr})
      .first->second;
  }
};

const tables& all() {
  static const tables instance;
  return instance;
}

} // namespace

const type_codec* codec_of(const std::type_info& type) {
  const auto found = all().by_type.find(type);
  return found == all().by_type.end() ? nullptr : &found->second;
}

const type_codec* codec_named(std::string_view name) {
  const auto found = all().by_name.find(std::string{name});
  return found == all().by_name.end() ? nullptr : found->second;
}

json write_value(const std::type_info& type, const void* value,
                 const writing& how) {
  const auto* of = codec_of(type);
  return of == nullptr ? json{{"opaque", boost::core::demangle(type.name())}}
                       : of->write(value, how);
}

void write_message(const caf::type_erased_tuple& message, const writing& how,
                   json& into) {
  if (message.size() != 1) {
    into["type"] = message.empty() ? "nothing" : "several values";
    return;
  }
  // CAF numbers its own types; ours are told by their C++ type.
  const auto [number, type] = message.type(0);
  const auto* of = type != nullptr            ? codec_of(*type)
    : message.match_element<caf::error>(0)    ? codec_of(typeid(caf::error))
    : message.match_element<caf::exit_msg>(0) ? codec_of(typeid(caf::exit_msg))
    : message.match_element<caf::down_msg>(0) ? codec_of(typeid(caf::down_msg))
                                              : nullptr;
  if (of == nullptr) {
    into["type"] = type != nullptr ? boost::core::demangle(type->name())
                                   : "caf " + std::to_string(number);
    return;
  }
  into["type"] = of->name;
  into["content"] = of->write(message.get(0), how);
}

caf::message read_message(const json& record, reading& how) {
  const auto type = record.find("type");
  if (type == record.end() || !type->is_string()) {
    how.fail("a message without a type");
    return {};
  }
  const auto& name = type->get_ref<const std::string&>();
  if (name == "nothing")
    return {};
  const auto* of = codec_named(name);
  const auto content = record.find("content");
  if (of == nullptr || content == record.end()) {
    how.fail("a message of a type that is not known: " + name);
    return {};
  }
  auto message = of->make(*content, how);
  if (!how.problem.empty())
    how.problem = name + ": " + how.problem;
  return message;
}

} // namespace weir::trace
