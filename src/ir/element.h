// How the IR stays lossless: every element remembers the JSON text that it was read from.
//
// An element that no pass changed is written back by copying that text. One that was changed is
// written from its typed fields, and whatever the IR does not model (debuginfo, guid, unknown keys)
// is taken from the remembered text, in place. Elements made by a pass or read from the text form
// have a short remembered text with just the unmodelled parts, or none.
#pragma once

#include <string_view>
#include <vector>

namespace sdfgopt::ir {

/// Of leaves (nodes, edges, descriptors, interstate edges): many, so kept small; the text is taken
/// apart again only when a changed leaf is written.
struct Leaf {
  std::string_view source; ///< the element's JSON object; may be empty
  bool changed = false;    ///< the typed fields no longer say what `source` says
};

/// One `key: value` of a JSON object. `key` is as spelled between its quotes. `value` is JSON text.
/// An empty value marks the place of what the writer prints from typed fields: children always, a
/// modelled scalar once a pass has changed it (Container::touch).
struct Member {
  std::string_view key;
  std::string_view value;
};

/// Of containers (SDFGs, regions, blocks): their text is as large as all they hold, so their
/// members are split once, when they are read.
struct Container {
  std::string_view source;
  std::vector<Member> members;    ///< of the object itself, in order
  std::vector<Member> attributes; ///< of its `attributes` object, in order
  bool changed = false;           ///< own fields changed; children tell for themselves

  /// To be called after a typed field that stands for attribute `key` was changed.
  void touch(std::string_view key) {
    changed = true;
    for (Member &member : attributes)
      if (member.key == key)
        member.value = {};
  }

  /// Value of an attribute as it was read, or "".
  [[nodiscard]] std::string_view attribute(std::string_view key) const {
    for (const Member &member : attributes)
      if (member.key == key)
        return member.value;
    return {};
  }
};

} // namespace sdfgopt::ir
