#pragma once

#include "schema/element.hpp"
#include "schema/time.hpp"
#include "tests/sim/lane_traffic.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace weir::sim {

/// The checkers of the lanes other than events; `ledger` has those of events,
/// to-device and unknown keys, and of the bytes of a transaction.
///
/// - Ephemeral elements are as the homeserver wrote them, under its keys or
///   under both. When they are pinned they are not too old, nothing that is
///   acknowledged and not delivered is left behind, and no later word on the
///   same subject waits. A bridge never hears an older word after a newer one.
/// - Of device lists, key counts and fallback keys a bridge has in the end the
///   last word on each subject, and never hears an older one after a newer.
///
/// Lenient where it cannot know: of what was offered and not acknowledged, and
/// after an old copy of the store was put back.
class lane_ledger {
public:
  using reporter = std::function<void(std::string rule, std::string what)>;

  lane_ledger(std::vector<lane_promise> promised, reporter report);

  /// Whether an element of this lane is checked here and not in `ledger`.
  static bool is_here(lane kind);

  void offered(uint64_t offer, size_t bridge,
               const incoming_transaction& content);
  void answered(uint64_t offer, bool stored, milliseconds at);
  /// No answer will come, nor will it be stored later.
  void unanswerable(uint64_t offer) {
    close(offer);
  }
  void pinned(size_t bridge, const std::string& id, milliseconds at);
  /// Its notices are spelt in another way from now on, and what is pinned is
  /// not.
  void spelt_anew(size_t bridge) {
    bridges_[bridge].either_spelling = true;
  }
  void sent(size_t bridge, const std::string& id, std::string_view body);
  void processed(size_t bridge, const std::string& id);
  /// True when it was an element of these lanes.
  bool buried(size_t bridge, std::string_view bytes);
  void put_back();
  /// All that was kept of a bridge is to go.
  void removed(size_t bridge) {
    forget(bridges_[bridge]);
  }
  /// Ages are by the store's clock, which goes on differently now.
  void clock_moved() {
    knows_ages_ = false;
  }
  void check_end();

private:
  /// When something was offered, and when it was known what became of it: two
  /// that overlap may be taken in in either order.
  struct span_of_offer {
    uint64_t offered = 0;
    uint64_t closed = 0; ///< 0: not yet.
    [[nodiscard]] bool is_before(const span_of_offer& other) const {
      return closed != 0 && closed < other.offered;
    }
  };
  struct notice {
    span_of_offer when;
    std::string keys;
    std::string bytes;
    std::optional<milliseconds> acknowledged;
    /// It came with unknown keys or was pinned before: then it goes in its
    /// turn.
    bool has_place = false;
  };
  struct word {
    span_of_offer when;
    std::string value;
    bool acknowledged = false;
  };
  struct pin_state {
    milliseconds at{0};
    std::set<uint64_t> owed; ///< Durable and acknowledged by then.
    std::map<std::string, uint64_t> newest; ///< Notice by subject, by then.
  };
  struct bridge_state {
    lane_promise promised;
    bool either_spelling = false;
    std::map<uint64_t, notice> notices;
    std::map<std::string, uint64_t> newest; ///< Acknowledged, by subject.
    std::map<std::string, uint64_t> heard;
    std::set<uint64_t> owed;
    std::set<uint64_t> gone; ///< Durable, and delivered or buried.
    std::map<std::string, std::vector<word>> words;
    std::map<std::string, size_t> known; ///< Index of the word it has.
    std::map<std::string, pin_state> pins;
    std::map<std::string, incoming_transaction> transactions;
    std::set<std::string> done;
  };
  struct offer_state {
    size_t bridge = 0;
    std::vector<uint64_t> durable;
    std::vector<uint64_t> notices;
    std::vector<std::pair<std::string, size_t>> words; ///< Subject and index.
  };

  static void forget(bridge_state& to);
  std::optional<offer_state> close(uint64_t offer);
  void check_notice(bridge_state& to, const std::string& id,
                    const element& item);
  void check_against_pin(const bridge_state& to, const std::string& id,
                         uint64_t no, const notice& what);
  static void leave(bridge_state& to, uint64_t no);
  void hear(bridge_state& to, const std::string& id, const element& item);
  void learn(bridge_state& to, const std::string& id, const said_word& what);

  std::vector<bridge_state> bridges_;
  std::map<uint64_t, offer_state> offers_;
  uint64_t tick_ = 0;
  bool knows_ages_ = true;
  reporter report_;
};

} // namespace weir::sim
