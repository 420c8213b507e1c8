// NumPy's .npy files: one array of plain numbers, read and written in memory.
#pragma once

#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgopt::io {

struct NpyArray {
  std::string dtype; ///< NumPy's name: "bool", "int8" .. "uint64", "float32", "float64"
  std::vector<std::int64_t> shape; ///< extents >= 0; empty: a single element
  std::vector<std::byte> bytes;    ///< C order, little endian, without padding
};

/// Bytes of an element of a type that an NpyArray may have; 0 for any other name.
std::size_t npy_element_bytes(std::string_view dtype);

/// Reads format versions 1.0 to 3.0, C or Fortran order, little endian. Errors name the file, and
/// where in it.
support::result<NpyArray> read_npy(const std::string &path);
/// The same for the bytes of a file; `place` names it in errors. Memory is taken only after the
/// shape was found to agree with the number of bytes that are there.
support::result<NpyArray> parse_npy(std::string_view bytes, const std::string &place);

/// The bytes that numpy.save writes for this array. `bytes` must have the length that dtype and
/// shape ask for.
std::string npy_bytes(const NpyArray &array);

} // namespace sdfgopt::io
