// What a text says about a symbol where it names it: `symbol($N, dtype=dace.int64, positive=True)`.
#pragma once

#include <functional>
#include <string_view>

namespace sdfgopt::symbolic {

struct Annotation {
  std::string_view symbol;     ///< `N`
  std::string_view text;       ///< all of it
  std::string_view parameters; ///< `, dtype=dace.int64, positive=True`

  /// `assumption=True` is one of the parameters.
  [[nodiscard]] bool assumes(std::string_view assumption) const;
};

/// Calls `visit` for every annotation with parameters in a text of Grammar::Dollar, in order. Needs
/// no parsing.
void for_each_annotation(std::string_view text,
                         const std::function<void(const Annotation &)> &visit);

} // namespace sdfgopt::symbolic
