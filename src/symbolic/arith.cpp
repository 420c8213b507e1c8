// Canonical sums, products and powers.
//
// A sum is collected as number * base per term, a product as number * base ** exponent per factor.
// Numbers whose sum or product leaves int64 are not combined: one of them stays the number of the
// node and the others become Literals of the same text, which later constructions read as numbers
// again (wide_number), so the order of construction does not matter.
#include "symbolic/impl.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <tuple>

namespace sdfgopt::symbolic {

namespace {

struct WideNumber {
  Wide num;
  std::int64_t den;
};

/// Value of an Integer, a Rational, or a Literal like `-9223372036854775809` or `1/3`.
std::optional<WideNumber> wide_number(Expr e) {
  if (auto number = number_of(e))
    return WideNumber{number->num, number->den};
  if (e->kind() != Kind::Literal)
    return std::nullopt;
  std::string_view text = e->name().view();
  const bool negative = text.starts_with('-');
  text.remove_prefix(negative ? 1 : 0);
  WideNumber result{0, 1};
  std::size_t i = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
    if (i == 38) // ten to the 38th is the last power of ten in range
      return std::nullopt;
    result.num = result.num * 10 + (text[i] - '0');
  }
  if (i == 0)
    return std::nullopt;
  if (negative)
    result.num = -result.num;
  if (i == text.size())
    return result;
  const char *end = text.data() + text.size();
  if (text[i] != '/' || std::from_chars(text.data() + i + 1, end, result.den).ptr != end)
    return std::nullopt;
  return result;
}

std::string number_text(Expr number) {
  if (number->kind() == Kind::Literal)
    return number->name().str();
  std::string text = std::to_string(number->numerator());
  if (number->denominator() != 1)
    text += "/" + std::to_string(number->denominator());
  return text;
}

bool before(Expr a, Expr b) { return compare(a, b) < 0; }

class SumBuilder {
public:
  SumBuilder(Context &context, Context::Impl &impl, support::NamePool &names);
  Expr build(std::span<const Expr> terms);

private:
  void collect(Expr e);
  void append_numbers(std::vector<Expr> &out);
  void append_terms(std::vector<Expr> &out);

  Context &context_;
  Context::Impl &impl_;
  support::NamePool &names_;
  std::vector<Expr> numbers_;
  std::vector<Term> terms_;
};

} // namespace

Term Context::Impl::split(Expr e) {
  if (auto number = number_of(e))
    return {*number, nullptr};
  if (e->kind() != Kind::Mul)
    return {{1, 1}, e};
  const auto factors = e->args();
  const auto number = number_of(factors.front());
  if (!number)
    return {{1, 1}, e};
  if (factors.size() == 2)
    return {*number, factors[1]};
  return {*number, make(Kind::Mul, factors.subspan(1))};
}

Expr Context::Impl::join(Context &context, const Term &term) {
  if (!term.base)
    return number(term.coefficient);
  if (term.coefficient == Number{1, 1})
    return term.base;
  if (term.coefficient.num == 0 && !facts(term.base).inert)
    return number({0, 1});
  // A Literal stands right behind the number; it may be a number that can be folded now.
  const bool product = term.base->kind() == Kind::Mul;
  if ((product ? term.base->args().front() : term.base)->kind() == Kind::Literal)
    return context.mul(number(term.coefficient), term.base);
  std::vector<Expr> factors = {number(term.coefficient)};
  if (product)
    factors.insert(factors.end(), term.base->args().begin(), term.base->args().end());
  else
    factors.push_back(term.base);
  return make(Kind::Mul, factors);
}

