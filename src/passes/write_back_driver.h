// Judges the candidates of one SDFG and rewrites those that are allowed, until none is left.
// Internal to the pass.
#pragma once

#include "passes/write_back_candidate.h"

#include <unordered_map>
#include <unordered_set>

namespace sdfgopt::passes {

struct CandidateEntry {
  Candidate candidate;
  Remark remark;
  bool pending = true; ///< to be judged (again)
  // If it was kept, and is right for some values of the symbols:
  std::vector<sets::Requirement> required = {}; ///< where these hold
  Expr condition = nullptr;                     ///< which they do here
  std::optional<sets::Region> copied = {};      ///< the part of the buffer that is copied
};

/// The edge copies a transient array to an array that is not transient.
bool is_candidate_copy(const ir::Sdfg &sdfg, const ir::State &state, const ir::Edge &edge);

/// A remark that says where the copy is.
Remark remark_of(const ir::State &state, const ir::Block &block, const ir::Edge &edge,
                 std::string region);

class WriteBackDriver {
public:
  /// Finds the candidates, in program order. `options` must outlive this.
  WriteBackDriver(ir::Document &document, ir::Sdfg &sdfg, const PassOptions &options);
  WriteBackDriver(const WriteBackDriver &) = delete; // options_ refers to assumed_
  WriteBackDriver &operator=(const WriteBackDriver &) = delete;

  /// Judges and rewrites those of the buffers in `only` (of all, if it is null); a kept one is
  /// judged again when a rewrite has changed what it refers to. Returns whether anything changed.
  bool run(const std::unordered_set<Name> *only = nullptr);

  [[nodiscard]] std::vector<CandidateEntry> &entries() { return entries_; }
  [[nodiscard]] Analyses &analyses() { return analyses_; }
  [[nodiscard]] const sets::KnownFacts &assumed() const { return assumed_; }

private:
  bool step(CandidateEntry &entry);

  Analyses analyses_;
  sets::KnownFacts assumed_;
  JudgeOptions options_;
  std::vector<CandidateEntry> entries_;
  std::unordered_set<Name> gone_;
  std::unordered_map<Name, std::vector<std::size_t>> with_name_; ///< entries that name the data
  std::stop_token stop_;
};

/// One remark a buffer: of the copy that was eliminated, or of its first one.
void report_entries(std::string_view pass, const std::vector<CandidateEntry> &entries,
                    std::vector<Remark> &remarks);

} // namespace sdfgopt::passes
