#include "interp/loops.h"

#include "support/mixed.h"

#include <numeric>

namespace sdfgopt::interp {

namespace {

/// Steele, Lea and Flood's generator: the same numbers everywhere.
class SplitMix64 {
public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    state_ += support::mix_step;
    return support::finalized(state_);
  }

private:
  std::uint64_t state_;
};

/// Iterations of begin, begin + step, ... up to `end`, less one; nothing is written if there is
/// none. The difference as unsigned is right even where the signed one would overflow.
bool count_less_one(std::int64_t begin, std::int64_t end, std::int64_t step, std::uint64_t &count) {
  if (step > 0 ? begin > end : begin < end)
    return false;
  const auto b = static_cast<std::uint64_t>(begin);
  const auto e = static_cast<std::uint64_t>(end);
  const std::uint64_t distance = step > 0 ? e - b : b - e;
  const std::uint64_t size =
      step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  count = size == 1 ? distance : distance / size;
  return true;
}

} // namespace

LoopState::LoopState(const Loop &loop, std::uint64_t seed)
    : loop_(loop), seed_(loop.ordered ? 0 : seed) {
  dimensions_.reserve(loop.dimensions.size());
  for (const Loop::Dimension &dimension : loop.dimensions)
    dimensions_.push_back({.index = dimension.index});
}

/// Fills in the dimensions and the number of iterations.
LoopState::Start LoopState::measure(const Value *registers) {
  bool empty = false;
  bool countless = false;
  total_ = 1;
  for (std::size_t k = 0; k < dimensions_.size(); ++k) {
    Dimension &dimension = dimensions_[k];
    const Loop::Dimension &bounds = loop_.dimensions[k];
    const Value begin = registers[bounds.begin];
    const Value step = registers[bounds.step];
    if (step.i == 0)
      return Start::ZeroStep;
    dimension.begin = begin.u;
    dimension.step = step.u;
    std::uint64_t count = 0;
    if (!count_less_one(begin.i, registers[bounds.end].i, step.i, count)) {
      empty = true;
      continue;
    }
    ++count;
    if (count != dimension.count)
      stride_ = 0;
    dimension.count = count;
    countless |= count == 0 || __builtin_mul_overflow(total_, count, &total_);
  }
  if (empty)
    return Start::Empty;
  return countless ? Start::OutOfFuel : Start::Iterate;
}

LoopState::Start LoopState::begin(Value *registers, std::uint64_t &fuel) {
  if (const Start start = measure(registers); start != Start::Iterate)
    return start;
  if (total_ > fuel)
    return Start::OutOfFuel;
  fuel -= total_;
  shuffling_ = seed_ != 0 && total_ > 1;
  if (shuffling_) {
    start_shuffled(registers);
    return Start::Iterate;
  }
  for (Dimension &dimension : dimensions_) {
    dimension.left = dimension.count;
    dimension.current = dimension.begin;
    registers[dimension.index].u = dimension.begin;
  }
  return Start::Iterate;
}

/// Of seed and extents only: two programs with the same loop run it in the same order.
void LoopState::derive_order() {
  std::uint64_t hash = SplitMix64(seed_ ^ total_)();
  for (const Dimension &dimension : dimensions_)
    hash = SplitMix64(hash ^ dimension.count)();
  SplitMix64 random(hash);
  do
    stride_ = 1 + random() % (total_ - 1);
  while (std::gcd(stride_, total_) != 1);
  first_ = random() % total_;
}

void LoopState::start_shuffled(Value *registers) {
  if (stride_ == 0)
    derive_order();
  flat_ = first_;
  left_ = total_;
  decode(registers);
}

bool LoopState::next_shuffled(Value *registers) {
  if (--left_ == 0)
    return false;
  // The sum may not fit, so it is not computed.
  const std::uint64_t room = total_ - stride_;
  flat_ = flat_ < room ? flat_ + stride_ : flat_ - room;
  decode(registers);
  return true;
}

void LoopState::decode(Value *registers) const {
  const bool narrow = total_ <= UINT32_MAX; // 32-bit division is a good deal faster
  std::uint64_t rest = flat_;
  for (std::size_t k = dimensions_.size(); k-- > 0;) {
    const Dimension &dimension = dimensions_[k];
    std::uint64_t quotient = 0;
    if (k != 0)
      quotient =
          narrow ? static_cast<std::uint32_t>(rest) / static_cast<std::uint32_t>(dimension.count)
                 : rest / dimension.count;
    const std::uint64_t position = rest - quotient * dimension.count;
    registers[dimension.index].u = dimension.begin + position * dimension.step;
    rest = quotient;
  }
}

} // namespace sdfgopt::interp