namespace {

SumBuilder::SumBuilder(Context &context, Context::Impl &impl, support::NamePool &names)
    : context_(context), impl_(impl), names_(names) {}

void SumBuilder::collect(Expr e) {
  if (e->kind() == Kind::Add) { // its terms are not sums
    for (Expr term : e->args())
      collect(term);
  } else if (wide_number(e)) {
    numbers_.push_back(e);
  } else {
    terms_.push_back(impl_.split(e));
  }
}

void SumBuilder::append_numbers(std::vector<Expr> &out) {
  Sum sum;
  for (Expr number : numbers_) {
    const auto wide = wide_number(number);
    sum.add(wide->num, wide->den);
  }
  if (auto value = sum.value()) {
    if (value->num != 0)
      out.push_back(impl_.number(*value));
    return;
  }
  std::sort(numbers_.begin(), numbers_.end(), before);
  out.push_back(numbers_.front());
  for (Expr number : std::span(numbers_).subspan(1))
    out.push_back(impl_.make(Kind::Literal, {}, names_.intern(number_text(number))));
}

void SumBuilder::append_terms(std::vector<Expr> &out) {
  std::stable_sort(terms_.begin(), terms_.end(),
                   [](const Term &a, const Term &b) { return a.base->id() < b.base->id(); });
  for (std::size_t i = 0; i < terms_.size();) {
    const Expr base = terms_[i].base;
    std::size_t end = i;
    Sum sum;
    for (; end < terms_.size() && terms_[end].base == base; ++end)
      sum.add(terms_[end].coefficient.num, terms_[end].coefficient.den);
    const auto value = sum.value();
    if (value && !impl_.facts(base).inert) {
      if (value->num != 0)
        out.push_back(impl_.join(context_, {*value, base}));
      i = end;
      continue;
    }
    for (; i < end; ++i)
      out.push_back(impl_.join(context_, terms_[i]));
  }
}

Expr SumBuilder::build(std::span<const Expr> terms) {
  for (Expr term : terms)
    collect(term);
  std::vector<Expr> result;
  append_numbers(result);
  append_terms(result);
  // A sum that could not be scaled before may have got the coefficient 1 just now.
  if (std::ranges::any_of(result, [](Expr e) { return e->kind() == Kind::Add; }))
    return context_.add(result);
  if (result.empty())
    return impl_.number({0, 1});
  if (result.size() == 1)
    return result.front();
  std::sort(result.begin(), result.end(), before);
  return impl_.make(Kind::Add, result);
}

/// A factor as base ** exponent; the exponent is 1 where it is not an integer constant.
struct Factor {
  Expr base;
  std::int64_t exponent;
};

class ProductBuilder {
public:
  ProductBuilder(Context &context, Context::Impl &impl, support::NamePool &names);
  Expr build(std::span<const Expr> factors);

private:
  void collect(Expr e);
  /// The product of all numbers; those that do not fit go to `out`.
  Number fold_numbers(std::vector<Expr> &out);
  void append_factors(std::vector<Expr> &out);
  [[nodiscard]] bool any_inert() const;
  Expr distribute(Number number, Expr sum);

