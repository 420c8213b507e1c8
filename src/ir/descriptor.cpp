#include "ir/descriptor.h"

#include <array>

namespace sdfgopt::ir {

DescriptorKind descriptor_kind(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, DescriptorKind>, 14> kinds = {{
      {"Scalar", DescriptorKind::Scalar},
      {"Array", DescriptorKind::Array},
      {"ParameterArray", DescriptorKind::Array},
      {"ArrayView", DescriptorKind::View},
      {"ArrayReference", DescriptorKind::Reference},
      {"Stream", DescriptorKind::Stream},
      {"Structure", DescriptorKind::Structure},
      {"StructureView", DescriptorKind::Structure},
      {"StructureReference", DescriptorKind::Structure},
      {"Tensor", DescriptorKind::Structure},
      {"ContainerArray", DescriptorKind::Container},
      {"ContainerView", DescriptorKind::Container},
      {"ContainerArrayReference", DescriptorKind::Container},
      {"ContainerReference", DescriptorKind::Container},
  }};
  for (const auto &[name, kind] : kinds)
    if (name == type)
      return kind;
  return DescriptorKind::Unknown;
}

} // namespace sdfgopt::ir
