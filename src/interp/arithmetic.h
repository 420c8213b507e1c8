// What the instructions of bytecode.h compute on one or two numbers. No operation has undefined
// behaviour: integers wrap, and what cannot be computed (division by 0, shifts by too much) is for
// the caller to refuse first.
#pragma once

#include "interp/types.h"

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace sdfgopt::interp::arithmetic {

/// The number of type T that a register holds.
template <typename T> T get(Value value) {
  if constexpr (std::is_same_v<T, float>)
    return value.f;
  else if constexpr (std::is_same_v<T, double>)
    return value.d;
  else
    return static_cast<T>(value.u);
}

template <typename T> void put(Value &target, T value) {
  if constexpr (std::is_same_v<T, float>)
    target.u = std::bit_cast<std::uint32_t>(value); // the upper half is zero
  else if constexpr (std::is_same_v<T, double>)
    target.d = value;
  else if constexpr (std::is_signed_v<T>)
    target.i = value; // NOLINT(bugprone-signed-char-misuse): int8 is a number here
  else
    target.u = value;
}

// Small types would be promoted to int, whose overflow is undefined; no instruction computes there.
template <typename T>
concept Integer = std::integral<T> && sizeof(T) >= 4;

template <Integer T> std::make_unsigned_t<T> bits(T value) {
  return static_cast<std::make_unsigned_t<T>>(value);
}

struct Add {
  template <typename T> static T apply(T a, T b) {
    if constexpr (Integer<T>)
      return static_cast<T>(bits(a) + bits(b));
    else
      return a + b;
  }
};

struct Sub {
  template <typename T> static T apply(T a, T b) {
    if constexpr (Integer<T>)
      return static_cast<T>(bits(a) - bits(b));
    else
      return a - b;
  }
};

struct Mul {
  template <typename T> static T apply(T a, T b) {
    if constexpr (Integer<T>)
      return static_cast<T>(bits(a) * bits(b));
    else
      return a * b;
  }
};

struct Neg {
  template <typename T> static T apply(T a) {
    if constexpr (Integer<T>)
      return static_cast<T>(0U - bits(a));
    else
      return -a;
  }
};

struct Abs {
  template <typename T> static T apply(T a) {
    if constexpr (std::is_floating_point_v<T>)
      return std::fabs(a);
    else if constexpr (std::is_signed_v<T>)
      return a < 0 ? Neg::apply(a) : a;
    else
      return a;
  }
};

/// Is `b` the -1 by which the smallest integer cannot be divided?
template <Integer T> bool is_minus_one(T b) {
  if constexpr (std::is_signed_v<T>)
    return b == -1;
  else
    return false;
}

struct Div {
  template <typename T> static T apply(T a, T b) {
    if constexpr (Integer<T>)
      if (is_minus_one(b))
        return Neg::apply(a);
    return a / b;
  }
};

struct Rem {
  template <Integer T> static T apply(T a, T b) { return is_minus_one(b) ? T{0} : a % b; }
};

struct FloorDiv {
  template <Integer T> static T apply(T a, T b) {
    const T rest = Rem::apply(a, b);
    const T quotient = Div::apply(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? quotient - 1 : quotient;
  }
};

struct CeilDiv {
  template <Integer T> static T apply(T a, T b) {
    const T rest = Rem::apply(a, b);
    const T quotient = Div::apply(a, b);
    return rest != 0 && (rest < 0) == (b < 0) ? quotient + 1 : quotient;
  }
};

struct Mod {
  template <Integer T> static T apply(T a, T b) {
    const T rest = Rem::apply(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
};

struct Min {
  template <typename T> static T apply(T a, T b) { return b < a ? b : a; }
};
struct Max {
  template <typename T> static T apply(T a, T b) { return a < b ? b : a; }
};
struct Eq {
  template <typename T> static bool apply(T a, T b) { return a == b; }
};
struct Ne {
  template <typename T> static bool apply(T a, T b) { return a != b; }
};
struct Lt {
  template <typename T> static bool apply(T a, T b) { return a < b; }
};
struct Le {
  template <typename T> static bool apply(T a, T b) { return a <= b; }
};

struct And {
  template <Integer T> static T apply(T a, T b) { return a & b; }
};
struct Or {
  template <Integer T> static T apply(T a, T b) { return a | b; }
};
struct Xor {
  template <Integer T> static T apply(T a, T b) { return a ^ b; }
};
struct Invert {
  template <Integer T> static T apply(T a) { return ~a; }
};

/// May a T be shifted by `count`?
template <Integer T> bool is_shift_count(T count) {
  return bits(count) < static_cast<std::make_unsigned_t<T>>(sizeof(T) * 8);
}

struct Shl {
  template <Integer T> static T apply(T a, T b) { return static_cast<T>(bits(a) << bits(b)); }
};
struct Shr {
  template <Integer T> static T apply(T a, T b) { return a >> bits(b); }
};

/// As the instruction cvttsd2si: what does not fit, NaN too, is the smallest integer.
template <std::floating_point T> std::int64_t to_int64(T value) {
  constexpr T limit = 0x1p63;
  return value >= -limit && value < limit ? static_cast<std::int64_t>(value)
                                          : std::numeric_limits<std::int64_t>::min();
}

/// As compilers for x86-64 build it of cvttsd2si: negative numbers wrap.
template <std::floating_point T> std::uint64_t to_uint64(T value) {
  constexpr T half = 0x1p63;
  constexpr std::uint64_t top = std::uint64_t{1} << 63;
  return value >= half ? bits(to_int64(value - half)) ^ top : bits(to_int64(value));
}

} // namespace sdfgopt::interp::arithmetic
