#include "io/gzip.h"

#include <zlib.h>

#include <algorithm>

namespace sdfgopt::io {

using support::Error;
using support::ErrorCode;

namespace {

constexpr int gzip_window = 15 + 16; // zlib: largest window, gzip header
constexpr std::size_t chunk = std::size_t{1} << 18;
constexpr std::size_t max_chunk = std::size_t{1} << 30; // zlib counts in unsigned int

/// Ends the stream whichever way the function is left.
template <int (*End)(z_stream *)> struct Stream : z_stream {
  Stream() : z_stream{} {}
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;
  ~Stream() { End(this); }
};

/// Hands the next part of the input to zlib.
void feed(z_stream &stream, std::string_view &rest) {
  if (stream.avail_in > 0 || rest.empty())
    return;
  const std::size_t size = std::min(rest.size(), max_chunk);
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(rest.data()));
  stream.avail_in = static_cast<uInt>(size);
  rest.remove_prefix(size);
}

} // namespace

support::result<std::string> gunzip(std::string_view bytes, std::size_t limit) {
  Stream<inflateEnd> stream;
  if (inflateInit2(&stream, gzip_window) != Z_OK)
    return Error{ErrorCode::Io, "zlib cannot be initialised", ""};
  std::string out;
  std::size_t filled = 0; // of `out`, which is only made larger when it is full
  std::string_view rest = bytes;
  for (;;) {
    feed(stream, rest);
    if (filled == out.size())
      out.resize(filled + chunk);
    const std::size_t room = std::min(out.size() - filled, chunk);
    stream.next_out = reinterpret_cast<Bytef *>(out.data() + filled);
    stream.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream, Z_NO_FLUSH);
    filled += room - stream.avail_out;
    if (filled > limit)
      return Error{ErrorCode::Limit,
                   "the unpacked file is larger than " + std::to_string(limit) + " bytes", ""};
    const std::size_t position = bytes.size() - rest.size() - stream.avail_in;
    if (status == Z_STREAM_END) {
      // The file may be padded with zeros.
      if (bytes.find_first_not_of('\0', position) == std::string_view::npos) {
        out.resize(filled);
        return out;
      }
      // Another member follows, as gzip allows; inflateReset keeps next_in and avail_in.
      if (inflateReset(&stream) != Z_OK)
        return Error{ErrorCode::Io, "zlib cannot be reset", ""};
    } else if (status == Z_BUF_ERROR ||
               (status == Z_OK && stream.avail_in == 0 && rest.empty() && stream.avail_out > 0)) {
      return Error{ErrorCode::Syntax, "the gzip data ends too early",
                   "byte " + std::to_string(position)};
    } else if (status != Z_OK) {
      return Error{ErrorCode::Syntax,
                   std::string("bad gzip data: ") + (stream.msg ? stream.msg : "unknown reason"),
                   "byte " + std::to_string(position)};
    }
  }
}

support::result<std::string> gzip(std::string_view bytes) {
  Stream<deflateEnd> stream;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return Error{ErrorCode::Io, "zlib cannot be initialised", ""};
  std::string out;
  std::string_view rest = bytes;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    feed(stream, rest);
    const std::size_t filled = out.size();
    out.resize(filled + chunk);
    stream.next_out = reinterpret_cast<Bytef *>(out.data() + filled);
    stream.avail_out = static_cast<uInt>(chunk);
    status = deflate(&stream, rest.empty() ? Z_FINISH : Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
    if (status == Z_STREAM_ERROR)
      return Error{ErrorCode::Io, "zlib cannot compress", ""};
  }
  return out;
}

} // namespace sdfgopt::io
