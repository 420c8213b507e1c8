#include "python/live_values.h"

#include "io/json_text.h"

#include <algorithm>
#include <cmath>

namespace sdfgopt::python {

using support::Name;

namespace {

struct ValueFields {
  PlainField type{"type"};
  PlainField name{"name"};
  PlainField to_json{"to_json"};
  PlainField code{"code"};
  PlainField language{"language"};
  PlainField as_string{"as_string"};
};

const ValueFields &fields() {
  static const ValueFields known;
  return known;
}

} // namespace

ValueReader::ValueReader(ir::Document &document) : document_(document) {
  const nb::object serialize = nb::module_::import_("dace.serialize");
  to_json_ = serialize.attr("to_json");
  dumps_ = serialize.attr("dumps");
  const nb::object dtypes = nb::module_::import_("dace.dtypes");
  plain_type_ = dtypes.attr("typeclass");
  default_type_ = dtypes.attr("int32");
  const nb::object ast = nb::module_::import_("ast");
  node_base_ = ast.attr("AST");
  const auto type = [&](const char *name) {
    return reinterpret_cast<PyTypeObject *>(nb::object(ast.attr(name)).ptr());
  };
  expression_statement_ = type("Expr");
  name_node_ = type("Name");
  constant_node_ = type("Constant");
}

Name ValueReader::name(nb::handle text, const char *what) {
  if (text.is_none())
    return {};
  if (Name *known = names_.find(text))
    return *known;
  const Name name = document_.names.intern(text_of(text, what));
  names_[text] = name;
  return name;
}

std::string_view ValueReader::quoted(std::string_view text) {
  std::string json;
  io::append_quoted(json, text);
  return document_.arena.store(json);
}

// Types to be inferred are objects of their own for each connector, so they are not looked up.
std::string_view ValueReader::type(nb::handle type) {
  if (type.is_none())
    return "null";
  const bool is_plain = Py_TYPE(type.ptr()) == reinterpret_cast<PyTypeObject *>(plain_type_.ptr());
  if (is_plain && fields().type.of(type).is_none())
    return "null";
  if (const Known *known = known_.find(type))
    return known->json;
  if (PyObject_IsInstance(type.ptr(), plain_type_.ptr()) != 1)
    wrong_type("dtype", "typeclass", type);
  const nb::object json = fields().to_json.of(type)();
  const Known known{is_text(json) ? quoted(text_of(json, "to_json()")) : this->json(json),
                    type.equal(default_type_)};
  known_[type] = known;
  return known.json;
}

std::string_view ValueReader::type_unless_default(nb::handle type) {
  const std::string_view json = this->type(type);
  const Known *known = known_.find(type);
  return known && known->is_default ? std::string_view() : json;
}

std::string_view ValueReader::member_unless(nb::handle member, std::string_view fallback) {
  const Known *known = known_.find(member);
  if (!known) {
    const nb::object json = to_json_(member);
    Known made;
    if (is_text(json)) {
      const std::string_view name = text_of(json, "to_json()");
      made = {quoted(name), name == fallback};
    } else {
      made.json = this->json(json);
    }
    known = &(known_[member] = made);
  }
  return known->is_default ? std::string_view() : known->json;
}

std::string_view ValueReader::json(nb::handle value) {
  const nb::object text = dumps_(value);
  return document_.arena.store(text_of(text, "dumps()"));
}

// --- code ------------------------------------------------------------------------------------

Name ValueReader::language(nb::handle block) {
  const nb::object language = fields().language.of(block);
  if (const Name *known = names_.find(language))
    return *known;
  const nb::object text = fields().name.of(language);
  const Name name = document_.names.intern(text_of(text, "CodeBlock.language.name"));
  names_[language] = name;
  return name;
}

bool ValueReader::is_empty_code(nb::handle block) {
  const nb::object code = fields().code.of(block);
  if (code.is_none())
    return true;
  return (is_text(code) || PyList_Check(code.ptr())) && PyObject_Size(code.ptr()) == 0;
}

/// A name, a whole number or a truth value as the only expression.
bool ValueReader::spell_atom(nb::handle statements, std::string &out) {
  if (!PyList_Check(statements.ptr()) || PyList_Size(statements.ptr()) != 1)
    return false;
  nb::object node = nb::borrow(PyList_GetItem(statements.ptr(), 0));
  static const PlainField value("value");
  static const PlainField id("id");
  if (Py_TYPE(node.ptr()) == expression_statement_)
    node = value.of(node);
  if (Py_TYPE(node.ptr()) == name_node_) {
    const nb::object text = id.of(node);
    out = text_of(text, "Name.id");
    return true;
  }
  if (Py_TYPE(node.ptr()) != constant_node_)
    return false;
  const nb::object constant = value.of(node);
  if (!PyLong_Check(constant.ptr()))
    return false;
  const nb::object text = nb::str(constant);
  out = text_of(text, "Constant.value");
  return true;
}

std::string_view ValueReader::spelled(nb::handle block) {
  const nb::object code = fields().code.of(block);
  if (is_text(code))
    return document_.arena.store(text_of(code, "CodeBlock.code"));
  std::string atom;
  if (spell_atom(code, atom))
    return document_.arena.store(atom);
  const nb::object text = fields().as_string.of(block);
  return text.is_none() ? std::string_view()
                        : document_.arena.store(text_of(text, "CodeBlock.as_string"));
}

std::optional<ir::Code> ValueReader::code(nb::handle block) {
  if (block.is_none())
    return std::nullopt;
  return ir::Code{spelled(block), language(block)};
}

// In the file stands what DaCe makes of the text, where `k / 2` is `k // 2`, and others are folded.
std::string_view ValueReader::assigned(nb::handle value) {
  if (is_text(value)) {
    const std::string_view text = text_of(value, "InterstateEdge.assignments");
    const auto is_plain = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == ' ' || c == '+' || c == '-';
    };
    if (std::ranges::all_of(text, is_plain))
      return document_.arena.store(text);
  }
  const nb::object symbolic = nb::module_::import_("dace.symbolic");
  const nb::object text = symbolic.attr("symstr")(symbolic.attr("pystr_to_symbolic")(value));
  return document_.arena.store(text_of(text, "symstr()"));
}

