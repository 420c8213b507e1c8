// Owns text that lives as long as a document: JSON templates, code, names of new elements.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace sdfgopt::support {

class TextArena {
public:
  /// Bytes that may be read (not used) behind every stored text; simdjson asks for this.
  static constexpr std::size_t padding = 64;

  /// A copy of `text` that lives as long as the arena and is followed by `padding` readable bytes.
  std::string_view store(std::string_view text);

private:
  static constexpr std::size_t block_size = std::size_t{1} << 16;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char *free_ = nullptr;
  std::size_t left_ = 0;
};

} // namespace sdfgopt::support
