#include "io/json_graph_reader.h"

namespace sdfgopt::io {

void GraphReader::read_descriptors(ondemand::value value, ir::Sdfg &sdfg) {
  cursor_.members(value, [&](std::string_view name, ondemand::value descriptor) {
    ir::Descriptor &added = sdfg.arrays.emplace_back();
    added.name = cursor_.key_name(name);
    enter("array", SIZE_MAX, added.name.view());
    read_descriptor(descriptor, added);
    leave();
  });
  sdfg.index_arrays();
}

void GraphReader::read_descriptor(ondemand::value value, ir::Descriptor &descriptor) {
  const char *begin = JsonCursor::start(value);
  if (*begin != '{')
    JsonCursor::fault("a descriptor object is expected here");
  ondemand::object object = value.get_object();
  descriptor.type = document_.names.intern(type_of(object));
  descriptor.kind = ir::descriptor_kind(descriptor.type.view());
  cursor_.members(object, [&](std::string_view key, ondemand::value member) {
    if (key == "attributes" && descriptor.kind != ir::DescriptorKind::Unknown)
      cursor_.members(member, [&](std::string_view name, ondemand::value attribute) {
        read_descriptor_attribute(name, attribute, descriptor);
      });
    else
      cursor_.carry(member);
  });
  descriptor.source = cursor_.text_from(begin);
}

void GraphReader::read_descriptor_attribute(std::string_view key, ondemand::value value,
                                            ir::Descriptor &descriptor) {
  if (key == "dtype")
    descriptor.dtype = cursor_.carry_type(value);
  else if (key == "shape")
    descriptor.shape = cursor_.expressions(value);
  else if (key == "strides")
    descriptor.strides = cursor_.expressions(value);
  else if (key == "offset")
    descriptor.offset = cursor_.expressions(value);
  else if (key == "total_size")
    descriptor.total_size = cursor_.expression(value, document_.grammar);
  else if (key == "transient")
    descriptor.transient = cursor_.boolean(value);
  else if (key == "may_alias")
    descriptor.may_alias = cursor_.boolean(value);
  else if (key == "storage")
    descriptor.storage = cursor_.carry_type(value);
  else if (key == "lifetime")
    descriptor.lifetime = cursor_.carry_type(value);
  else
    cursor_.carry(value);
}

} // namespace sdfgopt::io
