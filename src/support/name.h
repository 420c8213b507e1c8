// Interned strings. Equal text is the same Name, so comparing and hashing cost a pointer.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace sdfgopt::support {

/// Handle to an interned string; default-constructed it is "no name" (JSON null), which differs
/// from the empty string. Valid as long as its pool.
class Name {
public:
  Name() = default;
  [[nodiscard]] bool has_value() const { return text_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  /// The text in UTF-8 (lone surrogates in their three-byte form); "" for no name.
  [[nodiscard]] std::string_view view() const { return text_ ? *text_ : std::string_view(); }
  [[nodiscard]] std::string str() const { return std::string(view()); }
  bool operator==(const Name &) const = default;
  /// Order of the text, not of the handle: deterministic between runs.
  bool operator<(const Name &other) const { return view() < other.view(); }

private:
  friend class NamePool;
  friend struct std::hash<Name>;
  explicit Name(const std::string_view *text) : text_(text) {}
  const std::string_view *text_ = nullptr;
};

class NamePool {
public:
  NamePool() = default;
  NamePool(const NamePool &) = delete;
  NamePool &operator=(const NamePool &) = delete;

  Name intern(std::string_view text);
  /// The name if it was interned before, else no name. Never adds.
  [[nodiscard]] Name find(std::string_view text) const;
  /// `stem`, or `stem_0`, `stem_1`, ...: the first for which `taken` is false.
  template <typename Taken> Name fresh(std::string_view stem, Taken taken) {
    Name name = intern(stem);
    for (std::size_t i = 0; taken(name); ++i)
      name = intern(std::string(stem) + "_" + std::to_string(i));
    return name;
  }

private:
  std::deque<std::string> storage_;
  std::unordered_set<std::string_view> names_; // node-based: element addresses are stable
};

} // namespace sdfgopt::support

template <> struct std::hash<sdfgopt::support::Name> {
  std::size_t operator()(const sdfgopt::support::Name &name) const noexcept {
    return std::hash<const void *>()(name.text_);
  }
};
