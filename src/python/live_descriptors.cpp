#include "python/live_graph_reader.h"

namespace sdfgopt::python {

namespace {

struct DescriptorFields {
  PlainField arrays{"_arrays"};
  PlainField properties{"__properties__"};
  Field dtype{"dtype"};
  Field shape{"shape"};
  Field strides{"strides"};
  Field offset{"offset"};
  Field total_size{"total_size"};
  Field transient{"transient"};
  Field may_alias{"may_alias"};
  Field optional{"optional"};
  Field storage{"storage"};
  Field lifetime{"lifetime"};
};

const DescriptorFields &fields() {
  static const DescriptorFields known;
  return known;
}

} // namespace

void LiveGraphReader::read_descriptors(nb::handle object, ir::Sdfg &sdfg) {
  const auto items = items_of(fields().arrays.of(object), "SDFG.arrays");
  sdfg.arrays.reserve(items.size());
  for (const auto &[name, descriptor] : items) {
    ir::Descriptor &added = sdfg.arrays.emplace_back();
    added.name = values_.name(name, "SDFG.arrays");
    read_descriptor(descriptor, added);
  }
  sdfg.index_arrays();
}

const LiveGraphReader::DescriptorClass &LiveGraphReader::descriptor_class(nb::handle object) {
  const auto [found, is_new] = descriptor_classes_.try_emplace(Py_TYPE(object.ptr()));
  DescriptorClass &known = found->second;
  if (!is_new)
    return known;
  known.type = values_.name(nb::object(object.type().attr("__name__")), "__name__");
  known.kind = ir::descriptor_kind(known.type.view());
  if (known.kind == ir::DescriptorKind::Unknown)
    return known;
  const nb::object properties = fields().properties.of(object.type());
  const auto has = [&](const char *name) { return contains(properties, nb::str(name)); };
  known.has_strides = has("strides");
  known.has_total_size = has("total_size");
  known.has_offset = has("offset");
  known.has_may_alias = has("may_alias");
  known.has_optional = has("optional");
  return known;
}

void LiveGraphReader::read_descriptor(nb::handle object, ir::Descriptor &descriptor) {
  const DescriptorClass &known = descriptor_class(object);
  descriptor.type = known.type;
  descriptor.kind = known.kind;
  std::string_view attributes;
  if (known.kind != ir::DescriptorKind::Unknown) {
    descriptor.dtype = values_.type_unless_default(fields().dtype.of(object));
    for_each(fields().shape.of(object), [&](const nb::object &extent) {
      descriptor.shape.push_back(expressions_.read_extent(extent));
    });
    if (known.has_strides)
      descriptor.strides = expressions(fields().strides.of(object));
    if (known.has_offset)
      descriptor.offset = expressions(fields().offset.of(object));
    if (known.has_total_size)
      descriptor.total_size = unless_zero(fields().total_size.of(object));
    descriptor.transient = flag_of(fields().transient.of(object), "Data.transient");
    if (known.has_may_alias)
      descriptor.may_alias = flag_of(fields().may_alias.of(object), "Array.may_alias");
    descriptor.storage = values_.member_unless(fields().storage.of(object), "Default");
    descriptor.lifetime = values_.member_unless(fields().lifetime.of(object), "Scope");
    if (known.has_optional && fields().optional.of(object).ptr() == Py_True)
      attributes = R"("optional":true)";
  }
  descriptor.source = source(object, attributes);
}

std::vector<symbolic::Expression> LiveGraphReader::expressions(nb::handle sequence) {
  std::vector<symbolic::Expression> list;
  for_each(sequence, [&](const nb::object &object) { list.push_back(expressions_.read(object)); });
  return list;
}

symbolic::Expression LiveGraphReader::unless_zero(nb::handle object) {
  if (object.is_none())
    return {};
  const symbolic::Expression value = expressions_.read(object);
  return value.text() == "0" ? symbolic::Expression() : value;
}

} // namespace sdfgopt::python