ir::Code ValueReader::words(nb::handle block) {
  const Name name = language(block);
  if (name.view() == "Python") {
    std::string words;
    if (collect_words(fields().code.of(block), words, 0))
      return {document_.arena.store(words), name};
  }
  return {spelled(block), name};
}

const ValueReader::NodeClass *ValueReader::node_class(nb::handle node) {
  const auto [found, is_new] = node_classes_.try_emplace(Py_TYPE(node.ptr()));
  std::optional<NodeClass> &known = found->second;
  if (is_new && PyObject_IsInstance(node.ptr(), node_base_.ptr()) == 1) {
    known.emplace();
    known->is_constant = Py_TYPE(node.ptr()) == constant_node_;
    for_each(nb::object(node.type().attr("_fields")), [&](const nb::object &field) {
      const std::string_view name = text_of(field, "AST._fields");
      // Operators and contexts are keywords and signs, and a comment is not unparsed.
      if (name != "ctx" && name != "op" && name != "ops" && name != "type_comment" &&
          name != "kind")
        known->fields.push_back(field);
    });
  }
  return known ? &*known : nullptr;
}

/// False if there is something that only Python can spell.
bool ValueReader::collect_words(nb::handle value, std::string &out, unsigned depth) {
  constexpr unsigned max_depth = 200;
  if (depth > max_depth)
    return false;
  if (value.is_none())
    return true;
  if (is_text(value)) {
    out += text_of(value, "tasklet code");
    out += ' ';
    return true;
  }
  bool all = true;
  if (PyList_Check(value.ptr())) {
    for_each(value, [&](const nb::object &element) {
      all = all && collect_words(element, out, depth + 1);
    });
    return all;
  }
  const NodeClass *node = node_class(value);
  if (!node)
    return PyLong_Check(value.ptr()) != 0; // ImportFrom.level, AnnAssign.simple and the like
  for (std::size_t i = 0; all && i < node->fields.size(); ++i) {
    const nb::object part = nb::steal(PyObject_GetAttr(value.ptr(), node->fields[i].ptr()));
    if (part.is_valid())
      all = node->is_constant ? collect_constant(part, out) : collect_words(part, out, depth + 1);
    else
      PyErr_Clear(); // optional fields may be absent
  }
  return all;
}

/// Objects other than literals, which DaCe's front end leaves in the tree, are spelled by repr().
bool ValueReader::collect_constant(nb::handle value, std::string &out) {
  if (is_text(value))
    return collect_words(value, out, 0);
  if (PyFloat_CheckExact(value.ptr()))
    return std::isfinite(PyFloat_AsDouble(value.ptr()));
  return value.is_none() || PyLong_Check(value.ptr());
}

std::string_view ValueReader::conflict_resolution(nb::handle lambda) {
  if (lambda.is_none())
    return {};
  if (const std::string_view *known = lambdas_.find(lambda))
    return *known;
  const nb::object property = nb::module_::import_("dace.properties").attr("LambdaProperty");
  const nb::object text = property.attr("to_string")(lambda);
  const std::string_view spelled = document_.arena.store(text_of(text, "Memlet.wcr"));
  lambdas_[lambda] = spelled;
  return spelled;
}

std::string_view ValueReader::frame_code(nb::handle codes) {
  const auto items = sorted_items_of(codes, "code of an SDFG");
  if (items.size() == 1 && text_of(items[0].first, "code of an SDFG") == "frame" &&
      is_empty_code(items[0].second) && language(items[0].second).view() == "CPP")
    return R"({"frame":{"string_data":"","language":"CPP"}})";
  nb::dict json;
  for (const auto &[key, code] : items)
    json[key] = fields().to_json.of(code)();
  return this->json(json);
}

} // namespace sdfgopt::python
