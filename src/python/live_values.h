// Internal to the live reader: types, enumerations and code as they stand in DaCe's objects.
#pragma once

#include "ir/sdfg.h"
#include "python/live_objects.h"

#include <optional>
#include <unordered_map>

namespace sdfgopt::python {

/// One reader a document, whose arena keeps the texts.
class ValueReader {
public:
  explicit ValueReader(ir::Document &document);

  support::Name name(nb::handle text, const char *what); ///< None: no name

  /// JSON of a type, as in a file; "null" for None and for a type that is to be inferred.
  std::string_view type(nb::handle type);
  /// The same; empty for the one that files leave out.
  std::string_view type_unless_default(nb::handle type);
  /// JSON of a member of an enumeration; empty for the one of that name, which files leave out.
  std::string_view member_unless(nb::handle member, std::string_view fallback);
  /// JSON of whatever DaCe's serializer takes.
  std::string_view json(nb::handle value);

  /// A CodeBlock, or nothing for None. The text means what the file's text means, but may be
  /// spelled differently.
  std::optional<ir::Code> code(nb::handle block);
  /// What an interstate edge assigns, a text in Python as a rule.
  std::string_view assigned(nb::handle value);
  /// A tasklet's CodeBlock. Of Python code, the text is the names and string constants in it, with
  /// blanks between: passes only look for words in it (support::for_each_word), and to spell the
  /// code out takes longer than to read all else.
  ir::Code words(nb::handle block);
  /// A CodeBlock holds no code.
  static bool is_empty_code(nb::handle block);
  /// The text of the lambda of a conflict resolution, spelled as in a file.
  std::string_view conflict_resolution(nb::handle lambda);
  /// JSON of the attribute `global_code`, `init_code` or `exit_code` of an SDFG.
  std::string_view frame_code(nb::handle codes);

private:
  struct Known {
    std::string_view json;
    bool is_default = false;
  };
  /// A class of Python's syntax tree.
  struct NodeClass {
    std::vector<nb::object> fields; ///< names of those that may hold words
    bool is_constant = false;
  };

  std::string_view quoted(std::string_view text);
  support::Name language(nb::handle block);
  /// As DaCe's CodeBlock.as_string.
  std::string_view spelled(nb::handle block);
  bool spell_atom(nb::handle statements, std::string &out);
  bool collect_words(nb::handle value, std::string &out, unsigned depth);
  bool collect_constant(nb::handle value, std::string &out);
  const NodeClass *node_class(nb::handle node);

  ir::Document &document_;
  nb::object to_json_;
  nb::object dumps_;
  nb::object plain_type_; // dace.dtypes.typeclass
  nb::object default_type_;
  nb::object node_base_; // ast.AST
  PyTypeObject *expression_statement_;
  PyTypeObject *name_node_;
  PyTypeObject *constant_node_;
  ObjectMap<Known> known_;
  ObjectMap<support::Name> names_;
  ObjectMap<std::string_view> lambdas_;
  std::unordered_map<PyTypeObject *, std::optional<NodeClass>> node_classes_;
};

} // namespace sdfgopt::python
