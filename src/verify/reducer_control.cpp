// Edits of control flow.
#include "verify/reducer_edits.h"

#include <algorithm>

namespace sdfgopt::verify::reducer {

using ir::Block;
using ir::BlockId;
using ir::InterstateEdge;
using ir::Region;

namespace {

bool has_edge(const Region &region, BlockId src, BlockId dst) {
  return std::any_of(region.edges.begin(), region.edges.end(), [&](const InterstateEdge &edge) {
    return !edge.removed && edge.src == src && edge.dst == dst;
  });
}

/// One edge for two that follow each other.
InterstateEdge joined(const InterstateEdge &first, const InterstateEdge &second) {
  InterstateEdge edge = first;
  edge.source = {};
  edge.changed = true;
  edge.dst = second.dst;
  if (!edge.condition)
    edge.condition = second.condition;
  for (const auto &[name, value] : second.assignments) {
    const auto same = std::find_if(edge.assignments.begin(), edge.assignments.end(),
                                   [&, n = name](const auto &other) { return other.first == n; });
    if (same == edge.assignments.end())
      edge.assignments.emplace_back(name, value);
    else
      same->second = value;
  }
  return edge;
}

/// What leads to the block leads to what it led to.
void bypass(Region &region, BlockId gone) {
  std::vector<InterstateEdge> before;
  std::vector<InterstateEdge> after;
  for (InterstateEdge &edge : region.edges) {
    if (edge.removed || (edge.src != gone && edge.dst != gone))
      continue;
    if (edge.src != edge.dst)
      (edge.dst == gone ? before : after).push_back(edge);
    edge.removed = true;
  }
  if (region.start_block == gone.value)
    region.start_block =
        after.empty() ? std::nullopt : std::optional<std::uint32_t>(after.front().dst.value);
  for (const InterstateEdge &first : before)
    for (const InterstateEdge &second : after)
      if (!has_edge(region, first.src, second.dst))
        region.edges.push_back(joined(first, second));
}

/// Takes out the blocks and edges that are marked as removed.
void compact(Region &region) {
  for (std::size_t i = 0; i < region.blocks.size(); ++i)
    if (region.blocks[i].removed)
      bypass(region, BlockId(i));
  std::vector<BlockId> position(region.blocks.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < region.blocks.size(); ++i)
    if (!region.blocks[i].removed)
      position[i] = BlockId(kept++);
  std::erase_if(region.edges, [](const InterstateEdge &edge) { return edge.removed; });
  for (InterstateEdge &edge : region.edges) {
    edge.src = position[edge.src.value];
    edge.dst = position[edge.dst.value];
  }
  std::erase_if(region.blocks, [](const Block &block) { return block.removed; });
  if (region.start_block)
    region.start_block = position[*region.start_block].value;
  else if (!region.blocks.empty())
    region.start_block = 0;
  region.renumbered = true;
}

void drop_blocks(Region &region, Selection &selection) {
  std::size_t left = region.blocks.size();
  for (Block &block : region.blocks)
    if (selection.next() && left > 1) {
      block.removed = true;
      --left;
    }
  if (left < region.blocks.size())
    compact(region);
  for (Block &block : region.blocks)
    for (Region *child : ir::child_regions(block))
      drop_blocks(*child, selection);
}

/// Puts the blocks of `body` in the place of a block, which is left without edges.
void splice(Region &region, BlockId block, Region body) {
  if (body.blocks.empty())
    return;
  const std::size_t base = region.blocks.size();
  const auto moved = [&](BlockId id) { return BlockId(base + id.value); };
  const BlockId start = moved(BlockId(body.start_block.value_or(0)));
  std::vector<BlockId> ends;
  for (std::size_t i = 0; i < body.blocks.size(); ++i)
    if (std::none_of(body.edges.begin(), body.edges.end(),
                     [&](const InterstateEdge &edge) { return edge.src == BlockId(i); }))
      ends.push_back(moved(BlockId(i)));
  if (ends.empty())
    ends.push_back(start);
  for (Block &inner : body.blocks)
    region.blocks.push_back(std::move(inner));
  std::vector<InterstateEdge> outgoing;
  for (InterstateEdge &edge : region.edges) {
    if (edge.dst == block)
      edge.dst = start;
    if (edge.src != block || edge.removed)
      continue;
    outgoing.push_back(edge);
    edge.removed = true;
  }
  for (InterstateEdge &edge : body.edges) {
    edge.src = moved(edge.src);
    edge.dst = moved(edge.dst);
    region.edges.push_back(std::move(edge));
  }
  for (InterstateEdge &edge : outgoing)
    for (const BlockId end : ends) {
      edge.src = end;
      if (!has_edge(region, end, edge.dst))
        region.edges.push_back(edge);
    }
  if (region.start_block == block.value)
    region.start_block = start.value;
}

void inline_regions(Region &region, Selection &selection) {
  const std::size_t count = region.blocks.size();
  bool changed = false;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Region *> children = ir::child_regions(region.blocks[i]);
    for (Region *child : children)
      if (selection.next() && !region.blocks[i].removed && !child->blocks.empty()) {
        Region body = std::move(*child);
        *child = Region();
        region.blocks[i].removed = true;
        splice(region, BlockId(i), std::move(body));
        changed = true;
        break; // the block is gone, and `children` with it
      }
  }
  const std::size_t old = changed ? count : region.blocks.size();
  for (std::size_t i = 0; i < old; ++i)
    if (!region.blocks[i].removed)
      for (Region *child : ir::child_regions(region.blocks[i]))
        inline_regions(*child, selection);
  if (changed)
    compact(region);
}

} // namespace

