// A loop of the table Program::loops while it runs: counts its iterations and gives the indices of
// each, in ascending order or in one that a seed chose.
#pragma once

#include "interp/bytecode.h"

#include <cstdint>
#include <vector>

namespace sdfgopt::interp {

class LoopState {
public:
  enum class Start : std::uint8_t { Iterate, Empty, ZeroStep, OutOfFuel };

  /// `seed` 0 is the ascending order, which an ordered loop keeps whatever the seed.
  LoopState(const Loop &loop, std::uint64_t seed);

  /// Reads the bounds from the registers, takes one unit of `fuel` for each iteration and sets the
  /// indices of the first. Has no effect on fuel and indices unless the answer is Iterate.
  Start begin(Value *registers, std::uint64_t &fuel);

  /// Sets the indices of the next iteration; false if there is none.
  bool next(Value *registers) {
    if (shuffling_)
      return next_shuffled(registers);
    for (std::size_t k = dimensions_.size(); k-- > 0;) {
      Dimension &dimension = dimensions_[k];
      if (--dimension.left != 0) {
        dimension.current += dimension.step;
        registers[dimension.index].u = dimension.current;
        return true;
      }
      dimension.left = dimension.count;
      dimension.current = dimension.begin;
      registers[dimension.index].u = dimension.begin;
    }
    return false;
  }

private:
  struct Dimension {
    Reg index;
    std::uint64_t begin = 0; // these three are signed numbers whose arithmetic wraps
    std::uint64_t step = 0;
    std::uint64_t current = 0;
    std::uint64_t count = 0;
    std::uint64_t left = 0; // iterations from the current one on
  };

  Start measure(const Value *registers);
  void derive_order();
  void start_shuffled(Value *registers);
  bool next_shuffled(Value *registers);
  void decode(Value *registers) const;

  const Loop &loop_;
  std::uint64_t seed_;
  std::vector<Dimension> dimensions_;
  std::uint64_t total_ = 0;
  // A seeded order: the flat number of the k-th iteration is (first_ + k * stride_) mod total_.
  bool shuffling_ = false;
  std::uint64_t stride_ = 0; // 0: not derived yet for these extents
  std::uint64_t first_ = 0;
  std::uint64_t flat_ = 0;
  std::uint64_t left_ = 0;
};

} // namespace sdfgopt::interp
