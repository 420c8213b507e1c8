// Internal to the live reader: checked and quick access to Python objects.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sdfgopt::python {

namespace nb = nanobind;

/// An attribute of DaCe's objects. Where an object has `_name`, that is read: the properties are
/// getters in Python, which take longer than all the rest of reading an element.
class Field {
public:
  explicit Field(const char *name);
  /// Throws what Python raises if there is no such attribute.
  [[nodiscard]] nb::object of(nb::handle owner) const;

private:
  PyObject *name_; // never freed, as interned strings are
  PyObject *backing_;
};

/// A plain attribute of objects that are not DaCe's elements.
class PlainField {
public:
  explicit PlainField(const char *name);
  [[nodiscard]] nb::object of(nb::handle owner) const;
  [[nodiscard]] PyObject *name() const { return name_; }

private:
  PyObject *name_;
};

/// Raises a TypeError: "`what`: `expected` expected, not `type of value`".
[[noreturn]] void wrong_type(const char *what, const char *expected, nb::handle value);

/// The text of a str, which lives as long as the object.
std::string_view text_of(nb::handle value, const char *what);
bool flag_of(nb::handle value, const char *what);
/// Python's `key in container`.
bool contains(nb::handle container, nb::handle key);
inline bool is_text(nb::handle value) { return PyUnicode_Check(value.ptr()); }

/// The items of a dict whose keys are texts, in its order.
std::vector<std::pair<nb::object, nb::object>> items_of(nb::handle dict, const char *what);
/// The same, sorted by key as Python sorts: by code points, which in UTF-8 is the order of bytes.
std::vector<std::pair<nb::object, nb::object>> sorted_items_of(nb::handle dict, const char *what);

/// Calls `visit` for each element of a list, tuple or other iterable. A list may change meanwhile.
template <typename Visit> void for_each(nb::handle sequence, Visit visit) {
  if (PyList_Check(sequence.ptr())) {
    for (Py_ssize_t i = 0; i < PyList_Size(sequence.ptr()); ++i)
      visit(nb::borrow(PyList_GetItem(sequence.ptr(), i)));
  } else if (PyTuple_Check(sequence.ptr())) {
    const Py_ssize_t size = PyTuple_Size(sequence.ptr());
    for (Py_ssize_t i = 0; i < size; ++i)
      visit(nb::borrow(PyTuple_GetItem(sequence.ptr(), i)));
  } else {
    const nb::object iterator = nb::steal(PyObject_GetIter(sequence.ptr()));
    if (!iterator.is_valid())
      throw nb::python_error();
    while (PyObject *item = PyIter_Next(iterator.ptr()))
      visit(nb::steal(item));
    if (PyErr_Occurred())
      throw nb::python_error();
  }
}

/// Objects by identity, with a value each. Keeps them alive, so that no other takes their place.
template <typename Value> class ObjectMap {
public:
  /// The object's value, default-constructed if it is new. Valid until the next call.
  Value &operator[](nb::handle object) {
    if (2 * (size_ + 1) > slots_.size())
      grow();
    Slot &slot = slots_[slot_of(object.ptr())];
    if (!slot.object.is_valid()) {
      slot.object = nb::borrow(object);
      ++size_;
    }
    return slot.value;
  }
  /// Null if it is not there.
  [[nodiscard]] Value *find(nb::handle object) {
    if (slots_.empty())
      return nullptr;
    Slot &slot = slots_[slot_of(object.ptr())];
    return slot.object.is_valid() ? &slot.value : nullptr;
  }
  void clear() {
    slots_.clear();
    size_ = 0;
  }

private:
  struct Slot {
    nb::object object;
    Value value{};
  };

  [[nodiscard]] std::size_t slot_of(const PyObject *object) const {
    const std::size_t mask = slots_.size() - 1;
    // Objects are aligned to 16 bytes.
    std::size_t at = (reinterpret_cast<std::uintptr_t>(object) >> 4) * 0x9E3779B97F4A7C15U >> 32;
    for (at &= mask; slots_[at].object.is_valid() && slots_[at].object.ptr() != object;)
      at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 32 : 4 * slots_.size());
    old.swap(slots_);
    for (Slot &slot : old)
      if (slot.object.is_valid())
        slots_[slot_of(slot.object.ptr())] = std::move(slot);
  }

  std::vector<Slot> slots_; // a power of two of them
  std::size_t size_ = 0;
};

} // namespace sdfgopt::python
