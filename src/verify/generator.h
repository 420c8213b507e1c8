// Random small programs around the write-back pattern, for fuzzing.
//
// A program has buffers (transients) that are defined, copied to argument arrays and used, in
// random control flow, together with other accesses to those arrays. About half of the programs
// leave the copies alone, so that removing a buffer is right; the others are nearly right, so that
// every rule is tried close to its limits.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sdfgopt::verify {

/// Values of a program's symbols.
using GeneratedRun = std::vector<std::pair<std::string, std::int64_t>>;

struct GeneratedProgram {
  std::string text; ///< in the text form
  /// One to four choices of the symbols that the program has, sorted by name; all different, so
  /// that a program without symbols has one, which is empty. With each, every access is in bounds.
  /// Ordinary sizes come first, then empty, one-element and reversed domains, negative origins.
  std::vector<GeneratedRun> runs;
};

/// The program of a seed: the same on every machine. It parses and passes the IR's verifier. What
/// it computes may depend on the order of what is not ordered, in a few programs of a hundred, or
/// on memory that nothing has written.
GeneratedProgram generate(std::uint64_t seed);

} // namespace sdfgopt::verify
