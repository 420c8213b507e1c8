// Data descriptors: what a name in an SDFG's array table stands for.
#pragma once

#include "ir/element.h"
#include "ir/memlet.h"

namespace sdfgopt::ir {

enum class DescriptorKind : std::uint8_t {
  Scalar,
  Array,     ///< Array, and ParameterArray's plain use
  View,      ///< ArrayView: another name for (part of) the data that it is connected to
  Reference, ///< ArrayReference: a pointer that is set at run time
  Stream,
  Structure, ///< Structure, StructureView, StructureReference, Tensor
  Container, ///< ContainerArray, ContainerView, ContainerArrayReference
  Unknown,   ///< any other type name: carried, never touched
};

/// The kind for a type name in the file.
DescriptorKind descriptor_kind(std::string_view type);

struct Descriptor : Leaf {
  Name name;
  Name type; ///< as in the file: "Array", "Scalar", "ArrayView", ...
  DescriptorKind kind = DescriptorKind::Unknown;
  std::string_view dtype;    ///< JSON; empty: the default, int32
  std::string_view storage;  ///< JSON; empty: "Default"
  std::string_view lifetime; ///< JSON; empty: "Scope"
  std::vector<Expression> shape;
  std::vector<Expression> strides; ///< empty for Scalars, and where the file leaves it out: C order
  std::vector<Expression> offset;  ///< empty: zeros
  Expression total_size;           ///< absent: product of shape
  bool transient = false;
  bool may_alias = false;
  bool removed = false;

  /// dtype with the default filled in.
  [[nodiscard]] std::string_view dtype_or_default() const {
    return dtype.empty() ? std::string_view("\"int32\"") : dtype;
  }
  [[nodiscard]] std::string_view storage_or_default() const {
    return storage.empty() ? std::string_view("\"Default\"") : storage;
  }
  [[nodiscard]] std::string_view lifetime_or_default() const {
    return lifetime.empty() ? std::string_view("\"Scope\"") : lifetime;
  }
};

} // namespace sdfgopt::ir
