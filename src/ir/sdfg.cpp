#include "ir/sdfg.h"

namespace sdfgopt::ir {

namespace {

/// For const and mutable blocks alike.
template <typename RegionType, typename BlockType>
std::vector<RegionType *> regions_of(BlockType &block) {
  std::vector<RegionType *> regions;
  if (auto *plain = block.template as<PlainRegion>()) {
    regions.push_back(&plain->body);
  } else if (auto *loop = block.template as<LoopRegion>()) {
    regions.push_back(&loop->body);
  } else if (auto *conditional = block.template as<ConditionalBlock>()) {
    for (auto &branch : conditional->branches)
      regions.push_back(&branch.body);
  }
  return regions;
}

} // namespace

std::vector<const Region *> child_regions(const Block &block) {
  return regions_of<const Region>(block);
}

std::vector<Region *> child_regions(Block &block) { return regions_of<Region>(block); }

Descriptor *Sdfg::find_array(Name data) {
  auto found = array_index_.find(data);
  return found == array_index_.end() ? nullptr : &arrays[found->second];
}

const Descriptor *Sdfg::find_array(Name data) const {
  return const_cast<Sdfg *>(this)->find_array(data);
}

void Sdfg::index_arrays() {
  array_index_.clear();
  array_index_.reserve(arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i)
    array_index_[arrays[i].name] = static_cast<std::uint32_t>(i);
}

Document::Document() : context(names) {}

} // namespace sdfgopt::ir
