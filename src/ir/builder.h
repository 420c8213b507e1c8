// Builds documents in C++; reads like the text form.
//
//     ir::Builder b("scale");
//     b.array("a", "float64", {"N"}).array("T", "float64", {"N"}, ir::Builder::transient);
//     auto define = b.state("define");
//     auto a = define.access("a");
//     auto t = define.access("T");
//     auto map = define.map("rows", {{"i", "0..-1 + $N"}});
//     auto f = define.tasklet("f", "y = x + 1.0");
//     define.edge(a, "", map.entry, "IN_a", {"a", {"0..-1 + $N"}})
//         .edge(map.entry, "OUT_a", f, "x", {"a", {"$i"}})
//         ...
//     std::unique_ptr<ir::Document> document = b.finish();
#pragma once

#include "ir/sdfg.h"

#include <initializer_list>

namespace sdfgopt::ir {

/// Data and a part of it, a text a dimension: "begin..end" (inclusive), or one index. Expressions
/// are in the document's grammar (`$N`). Without data, the memlet is empty.
struct Part {
  std::string_view data;
  std::vector<std::string_view> dims;
};

class StateBuilder {
public:
  struct Scope {
    NodeId entry;
    NodeId exit;
  };

  NodeId access(std::string_view data);
  NodeId tasklet(std::string_view label, std::string_view python);
  /// Parameters with their ranges.
  Scope map(std::string_view label,
            std::initializer_list<std::pair<std::string_view, std::string_view>> params);
  /// Adds an edge, and its connectors to both nodes; "" is no connector. `other` is the part at the
  /// end that is not `part.data`; its data is not looked at.
  StateBuilder &edge(NodeId src, std::string_view src_connector, NodeId dst,
                     std::string_view dst_connector, const Part &part = {}, const Part &other = {});

  [[nodiscard]] State &state() const { return *block_->as<State>(); }
  [[nodiscard]] BlockId block() const { return id_; }

private:
  friend class Builder;
  StateBuilder(Document &document, Block &block, BlockId id)
      : document_(&document), block_(&block), id_(id) {}
  Node &add(std::string_view type, NodeDetail detail);
  Subset subset(const Part &part);

  Document *document_;
  Block *block_;
  BlockId id_;
};

class Builder {
public:
  enum Kind : std::uint8_t { argument, transient };

  explicit Builder(std::string_view name);
  Builder &array(std::string_view name, std::string_view dtype,
                 std::initializer_list<std::string_view> shape, Kind kind = argument);
  Builder &symbol(std::string_view name, std::string_view dtype);
  /// A state at the top level; at most `max_states` of them, since builders point into the list.
  StateBuilder state(std::string_view label);
  /// An interstate edge between blocks of the top level; "" is no condition.
  Builder &edge(BlockId src, BlockId dst, std::string_view python_condition = {});
  /// The document; the builder is empty afterwards.
  std::unique_ptr<Document> finish();

  [[nodiscard]] Document &document() { return *document_; }

  static constexpr std::size_t max_states = 1024;

private:
  std::unique_ptr<Document> document_;
};

} // namespace sdfgopt::ir
