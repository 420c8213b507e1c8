// NumPy's files.
#include "io/npy.h"

#include "io/file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <numeric>

namespace sdfgopt::io {
namespace {

/// A file of format version `major`.0 with this header and these bytes behind it.
std::string file(const std::string &header, const std::string &data, int major = 1) {
  std::string result = "\x93NUMPY";
  result += {static_cast<char>(major), '\0'};
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    result += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return result + header + data;
}

std::string header(const std::string &descr, const std::string &shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }    \n";
}

std::string error(const std::string &bytes) {
  const auto array = parse_npy(bytes, "a.npy");
  return array.ok() ? "" : array.error().text();
}

std::vector<int> values(const NpyArray &array) {
  std::vector<int> result;
  for (const std::byte byte : array.bytes)
    result.push_back(std::to_integer<int>(byte));
  return result;
}

TEST(Npy, WritesWhatNumpyWrites) {
  NpyArray array{"float64", {2, 3}, std::vector<std::byte>(48)};
  const std::string bytes = npy_bytes(array);
  EXPECT_EQ(bytes.size(), 128 + 48U);
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(bytes.substr(10, 118), "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }" +
                                       std::string(58, ' ') + "\n");
  array = {"bool", {1}, std::vector<std::byte>(1)};
  EXPECT_NE(npy_bytes(array).find("'descr': '|b1', 'fortran_order': False, 'shape': (1,), }"),
            std::string::npos);
  array = {"int8", {}, std::vector<std::byte>(1)};
  EXPECT_NE(npy_bytes(array).find("'descr': '|i1', 'fortran_order': False, 'shape': (), }"),
            std::string::npos);
}

TEST(Npy, RoundTrip) {
  for (const char *dtype : {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                            "uint64", "float32", "float64"})
    for (const std::vector<std::int64_t> &shape :
         {std::vector<std::int64_t>{}, {1}, {7}, {2, 3}, {4, 0, 2}, {2, 1, 3, 2}}) {
      NpyArray array{dtype, shape, {}};
      std::size_t count = npy_element_bytes(dtype);
      for (const std::int64_t extent : shape)
        count *= static_cast<std::size_t>(extent);
      for (std::size_t i = 0; i < count; ++i)
        array.bytes.push_back(std::byte(i % 2));
      const std::string bytes = npy_bytes(array);
      EXPECT_EQ((bytes.size() - count) % 64, 0U);
      const auto read = parse_npy(bytes, "a.npy");
      ASSERT_TRUE(read.ok()) << read.error().text();
      EXPECT_EQ(read.value().dtype, dtype);
      EXPECT_EQ(read.value().shape, shape);
      EXPECT_EQ(read.value().bytes, array.bytes);
    }
  EXPECT_EQ(npy_element_bytes("float16"), 0U);
}

TEST(Npy, Versions) {
  const std::string data("\x01\x02", 2);
  for (int major = 1; major <= 3; ++major) {
    const auto array = parse_npy(file(header("|u1", "(2,)"), data, major), "a.npy");
    ASSERT_TRUE(array.ok()) << array.error().text();
    EXPECT_EQ(values(array.value()), (std::vector{1, 2}));
  }
  EXPECT_EQ(error(file(header("|u1", "(2,)"), data, 4)),
            "a.npy: format version 4.0 is not supported");
}

TEST(Npy, FortranOrder) {
  std::string data(24, '\0');
  std::iota(data.begin(), data.end(), '\0');
  const auto array = parse_npy(file(header("|u1", "(2, 3, 4)", true), data), "a.npy");
  ASSERT_TRUE(array.ok()) << array.error().text();
  std::vector<int> expected;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k)
        expected.push_back(i + 2 * j + 6 * k);
  EXPECT_EQ(values(array.value()), expected);
  const auto wide = parse_npy(file(header("<i2", "(2, 2)", true), data.substr(0, 8)), "a.npy");
  ASSERT_TRUE(wide.ok());
  EXPECT_EQ(values(wide.value()), (std::vector{0, 1, 4, 5, 2, 3, 6, 7}));
  const auto none = parse_npy(file(header("<i2", "(0, 2)", true), ""), "a.npy");
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(none.value().bytes.empty());
  EXPECT_TRUE(parse_npy(file(header("|u1", "()", true), "x"), "a.npy").ok());
}

TEST(Npy, OtherSpellings) {
  const auto reads = [](const std::string &text) {
    return error(file(text, std::string("\0\1", 2)));
  };
  EXPECT_EQ(reads("{\"shape\":(2L,),\"descr\":\"|b1\",\"fortran_order\":False}"), "");
  EXPECT_EQ(reads("{'descr': '>i1', 'fortran_order': False, 'shape': (1, 2)}\n"), "");
}

