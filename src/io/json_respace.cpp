#include "io/json_respace.h"

#define OPENSSL_SUPPRESS_DEPRECATED // EVP, which is to be used instead, links in all of libcrypto
#include <openssl/sha.h>

#include <array>
#include <cstring>
#include <vector>

namespace sdfgopt::io {

namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

class Respacer {
public:
  Respacer(std::string_view json, const RespaceOptions &options,
           const std::function<void(std::string_view)> &sink)
      : at_(json.data()), end_(at_ + json.size()), options_(options), sink_(sink) {}

  // Iterative, with a stack of open containers: files may be nested deeply.
  void run() {
    while (skip_space(), at_ < end_) {
      const char c = *at_;
      if (c == '{' || c == '[')
        open();
      else if (c == '}' || c == ']')
        close();
      else if (c == ',')
        ++at_; // written before the next element, if there is one
      else if (in_object())
        member();
      else
        element_then_scalar();
      if (buffer_.size() >= flush_size)
        flush();
    }
    flush();
  }

private:
  static constexpr std::size_t flush_size = std::size_t{1} << 16;

  struct Open {
    bool object;
    bool empty;
  };

  void skip_space() {
    while (at_ < end_ && is_space(*at_))
      ++at_;
  }
  [[nodiscard]] bool in_object() const { return !open_.empty() && open_.back().object; }

  void flush() {
    sink_(buffer_);
    buffer_.clear();
  }

  void separate() {
    if (open_.empty())
      return;
    if (!open_.back().empty)
      buffer_ += options_.layout.style == ir::Layout::Style::Spaced ? ", " : ",";
    open_.back().empty = false;
    new_line(open_.size());
  }

  void new_line(std::size_t depth) {
    if (options_.layout.style != ir::Layout::Style::Indented)
      return;
    buffer_ += '\n';
    buffer_.append(depth * options_.layout.indent, ' ');
  }

  void open() {
    if (!after_key_)
      separate();
    after_key_ = false;
    open_.push_back({*at_ == '{', true});
    buffer_ += *at_++;
  }

  void close() {
    const bool empty = open_.back().empty;
    open_.pop_back();
    if (!empty)
      new_line(open_.size());
    buffer_ += *at_++;
  }

  /// The string token at `at_`, quotes included; steps over it.
  std::string_view string() {
    const char *begin = at_++;
    while (*at_ != '"')
      at_ += *at_ == '\\' ? 2 : 1;
    ++at_;
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }

  void member() {
    const std::string_view key = string();
    skip_space();
    ++at_; // the colon
    skip_space();
    const auto depth = static_cast<unsigned>(open_.size());
    if (options_.drop && options_.drop(key.substr(1, key.size() - 2), depth)) {
      skip_value();
      return;
    }
    separate();
    buffer_ += key;
    buffer_ += options_.layout.style == ir::Layout::Style::Compact ? ":" : ": ";
    if (*at_ == '{' || *at_ == '[')
      after_key_ = true; // run() opens it, without a separator
    else
      scalar();
  }

  void element_then_scalar() {
    separate();
    scalar();
  }

  void scalar() {
    if (*at_ == '"') {
      buffer_ += string();
      return;
    }
    const char *begin = at_;
    while (at_ < end_ && *at_ != ',' && *at_ != '}' && *at_ != ']' && !is_space(*at_))
      ++at_;
    buffer_.append(begin, at_);
  }

  void skip_value() {
    std::size_t depth = 0;
    do {
      const char c = *at_;
      if (c == '"') {
        string();
        continue;
      }
      if (c == '{' || c == '[') {
        ++depth;
      } else if (c == '}' || c == ']') {
        if (depth == 0)
          return; // a scalar ended with its container
        --depth;
      } else if (c == ',' && depth == 0) {
        return;
      }
      ++at_;
    } while (at_ < end_ && (depth > 0 || (*at_ != ',' && *at_ != '}' && *at_ != ']')));
  }

  const char *at_;
  const char *end_;
  const RespaceOptions &options_;
  const std::function<void(std::string_view)> &sink_;
  std::vector<Open> open_;
  bool after_key_ = false;
  std::string buffer_;
};

bool carries_no_meaning(std::string_view key, unsigned depth) {
  static constexpr std::array<std::string_view, 7> dropped = {
      "cfg_list_id", "name", "hash", "orig_sdfg", "transformation_hist", "instrument", "guid"};
  if (depth == 1 && (key == "dace_version" || key == "error"))
    return true;
  for (const std::string_view name : dropped)
    if (key == name)
      return true;
  return key.starts_with("_meta_");
}

} // namespace

void respace_json(std::string_view json, const RespaceOptions &options,
                  const std::function<void(std::string_view)> &sink) {
  Respacer(json, options, sink).run();
}

std::string sdfg_hash(std::string_view json) {
  SHA256_CTX digest{};
  SHA256_Init(&digest);
  const RespaceOptions options{{ir::Layout::Style::Spaced, 0}, carries_no_meaning};
  respace_json(json, options,
               [&](std::string_view piece) { SHA256_Update(&digest, piece.data(), piece.size()); });
  std::array<unsigned char, SHA256_DIGEST_LENGTH> bytes{};
  SHA256_Final(bytes.data(), &digest);
  std::string text;
  for (const unsigned char byte : bytes) {
    constexpr char digits[] = "0123456789abcdef";
    text += digits[byte >> 4];
    text += digits[byte & 0xF];
  }
  return text;
}

} // namespace sdfgopt::io
