#include "passes/region_versions.h"

#include "io/json_text.h"
#include "support/words.h"

#include <algorithm>
#include <cassert>

namespace sdfgopt::passes {

using ir::BlockId;
using ir::Region;

namespace {

// --- names ---

/// Names that stand for something in an SDFG, and labels of its blocks.
class TakenNames {
public:
  TakenNames(const ir::Sdfg &sdfg, support::NamePool &pool) : pool_(pool) {
    for (const ir::Descriptor &descriptor : sdfg.arrays)
      taken_.insert(descriptor.name);
    for (const auto &symbol : sdfg.symbols)
      taken_.insert(symbol.first);
    taken_.insert(sdfg.arg_names.begin(), sdfg.arg_names.end());
    for (const std::string_view key : {"constants_prop", "global_code", "init_code", "exit_code"})
      for (const std::string &text : io::strings_in(sdfg.attribute(key)))
        add_words(text);
    add(sdfg.root);
  }

  /// `stem`, or with a number behind it if that is taken; taken from now on.
  Name fresh(const std::string &stem) {
    const Name name = pool_.fresh(stem, [&](Name other) { return taken_.contains(other); });
    taken_.insert(name);
    return name;
  }

private:
  void add_words(std::string_view text) {
    support::for_each_word(text, [&](std::string_view word) { taken_.insert(pool_.intern(word)); });
  }
  void add(const std::optional<ir::Code> &code) {
    if (code)
      add_words(code->text);
  }

  void add(const Region &region) {
    for (const ir::InterstateEdge &edge : region.edges) {
      add(edge.condition);
      for (const auto &[name, value] : edge.assignments) {
        taken_.insert(name);
        add_words(value.text());
      }
    }
    for (const ir::Block &block : region.blocks) {
      taken_.insert(block.label);
      if (const auto *loop = block.as<ir::LoopRegion>()) {
        taken_.insert(loop->variable);
        for (const auto *code : {&loop->init, &loop->condition, &loop->update})
          add(*code);
      } else if (const auto *conditional = block.as<ir::ConditionalBlock>()) {
        for (const ir::Branch &branch : conditional->branches)
          add(branch.condition);
      } else if (const auto *state = block.as<ir::State>()) {
        add(*state);
      }
      for (const Region *child : ir::child_regions(block))
        add(*child);
    }
  }

  void add(const ir::State &state) {
    for (const ir::Node &node : state.nodes) {
      for (const auto *connectors : {&node.in_connectors, &node.out_connectors})
        for (const ir::Connector &connector : *connectors)
          taken_.insert(connector.name);
      if (const auto *map = node.as<ir::MapEntry>()) {
        taken_.insert(map->params.begin(), map->params.end());
      } else if (const auto *consume = node.as<ir::ConsumeEntry>()) {
        taken_.insert(consume->pe_index);
      } else if (const auto *tasklet = node.as<ir::Tasklet>()) {
        add_words(tasklet->code.text);
      }
    }
    for (const ir::Edge &edge : state.edges) // symbols that are not in the table
      for (const ir::Subset *subset : {&edge.memlet.subset, &edge.memlet.other_subset})
        for (const ir::Range &range : subset->ranges())
          for (const symbolic::Expression text : {range.begin, range.end, range.step})
            add_words(text.text());
  }

  support::NamePool &pool_;
  std::unordered_set<Name> taken_;
};

/// Gives data of a copied region other names, and its blocks other labels.
class Renamer {
public:
  Renamer(ir::Document &document, TakenNames &taken, const std::vector<std::pair<Name, Name>> &data)
      : document_(document), taken_(taken), data_(data.begin(), data.end()) {}

