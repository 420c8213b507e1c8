#include "io/text_rules.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace sdfgopt::io {

using symbolic::Expr;

namespace {

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_char(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }

constexpr auto plain_words =
    std::to_array<std::string_view>({"E", "False", "I", "None", "True", "and", "dace", "else", "if",
                                     "is", "nan", "not", "oo", "or", "pi"});

/// Length of the `symbol(...)` at the beginning of `text`, 0 if there is none.
std::size_t annotation_size(std::string_view text) {
  if (!text.starts_with("symbol("))
    return 0;
  const std::size_t end = text.find(')');
  return end == std::string_view::npos ? 0 : end + 1;
}

/// Calls `other` for text that is passed on and `name` for names that may carry a `$`.
template <typename Other, typename NameVisit>
void walk_names(std::string_view text, Other other, NameVisit name) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    if (const std::size_t annotation = annotation_size(text.substr(i)); annotation > 0) {
      i += annotation;
      other(text.substr(begin, annotation));
    } else if (is_name_start(text[i])) {
      while (i < text.size() && is_name_char(text[i]))
        ++i;
      const std::string_view word = text.substr(begin, i - begin);
      const bool special = (begin > 0 && (text[begin - 1] == '.' || text[begin - 1] == '$')) ||
                           (i < text.size() && text[i] == '(') ||
                           std::binary_search(plain_words.begin(), plain_words.end(), word);
      special ? other(word) : name(word);
    } else if (text[i] >= '0' && text[i] <= '9') {
      while (i < text.size() && (is_name_char(text[i]) || text[i] == '.'))
        ++i;
      other(text.substr(begin, i - begin));
    } else {
      other(text.substr(i++, 1));
    }
  }
}

} // namespace

std::string add_dollars(std::string_view text) {
  std::string out;
  walk_names(
      text, [&](std::string_view other) { out += other; },
      [&](std::string_view name) { (out += '$') += name; });
  return out;
}

std::string strip_dollars(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t annotation = annotation_size(text.substr(i)); annotation > 0) {
      out += text.substr(i, annotation);
      i += annotation;
    } else {
      if (text[i] != '$' || i + 1 == text.size() || !is_name_start(text[i + 1]))
        out += text[i];
      ++i;
    }
  }
  return out;
}

TextRules::TextRules(ir::Document &document)
    : document_(document), context_(names_), one_(expression("1")), zero_(expression("0")) {}

bool TextRules::is_expression(ir::Expression expression) {
  return document_.context.value(expression)->kind() != symbolic::Kind::Opaque;
}

ir::Expression TextRules::expression(std::string_view text) {
  return document_.context.expression(text, document_.grammar);
}

/// Takes `symbol(...)` off, so that the rules compute with plain names, and notes it for print().
Expr TextRules::parse(std::string_view text) {
  if (text.find("symbol(") == std::string_view::npos)
    return context_.value(context_.expression(text, document_.grammar));
  std::string plain;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = annotation_size(text.substr(i));
    if (size == 0) {
      plain += text[i++];
      continue;
    }
    const std::string_view inside = text.substr(i + 7, size - 8);
    const std::string_view name = inside.substr(0, inside.find(','));
    plain += name;
    annotations_.try_emplace(std::string(name), text.substr(i, size));
    i += size;
  }
  return context_.value(context_.expression(plain, document_.grammar));
}

std::string TextRules::print(Expr value) {
  std::string text = context_.print(value, document_.grammar);
  if (annotations_.empty())
    return text;
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (text[i] == '$')
      while (end < text.size() && is_name_char(text[end]))
        ++end;
    const std::string part = text.substr(i, end - i);
    const auto found = annotations_.find(part);
    out += found == annotations_.end() ? part : found->second;
    i = end;
  }
  return out;
}

// --- descriptors ---------------------------------------------------------------------------------

std::vector<ir::Expression> TextRules::strides(const std::vector<ir::Expression> &shape) {
  annotations_.clear();
  std::vector<ir::Expression> strides(shape.size());
  Expr product = context_.integer(1);
  for (std::size_t i = strides.size(); i-- > 0;) {
    strides[i] = expression(print(product));
    product = context_.mul(product, parse(shape[i].text()));
  }
  return strides;
}

ir::Expression TextRules::total_size(const std::vector<ir::Expression> &shape,
                                     const std::vector<ir::Expression> &actual_strides) {
  const Expr one = context_.integer(1);
  const bool contiguous = actual_strides.size() != shape.size() || actual_strides == strides(shape);
  annotations_.clear();
  Expr size = one;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const Expr extent = parse(shape[i].text());
    size = contiguous ? context_.mul(size, extent)
                      : context_.add(size, context_.mul(context_.sub(extent, one),
                                                        parse(actual_strides[i].text())));
  }
  return expression(print(size));
}

std::vector<ir::Expression> TextRules::offset(const std::vector<ir::Expression> &shape) {
  return std::vector<ir::Expression>(shape.size(), zero_);
}

// --- subsets -------------------------------------------------------------------------------------

Expr TextRules::size(const ir::Range &range) {
  const Expr one = context_.integer(1);
  const Expr tile = range.tile == one_ ? one : parse(range.tile.text());
  if (range.begin == range.end)
    return tile;
  const Expr span = context_.sub(parse(range.end.text()), parse(range.begin.text()));
  if (range.step == one_)
    return context_.mul(context_.add(span, one), tile);
  const Expr steps = context_.floor_div(span, parse(range.step.text()));
  return context_.mul(context_.add(steps, one), tile);
}

