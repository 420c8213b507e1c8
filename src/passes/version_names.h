// Names in the second version of a part of the control flow: those that are free, and the copy's.
// Internal to region_versions.
#pragma once

#include "ir/sdfg.h"

#include <string>
#include <unordered_map>
#include <unordered_set>

namespace sdfgopt::passes {

using support::Name;

/// Names that stand for something in an SDFG, and labels of its blocks.
class TakenNames {
public:
  /// Linear in the SDFG.
  TakenNames(const ir::Sdfg &sdfg, support::NamePool &pool);

  /// `stem`, or with a number behind it if that is taken; taken from now on.
  Name fresh(const std::string &stem);

private:
  void add_words(std::string_view text);
  void add(const std::optional<ir::Code> &code);
  void add(const ir::Region &region);
  void add(const ir::State &state);

  support::NamePool &pool_;
  std::unordered_set<Name> taken_;
};

/// Gives data of a copied region other names, and its blocks other labels.
class Renamer {
public:
  /// `data`: names, and those of the copies.
  Renamer(ir::Document &document, TakenNames &taken, const std::vector<std::pair<Name, Name>> &data)
      : document_(document), taken_(taken), data_(data.begin(), data.end()) {}

  void run(ir::Region &region);

private:
  /// The name's copy: of `S.x`, that of S with the same member. False if there is none.
  bool rename(Name &name);
  /// In Python code without string literals. Nothing if no name is in it.
  std::optional<std::string> renamed(std::string_view text);
  bool rename(std::optional<ir::Code> &code);
  void rename(ir::InterstateEdge &edge);
  void rename(ir::State &state);

  ir::Document &document_;
  TakenNames &taken_;
  std::unordered_map<Name, Name> data_;
};

} // namespace sdfgopt::passes
