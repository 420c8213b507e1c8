// Where the two versions are to be (region_versions.h).
#include "passes/region_versions.h"

#include "io/member_splitter.h"
#include "ir/clone.h"

#include <algorithm>
#include <map>

namespace sdfgopt::passes {

using ir::BlockId;
using ir::Region;

VersionPlanner::VersionPlanner(ir::Document &document, const analysis::ControlFlow &flow,
                               const analysis::DataAccesses &accesses)
    : sdfg_(document.root), context_(document.context), flow_(flow), accesses_(accesses) {
  enter(sdfg_.root, {}, 0);
  symbol_types_.insert(sdfg_.symbols.begin(), sdfg_.symbols.end());
  // A block whose edges need not be taken may be the last one.
  for (const auto &[point, evaluation] : flow.evaluations()) {
    const auto next = flow.successors(point);
    if (evaluation.edge && evaluation.assignment == SIZE_MAX &&
        std::find(next.begin(), next.end(), flow.exit()) != next.end())
      open_.insert(evaluation.edge);
  }
}

void VersionPlanner::enter(Region &region, Place around, std::uint32_t depth) {
  const auto index = static_cast<std::uint32_t>(regions_.size());
  regions_.push_back({&region, around, depth});
  for (std::size_t i = 0; i < region.blocks.size(); ++i) {
    ir::Block &block = region.blocks[i];
    const Place here{index, BlockId(i)};
    if (const auto *state = block.as<ir::State>())
      of_state_[state->id.value] = here;
    of_element_[&block] = here;
    if (const auto *conditional = block.as<ir::ConditionalBlock>())
      for (const ir::Branch &branch : conditional->branches)
        of_element_[&branch] = here;
    for (Region *child : ir::child_regions(block))
      enter(*child, here, depth + 1);
  }
  for (const ir::InterstateEdge &edge : region.edges)
    of_edge_[&edge] = index;
}

const std::vector<VersionPlanner::Place> &VersionPlanner::places_of(Name data) {
  const auto [found, added] = places_.try_emplace(data);
  std::vector<Place> &places = found->second;
  if (!added)
    return places;
  for (const analysis::Site &site : accesses_.sites(data))
    places.push_back(of_state_.at(site.state->id.value));
  for (const analysis::Mention &mention : accesses_.mentions(data)) {
    const analysis::Evaluation &evaluation = mention.evaluation;
    if (evaluation.edge) {
      const std::uint32_t region = of_edge_.at(evaluation.edge);
      places.push_back({region, evaluation.edge->src});
      places.push_back({region, evaluation.edge->dst});
    } else {
      places.push_back(of_element_.at(evaluation.branch
                                          ? static_cast<const void *>(evaluation.branch)
                                          : static_cast<const void *>(evaluation.loop)));
    }
  }
  return places;
}

VersionPlanner::Place VersionPlanner::lifted(Place place, std::uint32_t depth) const {
  while (regions_[place.region].depth > depth)
    place = regions_[place.region].around;
  return place;
}

std::uint32_t VersionPlanner::common_region(const std::vector<Place> &places) const {
  std::uint32_t common = places.front().region;
  for (const Place &place : places)
    for (std::uint32_t other = place.region; other != common;) {
      std::uint32_t &deeper = regions_[common].depth >= regions_[other].depth ? common : other;
      deeper = regions_[deeper].around.region;
    }
  return common;
}

namespace {

std::string quoted(Name name) { return "'" + name.str() + "'"; }

bool is_empty_value(io::MemberSplitter &splitter, std::string_view value) {
  if (value == "null" || value == "[]" || value == "\"\"")
    return true;
  for (const ir::Member &member : splitter.split(value))
    if (member.key == "string_data")
      return member.value == "\"\"";
  return false;
}

/// The label of a tasklet that declares something for the whole program, which cannot be there
/// twice; or no name.
Name global_tasklet(io::MemberSplitter &splitter, const ir::Block &block) {
  for (const Region *child : ir::child_regions(block))
    for (const ir::Block &inner : child->blocks)
      if (const Name found = global_tasklet(splitter, inner))
        return found;
  const auto *state = block.as<ir::State>();
  if (!state)
    return {};
  for (const ir::Node &node : state->nodes) {
    if (const auto *nested = node.as<ir::NestedSdfg>(); nested && nested->sdfg)
      for (const ir::Block &inner : nested->sdfg->root.blocks)
        if (const Name found = global_tasklet(splitter, inner))
          return found;
    if (!node.is<ir::Tasklet>() || node.source.empty())
      continue;
    for (const ir::Member &attribute : splitter.attributes(node.source))
      if ((attribute.key == "state_fields" || attribute.key == "code_global" ||
           attribute.key == "code_init" || attribute.key == "code_exit") &&
          !is_empty_value(splitter, attribute.value))
        return node.label;
  }
  return {};
}

} // namespace

std::string VersionPlanner::objection_to_copy(Name data) const {
  if (accesses_.is_named_elsewhere(data))
    return quoted(data) + " is named in a symbolic expression or in code that is not Python, where "
                          "it cannot be followed";
  for (const analysis::Mention &mention : accesses_.mentions(data))
    if (mention.evaluation.text.find_first_of("\"'") != std::string_view::npos)
      return "the condition or assignment '" + std::string(mention.evaluation.text) +
             "' holds a string";
  return {};
}

std::string VersionPlanner::objection(Name buffer, Expr condition) {
  if (flow_.is_opaque())
    return "the order of the program's blocks is not clear";
  for (const Name symbol : context_.free_symbols(condition)) {
    if (flow_.is_assigned(symbol))
      return "the program assigns to " + quoted(symbol) + ", which the condition names";
    if (sdfg_.find_array(symbol))
      return "the condition names " + quoted(symbol) + ", which is no symbol but data";
  }
  const ir::Descriptor *descriptor = sdfg_.find_array(buffer);
  if (!descriptor || !descriptor->transient)
    return quoted(buffer) + " is not a transient";
  return objection_to_copy(buffer);
}

bool VersionPlanner::varies(const ir::Descriptor &descriptor) {
  const auto assigned = [&](symbolic::Expression expression) {
    if (!expression)
      return false;
    const std::vector<Name> symbols = context_.free_symbols(context_.value(expression));
    return std::any_of(symbols.begin(), symbols.end(),
                       [&](Name symbol) { return flow_.is_assigned(symbol); });
  };
  const auto any = [&](const std::vector<symbolic::Expression> &list) {
    return std::any_of(list.begin(), list.end(), assigned);
  };
  return any(descriptor.shape) || any(descriptor.strides) || any(descriptor.offset) ||
         assigned(descriptor.total_size);
}

/// DaCe allocates a transient in the map or state around its accesses if it is accessed in one
/// state only, and by dominators if its size is not known where the SDFG begins: in these cases
/// each version must have its own. Others are allocated where the SDFG begins, before and after.
std::string VersionPlanner::consider_local(Name data, std::uint32_t region, RegionPlan &plan) {
  const ir::Descriptor &descriptor = *sdfg_.find_array(data);
  const std::string_view lifetime = descriptor.lifetime_or_default();
  if (lifetime != "\"Scope\"" && lifetime != "\"State\"" && lifetime != "\"SDFG\"")
    return {};
  const std::vector<Place> &places = places_of(data);
  const bool one_state = std::all_of(places.begin(), places.end(),
                                     [&](const Place &place) { return place == places[0]; });
  const bool sized_late = varies(descriptor);
  if (!sized_late && descriptor.kind != ir::DescriptorKind::View &&
      (!one_state || lifetime == "\"SDFG\""))
    return {};
  const std::uint32_t depth = regions_[region].depth;
  const auto is_inside = [&](const Place &place) {
    const Place block = lifted(place, depth);
    return block.region == region &&
           std::binary_search(plan.section.blocks.begin(), plan.section.blocks.end(), block.block);
  };
  if (!std::all_of(places.begin(), places.end(), is_inside))
    return sized_late ? "the size of " + quoted(data) +
                            " depends on symbols that the program assigns, and it is accessed "
                            "inside and outside of what would be guarded"
                      : std::string();
  if (descriptor.kind == ir::DescriptorKind::Structure ||
      descriptor.kind == ir::DescriptorKind::Container ||
      descriptor.kind == ir::DescriptorKind::Unknown)
    return quoted(data) + " is of type " + descriptor.type.str() + ", which is not copied";
  plan.local.push_back(data);
  return objection_to_copy(data);
}

std::string VersionPlanner::find_local(std::uint32_t region, RegionPlan &plan) {
  std::string reason;
  std::unordered_set<Name> seen(plan.buffers.begin(), plan.buffers.end());
  const auto look_into = [&](const ir::State &state, const ir::Block &) {
    for (const ir::Node &node : state.nodes) {
      const auto *access = node.as<ir::AccessNode>();
      if (!access || node.removed || !reason.empty())
        continue;
      const std::string_view base = access->data.view().substr(0, access->data.view().find('.'));
      const Name data = sdfg_.find_array(access->data) ? access->data : context_.names().find(base);
      const ir::Descriptor *descriptor = sdfg_.find_array(data);
      if (descriptor && descriptor->transient && seen.insert(data).second)
        reason = consider_local(data, region, plan);
    }
  };
  for (const BlockId id : plan.section.blocks) {
    const ir::Block &block = plan.region->block(id);
    if (const auto *state = block.as<ir::State>())
      look_into(*state, block);
    for (const Region *child : ir::child_regions(block))
      ir::for_each_state(*child, look_into);
  }
  std::sort(plan.local.begin(), plan.local.end());
  return reason;
}

std::vector<BlockId> VersionPlanner::blocks_of(const std::vector<Place> &places,
                                               std::uint32_t region) const {
  std::vector<BlockId> blocks;
  blocks.reserve(places.size());
  for (const Place &place : places)
    blocks.push_back(lifted(place, regions_[region].depth).block);
  return blocks;
}

RegionSections *VersionPlanner::sections_of(std::uint32_t region) {
  if (const auto found = sections_.find(region); found != sections_.end())
    return &found->second;
  const BlockId start = start_of(*regions_[region].region);
  if (!start.has_value())
    return nullptr;
  return &sections_.try_emplace(region, *regions_[region].region, start, open_).first->second;
}

/// Elements, and what cannot be there twice; "" if there is nothing of that kind.
std::string VersionPlanner::measure(std::uint32_t region, RegionPlan &plan) {
  const RegionSections &sections = *sections_of(region);
  const auto stays_inside = [&](std::uint32_t edge) {
    const std::vector<BlockId> &blocks = plan.section.blocks;
    return std::binary_search(blocks.begin(), blocks.end(), plan.region->edges[edge].dst);
  };
  io::MemberSplitter splitter;
  plan.growth = 1;
  for (const BlockId block : plan.section.blocks) {
    const std::vector<std::uint32_t> &edges = sections.edges_from(block);
    plan.growth +=
        ir::element_count(plan.region->block(block)) +
        static_cast<std::size_t>(std::count_if(edges.begin(), edges.end(), stays_inside));
    if (const Name tasklet = global_tasklet(splitter, plan.region->block(block)))
      return "tasklet " + quoted(tasklet) +
             " declares something for the whole program, which cannot be there twice";
  }
  return {};
}

std::variant<RegionPlan, NoPlan> VersionPlanner::plan_of(Group group) {
  RegionPlan plan;
  std::vector<Expr> conditions;
  for (const PlanRequest &request : group.requests) {
    plan.buffers.push_back(request.buffer);
    conditions.push_back(request.condition);
  }
  std::sort(plan.buffers.begin(), plan.buffers.end());
  plan.condition = context_.logical_and(conditions);
  plan.region = regions_[group.region].region;
  plan.section = std::move(group.section);
  for (std::uint32_t at = group.region; regions_[at].depth > 0; at = regions_[at].around.region)
    plan.around.emplace_back(regions_[regions_[at].around.region].region,
                             regions_[at].around.block);
  std::reverse(plan.around.begin(), plan.around.end());
  std::string reason = measure(group.region, plan);
  if (reason.empty())
    reason = find_local(group.region, plan);
  if (!reason.empty())
    return NoPlan{std::move(reason)};
  find_sized_in_branch(group.region, plan);
  return plan;
}

/// Blocks of groups, to find the one around a place.
struct VersionPlanner::Claims {
  std::unordered_map<std::uint64_t, std::size_t> group_of;

