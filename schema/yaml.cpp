#include "schema/yaml.hpp"

#include <simdjson.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace weir {

namespace {

using kind_type = yaml_node::kind_type;

constexpr std::string_view core_tag = "tag:yaml.org,2002:";
/// YAML wants a key that stands on one line to be shorter than 1024.
constexpr size_t key_bytes_max = 256;

/// Whether there is one besides those of `allowed`. The parser takes some for
/// the end of the text, an editor shows something else than what is there, and
/// a key of them grows past its bound when it is written with escapes.
bool has_control_character(std::string_view text, std::string_view allowed) {
  return std::any_of(text.begin(), text.end(), [allowed](char c) {
    return (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      && allowed.find(c) == std::string_view::npos;
  });
}

/// Builds the tree from the parser's events. After the first problem that
/// leaves it without a tree it only lets the parser run out.
class tree_builder final : public YAML::EventHandler {
public:
  explicit tree_builder(yaml_document& into) : document_{into} {
  }

  [[nodiscard]] bool has_document() const noexcept {
    return has_document_;
  }

  void OnDocumentStart(const YAML::Mark&) override {
    has_document_ = true;
  }
  void OnDocumentEnd() override {
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    take(at(mark, kind_type::null), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag,
                YAML::anchor_t anchor, const std::string& value) override {
    auto node = at(mark, kind_type::scalar);
    node.text = value;
    node.quoted = tag == "!" || tag == std::string{core_tag} + "str";
    if (!node.quoted)
      refuse_tag(node, tag, "");
    // The parser makes single bytes of these two, which are no UTF-8.
    if (!simdjson::validate_utf8(value.data(), value.size()))
      return give_up(node.line, node.column,
                     "expected the characters themselves, not \\_ or \\N");
    take(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (broken_)
      return;
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      return give_up(mark.line + 1, mark.column + 1,
                     "expected no alias inside of what it names");
    if (!pay(found->second.bytes, mark.line + 1, mark.column + 1))
      return;
    take(found->second.node, 0);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(at(mark, kind_type::list), tag, "seq", anchor);
  }
  void OnSequenceEnd() override {
    close();
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag,
                  YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    open(at(mark, kind_type::map), tag, "map", anchor);
  }
  void OnMapEnd() override {
    if (!broken_)
      refuse_duplicates(frames_.back().node);
    close();
  }

private:
  struct frame {
    yaml_node node;
    YAML::anchor_t anchor = 0;
    size_t bytes_before = 0;
    bool has_key = false;
    yaml_node key;
  };
  struct anchored {
    yaml_node node;
    size_t bytes = 0;
  };

  static yaml_node at(const YAML::Mark& mark, kind_type kind) {
    yaml_node node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }

  void give_up(int line, int column, std::string what) {
    document_.problems.push_back({line, column, path(), std::move(what)});
    broken_ = true;
  }

  bool pay(size_t bytes, int line, int column) {
    bytes_ += bytes;
    if (bytes_ <= yaml_bytes_max)
      return true;
    give_up(line, column, "expected aliases that unfold to less");
    return false;
  }

  void refuse_tag(const yaml_node& node, const std::string& tag,
                  std::string_view plain) {
    if (tag.empty() || tag == "?" || tag == "!"
        || (!plain.empty() && tag == std::string{core_tag}.append(plain)))
      return;
    document_.problems.push_back(
      {node.line, node.column, path(), "expected no tag, quote a string"});
  }

  void open(yaml_node node, const std::string& tag, std::string_view plain,
            YAML::anchor_t anchor) {
    if (broken_)
      return;
    if (frames_.size() >= yaml_depth_max)
      return give_up(node.line, node.column, "expected less nesting");
    refuse_tag(node, tag, plain);
    frames_.push_back({std::move(node), anchor, bytes_, false, {}});
  }

  void close() {
    if (broken_)
      return;
    auto done = std::move(frames_.back());
    frames_.pop_back();
    take(std::move(done.node), done.anchor, done.bytes_before);
  }

  void take(yaml_node node, YAML::anchor_t anchor) {
    take(std::move(node), anchor, bytes_);
  }

  void take(yaml_node node, YAML::anchor_t anchor, size_t bytes_before) {
    if (broken_
        || !pay(sizeof(yaml_node) + node.text.size(), node.line, node.column))
      return;
    if (anchor != 0) {
      const auto bytes = bytes_ - bytes_before;
      if (!pay(bytes, node.line, node.column))
        return;
      anchors_.insert_or_assign(anchor, anchored{node, bytes});
    }
    if (frames_.empty())
      document_.root = std::move(node);
    else
      put(frames_.back(), std::move(node));
  }

  void put(frame& into, yaml_node node) {
    if (into.node.is_list()) {
      into.node.items.push_back(std::move(node));
    } else if (!into.has_key) {
      if (!node.is_scalar() || (node.text == "<<" && !node.quoted))
        return give_up(node.line, node.column,
                       node.is_scalar() ? "expected no merge key"
                                        : "expected a key that is a string");
      if (node.text.size() > key_bytes_max)
        return give_up(node.line, node.column, "expected a shorter key");
      if (has_control_character(node.text, ""))
        return give_up(node.line, node.column,
                       "expected a key without control characters");
      into.key = std::move(node);
      into.has_key = true;
    } else {
      // The parser gives an absent value the place of what follows it.
      if (node.is_null()) {
        node.line = into.key.line;
        node.column = into.key.column;
      }
      into.node.entries.push_back({std::move(into.key), std::move(node)});
      into.has_key = false;
    }
  }

  void refuse_duplicates(const yaml_node& map) {
    std::vector<const yaml_node*> keys;
    keys.reserve(map.entries.size());
    for (const auto& entry : map.entries)
      keys.push_back(&entry.key);
    std::stable_sort(
      keys.begin(), keys.end(),
      [](const auto* a, const auto* b) { return a->text < b->text; });
    for (size_t i = 1; i < keys.size(); ++i)
      if (keys[i]->text == keys[i - 1]->text)
        document_.problems.push_back(
          {keys[i]->line, keys[i]->column, path(keys[i]->text),
           "expected a key only once, it stands on line "
             + std::to_string(keys[i - 1]->line) + " too"});
  }

  /// The dotted keys of the open maps, and then `last`.
  [[nodiscard]] std::string path(std::string_view last = {}) const {
    std::string dotted;
    const auto add = [&dotted](std::string_view key) {
      if (!dotted.empty() && !key.empty())
        dotted += '.';
      dotted += key;
    };
    for (const auto& open_one : frames_)
      if (open_one.has_key)
        add(open_one.key.text);
    add(last);
    return dotted;
  }

  yaml_document& document_;
  std::vector<frame> frames_;
  std::map<YAML::anchor_t, anchored> anchors_;
  size_t bytes_ = 0;
  bool broken_ = false;
  bool has_document_ = false;
};

} // namespace

const yaml_entry* yaml_node::find(std::string_view key) const noexcept {
  for (const auto& entry : entries)
    if (entry.key.text == key)
      return &entry;
  return nullptr;
}

yaml_document read_yaml(std::string_view text) {
  yaml_document document;
  if (!simdjson::validate_utf8(text.data(), text.size())
      || has_control_character(text, "\n\r\t")) {
    document.problems.push_back(
      {1, 1, "", "expected UTF-8 text without control characters"});
    return document;
  }
  try {
    std::istringstream in{std::string{text}};
    YAML::Parser parser{in};
    tree_builder builder{document};
    parser.HandleNextDocument(builder);
    yaml_document rest;
    tree_builder second{rest};
    parser.HandleNextDocument(second);
    if (second.has_document())
      document.problems.push_back({1, 1, "", "expected a single document"});
  } catch (const YAML::Exception& broken) {
    document.problems.push_back({broken.mark.line + 1, broken.mark.column + 1,
                                 "", "expected YAML, " + broken.msg});
  }
  return document;
}

} // namespace weir