  void run(Region &region) {
    for (ir::InterstateEdge &edge : region.edges)
      rename(edge);
    for (ir::Block &block : region.blocks) {
      block.label = taken_.fresh(block.label.str() + "_guarded");
      block.changed = true;
      for (ir::Member &member : block.members)
        if (member.key == "label")
          member.value = {};
      if (auto *state = block.as<ir::State>()) {
        rename(*state);
      } else if (auto *conditional = block.as<ir::ConditionalBlock>()) {
        for (ir::Branch &branch : conditional->branches)
          if (rename(branch.condition))
            branch.condition_source = {};
      } else if (auto *loop = block.as<ir::LoopRegion>()) {
        if (rename(loop->init))
          block.touch("init_statement");
        if (rename(loop->condition))
          block.touch("loop_condition");
        if (rename(loop->update))
          block.touch("update_statement");
      }
      for (Region *child : ir::child_regions(block))
        run(*child);
    }
  }

private:
  /// The name's copy: of `S.x`, that of S with the same member. False if there is none.
  bool rename(Name &name) {
    if (const auto found = data_.find(name); found != data_.end()) {
      name = found->second;
      return true;
    }
    const std::size_t dot = name.view().find('.');
    if (dot == std::string_view::npos)
      return false;
    const auto found = data_.find(document_.names.find(name.view().substr(0, dot)));
    if (found == data_.end())
      return false;
    name = document_.names.intern(found->second.str() + std::string(name.view().substr(dot)));
    return true;
  }

  /// In Python code without string literals. Nothing if no name is in it.
  std::optional<std::string> renamed(std::string_view text) {
    std::string out;
    std::size_t copied = 0;
    support::for_each_word(text, [&](std::string_view word) {
      const auto at = static_cast<std::size_t>(word.data() - text.data());
      const Name name = document_.names.find(word);
      const auto found = name ? data_.find(name) : data_.end();
      if (found == data_.end() || (at > 0 && text[at - 1] == '.'))
        return;
      out += text.substr(copied, at - copied);
      out += found->second.view();
      copied = at + word.size();
    });
    if (copied == 0)
      return std::nullopt;
    out += text.substr(copied);
    return out;
  }

  bool rename(std::optional<ir::Code> &code) {
    const auto text = code ? renamed(code->text) : std::nullopt;
    if (text)
      code->text = document_.arena.store(*text);
    return text.has_value();
  }

  void rename(ir::InterstateEdge &edge) {
    if (rename(edge.condition))
      edge.changed = true;
    for (auto &assignment : edge.assignments)
      if (const auto text = renamed(assignment.second.text())) {
        assignment.second = document_.context.expression(*text, symbolic::Grammar::Python);
        edge.changed = true;
      }
  }

  void rename(ir::State &state) {
    for (ir::Node &node : state.nodes)
      if (auto *access = node.as<ir::AccessNode>(); access && rename(access->data))
        node.changed = true;
    for (ir::Edge &edge : state.edges)
      if (edge.memlet.data && rename(edge.memlet.data))
        edge.memlet_changed = true;
  }

  ir::Document &document_;
  TakenNames &taken_;
  std::unordered_map<Name, Name> data_;
};

/// Behind the original in the table.
void copy_descriptors(ir::Sdfg &sdfg, const std::vector<std::pair<Name, Name>> &copies) {
  const std::unordered_map<Name, Name> copy_of(copies.begin(), copies.end());
  std::vector<ir::Descriptor> arrays;
  arrays.reserve(sdfg.arrays.size() + copies.size());
  for (ir::Descriptor &descriptor : sdfg.arrays) {
    const auto found = copy_of.find(descriptor.name);
    const bool copied = found != copy_of.end() && !descriptor.removed;
    arrays.push_back(std::move(descriptor));
    if (copied) {
      arrays.push_back(arrays.back());
      arrays.back().name = found->second;
    }
  }
  sdfg.arrays = std::move(arrays);
  sdfg.index_arrays();
}

// --- the region ---

/// The element that holds a region: an SDFG, a block or a branch.
ir::Container &container_of(ir::Sdfg &sdfg, ir::Block *around, const Region &region) {
  if (!around)
    return sdfg;
  if (auto *conditional = around->as<ir::ConditionalBlock>())
    for (ir::Branch &branch : conditional->branches)
      if (&branch.body == &region)
        return branch.container;
  return *around;
}

/// Replaces the text of member `start_block`, if there is one, and returns what it was.
std::string_view exchange_start(ir::Container &container, std::string_view text) {
  for (ir::Member &member : container.members)
    if (member.key == "start_block")
      return std::exchange(member.value, text);
  return {};
}

/// DaCe's own transformations ask this attribute before they look into a conditional block.
void mark_explicit(ir::Sdfg &sdfg) {
  constexpr std::string_view key = "using_explicit_control_flow";
  for (ir::Member &member : sdfg.attributes)
    if (member.key == key) {
      member.value = "true";
      return;
    }
  const auto later = [](const ir::Member &member) {
    return member.key == "build_folder" || member.key == "guid" || member.key == "is_collapsed" ||
           member.key == "hash";
  };
  sdfg.attributes.insert(std::find_if(sdfg.attributes.begin(), sdfg.attributes.end(), later),
                         {key, "true"});
}

/// Moves the plan's section out of its region into the body of a new block's last branch.
class Splitter {
public:
  Splitter(const RegionPlan &plan, RegionVersion::Saved &saved)
      : region_(*plan.region), plan_(plan), saved_(saved), position_(region_.blocks.size()) {
    saved_.moved.assign(region_.blocks.size(), false);
    for (const BlockId id : plan.section.blocks)
      saved_.moved[id.value] = true;
    saved_.start_block = region_.start_block;
    saved_.renumbered = region_.renumbered;
  }