  Context &context_;
  Context::Impl &impl_;
  support::NamePool &names_;
  std::vector<Expr> numbers_;
  std::vector<Factor> factors_;
};

ProductBuilder::ProductBuilder(Context &context, Context::Impl &impl, support::NamePool &names)
    : context_(context), impl_(impl), names_(names) {}

void ProductBuilder::collect(Expr e) {
  if (e->kind() == Kind::Mul) { // its factors are not products
    for (Expr factor : e->args())
      collect(factor);
  } else if (wide_number(e)) {
    numbers_.push_back(e);
  } else if (e->kind() == Kind::Pow && e->args()[1]->kind() == Kind::Integer) {
    factors_.push_back({e->args()[0], e->args()[1]->numerator()});
  } else {
    factors_.push_back({e, 1});
  }
}

Number ProductBuilder::fold_numbers(std::vector<Expr> &out) {
  // By size, so that what is left over depends on the numbers only, not on their order.
  std::sort(numbers_.begin(), numbers_.end(), [](Expr a, Expr b) {
    const auto x = wide_number(a);
    const auto y = wide_number(b);
    const Wide x_size = x->num < 0 ? -x->num : x->num;
    const Wide y_size = y->num < 0 ? -y->num : y->num;
    return std::tie(x_size, x->den, x->num) < std::tie(y_size, y->den, y->num);
  });
  Number product{1, 1};
  for (Expr e : numbers_) {
    const auto wide = wide_number(e);
    Wide num = 0;
    Wide den = 0;
    std::optional<Number> next;
    if (!__builtin_mul_overflow(wide->num, Wide{product.num}, &num) &&
        !__builtin_mul_overflow(Wide{wide->den}, Wide{product.den}, &den))
      next = make_number(num, den);
    if (next) {
      product = *next;
      continue;
    }
    // What is left over has no sign, so that a sign more or less leaves the rest as it is.
    std::string text = number_text(e);
    if (text.starts_with('-') && product.num != std::numeric_limits<std::int64_t>::min()) {
      text.erase(0, 1);
      product.num = -product.num;
    }
    out.push_back(impl_.make(Kind::Literal, {}, names_.intern(text)));
  }
  return product;
}

void ProductBuilder::append_factors(std::vector<Expr> &out) {
  // x * x**-1 is not 1 where x is 0: only exponents of one sign are added up.
  std::stable_sort(factors_.begin(), factors_.end(), [](const Factor &a, const Factor &b) {
    return a.base != b.base ? a.base->id() < b.base->id() : a.exponent < b.exponent;
  });
  for (std::size_t i = 0; i < factors_.size();) {
    const Expr base = factors_[i].base;
    std::int64_t exponent = factors_[i].exponent;
    std::size_t end = i + 1;
    if (!impl_.facts(base).inert)
      for (; end < factors_.size() && factors_[end].base == base; ++end) {
        const std::int64_t other = factors_[end].exponent;
        std::int64_t total = 0;
        if ((other < 0) != (exponent < 0) || __builtin_add_overflow(exponent, other, &total))
          break;
        exponent = total;
      }
    out.push_back(exponent == 1
                      ? base
                      : impl_.make(Kind::Pow, std::array{base, impl_.number({exponent, 1})}));
    i = end;
  }
}

bool ProductBuilder::any_inert() const {
  return std::ranges::any_of(factors_, [&](const Factor &f) { return impl_.facts(f.base).inert; });
}

Expr ProductBuilder::distribute(Number number, Expr sum) {
  std::vector<Expr> terms;
  for (Expr e : sum->args()) {
    Term term = impl_.split(e);
    const auto coefficient = multiply(term.coefficient, number);
    if (!coefficient) // stays a product
      return impl_.make(Kind::Mul, std::array{impl_.number(number), sum});
    term.coefficient = *coefficient;
    terms.push_back(impl_.join(context_, term));
  }
  return context_.add(terms);
}

Expr ProductBuilder::build(std::span<const Expr> factors) {
  for (Expr factor : factors)
    collect(factor);
  std::vector<Expr> result;
  const Number number = fold_numbers(result);
  if (number.num == 0 && !any_inert())
    return impl_.number(number);
  append_factors(result);
  if (result.empty())
    return impl_.number(number);
  if (result.size() == 1 && number == Number{1, 1})
    return result.front();
  if (result.size() == 1 && result.front()->kind() == Kind::Add)
    return distribute(number, result.front());
  std::sort(result.begin(), result.end(), before);
  if (!(number == Number{1, 1}))
    result.insert(result.begin(), impl_.number(number));
  return impl_.make(Kind::Mul, result);
}

} // namespace

Expr Context::add(std::span<const Expr> terms) {
  return SumBuilder(*this, *impl_, names_).build(terms);
}

Expr Context::add(Expr a, Expr b) { return add(std::array{a, b}); }

Expr Context::sub(Expr a, Expr b) { return add(a, neg(b)); }

Expr Context::neg(Expr a) { return mul(integer(-1), a); }

Expr Context::mul(std::span<const Expr> factors) {
  return ProductBuilder(*this, *impl_, names_).build(factors);
}

Expr Context::mul(Expr a, Expr b) { return mul(std::array{a, b}); }

Expr Context::pow(Expr base, Expr exponent) {
  const auto as_written = [&] { return impl_->make(Kind::Pow, std::array{base, exponent}); };
  if (exponent->kind() != Kind::Integer || impl_->facts(base).inert)
    return exponent->is_integer(1) ? base : as_written();
  // A number that a product could not fold is one again.
  if (const auto wide = wide_number(base))
    if (const auto value = make_number(wide->num, wide->den))
      base = impl_->number(*value);
  const std::int64_t n = exponent->numerator();
  if (n == 0)
    return integer(1);
  if (n == 1)
    return base;
  if (auto number = number_of(base)) {
    const auto value = power(*number, n);
    return value ? impl_->number(*value) : as_written();
  }
  if (base->kind() == Kind::Mul) {
    std::vector<Expr> factors;
    for (Expr factor : base->args())
      factors.push_back(pow(factor, exponent));
    return mul(factors);
  }
  if (base->kind() == Kind::Pow) {
    const auto inner = constant(base->args()[1]);
    std::int64_t product = 0;
    // (x**-1)**-1 is not x where x is 0.
    if (inner && (*inner > 0 || n > 0) && !__builtin_mul_overflow(*inner, n, &product))
      return pow(base->args()[0], integer(product));
  }
  return as_written();
}

} // namespace sdfgopt::symbolic
