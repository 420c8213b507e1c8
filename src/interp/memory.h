// Memory of a run: one flat buffer for each container, between guard bands; the slots through which
// instructions see it; queues of streams; the limit on bytes.
#pragma once

#include "interp/bytecode.h"
#include "support/result.h"

#include <bit>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace sdfgopt::interp {

/// What an instruction addresses: the memory of a container, or a part of it that has an origin of
/// its own. Every element of the container can be reached, also those before the origin.
struct Slot {
  std::byte *begin = nullptr; ///< of the container's memory
  // Bytes from the origin, which may be outside, to the begin and to the end of the memory. Both
  // are the same where there is nothing to reach.
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::uint32_t container = none;
};

/// Is element `offset`, of `bytes` bytes, within the memory? Offsets may be absurd; limits are
/// divided, so nothing overflows.
template <std::int64_t bytes> inline bool reaches(const Slot &slot, std::int64_t offset) {
  static_assert(std::has_single_bit(static_cast<std::uint64_t>(bytes)));
  constexpr int shift = std::countr_zero(static_cast<std::uint64_t>(bytes)); // which rounds down
  return offset >= (slot.low + (bytes - 1)) >> shift && offset < slot.high >> shift;
}

/// Where an element is that the slot reaches.
template <std::int64_t bytes> inline std::byte *address(const Slot &slot, std::int64_t offset) {
  return slot.begin + (offset * bytes - slot.low);
}

/// The same memory with the origin moved by `offset` elements of `bytes` bytes.
Slot moved(const Slot &slot, std::int64_t offset, std::int64_t bytes);

/// First in, first out.
class Queue {
public:
  void push(Value value) { values_.push_back(value); }
  Value pop(); ///< not of an empty one
  [[nodiscard]] std::size_t size() const { return values_.size() - head_; }
  void clear();

private:
  std::vector<Value> values_;
  std::size_t head_ = 0; // those before are gone
};

/// Containers are named by their position in Program::containers.
class Heap {
public:
  /// `fill` chooses what fresh memory holds, see RunOptions.
  Heap(const Program &program, unsigned fill, std::size_t limit);

  [[nodiscard]] Slot *slots() { return slots_.data(); }
  [[nodiscard]] const Slot &slot(SlotId slot) const { return slots_[slot]; }

  /// Fresh memory of `elements` elements, in the place of what the container had; a stream becomes
  /// empty.
  support::result<void> allocate(std::uint32_t container, std::int64_t elements);
  /// The container's memory is no more, nor can it be reached through slots made from its own.
  void release(std::uint32_t container);
  [[nodiscard]] bool has_memory(std::uint32_t container) const { return buffers_[container].live; }
  [[nodiscard]] std::int64_t elements(std::uint32_t container) const;
  [[nodiscard]] const std::byte *data(std::uint32_t container) const;

  /// Memory with given contents.
  support::result<void> bind(std::uint32_t container, const std::vector<std::byte> &contents);
  /// Memory that belongs to somebody else and outlives the heap, for a container that is never
  /// allocated or released. It has no guard bands.
  support::result<void> lend(std::uint32_t container, std::span<std::byte> memory);
  /// A copy of the contents.
  [[nodiscard]] std::vector<std::byte> contents(std::uint32_t container) const;

  support::result<void> push(std::uint32_t container, Value value);
  [[nodiscard]] Queue &queue(std::uint32_t container);
  /// The first value of a queue that has one.
  Value pop(std::uint32_t container);

  /// Asserts that no guard band was written to: the bounds checks are right.
  void check_guards() const;

private:
  struct Buffer {
    std::unique_ptr<std::byte[]> storage; // guard band, memory, guard band; null if it is lent
    std::byte *begin = nullptr;           // of the memory
    std::size_t bytes = 0;
    std::size_t element_size = 1;
    bool live = false;           // else what there is waits to be used again
    std::vector<SlotId> derived; // slots that SlotOffset may make of this memory
    Queue queue;
  };

  [[nodiscard]] std::byte *memory(std::uint32_t container) const;
  support::result<void> take(std::uint32_t container, std::size_t bytes);
  support::result<void> reserve(std::uint32_t container, std::size_t bytes);
  support::result<void> resize(std::uint32_t container, std::size_t bytes);
  void open(std::uint32_t container);
  void close_slots(std::uint32_t container);
  void drain(std::uint32_t container);
  void discard(std::uint32_t container);
  void find_derived_slots();

  const Program &program_;
  unsigned fill_;
  std::size_t limit_;
  std::size_t used_ = 0;
  std::vector<Slot> slots_;
  std::vector<Buffer> buffers_;
};

} // namespace sdfgopt::interp