  /// Returns the original's body, which leaves `block` in its place.
  Region run(ir::Block block) {
    Region body;
    std::vector<ir::Block> outside;
    for (std::size_t i = 0; i < region_.blocks.size(); ++i) {
      if (!saved_.moved[i]) {
        position_[i] = BlockId(outside.size());
        outside.push_back(std::move(region_.blocks[i]));
        continue;
      }
      if (body.blocks.empty()) {
        place_ = BlockId(outside.size());
        outside.emplace_back(); // `block` follows
      }
      position_[i] = BlockId(body.blocks.size());
      body.blocks.push_back(std::move(region_.blocks[i]));
    }
    outside[place_.value] = std::move(block);
    region_.blocks = std::move(outside);
    split_edges(body);
    const BlockId start = position_[plan_.section.entry.value];
    if (start_of(body) != start)
      body.start_block = start.value;
    if (region_.start_block)
      region_.start_block = outer(BlockId(*region_.start_block)).value;
    region_.renumbered = body.renumbered = true;
    return body;
  }

  [[nodiscard]] ir::Block &block() { return region_.block(place_); }

private:
  [[nodiscard]] BlockId outer(BlockId id) const {
    return saved_.moved[id.value] ? place_ : position_[id.value];
  }

  void split_edges(Region &body) {
    std::vector<ir::InterstateEdge> outside;
    for (ir::InterstateEdge &edge : region_.edges) {
      saved_.ends.emplace_back(edge.src, edge.dst);
      const bool inside = saved_.moved[edge.src.value] && saved_.moved[edge.dst.value];
      saved_.inside.push_back(inside);
      edge.src = inside ? position_[edge.src.value] : outer(edge.src);
      edge.dst = inside ? position_[edge.dst.value] : outer(edge.dst);
      (inside ? body.edges : outside).push_back(std::move(edge));
    }
    region_.edges = std::move(outside);
  }

