// Programs with control flow of many forms, for region_versions_test.cpp.
#pragma once

#include <string_view>

namespace region_programs {

inline constexpr std::string_view chain = R"(
sdfg chain {
  array a: float64[N]
  array G: float64[N + 2]
  array b: float64[N]
  transient array T: float64[N]
  transient array W: float64[N]
  transient scalar x: float64
  symbol N: int32
  args a, b, G, N

  state before {
    n0 a
    n1 W <- n0 a[0..-1 + N]
  }
  state define {
    n0 map rows [i = 0..-1 + N] exit n2: n1 tasklet f (in_ = n3 W[i]) -> (y = n4 T[i]) { y = in_ + 1.0 }
    n3 W
    n4 T
  }
  state use {
    n0 map rows [i = 0..-1 + N] exit n2 {
      n1 tasklet f (v = n3 T[i]) -> (y = n6 x[0]) { y = v * 2.0 }
      n5 tasklet g (v = n6 x[0]) -> (y = n4 b[i]) { y = v + 3.0 }
      n6 x
    }
    n3 T
    n4 b
  }
  state write_back {
    n0 T
    n1 G <- n0 T[0..-1 + N] -> [1..N]
  }
  state last {
    n0 b
    n1 tasklet f (v = n0 b[0]) -> (y = n2 G[0]) { y = v }
    n2 G
  }
  before -> define
  define -> use with k = `N + 1`
  use -> write_back
  write_back -> last if `k > 0`
}
)";

inline constexpr std::string_view diamond = R"(
sdfg diamond {
  array a: float64[N]
  array G: float64[N + 2]
  transient array T: float64[N]
  symbol N: int32
  symbol flag: int32
  args a, G, N, flag

  state begin {
    n0 a
    n1 tasklet f (x = n0 a[0]) -> (y = n2 G[0]) { y = x }
    n2 G
  }
  state left {
    n0 map rows [i = 0..-1 + N] exit n2: n1 tasklet f (x = n3 a[i]) -> (y = n4 T[i]) { y = x + 1.0 }
    n3 a
    n4 T
  }
  state right {
    n0 map rows [i = 0..-1 + N] exit n2: n1 tasklet f (x = n3 a[i]) -> (y = n4 T[i]) { y = x - 1.0 }
    n3 a
    n4 T
  }
  state join {
    n0 T
    n1 G <- n0 T[0..-1 + N] -> [1..N]
  }
  state last {
    n0 a
    n1 tasklet f (x = n0 a[0]) -> (y = n2 G[N + 1]) { y = x }
    n2 G
  }
  begin -> left if `flag > 0` with k = `3`
  begin -> right if `not (flag > 0)` with k = `4`
  left -> join
  right -> join
  join -> last if `k > 0` with m = `k`
}
)";

inline constexpr std::string_view cycle = R"(
sdfg cycle {
  array a: float64[N]
  array G: float64[N + 2]
  transient array T: float64[N]
  symbol N: int32
  symbol M: int32
  symbol k: int32
  args a, G, N, M

  state init {
  }
  state guard {
  }
  state define {
    n0 map rows [i = 0..-1 + N] exit n2: n1 tasklet f (x = n3 a[i]) -> (y = n4 T[i]) { y = x + 1.0 }
    n3 a
    n4 T
  }
  state write_back {
    n0 T
    n1 G <- n0 T[0..-1 + N] -> [1..N]
  }
  state after {
    n0 T
    n1 tasklet f (x = n0 T[0]) -> (y = n2 G[0]) { y = x }
    n2 G
  }
  state last {
    n0 a
    n1 tasklet f (x = n0 a[0]) -> (y = n2 G[N + 1]) { y = x }
    n2 G
  }
  init -> guard with k = `0`
  guard -> define if `k <= M`
  define -> write_back
  write_back -> guard with k = `k + 1`
  guard -> after if `not (k <= M)`
  after -> last
}
)";

inline constexpr std::string_view cycle_body = R"(
sdfg cycle_body {
  array a: float64[N]
  array G: float64[N + 2]
  transient array T: float64[N]
  symbol N: int32
  symbol M: int32
  symbol k: int32
  args a, G, N, M

  state init {
  }
  state guard {
  }
  state define {
    n0 map rows [i = 0..-1 + N] exit n2: n1 tasklet f (x = n3 a[i]) -> (y = n4 T[i]) { y = x + 1.0 }
    n3 a
    n4 T
  }
  state write_back {
    n0 T
    n1 G <- n0 T[0..-1 + N] -> [1..N]
  }
  state after {
    n0 a
    n1 tasklet f (x = n0 a[0]) -> (y = n2 G[0]) { y = x }
    n2 G
  }
  state last {
    n0 a
    n1 tasklet f (x = n0 a[0]) -> (y = n2 G[N + 1]) { y = x }
    n2 G
  }
  init -> guard with k = `0`
  guard -> define if `k <= M`
  define -> write_back
  write_back -> guard with k = `k + 1`
  guard -> after if `not (k <= M)`
  after -> last
}
)";

