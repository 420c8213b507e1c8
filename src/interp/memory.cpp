#include "interp/memory.h"

#include "interp/machine.h"
#include "support/mixed.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

namespace sdfgopt::interp {

using support::Error;
using support::ErrorCode;
using support::result;

namespace {

constexpr std::size_t guard_size = 64;
constexpr std::byte guard_byte{0xB7};
/// Released memory up to this size is kept: bodies of maps allocate again and again.
constexpr std::size_t kept_size = 4096;
/// No memory is larger, so that positions in bytes can be added up.
constexpr std::size_t largest_memory = std::size_t{1} << 60;

/// Memory that nobody wrote; what differs between fills was never defined. A NaN (fill 0) shows
/// through almost all arithmetic but hides in comparisons, as one number in all elements does where
/// they are compared with each other: so fills from 2 on differ by element, those from 3 on also by
/// sign.
std::uint64_t fresh_element(ScalarType type, unsigned fill, std::uint64_t salt) {
  auto number = static_cast<std::int64_t>(
                    fill == 1 ? 0 : support::mixed(salt ^ support::mixed(fill)) % 4001) -
                2000;
  if (fill == 2) // above most values, as fill 1 is below them: no maximum or minimum hides both
    number = 3000 + std::abs(number);
  switch (type) {
  case ScalarType::Bool:
    return fill < 2 ? fill : static_cast<std::uint64_t>(number & 1);
  case ScalarType::Float32: // quiet NaNs that can be told from computed ones
    return fill == 0 ? 0x7FC5DF60U
                     : std::bit_cast<std::uint32_t>(static_cast<float>(number) * 0.5F);
  case ScalarType::Float64:
    return fill == 0 ? 0x7FF85DF6F0175DF6U
                     : std::bit_cast<std::uint64_t>(static_cast<double>(number) * 0.5);
  default:
    break;
  }
  return static_cast<std::uint64_t>(fill == 0 ? 101 : fill == 1 ? -57 : number / 20);
}

/// `salt` tells containers apart.
void fill_memory(std::byte *memory, std::size_t bytes, ScalarType type, unsigned fill,
                 std::uint64_t salt) {
  const std::size_t size = size_of(type);
  std::uint64_t element = fresh_element(type, fill, salt << 32U);
  for (std::size_t k = 0; k * size < bytes; ++k) {
    if (fill >= 2)
      element = fresh_element(type, fill, (salt << 32U) + k);
    std::memcpy(memory + k * size, &element, size);
  }
}

bool is_guard(const std::byte *band) {
  return std::all_of(band, band + guard_size, [](std::byte b) { return b == guard_byte; });
}

} // namespace

Slot moved(const Slot &slot, std::int64_t offset, std::int64_t bytes) {
  // Farther away than any access can come back from. Sums of two such distances still fit.
  constexpr std::int64_t farthest = std::int64_t{1} << 62;
  Slot target = slot;
  std::int64_t distance = 0;
  if (__builtin_mul_overflow(offset, bytes, &distance) || distance > farthest ||
      distance < -farthest || slot.low - distance > farthest || slot.low - distance < -farthest) {
    target.low = offset < 0 ? farthest : -farthest;
    target.high = target.low; // the distance is as good as any, since nothing is in reach
    return target;
  }
  target.low -= distance;
  target.high -= distance;
  return target;
}

Value Queue::pop() {
  assert(head_ < values_.size());
  const Value value = values_[head_++];
  constexpr std::size_t worth_moving = 1024;
  if (head_ == values_.size()) {
    clear();
  } else if (head_ >= worth_moving && head_ * 2 >= values_.size()) {
    values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
  return value;
}

void Queue::clear() {
  values_.clear();
  head_ = 0;
}

Heap::Heap(const Program &program, unsigned fill, std::size_t limit)
    : program_(program), fill_(fill), limit_(limit), slots_(program.slots),
      buffers_(program.containers.size()) {
  for (std::uint32_t k = 0; k < buffers_.size(); ++k) {
    const Container &container = program.containers[k];
    buffers_[k].element_size = size_of(container.type);
    slots_[container.slot].container = k;
  }
  find_derived_slots();
}

/// Slots that lead to a container's memory through any number of SlotOffset instructions.
void Heap::find_derived_slots() {
  std::vector<std::vector<SlotId>> made_of(program_.slots);
  for (const Instr &instr : program_.code)
    if (instr.op == Op::SlotOffset)
      made_of[instr.b].push_back(instr.a);
  std::vector<std::uint32_t> seen_for(program_.slots, none);
  for (std::uint32_t k = 0; k < buffers_.size(); ++k) {
    std::vector<SlotId> work = {program_.containers[k].slot};
    seen_for[work.front()] = k;
    while (!work.empty()) {
      const SlotId slot = work.back();
      work.pop_back();
      for (const SlotId target : made_of[slot]) {
        if (seen_for[target] == k)
          continue;
        seen_for[target] = k;
        buffers_[k].derived.push_back(target);
        work.push_back(target);
      }
    }
  }
}

std::byte *Heap::memory(std::uint32_t container) const { return buffers_[container].begin; }

result<void> Heap::allocate(std::uint32_t container, std::int64_t elements) {
  Buffer &buffer = buffers_[container];
  const Container &facts = program_.containers[container];
  if (facts.stream) {
    drain(container);
    buffer.live = true;
    return {};
  }
  if (elements < 0)
    return Error{ErrorCode::Fault, fmt::format("'{}' has {} elements", facts.name, elements), ""};
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(elements, buffer.element_size, &bytes))
    bytes = SIZE_MAX;
  SDFGOPT_CHECK(reserve(container, bytes));
  if (facts.zeroed)
    std::memset(memory(container), 0, bytes);
  else
    fill_memory(memory(container), bytes, facts.type, fill_, container);
  return {};
}

/// Live memory with any contents.
result<void> Heap::reserve(std::uint32_t container, std::size_t bytes) {
  const Buffer &buffer = buffers_[container];
  if (!buffer.storage || buffer.bytes != bytes)
    SDFGOPT_CHECK(resize(container, bytes));
  open(container);
  return {};
}

/// Counts memory of so many bytes.
result<void> Heap::take(std::uint32_t container, std::size_t bytes) {
  if (bytes > largest_memory || bytes > limit_ - used_)
    return Error{ErrorCode::Limit,
                 fmt::format("the memory of '{}' would exceed the limit of {} bytes",
                             program_.containers[container].name, limit_),
                 ""};
  buffers_[container].bytes = bytes;
  used_ += bytes;
  return {};
}

result<void> Heap::resize(std::uint32_t container, std::size_t bytes) {
  discard(container);
  assert(!buffers_[container].begin); // else it is lent
  SDFGOPT_CHECK(take(container, bytes));
  Buffer &buffer = buffers_[container];
  buffer.storage = std::make_unique_for_overwrite<std::byte[]>(bytes + 2 * guard_size);
  buffer.begin = buffer.storage.get() + guard_size;
  std::fill_n(buffer.storage.get(), guard_size, guard_byte);
  std::fill_n(memory(container) + bytes, guard_size, guard_byte);
  return {};
}

void Heap::open(std::uint32_t container) {
  Buffer &buffer = buffers_[container];
  buffer.live = true;
  slots_[program_.containers[container].slot] = {
      memory(container), 0, static_cast<std::int64_t>(buffer.bytes), container};
}

void Heap::close_slots(std::uint32_t container) {
  Slot &own = slots_[program_.containers[container].slot];
  own.high = own.low;
  for (const SlotId derived : buffers_[container].derived)
    if (Slot &slot = slots_[derived]; slot.container == container)
      slot.high = slot.low;
}

void Heap::release(std::uint32_t container) {
  Buffer &buffer = buffers_[container];
  const Container &facts = program_.containers[container];
  if (facts.persistent)
    return;
  if (facts.stream)
    drain(container);
  if (!buffer.live)
    return;
  buffer.live = false;
  close_slots(container);
  if (buffer.bytes > kept_size)
    discard(container);
}

void Heap::drain(std::uint32_t container) {
  Queue &values = buffers_[container].queue;
  used_ -= values.size() * sizeof(Value);
  values.clear();
}

/// Gives the memory back.
void Heap::discard(std::uint32_t container) {
  Buffer &buffer = buffers_[container];
  if (!buffer.storage)
    return;
  assert(is_guard(buffer.storage.get()) && is_guard(memory(container) + buffer.bytes));
  close_slots(container);
  used_ -= buffer.bytes;
  buffer.storage.reset();
  buffer.begin = nullptr;
  buffer.bytes = 0;
  buffer.live = false;
}

std::int64_t Heap::elements(std::uint32_t container) const {
  const Buffer &buffer = buffers_[container];
  return static_cast<std::int64_t>(buffer.bytes / buffer.element_size);
}

const std::byte *Heap::data(std::uint32_t container) const {
  assert(has_memory(container));
  return memory(container);
}

result<void> Heap::bind(std::uint32_t container, const std::vector<std::byte> &contents) {
  SDFGOPT_CHECK(reserve(container, contents.size()));
  std::copy(contents.begin(), contents.end(), memory(container));
  return {};
}

result<void> Heap::lend(std::uint32_t container, std::span<std::byte> memory) {
  assert(!buffers_[container].live && !buffers_[container].storage);
  SDFGOPT_CHECK(take(container, memory.size()));
  buffers_[container].begin = memory.data();
  open(container);
  return {};
}

std::vector<std::byte> Heap::contents(std::uint32_t container) const {
  const std::byte *begin = data(container);
  return {begin, begin + buffers_[container].bytes};
}

result<void> Heap::push(std::uint32_t container, Value value) {
  if (sizeof value > limit_ - used_)
    return Error{ErrorCode::Limit,
                 fmt::format("the values in stream '{}' would exceed the memory limit of {} bytes",
                             program_.containers[container].name, limit_),
                 ""};
  queue(container).push(value);
  used_ += sizeof value;
  return {};
}

Queue &Heap::queue(std::uint32_t container) {
  assert(container != none && program_.containers[container].stream);
  return buffers_[container].queue;
}

Value Heap::pop(std::uint32_t container) {
  used_ -= sizeof(Value);
  return queue(container).pop();
}

void Heap::check_guards() const {
  for (const Buffer &buffer : buffers_)
    if (buffer.storage)
      assert(is_guard(buffer.storage.get()) &&
             is_guard(buffer.storage.get() + guard_size + buffer.bytes));
}

} // namespace sdfgopt::interp
