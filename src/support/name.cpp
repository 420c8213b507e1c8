#include "support/name.h"

namespace sdfgopt::support {

Name NamePool::intern(std::string_view text) {
  if (auto found = names_.find(text); found != names_.end())
    return Name(&*found);
  return Name(&*names_.insert(storage_.emplace_back(text)).first);
}

Name NamePool::find(std::string_view text) const {
  auto found = names_.find(text);
  return found == names_.end() ? Name() : Name(&*found);
}

} // namespace sdfgopt::support
