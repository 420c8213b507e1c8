#include "symbolic/impl.h"

#include <algorithm>
#include <memory>
#include <new>

namespace sdfgopt::symbolic {

namespace {

std::size_t mix(std::size_t seed, std::size_t value) {
  seed ^= value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2);
  return seed * 0xff51afd7ed558ccdULL;
}

/// Facts about a Literal's text.
bool is_non_finite(std::string_view text) {
  return text == "oo" || text == "nan" || text == "zoo" || text == "inf";
}

bool is_integral_text(std::string_view text) {
  if (text == "True" || text == "False")
    return true;
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return (c >= '0' && c <= '9') || c == '-'; });
}

bool is_integral_call(std::string_view name) {
  static constexpr std::array<std::string_view, 6> bitwise = {"&", "|", "^", "<<", ">>", "~"};
  return name == "Abs" || std::find(bitwise.begin(), bitwise.end(), name) != bitwise.end();
}

} // namespace

void *Context::Impl::allocate(std::size_t bytes) {
  constexpr std::size_t alignment = alignof(std::max_align_t);
  bytes = (bytes + alignment - 1) / alignment * alignment;
  if (left_ < bytes) {
    const std::size_t size = std::max(block_size, bytes);
    blocks_.push_back(std::make_unique<std::byte[]>(size));
    free_ = blocks_.back().get();
    left_ = size;
  }
  void *memory = free_;
  free_ += bytes;
  left_ -= bytes;
  return memory;
}

void Context::Impl::grow_table() {
  std::vector<Expr> old = std::move(nodes_);
  nodes_.assign(std::max<std::size_t>(1024, old.size() * 2), nullptr);
  for (Expr e : old) {
    if (!e)
      continue;
    std::size_t slot = hashes_[e->id()] & (nodes_.size() - 1);
    while (nodes_[slot])
      slot = (slot + 1) & (nodes_.size() - 1);
    nodes_[slot] = e;
  }
}

Expr Context::Impl::make(Kind kind, std::span<const Expr> args, Name name, Number number) {
  if (hashes_.size() * 2 >= nodes_.size())
    grow_table();
  std::size_t hash = mix(static_cast<std::size_t>(kind), std::hash<Name>()(name));
  hash = mix(mix(hash, static_cast<std::size_t>(number.num)), static_cast<std::size_t>(number.den));
  for (Expr arg : args)
    hash = mix(hash, arg->id());
  hash ^= hash >> 32; // the low bits choose the slot
  std::size_t slot = hash & (nodes_.size() - 1);
  for (; nodes_[slot]; slot = (slot + 1) & (nodes_.size() - 1)) {
    Expr old = nodes_[slot];
    if (hashes_[old->id()] == hash && old->kind_ == kind && old->name_ == name &&
        old->numerator_ == number.num && old->denominator_ == number.den &&
        std::ranges::equal(old->args(), args))
      return old;
  }
  Node *node = new (allocate(sizeof(Node))) Node;
  node->kind_ = kind;
  node->id_ = static_cast<std::uint32_t>(hashes_.size());
  node->name_ = name;
  node->numerator_ = number.num;
  node->denominator_ = number.den;
  if (!args.empty()) {
    auto *copy = static_cast<Expr *>(allocate(args.size_bytes()));
    std::uninitialized_copy(args.begin(), args.end(), copy);
    node->args_ = copy;
    node->arg_count_ = static_cast<std::uint32_t>(args.size());
  }
  nodes_[slot] = node;
  hashes_.push_back(hash);
  facts_.push_back(derive_facts(node));
  return node;
}

Context::Impl::Facts Context::Impl::derive_facts(Expr e) const {
  Facts result;
  bool all_integral = true;
  for (Expr arg : e->args()) {
    all_integral &= facts(arg).integral;
    result.inert |= facts(arg).inert;
    result.height = std::max(result.height, facts(arg).height + 1);
  }
  switch (e->kind()) {
  case Kind::Integer:
  case Kind::Symbol:
  case Kind::FloorDiv:
  case Kind::CeilDiv:
  case Kind::Eq:
  case Kind::Ne:
  case Kind::Lt:
  case Kind::Le:
  case Kind::And:
  case Kind::Or:
  case Kind::Not:
    result.integral = true;
    break;
  case Kind::Literal:
    result.integral = is_integral_text(e->name().view());
    result.inert = is_non_finite(e->name().view());
    break;
  case Kind::Add:
  case Kind::Mul:
  case Kind::Max:
  case Kind::Min:
  case Kind::Mod:
    result.integral = all_integral;
    break;
  case Kind::If:
    result.integral = facts(e->args()[1]).integral && facts(e->args()[2]).integral;
    break;
  case Kind::Pow:
    result.integral =
        all_integral && e->args()[1]->kind() == Kind::Integer && e->args()[1]->numerator() >= 0;
    break;
  case Kind::Call:
    result.integral = all_integral && is_integral_call(e->name().view());
    break;
  case Kind::Undefined:
  case Kind::Opaque:
    result.inert = true;
    break;
  case Kind::Rational:
  case Kind::Subscript:
  case Kind::Attr:
    break;
  }
  return result;
}

bool is_boolean(Expr e) {
  static constexpr std::array connectives = {Kind::Eq,  Kind::Ne, Kind::Lt, Kind::Le,
                                             Kind::And, Kind::Or, Kind::Not};
  if (e->kind() == Kind::Literal)
    return e->name().view() == "True" || e->name().view() == "False";
  return std::find(connectives.begin(), connectives.end(), e->kind()) != connectives.end();
}

std::vector<Expr> postorder(Expr root) {
  // Arguments are made before the nodes that hold them, so order of id is a post-order.
  std::vector<Expr> found = {root};
  std::unordered_set<Expr> seen = {root};
  for (std::size_t i = 0; i < found.size(); ++i)
    for (Expr arg : found[i]->args())
      if (seen.insert(arg).second)
        found.push_back(arg);
  std::sort(found.begin(), found.end(), [](Expr a, Expr b) { return a->id() < b->id(); });
  return found;
}

} // namespace sdfgopt::symbolic
