#include "python/live_expressions.h"

#include "symbolic/annotation.h"

#include <algorithm>

namespace sdfgopt::python {

using support::Name;
using symbolic::Expression;
using symbolic::Grammar;
using symbolic::Kind;

namespace {

/// Deeper trees are left to DaCe, which raises where Python cannot follow either.
constexpr unsigned max_depth = 100;

struct SymPyFields {
  Field args{"args"};
  PlainField p{"p"};
  PlainField q{"q"};
  PlainField name{"name"};
  PlainField assumptions{"_assumptions_orig"};
  PlainField dtype{"dtype"};
};

const SymPyFields &fields() {
  static const SymPyFields known;
  return known;
}

bool is_identifier(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

nb::object called(nb::handle function, nb::handle argument) {
  PyObject *value = PyObject_CallFunctionObjArgs(function.ptr(), argument.ptr(), nullptr);
  if (!value)
    throw nb::python_error();
  return nb::steal(value);
}

} // namespace

ExpressionReader::ExpressionReader(ir::Document &document,
                                   std::unordered_map<Expr, nb::object> &objects)
    : document_(document), context_(document.context), objects_(objects) {
  const nb::object sympy = nb::module_::import_("sympy");
  const nb::object numbers = nb::module_::import_("sympy.core.numbers");
  const nb::object dace = nb::module_::import_("dace.symbolic");
  serialize_ = dace.attr("serialize_symbolic");
  with_types_ = dace.attr("serialization_symbol_dtypes");
  types_.emplace(&PyLong_Type, Type::Int);
  for (const char *name : {"Integer", "Zero", "One", "NegativeOne"})
    add_type(numbers, name, Type::Integer);
  for (const char *name : {"Rational", "Half"})
    add_type(numbers, name, Type::Rational);
  add_type(sympy, "Symbol", Type::Symbol);
  add_type(dace, "symbol", Type::TypedSymbol);
  add_type(sympy, "Add", Type::Add);
  add_type(sympy, "Mul", Type::Mul);
  add_type(sympy, "Pow", Type::Pow);
  add_type(sympy, "Max", Type::Max);
  add_type(sympy, "Min", Type::Min);
  add_type(sympy, "Mod", Type::Mod);
  add_type(dace, "int_floor", Type::FloorDiv);
  add_type(dace, "int_ceil", Type::CeilDiv);
}

void ExpressionReader::add_type(nb::handle module, const char *name, Type type) {
  // The module keeps the class alive.
  types_.emplace(reinterpret_cast<PyTypeObject *>(nb::object(module.attr(name)).ptr()), type);
}

ExpressionReader::Type ExpressionReader::type_of(nb::handle object) const {
  const auto found = types_.find(Py_TYPE(object.ptr()));
  return found == types_.end() ? Type::Unknown : found->second;
}

Expression ExpressionReader::read(nb::handle object) {
  if (const Known *known = known_.find(object); known && known->text)
    return known->text;
  Expr value = tree(object, 0);
  const Expression result = value ? text(value) : serialized(object);
  Known &known = known_[object];
  known.value = value;
  known.text = result;
  if (!value)
    value = context_.value(result);
  if (!is_text(object) && !object.is_none())
    objects_.try_emplace(value, nb::borrow(object));
  return result;
}

Expression ExpressionReader::read_extent(nb::handle object) {
  if (const Expression *known = extents_.find(object))
    return *known;
  Expression result = read(object);
  if (!is_annotated_as_printed(object, 0))
    result = serialized(object);
  return extents_[object] = result;
}

// --- from the tree ---------------------------------------------------------------------------

Expr ExpressionReader::tree(nb::handle object, unsigned depth) {
  if (const Known *known = known_.find(object); known && known->value)
    return known->value;
  const Type type = type_of(object);
  if (type == Type::Unknown || depth > max_depth)
    return nullptr;
  const Expr value = build(object, type, depth);
  if (value)
    known_[object].value = value;
  return value;
}

Expr ExpressionReader::build(nb::handle object, Type type, unsigned depth) {
  switch (type) {
  case Type::Int:
    return integer(object);
  case Type::Integer:
    return integer(fields().p.of(object));
  case Type::Rational: {
    const Expr numerator = integer(fields().p.of(object));
    const Expr denominator = integer(fields().q.of(object));
    if (!numerator || !denominator || denominator->numerator() <= 0)
      return nullptr;
    return context_.rational(numerator->numerator(), denominator->numerator());
  }
  case Type::Symbol:
  case Type::TypedSymbol:
    return symbol(object, type == Type::TypedSymbol);
  default:
    break;
  }
  const std::size_t begin = args_.size(); // the stack of all levels
  bool all = true;
  for_each(fields().args.of(object), [&](const nb::object &arg) {
    const Expr value = all ? tree(arg, depth + 1) : nullptr;
    all = value != nullptr;
    args_.push_back(value);
  });
  const Expr value =
      all && args_.size() > begin ? join(type, std::span(args_).subspan(begin)) : nullptr;
  args_.resize(begin);
  return value;
}

Expr ExpressionReader::join(Type type, std::span<const Expr> args) {
  switch (type) {
  case Type::Add:
    return context_.add(args);
  case Type::Mul:
    return context_.mul(args);
  case Type::Max:
    return context_.max(args);
  case Type::Min:
    return context_.min(args);
  default:
    break;
  }
  if (args.size() != 2)
    return nullptr;
  if (type == Type::Pow) // other powers have spellings of their own
    return args[1]->kind() == Kind::Integer ? context_.pow(args[0], args[1]) : nullptr;
  const Expr value = type == Type::FloorDiv  ? context_.floor_div(args[0], args[1])
                     : type == Type::CeilDiv ? context_.ceil_div(args[0], args[1])
                                             : context_.mod(args[0], args[1]);
  // What was simplified would be printed without the function. Passes look at the text to see
  // whether there is one (analysis::has_quotient).
  const Kind kept = type == Type::FloorDiv  ? Kind::FloorDiv
                    : type == Type::CeilDiv ? Kind::CeilDiv
                                            : Kind::Mod;
  return value->kind() == kept ? value : nullptr;
}

Expr ExpressionReader::integer(nb::handle number) {
  int overflow = 0;
  if (!PyLong_Check(number.ptr()))
    return nullptr;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0)
    return nullptr;
  return context_.integer(value);
}

Expr ExpressionReader::symbol(nb::handle object, bool typed) {
  const nb::object text = fields().name.of(object);
  const std::string_view spelled = text_of(text, "Symbol.name");
  if (!is_identifier(spelled) || spelled == "NoneSymbol")
    return nullptr;
  const Name name = document_.names.intern(spelled);
  if (typed)
    note(name, annotation(object, text));
  return context_.symbol(name);
}

// --- annotations -----------------------------------------------------------------------------

Name ExpressionReader::annotation(nb::handle symbol, nb::handle name) {
  constexpr std::string_view opening = "symbol($";
  // SymPy shares the assumptions between symbols. Should it ever not, this is only slower.
  nb::object assumptions = nb::steal(PyObject_GetAttr(symbol.ptr(), fields().assumptions.name()));
  if (!assumptions.is_valid()) {
    PyErr_Clear();
    assumptions = nb::borrow(symbol);
  }
  nb::object declared = nb::borrow(PyDict_GetItemWithError(declared_.ptr(), name.ptr()));
  if (!declared.is_valid() && PyErr_Occurred())
    throw nb::python_error();
  const SymbolKey key{std::move(assumptions), fields().dtype.of(symbol), std::move(declared)};
  const std::string_view spelled = text_of(name, "Symbol.name");
  auto found = parameters_.find(key);
  if (found == parameters_.end()) {
    nb::object owner;
    const std::string_view text = serialized(symbol, owner);
    if (!text.starts_with(opening))
      return parameters_.emplace(key, std::string()), Name();
    if (!text.substr(opening.size()).starts_with(spelled))
      return document_.names.intern(text);
    found = parameters_.emplace(key, text.substr(opening.size() + spelled.size())).first;
  }
  if (found->second.empty())
    return {};
  return document_.names.intern(std::string(opening) + std::string(spelled) + found->second);
}

void ExpressionReader::note(Name symbol, Name annotation) {
  if (!annotation || !annotations_.try_emplace(symbol, annotation).second)
    return;
  context_.expression(annotation.view(), Grammar::Dollar);
  texts_.clear(); // from now on it is printed with this
}

bool ExpressionReader::is_annotated_as_printed(nb::handle object, unsigned depth) {
  const Type type = type_of(object);
  switch (type) {
  case Type::Int:
  case Type::Integer:
  case Type::Rational:
    return true;
  case Type::Unknown:
    return false;
  case Type::Symbol:
  case Type::TypedSymbol: {
    const nb::object text = fields().name.of(object);
    const Name name = document_.names.intern(text_of(text, "Symbol.name"));
    const auto found = annotations_.find(name);
    const Name printed = found == annotations_.end() ? Name() : found->second;
    return printed == (type == Type::TypedSymbol ? annotation(object, text) : Name());
  }
  default:
    break;
  }
  bool all = depth <= max_depth;
  if (all)
    for_each(fields().args.of(object),
             [&](const nb::object &arg) { all = all && is_annotated_as_printed(arg, depth + 1); });
  return all;
}

ExpressionReader::SymbolTypes::SymbolTypes(ExpressionReader &reader, nb::handle symbols)
    : reader_(reader), outer_(reader.declared_) {
  if (!PyDict_Check(symbols.ptr()))
    wrong_type("SDFG.symbols", "dict", symbols);
  manager_ = called(reader.with_types_, symbols);
  manager_.attr("__enter__")();
  reader_.declared_ = nb::borrow(symbols);
  reader_.extents_.clear();
}

ExpressionReader::SymbolTypes::~SymbolTypes() {
  reader_.declared_ = outer_;
  reader_.extents_.clear();
  try {
    manager_.attr("__exit__")(nb::none(), nb::none(), nb::none());
  } catch (const nb::python_error &) {
    // It only takes back what it did; whatever led here is what the caller is told.
  }
}

// --- from text -------------------------------------------------------------------------------

Expression ExpressionReader::text(Expr value) {
  Expression &known = texts_[value];
  if (!known)
    known = context_.expression(value, Grammar::Dollar);
  return known;
}

std::string_view ExpressionReader::serialized(nb::handle object, nb::object &owner) const {
  owner = called(serialize_, object);
  return text_of(owner, "serialize_symbolic()");
}

Expression ExpressionReader::serialized(nb::handle object) {
  nb::object owner;
  const std::string_view text = serialized(object, owner);
  symbolic::for_each_annotation(text, [&](const symbolic::Annotation &annotation) {
    note(document_.names.intern(annotation.symbol), document_.names.intern(annotation.text));
  });
  return context_.expression(text, Grammar::Dollar);
}

} // namespace sdfgopt::python
