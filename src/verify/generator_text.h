// The text form of states and regions, put together piece by piece.
#pragma once

#include "verify/generator_value.h"

#include <map>
#include <set>

namespace sdfgopt::verify::generator {

/// Each line that is not empty, two columns further right.
std::string indented(std::string_view text);

/// What a memlet has besides its data and subset.
struct MemletMore {
  std::string other; ///< "[0..3]": the subset at the other end
  std::string wcr;
  bool dynamic = false;
  const char *side = ""; ///< " of source", " of target"
};
std::string memlet(const std::string &data, const Box &part, const MemletMore &more = {});
std::string memlet(const std::string &data, const std::string &part, const MemletMore &more = {});

/// A state's text. Nodes are numbered in the order in which they are added; scopes are entries.
class StateText {
public:
  static constexpr int top = -1;
  struct Scope {
    int entry;
    int exit;
  };
  struct Param {
    std::string name;
    std::string range; ///< "0..N - 1"
  };

  explicit StateText(std::string label) : label_(std::move(label)) {}

  /// A node by the text that follows its id.
  int node(const std::string &text, int scope = top);
  int access(const std::string &data, int scope = top, const std::string &more = "");
  /// `code` may have several lines.
  int tasklet(const std::string &label, const std::string &code, int scope = top);
  Scope map(const std::string &label, const std::vector<Param> &params, int scope = top);
  Scope scope(const std::string &head, int outer);
  /// `memlet` is "" for an edge that only orders its nodes; so may be the connectors.
  void edge(int src, const std::string &src_connector, int dst, const std::string &dst_connector,
            const std::string &memlet);
  void edge(int src, int dst) { edge(src, "", dst, "", ""); }

  [[nodiscard]] bool reaches(int from, int to) const;
  /// Access nodes of some data at the top level, in order.
  [[nodiscard]] const std::vector<int> &accesses(const std::string &data) {
    return accesses_[data];
  }
  [[nodiscard]] const std::string &label() const { return label_; }
  [[nodiscard]] std::string text() const;

  /// What one action has done, so that later ones can be ordered after it.
  struct Action {
    std::set<std::string> reads;
    std::set<std::string> writes;
    std::vector<int> ends;
  };
  std::vector<Action> history;

private:
  struct Node {
    std::string text;
    int scope;
    int exit = top; ///< of scopes
    bool is_exit = false;
  };
  struct Edge {
    int src;
    int dst;
    std::string text;
  };
  [[nodiscard]] std::string node_text(int node) const;

  std::string label_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::map<std::string, std::vector<int>> accesses_;
};

/// The blocks of a region and its edges. Blocks follow each other; `open` tells from where control
/// comes to the next one.
class RegionText {
public:
  struct End {
    std::string label;
    std::string condition;
  };
  struct Assignment {
    std::string symbol;
    std::string value;
  };

  /// A block with its whole text; a state that is still being filled is told later.
  void add(const std::string &label, const std::string &text,
           const std::vector<Assignment> &assignments = {});
  /// An edge; without condition and assignments if these are empty.
  void link(const std::string &src, const std::string &dst, const std::string &condition,
            const std::vector<Assignment> &assignments);
  [[nodiscard]] bool empty() const { return blocks_.empty(); }
  [[nodiscard]] std::string text() const;

  std::vector<End> open;

private:
  std::vector<std::string> blocks_;
  std::string edges_;
};

} // namespace sdfgopt::verify::generator
