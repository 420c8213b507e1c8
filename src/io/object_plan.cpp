#include "io/object_plan.h"

#include <algorithm>

namespace sdfgopt::io {

namespace {

std::size_t rank_of(std::string_view key, std::span<const std::string_view> order) {
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), key) - order.begin());
}

} // namespace

std::vector<ir::Member> plan_object(std::span<const ir::Member> remembered,
                                    std::span<const ModelledMember> modelled,
                                    std::span<const std::string_view> order) {
  std::vector<ir::Member> plan;
  for (const ir::Member &member : remembered) {
    const auto found = std::find_if(modelled.begin(), modelled.end(), [&](const auto &candidate) {
      return candidate.key == member.key;
    });
    // A remembered null says the same as the absence of the member.
    if (found == modelled.end() || (found->need == Need::Never && member.value == "null"))
      plan.push_back(member);
    else if (found->need != Need::Never)
      plan.push_back({member.key, {}});
  }
  for (const ModelledMember &member : modelled) {
    const auto has_key = [&](const ir::Member &other) { return other.key == member.key; };
    if (member.need != Need::Always || std::any_of(plan.begin(), plan.end(), has_key))
      continue;
    // Before the first known key that comes later; unknown keys stay behind what they followed.
    const std::size_t rank = rank_of(member.key, order);
    const auto later = std::find_if(plan.begin(), plan.end(), [&](const ir::Member &other) {
      const std::size_t other_rank = rank_of(other.key, order);
      return other_rank < order.size() && other_rank > rank;
    });
    plan.insert(later, {member.key, {}});
  }
  return plan;
}

} // namespace sdfgopt::io
