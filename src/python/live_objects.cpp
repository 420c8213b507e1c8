#include "python/live_objects.h"

#include <algorithm>

namespace sdfgopt::python {

namespace {

PyObject *interned(const std::string &name) {
  PyObject *text = PyUnicode_InternFromString(name.c_str());
  if (!text)
    throw nb::python_error();
  return text;
}

nb::object attribute(nb::handle owner, PyObject *name) {
  PyObject *value = PyObject_GetAttr(owner.ptr(), name);
  if (!value)
    throw nb::python_error();
  return nb::steal(value);
}

} // namespace

Field::Field(const char *name)
    : name_(interned(name)), backing_(interned("_" + std::string(name))) {}

nb::object Field::of(nb::handle owner) const {
  if (PyObject *value = PyObject_GetAttr(owner.ptr(), backing_))
    return nb::steal(value);
  if (!PyErr_ExceptionMatches(PyExc_AttributeError))
    throw nb::python_error();
  PyErr_Clear();
  return attribute(owner, name_);
}

PlainField::PlainField(const char *name) : name_(interned(name)) {}

nb::object PlainField::of(nb::handle owner) const { return attribute(owner, name_); }

void wrong_type(const char *what, const char *expected, nb::handle value) {
  const nb::object name = value.type().attr("__name__");
  PyErr_Format(PyExc_TypeError, "%s: %s expected, not %U", what, expected, name.ptr());
  throw nb::python_error();
}

std::string_view text_of(nb::handle value, const char *what) {
  if (!is_text(value))
    wrong_type(what, "str", value);
  Py_ssize_t size = 0;
  const char *text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (!text)
    throw nb::python_error();
  return {text, static_cast<std::size_t>(size)};
}

bool flag_of(nb::handle value, const char *what) {
  if (!PyBool_Check(value.ptr()))
    wrong_type(what, "bool", value);
  return value.ptr() == Py_True;
}

bool contains(nb::handle container, nb::handle key) {
  const int found = PySequence_Contains(container.ptr(), key.ptr());
  if (found < 0)
    throw nb::python_error();
  return found == 1;
}

std::vector<std::pair<nb::object, nb::object>> items_of(nb::handle dict, const char *what) {
  if (!PyDict_Check(dict.ptr()))
    wrong_type(what, "dict", dict);
  std::vector<std::pair<nb::object, nb::object>> items;
  items.reserve(static_cast<std::size_t>(PyDict_Size(dict.ptr())));
  Py_ssize_t position = 0;
  PyObject *key = nullptr;
  PyObject *value = nullptr;
  while (PyDict_Next(dict.ptr(), &position, &key, &value)) // runs no Python code
    items.emplace_back(nb::borrow(key), nb::borrow(value));
  for (const auto &item : items)
    text_of(item.first, what);
  return items;
}

std::vector<std::pair<nb::object, nb::object>> sorted_items_of(nb::handle dict, const char *what) {
  auto items = items_of(dict, what);
  if (items.size() > 1)
    std::sort(items.begin(), items.end(), [&](const auto &a, const auto &b) {
      return text_of(a.first, what) < text_of(b.first, what);
    });
  return items;
}

} // namespace sdfgopt::python
