#include "io/json_graph_writer.h"

#include <array>

namespace sdfgopt::io {

namespace {

using Keys = std::string_view;

constexpr std::array<Keys, 2> typed_order = {"type", "attributes"};
/// Those of an Array; the other classes have a subset of them in the same order.
constexpr std::array<Keys, 17> descriptor_order = {
    "allow_conflicts", "strides",      "total_size", "offset",   "buffer_size", "may_alias",
    "alignment",       "start_offset", "optional",   "pool",     "dtype",       "shape",
    "transient",       "storage",      "lifetime",   "location", "debuginfo"};

} // namespace

void GraphWriter::write_descriptor(const ir::Descriptor &descriptor) {
  const bool carried = descriptor.kind == ir::DescriptorKind::Unknown; // nothing in it is typed
  if ((!descriptor.changed || carried) && !descriptor.source.empty()) {
    out_ += descriptor.source;
    return;
  }
  const std::vector<ir::Member> remembered = splitter_.split(descriptor.source);
  std::string_view attributes;
  std::vector<ModelledMember> typed = {{"attributes", Need::Always}, {"type", Need::Always}};
  for (const ir::Member &member : remembered)
    if (member.key == "attributes")
      attributes = member.value;
  const auto list = [](const auto &values) {
    return values.empty() ? Need::IfRemembered : Need::Always;
  };
  const auto text = [](std::string_view value) {
    return value.empty() ? Need::Never : Need::Always;
  };
  const auto flag = [](bool value) { return value ? Need::Always : Need::IfRemembered; };
  const std::array<ModelledMember, 9> modelled = {
      {{"strides", list(descriptor.strides)},
       {"total_size", descriptor.total_size ? Need::Always : Need::Never},
       {"offset", list(descriptor.offset)},
       {"may_alias", flag(descriptor.may_alias)},
       {"dtype", descriptor.dtype.empty() ? Need::IfRemembered : Need::Always},
       {"shape", list(descriptor.shape)},
       {"transient", flag(descriptor.transient)},
       {"storage", text(descriptor.storage)},
       {"lifetime", text(descriptor.lifetime)}}};
  write_plan(plan_object(remembered, typed, typed_order), [&](std::string_view key) {
    if (key == "type")
      return write_name(descriptor.type);
    write_plan(plan_object(splitter_.split(attributes), modelled, descriptor_order),
               [&](std::string_view name) { write_descriptor_attribute(name, descriptor); });
  });
}

void GraphWriter::write_descriptor_attribute(std::string_view key,
                                             const ir::Descriptor &descriptor) {
  if (key == "strides")
    write_expressions(descriptor.strides);
  else if (key == "total_size")
    write_quoted(descriptor.total_size.text());
  else if (key == "offset")
    write_expressions(descriptor.offset);
  else if (key == "may_alias")
    write_boolean(descriptor.may_alias);
  else if (key == "dtype")
    out_ += descriptor.dtype_or_default();
  else if (key == "shape")
    write_expressions(descriptor.shape);
  else if (key == "transient")
    write_boolean(descriptor.transient);
  else if (key == "storage")
    out_ += descriptor.storage;
  else
    out_ += descriptor.lifetime;
}

} // namespace sdfgopt::io