ir::Expression TextRules::volume(const ir::Subset &subset) {
  std::string key;
  bool single = true;
  for (const ir::Range &range : subset.ranges()) {
    single = single && range.begin == range.end && range.tile == one_;
    for (const ir::Expression &part : {range.begin, range.end, range.step, range.tile})
      (key += part.text()) += '\n';
  }
  if (single)
    return one_;
  const auto [found, added] = volumes_.try_emplace(std::move(key));
  if (added) {
    annotations_.clear();
    Expr product = context_.integer(1);
    for (const ir::Range &range : subset.ranges())
      product = context_.mul(product, size(range));
    found->second = print(product);
  }
  return expression(found->second);
}

// --- memlets through maps ------------------------------------------------------------------------

ir::Range TextRules::outer_range(const ir::Range &range, const ir::MapEntry &map) {
  const std::size_t count = std::min(map.params.size(), map.range.rank());
  std::unordered_map<support::Name, Expr> low;
  std::unordered_map<support::Name, Expr> high;
  const Expr begin = parse(range.begin.text());
  const Expr end = parse(range.end.text());
  std::vector<support::Name> names = context_.free_symbols(begin);
  const std::vector<support::Name> end_names = context_.free_symbols(end);
  names.insert(names.end(), end_names.begin(), end_names.end());
  for (std::size_t i = 0; i < count; ++i) {
    const support::Name param = names_.intern(map.params[i].view());
    if (std::find(names.begin(), names.end(), param) == names.end())
      continue;
    const ir::Range &values = map.range.ranges()[i];
    // A lone parameter takes the map's range as it is written there.
    if (range.begin == range.end && begin->kind() == symbolic::Kind::Symbol)
      return values;
    low.emplace(param, parse(values.begin.text()));
    high.emplace(param, parse(values.end.text()));
  }
  if (low.empty())
    return range;
  return {expression(print(context_.substitute(begin, low))),
          expression(print(context_.substitute(end, high))), range.step, range.tile};
}

ir::Memlet TextRules::outer(const ir::Memlet &inner, const ir::Node &entry) {
  annotations_.clear();
  ir::Memlet memlet = inner;
  const auto *map = entry.as<ir::MapEntry>();
  memlet.data_is_source.reset();
  if (!map || !inner.data)
    return memlet;
  std::vector<ir::Range> ranges;
  for (const ir::Range &range : inner.subset.ranges())
    ranges.push_back(outer_range(range, *map));
  if (inner.subset)
    memlet.subset = ir::Subset(std::move(ranges));
  memlet.other_subset = {};
  if (inner.volume) {
    Expr product = parse(inner.volume.text());
    for (const ir::Range &range : map->range.ranges())
      product = context_.mul(product, size(range));
    memlet.volume = expression(print(product));
  }
  return memlet;
}

// --- paths ---------------------------------------------------------------------------------------

std::optional<std::string_view> through(support::Name connector, std::string_view prefix) {
  const std::string_view text = connector.view();
  if (!text.starts_with(prefix))
    return std::nullopt;
  return text.substr(prefix.size());
}

PathEnds::PathEnds(const ir::State &state) : state_(state) {
  for (std::uint32_t i = 0; i < state.edges.size(); ++i) {
    const ir::Edge &edge = state.edges[i];
    const ir::Node &node = state.node(edge.dst);
    if (const auto key = through(edge.dst_connector, "IN_");
        key && (node.is_scope_entry() || node.is_scope_exit()))
      in_.try_emplace({edge.dst.value, *key}, i);
  }
}

// Ends at the latest after as many steps as there are nodes: the file may hold a cycle.
const ir::Node &PathEnds::first(const ir::Edge &edge) const {
  const ir::Edge *at = &edge;
  for (std::size_t steps = state_.nodes.size(); steps > 0; --steps) {
    const auto key = through(at->src_connector, "OUT_");
    const auto next = key ? in_.find({at->src.value, *key}) : in_.end();
    if (next == in_.end())
      break;
    at = &state_.edges[next->second];
  }
  return state_.node(at->src);
}

bool PathEnds::data_is_source(const ir::Edge &edge) const {
  if (!edge.memlet.data)
    return false;
  const auto *access = first(edge).as<ir::AccessNode>();
  return access && access->data == edge.memlet.data;
}

bool text_edge_before(const ir::Edge &a, const ir::Edge &b) {
  return std::make_tuple(a.src_connector.view(), a.dst_connector.view(), a.src, a.dst) <
         std::make_tuple(b.src_connector.view(), b.dst_connector.view(), b.src, b.dst);
}

std::optional<std::uint32_t> default_start(const ir::Region &region, bool branch) {
  if (branch)
    return std::nullopt;
  std::vector<bool> entered(region.blocks.size());
  for (const ir::InterstateEdge &edge : region.edges)
    entered[edge.dst.value] = true;
  std::optional<std::uint32_t> start;
  for (std::uint32_t i = 0; i < entered.size(); ++i) {
    if (entered[i])
      continue;
    if (start)
      return std::nullopt;
    start = i;
  }
  return start;
}

} // namespace sdfgopt::io
