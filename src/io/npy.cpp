// The format: magic, version, length of the header, the header (a Python dictionary with the keys
// descr, fortran_order and shape, padded with spaces), then the elements.
#include "io/npy.h"

#include "support/shown.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>

namespace sdfgopt::io {

using support::Error;
using support::ErrorCode;

static_assert(std::endian::native == std::endian::little);

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t max_rank = 64; // NumPy's own

struct Type {
  std::string_view name;
  std::string_view descr;
  std::size_t size;
};
constexpr std::array<Type, 11> types{{{"bool", "|b1", 1},
                                      {"int8", "|i1", 1},
                                      {"int16", "<i2", 2},
                                      {"int32", "<i4", 4},
                                      {"int64", "<i8", 8},
                                      {"uint8", "|u1", 1},
                                      {"uint16", "<u2", 2},
                                      {"uint32", "<u4", 4},
                                      {"uint64", "<u8", 8},
                                      {"float32", "<f4", 4},
                                      {"float64", "<f8", 8}}};

const Type *type_of_name(std::string_view name) {
  const auto *found = std::ranges::find(types, name, &Type::name);
  return found == types.end() ? nullptr : found;
}

/// For types of one byte, the byte order that is written does not matter.
const Type *type_of_descr(std::string_view descr) {
  const auto *found = std::ranges::find_if(types, [&](const Type &type) {
    return descr == type.descr ||
           (type.size == 1 && !descr.empty() &&
            std::string_view("<>=|").find(descr[0]) != std::string_view::npos &&
            descr.substr(1) == type.descr.substr(1));
  });
  return found == types.end() ? nullptr : found;
}

struct Header {
  std::optional<std::string_view> descr;
  std::optional<bool> fortran_order;
  std::vector<std::int64_t> shape;
  bool has_shape = false;
};

/// Parses the dictionary. Only what NumPy writes into it is understood.
class HeaderParser {
public:
  HeaderParser(std::string_view text, std::size_t begin, const std::string &place)
      : text_(text), begin_(begin), place_(place) {}

  support::result<Header> parse() {
    Header header;
    SDFGOPT_CHECK(expect('{'));
    while (!accept('}')) {
      SDFGOPT_TRY(const std::string_view key, string());
      SDFGOPT_CHECK(expect(':'));
      SDFGOPT_CHECK(member(key, header));
      if (!accept(',')) {
        SDFGOPT_CHECK(expect('}'));
        break;
      }
    }
    skip_space();
    if (pos_ != text_.size())
      return fail("text behind the header's dictionary");
    if (!header.descr || !header.fortran_order || !header.has_shape)
      return fail("the header lacks 'descr', 'fortran_order' or 'shape'");
    return header;
  }

private:
  [[nodiscard]] Error fail(const std::string &message) const {
    return {ErrorCode::Syntax, message, place_ + ": byte " + std::to_string(begin_ + pos_)};
  }
  void skip_space() {
    while (pos_ < text_.size() && (text_[pos_] == ' ' || text_[pos_] == '\n'))
      ++pos_;
  }
  bool accept(char c) {
    skip_space();
    if (pos_ == text_.size() || text_[pos_] != c)
      return false;
    ++pos_;
    return true;
  }
  bool accept(std::string_view word) {
    skip_space();
    if (!text_.substr(pos_).starts_with(word))
      return false;
    pos_ += word.size();
    return true;
  }
  support::result<void> expect(char c) {
    if (!accept(c))
      return fail(std::string("the header should have '") + c + "' here");
    return {};
  }

  support::result<void> member(std::string_view key, Header &header) {
    if (key == "descr" && !header.descr) {
      skip_space();
      if (text_.substr(pos_).starts_with('['))
        return Error{ErrorCode::Format, "structured types are not supported", place_};
      SDFGOPT_TRY(header.descr, string());
    } else if (key == "fortran_order" && !header.fortran_order) {
      if (accept(std::string_view("True")))
        header.fortran_order = true;
      else if (accept(std::string_view("False")))
        header.fortran_order = false;
      else
        return fail("'fortran_order' should be True or False");
    } else if (key == "shape" && !header.has_shape) {
      header.has_shape = true;
      SDFGOPT_TRY(header.shape, tuple());
    } else {
      return fail("unknown or repeated key in the header");
    }
    return {};
  }

