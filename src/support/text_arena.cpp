#include "support/text_arena.h"

#include <algorithm>
#include <cstring>

namespace sdfgopt::support {

std::string_view TextArena::store(std::string_view text) {
  // The padding of one text may overlap the next one, so it is only reserved at a block's end.
  if (left_ < text.size() + padding) {
    const std::size_t size = std::max(block_size, text.size() + padding);
    blocks_.push_back(std::make_unique<char[]>(size));
    free_ = blocks_.back().get();
    left_ = size;
  }
  std::memcpy(free_, text.data(), text.size());
  std::string_view stored(free_, text.size());
  free_ += text.size();
  left_ -= text.size();
  return stored;
}

} // namespace sdfgopt::support