  Region &region_;
  const RegionPlan &plan_;
  RegionVersion::Saved &saved_;
  std::vector<BlockId> position_; // in the region or the body
  BlockId place_;                 // of the new block
};

ir::Branch make_branch(ir::Document &document, const std::string &label) {
  ir::Branch branch;
  branch.container.changed = true;
  std::string text;
  io::append_quoted(text, label);
  branch.container.members.push_back({"label", document.arena.store(text)});
  return branch;
}

} // namespace

ir::StateId RegionVersion::copy_of(ir::StateId state) const {
  for (const auto &[original, copy] : states)
    if (original == state)
      return copy;
  return {};
}

Name RegionVersion::copy_of(Name name) const {
  for (const auto &[original, copy] : data)
    if (original == name)
      return copy;
  return {};
}

RegionVersion apply_version(ir::Document &document, const RegionPlan &plan) {
  ir::Sdfg &sdfg = document.root;
  ir::Cloner cloner(document);
  TakenNames taken(sdfg, document.names);
  RegionVersion version;
  version.label = taken.fresh("guard_" + plan.region->block(plan.section.entry).label.str());
  for (const auto *list : {&plan.buffers, &plan.local})
    for (const Name name : *list)
      version.data.emplace_back(name, taken.fresh(name.str() + "_guarded"));
  version.saved.attributes = sdfg.attributes;
  mark_explicit(sdfg);
  ir::Block *around = nullptr;
  if (!plan.around.empty())
    around = &plan.around.back().first->block(plan.around.back().second);
  ir::Container &container = container_of(sdfg, around, *plan.region);
  version.saved.start_text = exchange_start(container, {});

  ir::Block block;
  block.changed = true;
  block.type = document.names.intern("ConditionalBlock");
  block.label = version.label;
  block.detail = ir::ConditionalBlock();
  Splitter splitter(plan, version.saved);
  Region original = splitter.run(std::move(block));

  ir::Branch guarded = make_branch(document, version.label.str() + "_then");
  guarded.condition = ir::Code{
      document.arena.store(document.context.print(plan.condition, symbolic::Grammar::Python)),
      document.names.intern("Python")};
  guarded.body = cloner.region(original);
  Renamer(document, taken, version.data).run(guarded.body);
  ir::Branch otherwise = make_branch(document, version.label.str() + "_else");
  otherwise.body = std::move(original);
  auto &branches = splitter.block().as<ir::ConditionalBlock>()->branches;
  branches.push_back(std::move(guarded));
  branches.push_back(std::move(otherwise));
  version.states = cloner.states();
  copy_descriptors(sdfg, version.data);
  return version;
}

// --- and back ---

namespace {

struct Found {
  Region *region = nullptr;
  ir::Block *around = nullptr;
  BlockId block;
};

Found find_block(Region &region, ir::Block *around, Name label) {
  for (std::size_t i = 0; i < region.blocks.size(); ++i) {
    if (region.blocks[i].label == label && region.blocks[i].is<ir::ConditionalBlock>())
      return {&region, around, BlockId(i)};
    for (Region *child : ir::child_regions(region.blocks[i]))
      if (const Found found = find_block(*child, &region.blocks[i], label); found.region)
        return found;
  }
  return {};
}

} // namespace

void undo_version(ir::Document &document, const RegionVersion &version) {
  const RegionVersion::Saved &saved = version.saved;
  const Found found = find_block(document.root.root, nullptr, version.label);
  assert(found.region && "the version was not undone before");
  Region &region = *found.region;
  auto branches = std::move(region.block(found.block).as<ir::ConditionalBlock>()->branches);
  Region &original = branches.back().body;

  std::vector<ir::Block> blocks;
  std::size_t inside = 0;
  std::size_t outside = 0;
  for (const bool moved : saved.moved) {
    if (!moved && outside == found.block.value)
      ++outside; // the conditional block itself
    blocks.push_back(std::move(moved ? original.blocks[inside++] : region.blocks[outside++]));
  }
  region.blocks = std::move(blocks);
  std::vector<ir::InterstateEdge> edges;
  inside = outside = 0;
  for (std::size_t i = 0; i < saved.ends.size(); ++i) {
    edges.push_back(
        std::move(saved.inside[i] ? original.edges[inside++] : region.edges[outside++]));
    edges.back().src = saved.ends[i].first;
    edges.back().dst = saved.ends[i].second;
  }
  region.edges = std::move(edges);
  region.start_block = saved.start_block;
  region.renumbered = saved.renumbered;
  exchange_start(container_of(document.root, found.around, region), saved.start_text);
  document.root.attributes = saved.attributes;
  std::unordered_set<Name> copies;
  for (const auto &copy : version.data)
    copies.insert(copy.second);
  std::erase_if(document.root.arrays,
                [&](const ir::Descriptor &descriptor) { return copies.contains(descriptor.name); });
  document.root.index_arrays();
}

} // namespace sdfgopt::passes