inline constexpr std::string_view with_break = R"(
sdfg with_break {
  array a: float64[N]
  array G: float64[N + 2]
  array h: float64[N + 2]
  transient array T: float64[N]
  transient array L: float64[k + 1]
  symbol N: int32
  symbol M: int32
  args a, h, G, N, M

  loop outer var k init `k = 0` while `k < M` update `k = k + 1` {
    loop inner var j init `j = 0` while `j < 3` update `j = j + 1` {
      state define {
        n0 map rows [i = 0..-1 + N] exit n2: n1 tasklet f (x = n3 a[i]) -> (y = n4 T[i]) { y = x + 1.0 }
        n3 a
        n4 T
      }
      state size {
        n0 map rows [i = 0..k] exit n2: n1 tasklet f () -> (y = n3 L[i]) { y = i }
        n3 L
      }
      state sized {
        n0 L
        n1 tasklet f (x = n0 L[k]) -> (y = n2 h[0]) { y = x }
        n2 h
      }
      state write_back {
        n0 T
        n1 G <- n0 T[0..-1 + N] -> [1..N]
      }
      branch leave {
        if `j == 1` {
          break stop
        }
      }
      state tail {
        n0 T
        n1 h <- n0 T[0..-1 + N] -> [1..N]
      }
      define -> size
      size -> sized
      sized -> write_back
      write_back -> leave
      leave -> tail
    }
    state tail {
      n0 G
      n1 tasklet f (x = n0 G[1]) -> (y = n2 h[N + 1]) { y = x }
      n2 h
    }
    inner -> tail
  }
}
)";

inline constexpr std::string_view with_return = R"(
sdfg with_return {
  array a: float64[N]
  array G: float64[N + 2]
  array h: float64[N + 2]
  transient array T: float64[N]
  transient array L: float64[k + 1]
  symbol N: int32
  symbol M: int32
  args a, h, G, N, M

  loop outer var k init `k = 0` while `k < M` update `k = k + 1` {
    loop inner var j init `j = 0` while `j < 3` update `j = j + 1` {
      state define {
        n0 map rows [i = 0..-1 + N] exit n2: n1 tasklet f (x = n3 a[i]) -> (y = n4 T[i]) { y = x + 1.0 }
        n3 a
        n4 T
      }
      state size {
        n0 map rows [i = 0..k] exit n2: n1 tasklet f () -> (y = n3 L[i]) { y = i }
        n3 L
      }
      state sized {
        n0 L
        n1 tasklet f (x = n0 L[k]) -> (y = n2 h[0]) { y = x }
        n2 h
      }
      state write_back {
        n0 T
        n1 G <- n0 T[0..-1 + N] -> [1..N]
      }
      branch leave {
        if `j == 1` {
          return stop
        }
      }
      state tail {
        n0 G
        n1 h <- n0 G[1..N] -> [1..N]
      }
      define -> size
      size -> sized
      sized -> write_back
      write_back -> leave
      leave -> tail
    }
    state tail {
      n0 G
      n1 tasklet f (x = n0 G[1]) -> (y = n2 h[N + 1]) { y = x }
      n2 h
    }
    inner -> tail
  }
}
)";

inline constexpr std::string_view whole = R"(
sdfg whole {
  array a: float64[N]
  array G: float64[N + 2]
  transient array T: float64[N]
  transient scalar s: float64
  symbol N: int32
  args a, G, N

  state define {
    n0 map rows [i = 0..-1 + N] exit n2: n1 nested inner (x = n3 a[i]) -> (y = n4 T[i]) symbols(N = N) sdfg inner {
      array x: float64[1]
      array y: float64[1]
      transient scalar t: float64
      symbol N: int32
      state one {
        n0 x
        n1 tasklet g (v = n0 x[0]) -> (w = n2 t[0]) { w = v + 1.0 }
        n2 t
      }
      state two {
        n0 t
        n1 tasklet g (v = n0 t[0]) -> (w = n2 y[0]) { w = v * 2.0 }
        n2 y
      }
      one -> two
    }
    n3 a
    n4 T
  }
  state write_back {
    n0 T
    n1 G <- n0 T[0..-1 + N] -> [1..N]
  }
  define -> write_back if `N > 0`
}
)";