  static std::uint64_t key(Place place) {
    return (std::uint64_t{place.region} << 32) | place.block.value;
  }
};

/// Groups in one region, of the requests whose places have no region in common that is further in.
void VersionPlanner::form_groups(const std::vector<PlanRequest> &requests, std::uint32_t region,
                                 Claims &claims, Groups &groups, Plans &result) {
  RegionSections *sections = sections_of(region);
  if (!sections) {
    for (const PlanRequest &request : requests)
      result.refused.push_back(
          {{request.buffer}, NoPlan{"it is not clear where the region begins"}});
    return;
  }
  std::vector<std::vector<BlockId>> wanted;
  wanted.reserve(requests.size());
  for (const PlanRequest &request : requests)
    wanted.push_back(blocks_of(places_of(request.buffer), region));
  RegionSections::Partition partition = sections->partition(wanted);
  const std::size_t first = groups.size();
  for (Section &section : partition.sections) {
    for (const BlockId block : section.blocks)
      claims.group_of[Claims::key({region, block})] = groups.size();
    groups.push_back({region, std::move(section), {}});
  }
  for (std::size_t i = 0; i < requests.size(); ++i)
    groups[first + partition.of[i]].requests.push_back(requests[i]);
}

VersionPlanner::Plans VersionPlanner::plan_all(const std::vector<PlanRequest> &requests) {
  Plans result;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<PlanRequest>> by_region; // by depth
  for (const PlanRequest &request : requests) {
    std::string reason = objection(request.buffer, request.condition);
    if (reason.empty() && places_of(request.buffer).empty())
      reason = "nothing accesses the buffer";
    if (!reason.empty()) {
      result.refused.push_back({{request.buffer}, NoPlan{std::move(reason)}});
      continue;
    }
    const std::uint32_t region = common_region(places_of(request.buffer));
    by_region[{regions_[region].depth, region}].push_back(request);
  }
  Claims claims;
  Groups groups;
  for (auto &[place, list] : by_region) { // outer groups first, which those inside go with
    std::optional<std::size_t> around;
    for (std::uint32_t at = place.second; regions_[at].depth > 0 && !around;
         at = regions_[at].around.region)
      if (const auto found = claims.group_of.find(Claims::key(regions_[at].around));
          found != claims.group_of.end())
        around = found->second;
    if (around)
      groups[*around].requests.insert(groups[*around].requests.end(), list.begin(), list.end());
    else
      form_groups(list, place.second, claims, groups, result);
  }
  std::vector<std::pair<std::uint32_t, RegionPlan>> found; // with the place in the program
  for (Group &group : groups) {
    std::vector<Name> buffers;
    std::uint32_t first = UINT32_MAX;
    for (const PlanRequest &request : group.requests) {
      buffers.push_back(request.buffer);
      for (const analysis::Site &site : accesses_.sites(request.buffer))
        first = std::min(first, flow_.order(site.point));
    }
    auto plan = plan_of(std::move(group));
    if (auto *refusal = std::get_if<NoPlan>(&plan))
      result.refused.emplace_back(std::move(buffers), std::move(*refusal));
    else
      found.emplace_back(first, std::get<RegionPlan>(std::move(plan)));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto &a, const auto &b) { return a.first < b.first; });
  for (auto &plan : found)
    result.plans.push_back(std::move(plan.second));
  return result;
}

} // namespace sdfgopt::passes