void drop_blocks(ir::Document &document, Selection &selection) {
  for_each_sdfg(document.root, [&](ir::Sdfg &sdfg) { drop_blocks(sdfg.root, selection); });
}

void inline_regions(ir::Document &document, Selection &selection) {
  for_each_sdfg(document.root, [&](ir::Sdfg &sdfg) { inline_regions(sdfg.root, selection); });
}

void drop_branches(ir::Document &document, Selection &selection) {
  for_each_sdfg(document.root, [&](ir::Sdfg &sdfg) {
    for_each_region(sdfg.root, [&](Region &region) {
      for (Block &block : region.blocks) {
        auto *conditional = block.as<ir::ConditionalBlock>();
        if (!conditional)
          continue;
        std::vector<ir::Branch> kept;
        std::size_t left = conditional->branches.size();
        for (ir::Branch &branch : conditional->branches)
          if (selection.next() && left > 1)
            --left;
          else
            kept.push_back(std::move(branch));
        conditional->branches = std::move(kept);
      }
    });
  });
}

/// The whole program becomes one of the SDFGs that are nested in it.
void promote_nested_sdfgs(ir::Document &document, Selection &selection) {
  std::unique_ptr<ir::Sdfg> chosen;
  for_each_sdfg(document.root, [&](ir::Sdfg &sdfg) {
    ir::for_each_state(sdfg.root, [&](ir::State &state, Block &) {
      for (ir::Node &node : state.nodes)
        if (auto *nested = node.as<ir::NestedSdfg>();
            nested && nested->sdfg && selection.next() && !chosen)
          chosen = std::move(nested->sdfg);
    });
  });
  if (!chosen)
    return;
  for (const ir::Member &member : document.root.members) // only the whole program has these
    if (member.key == "dace_version" || member.key == "source_files")
      chosen->members.push_back(member);
  document.root = std::move(*chosen);
}

/// Conditions and assignments of interstate edges go; so do the forms of loops that are not usual.
void simplify_control(ir::Document &document, Selection &selection) {
  const auto simplify_edge = [&](InterstateEdge &edge) {
    if (edge.condition && selection.next())
      edge.condition.reset();
    std::erase_if(edge.assignments, [&](const auto &) { return selection.next(); });
  };
  const auto drop_attribute = [](Block &block, std::string_view key) {
    block.changed = true;
    std::erase_if(block.attributes, [&](const ir::Member &member) { return member.key == key; });
  };
  const auto simplify_loop = [&](Block &block, ir::LoopRegion &loop) {
    if (!loop.update_before_condition && selection.next()) {
      loop.update_before_condition = true;
      drop_attribute(block, "update_before_condition");
    }
    if (loop.inverted && loop.update_before_condition && selection.next()) {
      loop.inverted = false;
      drop_attribute(block, "inverted");
    }
  };
  for_each_sdfg(document.root, [&](ir::Sdfg &sdfg) {
    for_each_region(sdfg.root, [&](Region &region) {
      for (InterstateEdge &edge : region.edges)
        simplify_edge(edge);
      for (Block &block : region.blocks)
        if (auto *loop = block.as<ir::LoopRegion>())
          simplify_loop(block, *loop);
    });
  });
}

} // namespace sdfgopt::verify::reducer
