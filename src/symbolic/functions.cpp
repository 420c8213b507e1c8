#include "symbolic/functions.h"

#include "symbolic/impl.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace sdfgopt::symbolic {

namespace {

using Args = std::span<const Expr>;

struct Function {
  std::string_view name;
  std::size_t least_args;
  std::size_t most_args;
  Expr (*apply)(Context &context, Args args);
};

constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

template <Kind kind, bool swapped> Expr comparison(Context &c, Args a) {
  return swapped ? c.compare_op(kind, a[1], a[0]) : c.compare_op(kind, a[0], a[1]);
}
Expr maximum(Context &c, Args a) { return c.max(a); }
Expr minimum(Context &c, Args a) { return c.min(a); }
Expr floor_division(Context &c, Args a) { return c.floor_div(a[0], a[1]); }
Expr ceil_division(Context &c, Args a) { return c.ceil_div(a[0], a[1]); }
Expr modulo(Context &c, Args a) { return c.mod(a[0], a[1]); }
Expr conjunction(Context &c, Args a) { return c.logical_and(a); }
Expr disjunction(Context &c, Args a) { return c.logical_or(a); }
Expr negation(Context &c, Args a) { return c.logical_not(a[0]); }
Expr conditional(Context &c, Args a) { return c.if_expr(a[0], a[1], a[2]); }
Expr element(Context &c, Args a) { return c.subscript(a); }
Expr member(Context &c, Args a) {
  if (a[1]->kind() != Kind::Symbol)
    return c.call(c.names().intern("Attr"), a);
  return c.attr(a[0], a[1]->name());
}

constexpr std::array functions = {
    Function{"Max", 1, any_number, maximum},
    Function{"max", 2, any_number, maximum}, // of one argument: of its elements
    Function{"Min", 1, any_number, minimum},
    Function{"min", 2, any_number, minimum},
    Function{"int_floor", 2, 2, floor_division},
    Function{"int_ceil", 2, 2, ceil_division},
    Function{"Mod", 2, 2, modulo},
    Function{"Eq", 2, 2, comparison<Kind::Eq, false>},
    Function{"Ne", 2, 2, comparison<Kind::Ne, false>},
    Function{"Lt", 2, 2, comparison<Kind::Lt, false>},
    Function{"Le", 2, 2, comparison<Kind::Le, false>},
    Function{"Gt", 2, 2, comparison<Kind::Lt, true>},
    Function{"Ge", 2, 2, comparison<Kind::Le, true>},
    Function{"AND", 2, any_number, conjunction},
    Function{"And", 2, any_number, conjunction},
    Function{"OR", 2, any_number, disjunction},
    Function{"Or", 2, any_number, disjunction},
    Function{"Not", 1, 1, negation},
    Function{"IfExpr", 3, 3, conditional},
    Function{"Subscript", 2, any_number, element},
    Function{"Attr", 2, 2, member},
};

/// Spellings of uninterpreted functions, and the one that their Call has.
struct Alias {
  std::string_view name;
  std::string_view canonical;
  std::size_t args;
};

constexpr std::array aliases = {
    Alias{"abs", "Abs", 1},      Alias{"bitwise_and", "&", 2}, Alias{"BitwiseAnd", "&", 2},
    Alias{"bitwise_or", "|", 2}, Alias{"BitwiseOr", "|", 2},   Alias{"bitwise_xor", "^", 2},
    Alias{"BitwiseXor", "^", 2}, Alias{"left_shift", "<<", 2}, Alias{"right_shift", ">>", 2},
    Alias{"Is", "is", 2},        Alias{"IsNot", "is not", 2},
};

template <typename Entries> auto find_entry(const Entries &entries, std::string_view name) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto &entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

/// The least common multiple of the denominators of the terms of `e`; nothing if out of range.
std::optional<std::int64_t> common_denominator(Expr e) {
  std::int64_t result = 1;
  const Args terms = e->kind() == Kind::Add ? e->args() : Args(&e, 1);
  for (Expr term : terms) {
    const auto number = number_of(term->kind() == Kind::Mul ? term->args().front() : term);
    const std::int64_t denominator = number ? number->den : 1;
    if (__builtin_mul_overflow(result / std::gcd(result, denominator), denominator, &result))
      return std::nullopt;
  }
  return result;
}

/// floor or ceil of an exact quotient as FloorDiv or CeilDiv: of `1/2*N` or `a/b`. Null if `e` is
/// no such thing.
Expr round_quotient(Context &context, Expr e, bool up) {
  const auto divide = [&](Expr a, Expr b) {
    return up ? context.ceil_div(a, b) : context.floor_div(a, b);
  };
  const auto is_inverse = [](Expr factor) {
    return factor->kind() == Kind::Pow && factor->args()[1]->is_integer(-1);
  };
  const auto denominator = common_denominator(e);
  if (!denominator)
    return nullptr;
  const Expr scale = context.integer(*denominator);
  const Args factors = e->kind() == Kind::Mul ? e->args() : Args(&e, 1);
  const auto inverse = std::ranges::find_if(factors, is_inverse);
  if (inverse != factors.end() && std::ranges::count_if(factors, is_inverse) == 1) {
    std::vector<Expr> rest = {scale};
    rest.insert(rest.end(), factors.begin(), inverse);
    rest.insert(rest.end(), inverse + 1, factors.end());
    return divide(context.mul(rest), context.mul(scale, (*inverse)->args()[0]));
  }
  return *denominator == 1 ? nullptr : divide(context.mul(scale, e), scale);
}

/// floor(x), ceiling(x), where `/` is exact.
Expr round(Context &context, std::string_view name, Expr arg) {
  if (Expr quotient = round_quotient(context, arg, name == "ceiling"))
    return quotient;
  if (arg->kind() == Kind::Integer)
    return arg;
  return context.call(context.names().intern(name), Args(&arg, 1));
}

} // namespace

Expr apply_function(Context &context, Grammar grammar, std::string_view name,
                    std::span<const Expr> args) {
  if (grammar != Grammar::Python && args.size() == 1) {
    if (name == "floor" || name == "__floor")
      return round(context, "floor", args[0]);
    if (name == "ceiling" || name == "__ceiling" || name == "ceil")
      return round(context, "ceiling", args[0]);
    if (name == "round")
      name = "ROUND";
  }
  // The twin with underscores came from an operator; it means the same.
  const std::string_view plain = name.starts_with("__") ? name.substr(2) : name;
  if (const auto *function = find_entry(functions, plain);
      function && args.size() >= function->least_args && args.size() <= function->most_args)
    return function->apply(context, args);
  if (const auto *alias = find_entry(aliases, plain); alias && args.size() == alias->args)
    name = alias->canonical;
  return context.call(context.names().intern(name), args);
}

} // namespace sdfgopt::symbolic
