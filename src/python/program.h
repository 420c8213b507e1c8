// A program as Python holds it.
#pragma once

#include "ir/sdfg.h"
#include "passes/facts.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sdfgopt::python {

/// A document that several threads may have in their hands. Even what only reads it parses
/// expressions as they are met, so whoever works on it locks it. The GIL must not be waited for
/// with the lock held, so the lock is only taken where the GIL is released.
class Program {
public:
  /// `file` names it in errors; "" if it is from no file.
  Program(std::shared_ptr<ir::Document> document, std::string file)
      : document_(std::move(document)), name_(document_->root.name.str()), file_(std::move(file)) {}
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  [[nodiscard]] ir::Document &document() const { return *document_; }
  /// The SDFG's.
  [[nodiscard]] const std::string &name() const { return name_; }
  [[nodiscard]] const std::string &file() const { return file_; }
  [[nodiscard]] std::unique_lock<std::mutex> lock() const { return std::unique_lock(mutex_); }
  /// Both, where `other` may be the same program.
  [[nodiscard]] std::pair<std::unique_lock<std::mutex>, std::unique_lock<std::mutex>>
  lock_with(const Program &other) const;

private:
  std::shared_ptr<ir::Document> document_;
  std::string name_; // told without a lock
  std::string file_;
  mutable std::mutex mutex_;
};

/// Facts: texts, and where they are from.
using FactList = std::vector<std::pair<std::string, std::string>>;
std::vector<passes::FactText> fact_texts(const FactList &facts);

/// `Program`: load, from_json, save, text, json, copy.
void register_program(nanobind::module_ &module);
/// `optimize` and `explain`.
void register_optimize(nanobind::module_ &module);
/// `verify` and `run`.
void register_runs(nanobind::module_ &module);

} // namespace sdfgopt::python
