// Internal to io: which members a changed element is written with, and in which order.
#pragma once

#include "ir/element.h"

#include <span>
#include <string_view>
#include <vector>

namespace sdfgopt::io {

/// What a modelled member asks for.
enum class Need : unsigned char {
  Never,        ///< must not be written (an absent other_subset)
  IfRemembered, ///< has its default: written only where the file spelled it out
  Always,
};

struct ModelledMember {
  std::string_view key;
  Need need;
};

/// Merges what was remembered with what is modelled. Remembered members keep their order, with
/// an empty value where the writer is to print from typed fields; modelled ones that are missing
/// are put where DaCe's order (`order`, all known keys of the class) has them.
std::vector<ir::Member> plan_object(std::span<const ir::Member> remembered,
                                    std::span<const ModelledMember> modelled,
                                    std::span<const std::string_view> order);

} // namespace sdfgopt::io
