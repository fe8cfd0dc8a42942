#pragma once

#include "actors/trace/codec.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/message.hpp>
#include <caf/type_erased_tuple.hpp>

#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

/// The codec of every type that goes into a trace, found by type or by name.
/// Made from the interfaces of the actors: there is no second list of messages.
namespace weir::trace {

/// How one type is written and read.
struct type_codec {
  std::string name;
  json (*write)(const void* value, const writing& how) = nullptr;
  void (*read)(const json& from, void* into, reading& how) = nullptr;
  caf::message (*make)(const json& from, reading& how) = nullptr;
};

/// Null when the type is in no interface.
const type_codec* codec_of(const std::type_info& type);
const type_codec* codec_named(std::string_view name);

/// A value as JSON; `{"opaque": …}` when its type is not known.
json write_value(const std::type_info& type, const void* value,
                 const writing& how);

/// `type` and `content` of a message, put into `into`.
void write_message(const caf::type_erased_tuple& message, const writing& how,
                   json& into);

/// The message that `record` tells. Check `how.problem`.
caf::message read_message(const json& record, reading& how);

/// Gives the actors that names in a trace stand for.
class actor_names {
public:
  virtual ~actor_names() = default;
  virtual caf::strong_actor_ptr named(const std::string& label) = 0;
};

} // namespace weir::trace
