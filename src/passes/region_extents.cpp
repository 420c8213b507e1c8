// DaCe (2.0.0a10, CPU) allocates a transient that several states access where the SDFG begins: also
// if only one branch does. It does so later only if the extents depend on symbols that the SDFG
// assigns: then in the state that dominates all accesses, and frees it in the one that
// postdominates them. So such symbols are made up for a buffer that only the original's branch
// accesses.
//
// It is left as it is where that state might be another one than the first and last that access it,
// where contents might have to outlive a trip of a loop around, and where DaCe's search for
// dominators, which goes through the whole program, does not get along with some part of it. (From
// a block inside of another one, it misses the last block of the region as a postdominator, and the
// first one as a dominator; from a plain region likewise. The buffer would not be freed.)
#include "passes/region_extents.h"

#include <algorithm>
#include <span>

namespace sdfgopt::passes {

using ir::BlockId;
using ir::Region;

namespace {

bool is_integer_type(std::string_view dtype) {
  return dtype == "\"int32\"" || dtype == "\"int64\"";
}

/// Shape, strides and total size.
std::vector<symbolic::Expression> sizes_of(const ir::Descriptor &descriptor) {
  std::vector<symbolic::Expression> sizes = descriptor.shape;
  sizes.insert(sizes.end(), descriptor.strides.begin(), descriptor.strides.end());
  if (descriptor.total_size)
    sizes.push_back(descriptor.total_size);
  return sizes;
}

bool returns(const Region &region) {
  return std::any_of(region.blocks.begin(), region.blocks.end(), [](const ir::Block &block) {
    const auto *jump = block.as<ir::Jump>();
    const auto children = ir::child_regions(block);
    return (jump && jump->kind == ir::JumpKind::Return) ||
           std::any_of(children.begin(), children.end(),
                       [](const Region *child) { return returns(*child); });
  });
}

/// Every block is on a path from `start` to one that has no edges out of it.
bool all_lie_between(const Region &region, BlockId start) {
  const std::size_t count = region.blocks.size();
  std::vector<std::vector<std::uint32_t>> after(count);
  std::vector<std::vector<std::uint32_t>> before(count);
  for (const ir::InterstateEdge &edge : region.edges) {
    after[edge.src.value].push_back(edge.dst.value);
    before[edge.dst.value].push_back(edge.src.value);
  }
  const auto all_reached = [&](std::vector<std::uint32_t> work, const auto &next) {
    std::vector<bool> seen(count, false);
    std::size_t reached = 0;
    while (!work.empty()) {
      const std::uint32_t node = work.back();
      work.pop_back();
      if (seen[node])
        continue;
      seen[node] = true;
      ++reached;
      work.insert(work.end(), next[node].begin(), next[node].end());
    }
    return reached == count;
  };
  std::vector<std::uint32_t> sinks;
  for (std::uint32_t i = 0; i < count; ++i)
    if (after[i].empty())
      sinks.push_back(i);
  return count > 0 && all_reached({start.value}, after) && all_reached(std::move(sinks), before);
}

/// Written in one of the usual ways: an integer is multiplied into a sum beside it, but not into
/// one further away.
bool is_product(symbolic::Context &context, Expr value, std::span<const Expr> factors) {
  Expr left = factors.front();
  Expr right = factors.back();
  for (std::size_t i = 1; i < factors.size(); ++i) {
    left = context.mul(left, factors[i]);
    right = context.mul(factors[factors.size() - 1 - i], right);
  }
  return value == left || value == right || value == context.mul(factors);
}

} // namespace

bool VersionPlanner::all_blocks_lie_between() {
  if (!all_lie_between_)
    all_lie_between_ = std::all_of(regions_.begin(), regions_.end(), [](const RegionEntry &entry) {
      const BlockId start = start_of(*entry.region);
      return start.has_value() && all_lie_between(*entry.region, start);
    });
  return *all_lie_between_;
}

/// There is something to assign, to symbols of a type that is clear.
bool VersionPlanner::has_plain_extents(Name buffer) {
  const ir::Descriptor &descriptor = *sdfg_.find_array(buffer);
  const std::string_view lifetime = descriptor.lifetime_or_default();
  const std::string_view storage = descriptor.storage_or_default();
  if (descriptor.kind != ir::DescriptorKind::Array ||
      (lifetime != "\"Scope\"" && lifetime != "\"State\"" && lifetime != "\"SDFG\"") ||
      (storage != "\"Default\"" && storage != "\"CPU_Heap\""))
    return false;
  bool any = false;
  for (const symbolic::Expression size : sizes_of(descriptor)) {
    const Expr value = context_.value(size);
    if (symbolic::Context::constant(value))
      continue;
    any = true;
    for (const Name symbol : context_.free_symbols(value))
      if (const auto type = symbol_types_.find(symbol);
          type == symbol_types_.end() || !is_integer_type(type->second) ||
          flow_.is_assigned(symbol) || sdfg_.find_array(symbol))
        return false;
    const auto text = context_.expression(value, symbolic::Grammar::Python);
    if (!context_.is_integral(value) || context_.value(text) != value)
      return false;
  }
  return any;
}

std::vector<BlockId> VersionPlanner::chain_of(std::uint32_t region, const RegionPlan &plan) {
  const RegionSections &sections = *sections_of(region);
  const auto is_inside = [&](std::uint32_t edge) {
    const std::vector<BlockId> &blocks = plan.section.blocks;
    return std::binary_search(blocks.begin(), blocks.end(), plan.region->edges[edge].dst);
  };
  std::vector<BlockId> chain = {plan.section.entry};
  while (chain.size() < plan.section.blocks.size()) {
    const std::vector<std::uint32_t> &edges = sections.edges_from(chain.back());
    if (edges.size() != 1 || !is_inside(edges[0]) || plan.region->edges[edges[0]].condition)
      return {};
    chain.push_back(plan.region->edges[edges[0]].dst);
  }
  for (const BlockId block : plan.section.blocks) {
    const auto children = ir::child_regions(plan.region->block(block));
    if (plan.region->block(block).is<ir::PlainRegion>() ||
        std::any_of(children.begin(), children.end(),
                    [](const Region *child) { return returns(*child); }))
      return {};
  }
  return chain;
}

/// Several states of the chain access it, and nothing else does; the first and the last are run
/// once.
bool VersionPlanner::is_used_along(Name buffer, std::uint32_t region,
                                   const PlaceInChain &place_in_chain) {
  if (accesses_.alias_of(buffer) || accesses_.is_hidden(buffer) ||
      !accesses_.mentions(buffer).empty())
    return false;
  const std::vector<Place> &places = places_of(buffer);
  if (!std::all_of(places.begin(), places.end(),
                   [&](const Place &place) { return place.region == region; }))
    return false;
  const std::vector<BlockId> blocks = blocks_of(places, region);
  const auto [first, last] =
      std::minmax_element(blocks.begin(), blocks.end(), [&](BlockId a, BlockId b) {
        return place_in_chain.at(a.value) < place_in_chain.at(b.value);
      });
  const auto runs_once = [&](BlockId block) {
    const auto &state = *regions_[region].region->block(block).as<ir::State>();
    const auto [begin, end] = flow_.span_of(flow_.point_of(state.id));
    return begin == end;
  };
  return *first != *last && runs_once(*first) && runs_once(*last);
}

void VersionPlanner::find_sized_in_branch(std::uint32_t region, RegionPlan &plan) {
  std::vector<Name> buffers;
  std::copy_if(plan.buffers.begin(), plan.buffers.end(), std::back_inserter(buffers),
               [&](Name buffer) { return has_plain_extents(buffer); });
  if (buffers.empty() || !all_blocks_lie_between())
    return;
  const std::vector<BlockId> chain = chain_of(region, plan);
  if (chain.empty())
    return;
  PlaceInChain place;
  for (std::size_t i = 0; i < chain.size(); ++i)
    place[chain[i].value] = i;
  for (const Name buffer : buffers)
    if (is_used_along(buffer, region, place))
      plan.sized_in_branch.push_back(buffer);
  if (!plan.sized_in_branch.empty())
    plan.growth += 2; // a state, and the edge that assigns
}

// --- symbols ---

/// The value itself if it is constant; otherwise a symbol.
Expr ExtentSymbols::replaced(Expr value, Name buffer) {
  if (symbolic::Context::constant(value))
    return value;
  Expr &symbol = symbol_of_[value];
  if (symbol)
    return symbol;
  const Name name =
      fresh_("__" + buffer.str() + "_extent_" + std::to_string(symbol_of_.size() - 1));
  symbolic::Context &context = document_.context;
  const std::vector<Name> free = context.free_symbols(value);
  const bool is_long = std::any_of(free.begin(), free.end(),
                                   [&](Name other) { return types_.at(other) == "\"int64\""; });
  if (is_long && document_.grammar == symbolic::Grammar::Dollar)
    // Seen first, so what is printed has the type as well.
    context.value(context.expression("symbol($" + name.str() + ", dtype=dace.int64)",
                                     symbolic::Grammar::Dollar));
  symbols_.emplace_back(name, is_long ? "\"int64\"" : "\"int32\"");
  values_.emplace_back(name, value);
  return symbol = context.symbol(name);
}

void ExtentSymbols::replace_in(ir::Descriptor &descriptor) {
  symbolic::Context &context = document_.context;
  std::vector<Expr> extents;
  std::vector<Expr> symbols;
  const auto write = [&](symbolic::Expression &size, Expr value) {
    size = context.expression(value, document_.grammar);
  };
  for (symbolic::Expression &extent : descriptor.shape) {
    extents.push_back(context.value(extent));
    symbols.push_back(replaced(extents.back(), descriptor.name));
    write(extent, symbols.back());
  }
  // Products of extents stay such, so that DaCe still sees what lies side by side.
  const auto in_terms = [&](symbolic::Expression &size) {
    const Expr value = context.value(size);
    for (std::size_t first = 0; first < extents.size(); ++first)
      for (std::size_t count = 1; first + count <= extents.size(); ++count)
        if (is_product(context, value, std::span(extents).subspan(first, count)))
          return write(size, context.mul(std::span(symbols).subspan(first, count)));
    write(size, replaced(value, descriptor.name));
  };
  for (symbolic::Expression &stride : descriptor.strides)
    in_terms(stride);
  if (descriptor.total_size)
    in_terms(descriptor.total_size);
  descriptor.changed = true;
}

void ExtentSymbols::assign_in(Region &body, Name label, ir::Cloner &cloner) const {
  const BlockId entry = start_of(body);
  ir::Block block;
  block.changed = true;
  block.type = document_.names.intern("SDFGState");
  block.label = label;
  ir::State state;
  state.id = cloner.new_state();
  block.detail = std::move(state);
  body.blocks.insert(body.blocks.begin(), std::move(block));
  const auto moved = [](BlockId id) { return BlockId(id.value + 1); };
  for (ir::InterstateEdge &edge : body.edges) {
    edge.src = moved(edge.src);
    edge.dst = moved(edge.dst);
  }
  ir::InterstateEdge edge;
  edge.changed = true;
  edge.src = BlockId(0);
  edge.dst = moved(entry);
  for (const auto &[name, value] : values_)
    edge.assignments.emplace_back(name,
                                  document_.context.expression(value, symbolic::Grammar::Python));
  body.edges.insert(body.edges.begin(), std::move(edge));
}

} // namespace sdfgopt::passes
