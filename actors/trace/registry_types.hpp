#pragma once

#include "actors/appservice_queue.hpp"
#include "actors/directory.hpp"
#include "actors/gateway.hpp"
#include "actors/homeserver_session.hpp"
#include "actors/janitor.hpp"
#include "actors/pacer.hpp"
#include "actors/pinger.hpp"
#include "actors/realm_directory.hpp"
#include "actors/realm_gateway.hpp"
#include "actors/realm_queue.hpp"
#include "actors/store_reader.hpp"
#include "actors/store_writer.hpp"
#include "actors/supervisor.hpp"
#include "actors/transport.hpp"

#include <boost/describe/class.hpp>
#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>

namespace weir {

BOOST_DESCRIBE_STRUCT(slot_lease, (), (slot, epoch, run, pos))

} // namespace weir

/// The types that a trace may hold, computed from the actors.
namespace weir::trace {

namespace mp = boost::mp11;

/// Every actor there is.
using every_actor
  = mp::mp_list<supervisor, store_writer, store_reader_process, transport,
                directory, appservice_queue, homeserver_session, account_pacer,
                realm_directory, realm_queue, gateway, realm_gateway, janitor,
                pinger>;

template <class Actor>
struct parts_of;

template <class Api, class State, class... Args>
struct parts_of<weir_actor<Api, State, Args...>> {
  using arguments = mp::mp_list<Args...>;
  using signatures = mp::mp_rename<typename Api::signatures, mp::mp_list>;
};

template <class Signature>
struct messages_in;

template <class... In, class... Out>
struct messages_in<
  caf::typed_mpi<caf::detail::type_list<In...>, caf::output_tuple<Out...>>> {
  using type = mp::mp_remove<mp::mp_list<In..., Out...>, void>;
};

template <class Signature>
using messages_in_t = typename messages_in<Signature>::type;

template <class Actor>
using messages_of_actor = mp::mp_flatten<
  mp::mp_transform<messages_in_t, typename parts_of<Actor>::signatures>>;

template <class Actor>
using arguments_of_actor = typename parts_of<Actor>::arguments;

/// Every message that one actor may send another.
using every_message = mp::mp_unique<
  mp::mp_flatten<mp::mp_transform<messages_of_actor, every_actor>>>;

/// What actors are made from.
using every_argument = mp::mp_unique<
  mp::mp_flatten<mp::mp_transform<arguments_of_actor, every_actor>>>;

template <class Signature>
struct replies_in;

template <class... In, class... Out>
struct replies_in<
  caf::typed_mpi<caf::detail::type_list<In...>, caf::output_tuple<Out...>>> {
  using type = mp::mp_list<Out...>;
};

template <class Signature>
using replies_in_t = typename replies_in<Signature>::type;

template <class Actor>
using replies_of_actor = mp::mp_flatten<
  mp::mp_transform<replies_in_t, typename parts_of<Actor>::signatures>>;

/// What the store comes to is drawn by the actor that asked it, as it answers.
using every_reply_of_the_store
  = mp::mp_append<replies_of_actor<store_writer>,
                  replies_of_actor<store_reader_process>>;

/// What callbacks are run with, and what handlers draw.
using every_other_value = mp::mp_append<
  mp::mp_transform<
    expected,
    mp::mp_unique<mp::mp_append<
      every_reply_of_the_store,
      mp::mp_list<command_done, realm_offers_answered, pace_view, slot_lease,
                  stored_time, std::optional<slot_row>, void>>>>,
  mp::mp_list<uint64_t, milliseconds, http_request>>;

} // namespace weir::trace
