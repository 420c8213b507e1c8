// Native work that leaves Python alone meanwhile, and that Ctrl-C ends.
#pragma once

#include "python/errors.h"

#include <functional>
#include <optional>
#include <stop_token>

namespace sdfgopt::python {

/// Runs `work` on a thread of its own, without the GIL. Meanwhile the calling thread, which holds
/// the GIL, releases it, and wakes up now and then to handle signals. If a handler raises, `work`
/// is asked to stop, and when it has ended, that is thrown.
void run_apart(const std::function<void(std::stop_token)> &work);

/// The value of `body(stop)`, a result<T>, which is run apart; raises its error. `body` must not
/// touch Python. It takes the locks of the programs that it needs itself (Program::lock).
template <typename Body> auto interruptible(const Body &body) {
  using Result = decltype(body(std::stop_token()));
  std::optional<Result> result;
  run_apart([&](std::stop_token stop) { result.emplace(body(std::move(stop))); });
  return value_or_raise(std::move(*result));
}

} // namespace sdfgopt::python
