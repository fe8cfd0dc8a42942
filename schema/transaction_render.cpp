#include "schema/json_string.hpp"
#include "schema/transaction.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>
#include <vector>

namespace weir {

namespace {

constexpr std::string_view stable_ephemeral = "ephemeral";
constexpr std::string_view unstable_ephemeral = "de.sorunome.msc2409.ephemeral";

/// Collects what goes under each key, then writes it all into one allocation.
class renderer {
public:
  /// False if a key would have to be written twice.
  [[nodiscard]] bool take(const rendered_item& item) {
    if (item.kind == lane::event) {
      put(lists_.front(), item.bytes);
      return true;
    }
    auto keys = item.keys;
    for (auto end = keys.find('\n'); end != std::string_view::npos;
         end = keys.find('\n')) {
      if (!take_under(keys.substr(0, end), item))
        return false;
      keys.remove_prefix(end + 1);
    }
    return take_under(keys, item);
  }

  [[nodiscard]] std::string write() const {
    std::string body;
    body.reserve(bytes_);
    body += '{';
    for (const auto& one : lists_)
      write_list(body, one);
    for (const auto& [raw_key, value] : whole_values_) {
      write_key(body, raw_key);
      body += value;
    }
    body += '}';
    return body;
  }

private:
  struct list {
    std::string_view raw_key;
    std::string key; ///< Unescaped.
    std::vector<std::string_view> items;
  };

  bool take_under(std::string_view raw_key, const rendered_item& item) {
    const bool is_list = item.kind <= lane::to_device;
    auto* known = is_list ? find_list(raw_key) : nullptr;
    if (known) {
      put(*known, item.bytes);
      return true;
    }
    auto key = unescape_json(raw_key);
    if (!keys_.insert(key).second)
      return false;
    bytes_ += raw_key.size() + key_framing;
    if (is_list) {
      lists_.push_back({raw_key, std::move(key), {}});
      put(lists_.back(), item.bytes);
    } else {
      whole_values_.emplace_back(raw_key, item.bytes);
      bytes_ += item.bytes.size();
    }
    return true;
  }

  /// The list written under this key, however it is spelled; not `events`.
  list* find_list(std::string_view raw_key) {
    const auto find = [this](auto member, std::string_view key) {
      const auto found = std::ranges::find(std::next(lists_.begin()),
                                           lists_.end(), key, member);
      return found != lists_.end() ? &*found : nullptr;
    };
    auto* const same = find(&list::raw_key, raw_key);
    return same ? same : find(&list::key, unescape_json(raw_key));
  }

  void put(list& to, std::string_view item) {
    to.items.push_back(item);
    bytes_ += item.size() + 1;
  }

  static void write_key(std::string& body, std::string_view raw_key) {
    if (body.size() > 1)
      body += ',';
    body += '"';
    body += raw_key;
    body += "\":";
  }

  static void write_list(std::string& body, const list& of) {
    write_key(body, of.raw_key);
    body += '[';
    for (size_t i = 0; i < of.items.size(); ++i) {
      if (i != 0)
        body += ',';
      body += of.items[i];
    }
    body += ']';
  }

  /// Comma, two quotes, colon and two brackets.
  static constexpr size_t key_framing = 6;

  std::vector<list> lists_{{"events", "events", {}}}; ///< Events come first.
  std::vector<std::pair<std::string_view, std::string_view>> whole_values_;
  std::set<std::string> keys_{"events"}; ///< Unescaped, of all above.
  size_t bytes_ = std::string_view{R"({"events":[]})"}.size();
};

} // namespace

std::string ephemeral_keys(uint32_t format, std::string_view keys) {
  std::string spelt{keys};
  if (format != mirrored_format)
    return spelt;
  bool has_stable = false;
  bool has_unstable = false;
  for (size_t first = 0; first <= keys.size();) {
    const auto end = std::min(keys.find('\n', first), keys.size());
    const auto key = unescape_json(keys.substr(first, end - first));
    has_stable = has_stable || key == stable_ephemeral;
    has_unstable = has_unstable || key == unstable_ephemeral;
    first = end + 1;
  }
  if (has_stable && !has_unstable)
    spelt.append("\n").append(unstable_ephemeral);
  if (has_unstable && !has_stable)
    spelt.append("\n").append(stable_ephemeral);
  return spelt;
}

expected<std::string> render_transaction(uint32_t format,
                                         std::span<const rendered_item> items) {
  if (format != transaction_format && format != mirrored_format)
    return fail(ec::corrupt,
                "render transaction: unknown format " + std::to_string(format));
  renderer collected;
  std::deque<std::string> spelt; // Its views must outlive the renderer's use.
  for (auto item : items) {
    if (item.kind == lane::ephemeral)
      item.keys = spelt.emplace_back(ephemeral_keys(format, item.keys));
    if (!collected.take(item))
      return fail(ec::invalid_argument, "render transaction: a key twice");
  }
  return collected.write();
}

} // namespace weir
