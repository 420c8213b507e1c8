// The search for a smaller program: applies edits to parts of lists, and keeps what is interesting.
#include "verify/reducer.h"

#include "io/text_parser.h"
#include "io/text_printer.h"
#include "ir/verifier.h"
#include "verify/reducer_edits.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <unordered_set>

namespace sdfgopt::verify {

using support::Error;
using support::ErrorCode;
using support::result;

namespace reducer {

std::span<const Edit> all_edits() {
  static const auto edits = std::to_array<Edit>(
      {promote_nested_sdfgs, drop_blocks, inline_regions, drop_branches, drop_nodes, drop_edges,
       simplify_control, drop_unused_names, simplify_tasklets, simplify_expressions, drop_clauses,
       halve_numbers, decrement_numbers});
  return edits;
}

namespace {

result<std::unique_ptr<ir::Document>> checked_document(const std::string &text) {
  SDFGOPT_TRY(auto document, io::parse_text(text));
  SDFGOPT_CHECK(ir::check(document->root));
  return document;
}

std::optional<std::int64_t> number(ir::Expression expression) {
  const std::string_view text = expression.text();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

bool is_inside(const ir::Sdfg &sdfg, support::Name data, const ir::Subset &subset) {
  const ir::Descriptor *descriptor = sdfg.find_array(data);
  if (!subset || !descriptor || descriptor->shape.size() != subset.rank())
    return true;
  for (std::size_t d = 0; d < subset.rank(); ++d) {
    const auto begin = number(subset.ranges()[d].begin);
    const auto end = number(subset.ranges()[d].end);
    const auto extent = number(descriptor->shape[d]);
    if ((begin && *begin < 0) || (extent && begin && *begin >= *extent) ||
        (extent && end && *end >= *extent))
      return false;
  }
  return true;
}

/// No memlet is out of bounds by its numbers alone. DaCe refuses such programs, so no program that
/// is in bounds may become one.
bool is_in_bounds(ir::Document &document) {
  bool inside = true;
  for_each_sdfg(document.root, [&](ir::Sdfg &sdfg) {
    ir::for_each_state(sdfg.root, [&](ir::State &state, ir::Block &) {
      for (const ir::Edge &edge : state.edges) {
        const ir::Memlet &memlet = edge.memlet;
        inside = inside && is_inside(sdfg, memlet.data, memlet.subset);
        const auto *src = state.node(edge.src).as<ir::AccessNode>();
        const auto *dst = state.node(edge.dst).as<ir::AccessNode>();
        if (src && dst && !memlet.is_empty())
          inside = inside && is_inside(sdfg, memlet.data == dst->data ? src->data : dst->data,
                                       memlet.other_subset);
      }
    });
  });
  return inside;
}

/// FNV-1a: tells texts apart that were tried before. A collision costs one candidate.
std::uint64_t hash_of(const std::string &text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

class Search {
public:
  Search(std::string text, const Interesting &interesting, const ReduceOptions &options,
         bool in_bounds)
      : text_(std::move(text)), interesting_(interesting), attempts_(options.max_attempts),
        in_bounds_(in_bounds) {}

  std::string run() {
    bool again = true;
    while (again && attempts_ > 0) {
      again = false;
      for (const Edit &edit : all_edits())
        again = run(edit) || again;
    }
    return std::move(text_);
  }

private:
  /// Chunks of half the list, then of a quarter, and so on; each is tried once at each size.
  bool run(const Edit &edit) {
    bool changed = false;
    std::size_t total = count(edit);
    for (std::size_t size = total; size > 0 && attempts_ > 0; size /= 2)
      for (std::size_t first = 0; first < total && attempts_ > 0;) {
        if (!attempt(edit, first, size)) {
          first += size;
          continue;
        }
        changed = true;
        const std::size_t before = total;
        total = count(edit);
        if (total >= before) // an edit that simplifies leaves its elements there
          first += size;
      }
    return changed;
  }

  std::size_t count(const Edit &edit) {
    Selection none(0, 0);
    if (const auto *on_text = std::get_if<TextEdit>(&edit))
      (*on_text)(text_, none);
    else if (const auto document = io::parse_text(text_))
      std::get<DocumentEdit>(edit)(*document.value(), none);
    return none.asked();
  }

  bool attempt(const Edit &edit, std::size_t first, std::size_t size) {
    const std::optional<std::string> candidate = edited(edit, first, size);
    if (!candidate || *candidate == text_ || !tried_.insert(hash_of(*candidate)).second)
      return false;
    const auto document = checked_document(*candidate);
    if (!document || (in_bounds_ && !is_in_bounds(*document.value())))
      return false;

    --attempts_;
    if (!interesting_(*candidate))
      return false;
    text_ = *candidate;
    return true;
  }

  std::optional<std::string> edited(const Edit &edit, std::size_t first, std::size_t size) {
    Selection selection(first, size);
    if (const auto *on_text = std::get_if<TextEdit>(&edit))
      return (*on_text)(text_, selection);
    const auto document = io::parse_text(text_);
    if (!document)
      return std::nullopt;
    std::get<DocumentEdit>(edit)(*document.value(), selection);
    if (!ir::check(document.value()->root))
      return std::nullopt;
    auto text = io::print_text(*document.value(), {});
    if (!text)
      return std::nullopt;
    return std::move(text).value();
  }

  std::string text_;
  const Interesting &interesting_;
  std::size_t attempts_;
  bool in_bounds_;
  std::unordered_set<std::uint64_t> tried_;
};

} // namespace

} // namespace reducer

result<std::string> reduce(const std::string &sdfgt_text, const Interesting &interesting,
                           const ReduceOptions &options) {
  SDFGOPT_TRY(const auto document, reducer::checked_document(sdfgt_text));
  SDFGOPT_TRY(std::string text, io::print_text(*document, {}));
  SDFGOPT_CHECK(reducer::checked_document(text));
  if (!interesting(text))
    return Error{ErrorCode::Usage, "the program does not have the property to begin with", ""};
  const bool in_bounds = reducer::is_in_bounds(*document);
  return reducer::Search(std::move(text), interesting, options, in_bounds).run();
}

} // namespace sdfgopt::verify