  support::result<std::string_view> string() {
    skip_space();
    if (pos_ == text_.size() || (text_[pos_] != '\'' && text_[pos_] != '"'))
      return fail("the header should have a string here");
    const std::size_t end = text_.find_first_of(text_[pos_] == '"' ? "\"\\" : "'\\", pos_ + 1);
    if (end == std::string_view::npos || text_[end] == '\\')
      return fail("the header has an unreadable string here");
    const std::string_view result = text_.substr(pos_ + 1, end - pos_ - 1);
    pos_ = end + 1;
    return result;
  }

  support::result<std::vector<std::int64_t>> tuple() {
    std::vector<std::int64_t> result;
    SDFGOPT_CHECK(expect('('));
    bool comma = true;
    while (!accept(')')) {
      if (!comma)
        return fail("the shape should have ',' here");
      if (result.size() == max_rank)
        return fail("the shape has more than " + std::to_string(max_rank) + " dimensions");
      skip_space();
      std::int64_t extent = 0;
      const char *first = text_.data() + pos_;
      const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), extent);
      if (error == std::errc::result_out_of_range)
        return fail("the shape has an extent out of range");
      if (error != std::errc() || extent < 0)
        return fail("the shape should have an extent here");
      pos_ += static_cast<std::size_t>(end - first);
      if (pos_ < text_.size() && text_[pos_] == 'L') // Python 2
        ++pos_;
      result.push_back(extent);
      comma = accept(',');
    }
    if (result.size() == 1 && !comma)
      return fail("the shape is a number, not a tuple");
    return result;
  }

  std::string_view text_;
  std::size_t begin_;
  const std::string &place_;
  std::size_t pos_ = 0;
};

/// Bytes of an array of that shape; nothing if that, or the same with empty dimensions left out,
/// exceeds an int64 (as NumPy has it), so that no stride can overflow either.
std::optional<std::uint64_t> bytes_of(std::span<const std::int64_t> shape, std::size_t element) {
  std::int64_t bytes = static_cast<std::int64_t>(element);
  bool empty = false;
  for (const std::int64_t extent : shape) {
    empty = empty || extent == 0;
    if (extent != 0 && __builtin_mul_overflow(bytes, extent, &bytes))
      return std::nullopt;
  }
  return empty ? 0 : static_cast<std::uint64_t>(bytes);
}

/// Elements in C order, from those in Fortran order.
void from_fortran_order(std::string_view in, std::span<const std::int64_t> shape,
                        std::size_t element, std::vector<std::byte> &out) {
  std::vector<std::size_t> strides(shape.size());
  std::size_t stride = element;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    strides[d] = stride;
    stride *= static_cast<std::size_t>(shape[d]);
  }
  std::array<std::int64_t, max_rank> index{};
  std::size_t offset = 0;
  for (std::size_t to = 0; to < out.size(); to += element) {
    std::memcpy(out.data() + to, in.data() + offset, element);
    for (std::size_t d = shape.size(); d-- > 0;) {
      offset += strides[d];
      if (++index[d] < shape[d])
        break;
      offset -= strides[d] * static_cast<std::size_t>(shape[d]);
      index[d] = 0;
    }
  }
}

/// The header's length field and where it stands.
struct Frame {
  std::size_t begin; ///< of the header
  std::size_t size;
};

support::result<Frame> frame_of(std::string_view bytes, const std::string &place) {
  if (!bytes.starts_with(magic))
    return Error{ErrorCode::Syntax, "is not an .npy file", place};
  if (bytes.size() < magic.size() + 2)
    return Error{ErrorCode::Syntax, "ends within the format version", place};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned major = byte(magic.size());
  const unsigned minor = byte(magic.size() + 1);
  if (major < 1 || major > 3 || minor != 0)
    return Error{ErrorCode::Format,
                 "format version " + std::to_string(major) + "." + std::to_string(minor) +
                     " is not supported",
                 place};
  const std::size_t digits = major == 1 ? 2 : 4;
  const std::size_t begin = magic.size() + 2 + digits;
  if (bytes.size() < begin)
    return Error{ErrorCode::Syntax, "ends within the length of its header", place};
  std::size_t size = 0;
  for (std::size_t i = digits; i-- > 0;)
    size = size << 8 | byte(magic.size() + 2 + i);
  if (bytes.size() - begin < size)
    return Error{ErrorCode::Syntax, "ends within its header of " + std::to_string(size) + " bytes",
                 place};
  return Frame{begin, size};
}

