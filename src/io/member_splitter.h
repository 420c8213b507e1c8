// Takes the remembered text of an element apart again.
#pragma once

#include "ir/element.h"

#include <memory>

namespace sdfgopt::io {

class MemberSplitter {
public:
  MemberSplitter();
  ~MemberSplitter();
  MemberSplitter(const MemberSplitter &) = delete;
  MemberSplitter &operator=(const MemberSplitter &) = delete;

  /// The members of one JSON object, values unread. `object` must be text of a document: validated,
  /// and followed by TextArena::padding readable bytes. "" gives none, and so does what is no
  /// object.
  std::vector<ir::Member> split(std::string_view object);
  /// The members of an element's `attributes` object; none if it has none.
  std::vector<ir::Member> attributes(std::string_view element);

private:
  struct Parser;
  std::unique_ptr<Parser> parser_; // one parser: its buffers are used again
};

} // namespace sdfgopt::io
