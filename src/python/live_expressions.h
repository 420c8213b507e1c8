// Internal to the live reader: SymPy expressions as they stand in DaCe's objects.
#pragma once

#include "ir/sdfg.h"
#include "python/live_objects.h"

#include <unordered_map>

namespace sdfgopt::python {

using symbolic::Expr;

/// Reads the same values as from a file, and annotations (`symbol($N, dtype=..., positive=True)`)
/// wherever facts are taken from them. Sums, products, extrema and the like are built from the
/// tree; everything else goes through the text that DaCe writes. One reader a document.
class ExpressionReader {
public:
  ExpressionReader(ir::Document &document, std::unordered_map<Expr, nb::object> &objects);

  /// Of an int, a SymPy expression, or what else DaCe's serialize_symbolic() takes.
  symbolic::Expression read(nb::handle object);
  /// The same for an extent of a descriptor: its text has the annotations that it has in a file,
  /// where read() has for each symbol those that were seen first in the document.
  symbolic::Expression read_extent(nb::handle object);

  /// While it lives, symbols are annotated with the types that an SDFG declares for them, as DaCe
  /// does when it writes that SDFG.
  class SymbolTypes {
  public:
    SymbolTypes(ExpressionReader &reader, nb::handle symbols);
    ~SymbolTypes();
    SymbolTypes(const SymbolTypes &) = delete;
    SymbolTypes &operator=(const SymbolTypes &) = delete;

  private:
    ExpressionReader &reader_;
    nb::object manager_;
    nb::object outer_;
  };

private:
  enum class Type : std::uint8_t {
    Unknown,
    Int,
    Integer,
    Rational,
    Symbol,
    TypedSymbol,
    Add,
    Mul,
    Pow,
    Max,
    Min,
    FloorDiv,
    CeilDiv,
    Mod,
  };
  struct Known {
    Expr value = nullptr;
    symbolic::Expression text;
  };
  /// What DaCe's annotation of a symbol depends on, but for the name. Objects that are the same
  /// symbol are many, and to have DaCe write one takes long.
  struct SymbolKey {
    nb::object assumptions;
    nb::object type;
    nb::object declared; ///< by the SDFG; may be invalid
    bool operator==(const SymbolKey &other) const {
      return assumptions.is(other.assumptions) && type.is(other.type) &&
             declared.is(other.declared);
    }
  };
  struct SymbolHash {
    std::size_t operator()(const SymbolKey &key) const {
      const std::hash<const void *> hash;
      return hash(key.assumptions.ptr()) ^ hash(key.type.ptr()) * 3 ^ hash(key.declared.ptr()) * 5;
    }
  };

  void add_type(nb::handle module, const char *name, Type type);
  [[nodiscard]] Type type_of(nb::handle object) const;
  /// Null for what is not built from the tree.
  Expr tree(nb::handle object, unsigned depth);
  Expr build(nb::handle object, Type type, unsigned depth);
  Expr integer(nb::handle number);
  Expr symbol(nb::handle object, bool typed);
  Expr join(Type type, std::span<const Expr> args);
  /// All symbols in the object are annotated as they were where they were seen first.
  bool is_annotated_as_printed(nb::handle object, unsigned depth);
  /// What DaCe writes for a symbol, if that is more than its name.
  support::Name annotation(nb::handle symbol, nb::handle name);
  void note(support::Name symbol, support::Name annotation);
  symbolic::Expression text(Expr value);
  std::string_view serialized(nb::handle object, nb::object &owner) const;
  symbolic::Expression serialized(nb::handle object);

  ir::Document &document_;
  symbolic::Context &context_;
  std::unordered_map<Expr, nb::object> &objects_;
  nb::object serialize_;
  nb::object with_types_;
  std::unordered_map<PyTypeObject *, Type> types_;
  ObjectMap<Known> known_;
  std::vector<Expr> args_; // of the trees that are being read
  std::unordered_map<SymbolKey, std::string, SymbolHash> parameters_; // `, dtype=dace.int64)`
  ObjectMap<symbolic::Expression> extents_;                           // of the current scope
  std::unordered_map<Expr, symbolic::Expression> texts_;              // with the annotations so far
  std::unordered_map<support::Name, support::Name> annotations_;      // seen first
  nb::object declared_; // symbols of the SDFG that is being read, and their types
};

} // namespace sdfgopt::python