support::result<std::string> read_file(const std::string &path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return Error{ErrorCode::Io, "is a directory", path};
  // A device may have no end.
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    return Error{ErrorCode::Io, "is no regular file", path};
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path.c_str(), "rb"),
                                                              std::fclose);
  if (!file)
    return Error{ErrorCode::Io, std::string("cannot open: ") + std::strerror(errno), path};
  std::string bytes;
  constexpr std::size_t chunk = std::size_t{1} << 20;
  std::size_t got = chunk;
  while (got == chunk) {
    const std::size_t filled = bytes.size();
    bytes.resize(filled + chunk);
    got = std::fread(bytes.data() + filled, 1, chunk, file.get());
    bytes.resize(filled + got);
  }
  if (std::ferror(file.get()))
    return Error{ErrorCode::Io, std::string("cannot read: ") + std::strerror(errno), path};
  return bytes;
}

} // namespace

std::size_t npy_element_bytes(std::string_view dtype) {
  const Type *type = type_of_name(dtype);
  return type ? type->size : 0;
}

support::result<NpyArray> read_npy(const std::string &path) {
  SDFGOPT_TRY(const std::string bytes, read_file(path));
  return parse_npy(bytes, path);
}

support::result<NpyArray> parse_npy(std::string_view bytes, const std::string &place) {
  SDFGOPT_TRY(const Frame frame, frame_of(bytes, place));
  HeaderParser parser(bytes.substr(frame.begin, frame.size), frame.begin, place);
  SDFGOPT_TRY(Header header, parser.parse());
  const Type *type = type_of_descr(*header.descr);
  if (!type)
    return Error{ErrorCode::Format,
                 "element type '" + support::shown(*header.descr) +
                     "' is not supported; there are bool, int8 to uint64, float32 and float64, "
                     "little endian",
                 place};
  const std::string_view data = bytes.substr(frame.begin + frame.size);
  const auto size = bytes_of(header.shape, type->size);
  if (!size)
    return Error{ErrorCode::Limit, "the shape is too large", place};
  if (*size != data.size())
    return Error{ErrorCode::Format,
                 "has " + std::to_string(data.size()) + " bytes of elements, not the " +
                     std::to_string(*size) + " of its shape",
                 place};
  if (type->name == "bool")
    for (std::size_t i = 0; i < data.size(); ++i)
      if (data[i] != '\0' && data[i] != '\1')
        return Error{ErrorCode::Format, "a bool is neither 0 nor 1",
                     place + ": byte " + std::to_string(frame.begin + frame.size + i)};
  NpyArray array{std::string(type->name), std::move(header.shape),
                 std::vector<std::byte>(data.size())};
  if (*header.fortran_order)
    from_fortran_order(data, array.shape, type->size, array.bytes);
  else if (!data.empty())
    std::memcpy(array.bytes.data(), data.data(), data.size());
  return array;
}

std::string npy_bytes(const NpyArray &array) {
  const Type *type = type_of_name(array.dtype);
  assert(type && bytes_of(array.shape, type->size) == array.bytes.size());
  std::string header =
      "{'descr': '" + std::string(type->descr) + "', 'fortran_order': False, 'shape': (";
  for (std::size_t d = 0; d < array.shape.size(); ++d)
    header += (d > 0 ? ", " : "") + std::to_string(array.shape[d]);
  header += array.shape.size() == 1 ? ",), }" : "), }";
  // NumPy leaves room for the first extent to grow in place.
  constexpr std::size_t extent_digits = 21;
  if (!array.shape.empty())
    header.append(extent_digits - std::to_string(array.shape[0]).size(), ' ');
  // At least one space, and the elements begin at a multiple of 64.
  constexpr std::size_t alignment = 64;
  const std::size_t before = magic.size() + 4; // ranks are small: the header's length has two bytes
  header.append(alignment - (before + header.size() + 1) % alignment, ' ');
  header += '\n';
  assert(header.size() <= std::numeric_limits<std::uint16_t>::max());

  std::string result(magic);
  result +=
      {'\1', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  result += header;
  result.append(reinterpret_cast<const char *>(array.bytes.data()), array.bytes.size());
  return result;
}

} // namespace sdfgopt::io
