// Texts, leaves, and the queries and rewritings that walk a whole expression.
#include "symbolic/context.h"

#include "symbolic/annotation.h"
#include "symbolic/impl.h"

#include <algorithm>
#include <charconv>

namespace sdfgopt::symbolic {

Context::Context(support::NamePool &names)
    : names_(names), impl_(new Impl, [](Impl *impl) { delete impl; }) {}

// --- texts -----------------------------------------------------------------------------------

Expression Context::expression(std::string_view text, Grammar grammar) {
  auto &table = impl_->tables[static_cast<std::size_t>(grammar)];
  if (auto found = table.find(text); found != table.end())
    return Expression(found->second);
  text = impl_->texts.store(text);
  Expression::Entry &entry = impl_->entries.emplace_back(Expression::Entry{text, grammar, nullptr});
  table.emplace(text, &entry);
  if (grammar == Grammar::Dollar)
    impl_->note_annotations(text, names_);
  return Expression(&entry);
}

Expression Context::expression(Expr value, Grammar grammar) {
  return expression(print(value, grammar), grammar);
}

void Context::for_each_text(const std::function<void(Expression)> &visit) const {
  for (Expression::Entry &entry : impl_->entries)
    visit(Expression(&entry));
}

bool Context::is_integral(Expr e) const { return impl_->facts(e).integral; }

Expr Context::value(Expression text) {
  assert(text);
  Expression::Entry &entry = *text.entry_;
  if (!entry.value && parse(entry.text, entry.grammar, entry.value))
    entry.value = opaque(entry.text);
  return entry.value;
}

void Context::Impl::note_annotations(std::string_view text, support::NamePool &names) {
  for_each_annotation(text, [&](const Annotation &annotation) {
    const Name name = names.intern(annotation.symbol);
    if (!annotations.contains(name))
      annotations.emplace(name, texts.store(annotation.text));
  });
}

// --- leaves ----------------------------------------------------------------------------------

Expr Context::integer(std::int64_t value) { return impl_->number({value, 1}); }

Expr Context::rational(std::int64_t numerator, std::int64_t denominator) {
  assert(denominator != 0);
  if (auto value = make_number(numerator, denominator))
    return impl_->number(*value);
  // INT64_MIN has no negative counterpart.
  return mul(integer(numerator), pow(integer(denominator), integer(-1)));
}

Expr Context::literal(std::string_view text) {
  std::int64_t value = 0;
  const char *end = text.data() + text.size();
  if (auto [stop, error] = std::from_chars(text.data(), end, value);
      error == std::errc() && stop == end)
    return integer(value);
  return impl_->make(Kind::Literal, {}, names_.intern(text));
}

Expr Context::boolean(bool value) { return literal(value ? "True" : "False"); }

Expr Context::symbol(Name name) { return impl_->make(Kind::Symbol, {}, name); }

Expr Context::undefined() { return impl_->make(Kind::Undefined, {}); }

Expr Context::opaque(std::string_view text) {
  return impl_->make(Kind::Opaque, {}, names_.intern(text));
}

Expr Context::call(Name function, std::span<const Expr> args) {
  return impl_->make(Kind::Call, args, function);
}

Expr Context::subscript(std::span<const Expr> base_and_indices) {
  return impl_->make(Kind::Subscript, base_and_indices);
}

Expr Context::attr(Expr base, Name member) {
  return impl_->make(Kind::Attr, std::array{base}, member);
}

// --- queries and rewriting -------------------------------------------------------------------

std::optional<std::int64_t> Context::constant(Expr e) {
  if (e->kind() != Kind::Integer)
    return std::nullopt;
  return e->numerator();
}

namespace {

/// The object of a method call, `x` in `x.sum()`: it is named by the call only. Modules are no
/// symbols.
std::string_view call_object(std::string_view function) {
  static constexpr std::array<std::string_view, 4> modules = {"math", "dace", "numpy", "np"};
  const std::size_t dot = function.find('.');
  if (dot == std::string_view::npos)
    return {};
  const auto object = function.substr(0, dot);
  return std::find(modules.begin(), modules.end(), object) == modules.end() ? object
                                                                            : std::string_view();
}

/// The text with its identifiers replaced: all that can be done for a text without a meaning.
std::string replace_in_text(const Context &context, support::NamePool &names, std::string_view text,
                            const std::unordered_map<Name, Expr> &replacements) {
  std::string result;
  std::size_t copied = 0;
  for_each_identifier(text, [&](std::string_view word) {
    const auto found = replacements.find(names.find(word));
    auto start = static_cast<std::size_t>(word.data() - text.data());
    const char before = start > 0 ? text[start - 1] : ' ';
    if (found == replacements.end() || before == '.')
      return;
    const std::size_t end = start + word.size();
    start -= before == '$' ? 1 : 0;
    const std::string printed =
        context.print(found->second, before == '$' ? Grammar::Dollar : Grammar::Python);
    result += text.substr(copied, start - copied);
    result += found->second->kind() == Kind::Symbol ? printed : "(" + printed + ")";
    copied = end;
  });
  result += text.substr(copied);
  return result;
}

} // namespace

std::uint32_t Context::height(Expr e) const { return impl_->facts(e).height; }

std::vector<Name> Context::free_symbols(Expr e) {
  if (auto found = impl_->symbols.find(e); found != impl_->symbols.end())
    return found->second;
  std::vector<Name> result;
  for (Expr node : postorder(e)) {
    if (node->kind() == Kind::Symbol)
      result.push_back(node->name());
    if (node->kind() == Kind::Opaque)
      for_each_identifier(node->name().view(),
                          [&](std::string_view word) { result.push_back(names_.intern(word)); });
    if (node->kind() == Kind::Call)
      if (const auto object = call_object(node->name().view()); !object.empty())
        result.push_back(names_.intern(object));
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return impl_->symbols.emplace(e, std::move(result)).first->second;
}

Expr Context::Impl::rebuild(Context &context, Expr e, std::span<const Expr> args) {
  switch (e->kind()) {
  case Kind::Add:
    return context.add(args);
  case Kind::Mul:
    return context.mul(args);
  case Kind::Pow:
    return context.pow(args[0], args[1]);
  case Kind::Max:
    return context.max(args);
  case Kind::Min:
    return context.min(args);
  case Kind::FloorDiv:
    return context.floor_div(args[0], args[1]);
  case Kind::CeilDiv:
    return context.ceil_div(args[0], args[1]);
  case Kind::Mod:
    return context.mod(args[0], args[1]);
  case Kind::Eq:
  case Kind::Ne:
  case Kind::Lt:
  case Kind::Le:
    return context.compare_op(e->kind(), args[0], args[1]);
  case Kind::And:
    return context.logical_and(args);
  case Kind::Or:
    return context.logical_or(args);
  case Kind::Not:
    return context.logical_not(args[0]);
  case Kind::If:
    return context.if_expr(args[0], args[1], args[2]);
  case Kind::Call:
  case Kind::Subscript:
  case Kind::Attr:
  case Kind::Integer:
  case Kind::Rational:
  case Kind::Literal:
  case Kind::Symbol:
  case Kind::Undefined:
  case Kind::Opaque:
    break;
  }
  return make(e->kind(), args, e->name());
}

Expr Context::substitute(Expr e, const std::unordered_map<Name, Expr> &replacements) {
  if (replacements.empty())
    return e;
  std::unordered_map<Expr, Expr> rewritten;
  std::vector<Expr> args;
  for (Expr node : postorder(e)) {
    Expr &result = rewritten[node];
    result = node;
    if (node->kind() == Kind::Symbol) {
      if (auto found = replacements.find(node->name()); found != replacements.end())
        result = found->second;
    } else if (node->kind() == Kind::Opaque) {
      result = opaque(replace_in_text(*this, names_, node->name().view(), replacements));
    } else if (!node->args().empty()) {
      args.clear();
      for (Expr arg : node->args())
        args.push_back(rewritten.find(arg)->second);
      if (!std::ranges::equal(args, node->args()))
        result = impl_->rebuild(*this, node, args);
    }
  }
  return rewritten.find(e)->second;
}

} // namespace sdfgopt::symbolic
