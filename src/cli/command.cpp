#include "cli/command.h"

#include <cstdlib>

#include <unistd.h>

namespace sdfgopt::cli {

support::result<void> to_stdout(std::string_view text) { return io::write_file("-", text); }

std::string shell_word(const std::string &text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "_-+=./,:@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos)
    return text;
  std::string result = "'";
  for (const char c : text)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

namespace {

bool wants_color(int descriptor) {
  const char *no_color = std::getenv("NO_COLOR");
  return ::isatty(descriptor) == 1 && (no_color == nullptr || *no_color == '\0');
}

} // namespace

bool stdout_has_color() { return wants_color(STDOUT_FILENO); }
bool stderr_has_color() { return wants_color(STDERR_FILENO); }

} // namespace sdfgopt::cli
