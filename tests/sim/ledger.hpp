#pragma once

#include "schema/element.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace weir::sim {

/// What a checker has to say against a run.
struct violation {
  std::string rule; ///< Stable: the shrinker goes by it.
  std::string what;
};

/// What one bridge was promised.
struct bridge_rules {
  milliseconds pause_first{1'000};
  milliseconds pause_ceiling{60'000};
  double pause_jitter = 0.2;
  size_t events_max = 100;
  size_t ephemeral_max = 100;
  size_t to_device_max = 100;
  size_t bytes_max = 4'000'000;
  /// A queue that owes nothing for so long may forget how often it was refused.
  milliseconds idle_after{15'000};
  milliseconds age_max{0}; ///< Of events that are owed; 0: none.
};

/// One thing that a homeserver offers. `no` is written into its bytes and never
/// used twice, so that it is known wherever it comes out.
struct offered_element {
  uint64_t no = 0;
  element item;
};

/// How one request to a bridge ended, as the node saw it.
enum class ending : uint8_t {
  accepted,
  refused,  ///< Nothing said of the content.
  rejected, ///< 4xx of the content.
  too_big,
  hang,     ///< Reached the bridge and brought no verdict.
  given_up, ///< The node closed it.
  cut,      ///< The node's own transport ended with it.
};

/// The checkers: it is told all that happens between homeservers, node, store
/// and bridges, and holds each guarantee against it. It knows nothing of how
/// Weir does what it does. The first violation stays.
///
/// Times are virtual and never go back. Not thread-safe.
class ledger {
public:
  explicit ledger(std::vector<bridge_rules> bridges);

  [[nodiscard]] const std::optional<violation>& found() const {
    return found_;
  }
  void report(std::string rule, std::string what);

  // -- homeservers ----------------------------------------------------------

  /// A transaction is on its way to Weir. Returns the number of the offer.
  uint64_t offer(size_t bridge, const std::vector<offered_element>& elements,
                 milliseconds at);
  /// Weir answered it; `stored` is the 200.
  void answered(uint64_t offer, bool stored, milliseconds at);
  /// No answer will come: the node ended.
  void unanswerable(uint64_t offer);

  // -- bridges --------------------------------------------------------------

  /// A transaction has left for a bridge.
  void sent(size_t bridge, const std::string& id, std::string_view body,
            milliseconds at);
  /// Something else has, a ping.
  void asked(size_t bridge, milliseconds at);
  /// The bridge did what the transaction says.
  void processed(size_t bridge, const std::string& id);
  /// Its connection is closed. `wish` is how long the bridge wants peace. Of an
  /// answer that is not surely heard nothing is expected, and all is forgiven.
  void closed(size_t bridge, const std::string& id, ending how,
              milliseconds wish, milliseconds at, bool heard = true);
  void ping_closed(size_t bridge, milliseconds at);
  /// The node was told that the bridge lives: its own back-off is over, for
  /// good if the store is well.
  void alive(size_t bridge, milliseconds at);
  /// It is served in another way from now on: the same, and for a send that is
  /// under way too.
  void served_anew(size_t bridge, milliseconds at);
  /// What was to be told at this very moment may not have been.
  void alive_unheard(milliseconds at);

  // -- the operator ---------------------------------------------------------

  /// From here on a queue may be paused: nobody may expect progress.
  void pause_asked(size_t bridge);
  /// It is: nothing is sent any more.
  void paused(size_t bridge);
  /// It may go on,
  void resume_asked(size_t bridge);
  /// and must.
  void resumed(size_t bridge, milliseconds at);
  /// Our own back-off may end, by force what the bridge asked for too,
  void retry_asked(size_t bridge, bool force);
  /// and has.
  void retried(size_t bridge, bool force, milliseconds at);
  /// This transaction may be given up.
  void skip_asked(size_t bridge, const std::string& id);

  // -- the store, as committed ----------------------------------------------

  void ended(size_t bridge, const std::string& id, const std::string& result);
  void buried(size_t bridge, std::string_view bytes);
  /// It is promised that this id means what is sent under it.
  void pinned(size_t bridge, const std::string& id, milliseconds at);
  /// An event is given up for its age.
  void outlived(size_t bridge, std::string_view bytes, milliseconds at);
  /// A dead letter is owed again, behind all that was acknowledged before.
  void owed_again(size_t bridge, std::string_view bytes, milliseconds at);
  /// All that was kept of a bridge is to go: only what is offered again, or is
  /// in flight, may reach it.
  void removed(size_t bridge, milliseconds at);

  // -- upheavals ------------------------------------------------------------

  /// The node ended, and with it its connections and its memory.
  void crashed(milliseconds at, milliseconds stored_since);
  /// Actors lost their memory. What is stored they find again: all, if the
  /// store took everything in since `stored_since`.
  void memory_lost(milliseconds at, milliseconds stored_since);
  /// The same, of one bridge that no configuration names any more. A send that
  /// is under way is ended by who is about to go.
  void left(size_t bridge, milliseconds at, milliseconds stored_since);
  /// The wishes of bridges may be forgotten from now on: the store cannot
  /// keep them, or its clock was moved unseen.
  void wishes_lost();
  /// How old something is cannot be told from now on: the clock was moved, or
  /// there is no room for what is too old.
  void ages_unknown() {
    knows_ages_ = false;
  }
  /// Remembers what there is, for `put_back`.
  [[nodiscard]] uint64_t mark() const {
    return tick_;
  }
  /// The store is as it was at that mark.
  void put_back(uint64_t mark, milliseconds at);
  /// Until then nobody may expect progress.
  void upheaval(milliseconds until);

  // -- checks ---------------------------------------------------------------

  /// Queues that owe something must move.
  void check_progress(milliseconds now);
  /// Everything is over.
  void check_end();

  /// Whether any bridge is still owed something that it must get.
  [[nodiscard]] bool all_delivered() const;
  /// Acknowledged elements that `bridge` has not got.
  [[nodiscard]] size_t owed(size_t bridge) const {
    return bridges_[bridge].owed.size();
  }
  /// Whether something that was offered to `bridge` is not answered yet.
  [[nodiscard]] bool awaits_answer(size_t bridge) const;
  /// Whether `bridge` is left alone by right.
  [[nodiscard]] bool rests(size_t bridge, milliseconds now) const {
    return now < bridges_[bridge].rests_until;
  }
  [[nodiscard]] uint64_t transactions_delivered() const {
    return delivered_;
  }
  [[nodiscard]] uint64_t elements_processed() const {
    return processed_;
  }

private:
  struct element_state {
    lane kind = lane::event;
    std::unordered_set<std::string> forms; ///< Keys and bytes as offered.
    uint64_t first_offer = 0;
    uint64_t first_offer_tick = 0;
    uint64_t acknowledged_tick = 0;  ///< 0: never.
    milliseconds offered_at{0};      ///< Stored not earlier than this,
    milliseconds acknowledged_at{0}; ///< and not later than this.
    bool required = false;
    bool processed = false;
    bool buried = false;
    uint64_t buried_tick = 0;
    bool removed = false; ///< With its bridge, and was not offered since.
    uint64_t removed_tick = 0;
    bool was_processed = false; ///< Or buried, until then.
    bool suspect
      = false; ///< Was in a transaction that was cut for its content.
    std::string transaction; ///< Where it was sent last.
  };
  struct transaction_state {
    std::string body;
    std::vector<uint64_t> elements;
    bool processed = false;
    bool accepted = false;
    bool ended = false;
    bool skip_asked = false;
    uint64_t first_tick = 0;
    size_t too_big = 0;
    size_t rejections = 0;
    size_t hangs = 0;
  };
  struct bridge_state {
    bridge_rules rules;
    std::unordered_map<uint64_t, element_state> elements;
    std::map<std::string, transaction_state> transactions;
    std::map<std::string, milliseconds> pins; ///< Not sent yet, since when.
    std::string current;                      ///< Sent last and not ended.
    /// Required and not there yet, by when they were acknowledged.
    std::set<std::pair<uint64_t, uint64_t>> owed;
    std::unordered_map<uint64_t, uint64_t> last_of_offer;
    size_t open = 0;  ///< Transactions.
    size_t asked = 0; ///< Other requests.
    milliseconds wished_until{0};
    milliseconds wished_at{0};
    milliseconds own_until{0};   ///< Not earlier, by Weir's own back-off.
    bool no_own_pause = false;   ///< Not after the send under way.
    size_t refusals = 0;         ///< Since the last success: an upper bound.
    size_t sure_refusals = 0;    ///< The same: a lower bound.
    milliseconds rests_until{0}; ///< Not later.
    /// A pause that is partly the bridge's wish is stored as that: a new memory
    /// takes all of it for one, which no ping ends.
    milliseconds wish_stored_until{0};
    milliseconds wish_restored_until{0};
    /// What was ended by force, if that command was done, or may not have been
    /// heard.
    milliseconds wish_perhaps_until{0};
    milliseconds alive_at{-1};
    milliseconds rested_until{0}; ///< Not later, had it not shown life.
    /// The latest that they ever were: an old copy may hold that pause.
    milliseconds rested_ever{0}, wish_ever{0};
    milliseconds moved{0};
    milliseconds closed_at{-1};
    std::optional<milliseconds> nothing_owed_since;
    bool perhaps_halted = false; ///< An operator paused it, as far as known.
    bool halted = false;         ///< Surely.
    uint64_t removed_tick = 0;   ///< 0: it never was.
  };
  struct offer_state {
    size_t bridge = 0;
    std::vector<uint64_t> elements;
    bool answered = false;
  };

  void check_bounds(const bridge_state& to, const std::string& id,
                    const incoming_transaction& content, size_t bytes);
  void check_successor(bridge_state& to, const std::string& id);
  void check_moments(bridge_state& to, const std::string& id, milliseconds at);
  transaction_state* take_in(bridge_state& to, const std::string& id,
                             std::string_view body);
  void arrive(bridge_state& to, const std::string& id, uint64_t no);
  void check_order(const bridge_state& to, uint64_t no,
                   const element_state& arrived);
  void check_order_within(const bridge_state& to, const transaction_state& of);
  void check_cause(const bridge_state& to, const std::string& id,
                   const std::string& result);
  void check_moved(const bridge_state& of, milliseconds now);
  void check_halted(const bridge_state& to, const std::string& what);
  void check_age(bridge_state& to, const std::string& id);
  void kept_aside(bridge_state& to, const std::string& id,
                  const transaction_state& of);
  void pause(bridge_state& to, ending how, milliseconds wish, milliseconds at,
             bool heard);
  static void forget_alive(bridge_state& of);
  static void forget(bridge_state& of, milliseconds at,
                     milliseconds stored_since);
  static void forget_idle(bridge_state& of, milliseconds at);
  [[nodiscard]] static uint64_t lane_of_offer(const element_state& of);
  void suspect(bridge_state& to, const transaction_state& of);
  [[nodiscard]] static bool had_cause(const bridge_state& to,
                                      const transaction_state& of);
  [[nodiscard]] static bool looks_bad(const bridge_state& to,
                                      const transaction_state& of);

  std::vector<bridge_state> bridges_;
  std::unordered_map<uint64_t, offer_state> offers_;
  uint64_t next_offer_ = 1;
  bool knows_ages_ = true;
  uint64_t tick_ = 0;
  milliseconds calm_from_{0};
  uint64_t delivered_ = 0;
  uint64_t processed_ = 0;
  std::optional<violation> found_;
};

/// The number in an element's bytes; 0 when there is none.
uint64_t number_in(std::string_view bytes);
/// How that number is written.
std::string written_number(uint64_t no);

} // namespace weir::sim
