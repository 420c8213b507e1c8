#include "support/shown.h"

namespace sdfgopt::support {

std::string shown(std::string_view text, std::size_t limit) {
  std::size_t size = text.size();
  if (size > limit) {
    size = limit;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80)
      --size;
  }
  std::string out(text.substr(0, size));
  for (char &c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      c = '?';
  if (size < text.size())
    out += "...";
  return out;
}

} // namespace sdfgopt::support