TEST(Npy, UnsupportedTypes) {
  for (const char *descr : {">f8", "<f2", "<c16", "|O", "<U3", "|S1", "<M8[ns]", "=f8", "|f8", ""})
    EXPECT_EQ(error(file(header(descr, "(0,)"), "")),
              "a.npy: element type '" + std::string(descr) +
                  "' is not supported; there are bool, int8 to uint64, float32 and float64, "
                  "little endian");
  EXPECT_EQ(error(file("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (0,)}", "")),
            "a.npy: structured types are not supported");
}

TEST(Npy, Malformed) {
  EXPECT_EQ(error(""), "a.npy: is not an .npy file");
  EXPECT_EQ(error("PK\3\4"), "a.npy: is not an .npy file");
  EXPECT_EQ(error("\x93NUMPY\x01"), "a.npy: ends within the format version");
  EXPECT_EQ(error(std::string("\x93NUMPY\x01\x00\x10", 9)),
            "a.npy: ends within the length of its header");
  EXPECT_EQ(error(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13)),
            "a.npy: ends within its header of 4294967295 bytes");
  const auto fault = [](const std::string &text) { return error(file(text, "")); };
  EXPECT_EQ(fault(""), "a.npy: byte 10: the header should have '{' here");
  EXPECT_EQ(fault("{'descr'"), "a.npy: byte 18: the header should have ':' here");
  EXPECT_EQ(fault("{}"), "a.npy: byte 12: the header lacks 'descr', 'fortran_order' or 'shape'");
  EXPECT_EQ(fault("{'x': 1}"), "a.npy: byte 15: unknown or repeated key in the header");
  EXPECT_EQ(fault("{'descr': '|b1"), "a.npy: byte 20: the header has an unreadable string here");
  EXPECT_EQ(fault("{'descr': 5"), "a.npy: byte 20: the header should have a string here");
  EXPECT_EQ(fault("{'fortran_order': 1"),
            "a.npy: byte 28: 'fortran_order' should be True or False");
  EXPECT_EQ(fault("{'descr': '|b1' 'shape'"), "a.npy: byte 26: the header should have '}' here");
  const auto shape = [&](const std::string &text) { return fault("{'shape': " + text); };
  EXPECT_EQ(shape("5"), "a.npy: byte 20: the header should have '(' here");
  EXPECT_EQ(shape("(5)"), "a.npy: byte 23: the shape is a number, not a tuple");
  EXPECT_EQ(shape("(-1,)"), "a.npy: byte 21: the shape should have an extent here");
  EXPECT_EQ(shape("(1 2)"), "a.npy: byte 23: the shape should have ',' here");
  EXPECT_EQ(shape("(1,"), "a.npy: byte 23: the shape should have an extent here");
  EXPECT_EQ(shape("(9223372036854775808,)"),
            "a.npy: byte 21: the shape has an extent out of range");
  std::string many = "(";
  for (int i = 0; i < 65; ++i)
    many += "1,";
  EXPECT_EQ(shape(many + ")"), "a.npy: byte 149: the shape has more than 64 dimensions");
  EXPECT_EQ(fault(header("|u1", "()") + "x"),
            "a.npy: byte 70: text behind the header's dictionary");
}

TEST(Npy, ShapeAndBytesDisagree) {
  const auto fault = [](const std::string &shape, const std::string &data) {
    return error(file(header("<f8", shape), data));
  };
  EXPECT_EQ(fault("(2,)", "12345678"), "a.npy: has 8 bytes of elements, not the 16 of its shape");
  EXPECT_EQ(fault("()", "123456789"), "a.npy: has 9 bytes of elements, not the 8 of its shape");
  EXPECT_EQ(fault("(1000000000000,)", ""),
            "a.npy: has 0 bytes of elements, not the 8000000000000 of its shape");
  EXPECT_EQ(fault("(4294967296, 4294967296)", ""), "a.npy: the shape is too large");
  EXPECT_EQ(fault("(0, 4294967296, 4294967296)", ""), "a.npy: the shape is too large");
  EXPECT_EQ(error(file(header("|b1", "(2,)"), "\1\2")),
            "a.npy: byte 73: a bool is neither 0 nor 1");
}

TEST(Npy, EveryCutIsAnError) {
  const std::string bytes = npy_bytes({"int16", {3, 2}, std::vector<std::byte>(12)});
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(error(bytes.substr(0, size)), "") << size;
}

TEST(Npy, Files) {
  const auto path = std::filesystem::path(testing::TempDir()) / "sdfgopt_npy_test.npy";
  const NpyArray array{"int32", {2}, std::vector<std::byte>(8, std::byte{1})};
  ASSERT_TRUE(write_file(path.string(), npy_bytes(array)).ok());
  const auto read = read_npy(path.string());
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read.value().bytes, array.bytes);
  std::filesystem::remove(path);
  EXPECT_EQ(read_npy(path.string()).error().text(),
            path.string() + ": cannot open: No such file or directory");
  EXPECT_EQ(read_npy(testing::TempDir()).error().text(), testing::TempDir() + ": is a directory");
}

} // namespace
} // namespace sdfgopt::io