inline constexpr std::string_view two = R"(
sdfg two {
  array a: float64[N]
  array G: float64[N + 2]
  array H: float64[N + 2]
  transient array T: float64[N]
  transient array S: float64[N]
  symbol N: int32
  args a, G, H, N

  state d1 {
    n0 map rows [i = 0..-1 + N] exit n2: n1 tasklet f (x = n3 a[i]) -> (y = n4 T[i]) { y = x + 1.0 }
    n3 a
    n4 T
  }
  state w1 {
    n0 T
    n1 G <- n0 T[0..-1 + N] -> [1..N]
  }
  state mid {
    n0 a
    n1 tasklet f (x = n0 a[0]) -> (y = n2 G[0]) { y = x }
    n2 G
  }
  state d2 {
    n0 map rows [i = 0..-1 + N] exit n2: n1 tasklet f (x = n3 a[i]) -> (y = n4 S[i]) { y = x + 2.0 }
    n3 a
    n4 S
  }
  state w2 {
    n0 S
    n1 H <- n0 S[0..-1 + N] -> [1..N]
  }
  d1 -> w1
  w1 -> mid
  mid -> d2
  d2 -> w2
}
)";

inline constexpr std::string_view mention = R"(
sdfg mention {
  array a: float64[N]
  array G: float64[N + 2]
  transient array T: float64[N]
  transient array V: int32[1]
  symbol N: int32
  args a, G, N

  state begin {
  }
  state define {
    n0 map rows [i = 0..-1 + N] exit n2: n1 tasklet f (x = n3 a[i]) -> (y = n4 T[i]) { y = x + 1.0 }
    n3 a
    n4 T
    n5 tasklet g () -> (y = n6 V[0]) { y = 1 }
    n6 V
  }
  branch choose {
    if `T[0] > 0.5` {
      state write_back {
        n0 T
        n1 G <- n0 T[0..-1 + N] -> [1..N]
      }
    }
    else {
      state write_back_2 {
        n0 T
        n1 G <- n0 T[0..-1 + N] -> [1..N]
      }
    }
  }
  state last {
    n0 a
    n1 tasklet f (x = n0 a[q - 1]) -> (y = n2 G[0]) { y = x }
    n2 G
  }
  begin -> define
  define -> choose with q = `V[0]`
  choose -> last
}
)";

inline constexpr std::string_view in_and_behind_a_loop = R"(
sdfg in_and_behind_a_loop {
  array a: float64[N]
  array G: float64[N + 2]
  array H: float64[N + 2]
  transient array T: float64[N]
  transient array S: float64[N]
  symbol N: int32
  args a, G, H, N

  state begin {
    n0 a
    n1 tasklet f (x = n0 a[0]) -> (y = n2 G[0]) { y = x }
    n2 G
  }
  loop outer var k init `k = 0` while `k < 2` update `k = k + 1` {
    state d1 {
      n0 map rows [i = 0..-1 + N] exit n2: n1 tasklet f (x = n3 a[i]) -> (y = n4 T[i]) { y = x + 1.0 }
      n3 a
      n4 T
    }
    state w1 {
      n0 T
      n1 G <- n0 T[0..-1 + N] -> [1..N]
    }
    state tail {
      n0 G
      n1 tasklet f (x = n0 G[1]) -> (y = n2 H[0]) { y = x }
      n2 H
    }
    d1 -> w1
    w1 -> tail
  }
  state d2 {
    n0 map rows [i = 0..-1 + N] exit n2: n1 tasklet f (x = n3 a[i]) -> (y = n4 S[i]) { y = x + 2.0 }
    n3 a
    n4 S
  }
  state w2 {
    n0 S
    n1 H <- n0 S[0..-1 + N] -> [1..N]
  }
  begin -> outer
  outer -> d2
  d2 -> w2
}
)";

inline constexpr std::string_view two_dimensions = R"(
sdfg two_dimensions {
  array a: float64[N + 1, M]
  array G: float64[N + 1, M]
  transient array T: float64[2, N + 1, Max(0, M)]
  symbol N: int32
  symbol M: int64
  args a, G, N, M

  state define {
    n0 map rows [i = 0..N, j = 0..M - 1] exit n2: n1 tasklet f (x = n3 a[i, j]) -> (y = n4 T[1, i, j]) { y = x + 1.0 }
    n3 a
    n4 T
  }
  state write_back {
    n0 T
    n1 G <- n0 T[1, 0..N, 0..M - 1] -> [0..N, 0..M - 1]
  }
  define -> write_back
}
)";

} // namespace region_programs
