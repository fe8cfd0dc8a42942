#pragma once

#include "persistence/store.hpp"
#include "tests/sim/plan.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace weir::sim {

/// What one open batch has done so far, as an observer sees it.
struct batch_content {
  struct end {
    std::string queue; ///< `appservice/ID`
    std::string id;
    std::string result;
  };
  struct burial {
    appservice_id appservice;
    std::string bytes;
    std::string reason;
    uint64_t seq = 0;
    lane kind = lane::event;
    int64_t letter = 0; ///< Its id as a dead letter.
  };
  bool appended = false;
  bool locked = false;
  bool saved = false;
  std::vector<end> ends;
  std::vector<burial> burials;
  uint64_t letter_bytes = 0; ///< Of all dead letters, when there are burials.
  size_t burials_seen = 0;   ///< That were looked at for `passed_over`.
  /// Of a full queue that gave something up, by appservice: the oldest row
  /// below that which is still owed and in no pin.
  std::map<std::string, uint64_t> passed_over;
  std::map<int64_t, burial> letters_read;
  std::vector<burial> letters_taken;  ///< They are no letters any more.
  std::vector<appservice_id> removed; ///< Their removal began.
  /// It ended, and these letters are there.
  std::map<std::string, std::vector<int64_t>> removal_ended;
  std::vector<queue_row> rows;
  /// What was pinned when a row was read first, by appservice.
  std::map<std::string, txn_id> pins_before;

  /// Whether this batch pinned what is pinned in `row`, which it saved.
  [[nodiscard]] bool pins(const queue_row& row) const;
  /// What it is for.
  [[nodiscard]] std::set<store_step> steps() const;
};

/// Whether the pin of `queue` names this row.
bool is_pinned(const queue_row& queue, lane kind, uint64_t seq);

/// What becomes of a commit.
enum class commit_fate : uint8_t {
  commits,
  node_ends_before,
  node_ends_after,
  lost,        ///< `ec::in_doubt`, and nothing was stored.
  answer_lost, ///< `ec::in_doubt`, and it was stored.
};

/// Who decides about the store of one node, and hears of it. All of it is
/// called from within the store's methods.
class store_watch {
public:
  virtual ~store_watch() = default;
  /// No answer comes: the database is away, or its node has ended.
  virtual bool is_away() = 0;
  virtual commit_fate before_commit(const batch_content& content) = 0;
  /// Between `node_ends_before` and the end of the store's call.
  virtual void end_node() = 0;
  virtual void committed(const batch_content& content) = 0;
  /// Whether it committed will show by the position of its slot.
  virtual void doubted(const batch_content& content, uint64_t position) = 0;
  /// There are so many bytes of dead letters; returns how many the node is to
  /// believe that there are.
  virtual uint64_t letters_held(uint64_t bytes) = 0;
  /// A position was read that no open batch has moved.
  virtual void found(uint64_t position) = 0;
};

/// A store that does what its watch says, around one that is real.
std::unique_ptr<store> watch_store(std::unique_ptr<store> inner,
                                   std::shared_ptr<store_watch> by);

/// The same for a reader; it is only away sometimes.
std::unique_ptr<store_reader> watch_reader(std::unique_ptr<store_reader> inner,
                                           std::shared_ptr<store_watch> by);

} // namespace weir::sim
