#include "report/remarks.h"

#include "io/json_text.h"

#include <fmt/format.h>

namespace sdfgopt::report {

using passes::Outcome;
using passes::Remark;

std::string_view verdict_name(Outcome verdict) {
  switch (verdict) {
  case Outcome::Eliminated:
    return "eliminated";
  case Outcome::Guarded:
    return "guarded";
  case Outcome::Kept:
    break;
  }
  return "kept";
}

namespace {

std::string_view color_of(Outcome verdict) {
  return verdict == Outcome::Kept ? "\x1b[33m" : "\x1b[32m";
}

/// Why it may go, or must stay: the lines below a remark's first.
std::string grounds(const Remark &remark) {
  std::string out;
  if (remark.verdict == Outcome::Kept)
    out += fmt::format("\n  {}: {}", passes::rule_name(remark.rule), remark.reason);
  else
    out += remark.trusted ? "\n  trusted: rests on --assume-pointwise" : "\n  proved";
  for (const std::string &fact : remark.facts)
    out += (&fact == remark.facts.data() ? ", given " : ", ") + fact;
  if (!remark.condition.empty())
    out +=
        fmt::format("\n  {}: {}", remark.verdict == Outcome::Guarded ? "where" : "right whenever",
                    remark.condition);
  return out;
}

/// ", n4" where the node is known.
std::string place(const Remark &remark) {
  return fmt::format("{}{} ({}, {})", remark.region, remark.state, remark.state_id.str(),
                     remark.node.str());
}

void member(std::string &out, std::string_view key, std::string_view value, bool last = false) {
  out += "      ";
  io::append_quoted(out, key);
  out += ": ";
  io::append_quoted(out, value);
  out += last ? "\n" : ",\n";
}

void list(std::string &out, std::string_view key, const std::vector<std::string> &values) {
  out += fmt::format("      \"{}\": [", key);
  for (const std::string &value : values) {
    out += &value == values.data() ? "" : ", ";
    io::append_quoted(out, value);
  }
  out += "],\n";
}

} // namespace

std::string remarks_as_text(std::span<const Remark> remarks, const TextStyle &style) {
  std::string out;
  for (const Remark &remark : remarks) {
    out += fmt::format("{}{}{}: {} -> {} at {}", style.color ? color_of(remark.verdict) : "",
                       verdict_name(remark.verdict), style.color ? "\x1b[0m" : "", remark.buffer,
                       remark.destination, place(remark));
    if (!remark.bytes.empty())
      out += fmt::format(", {} bytes", remark.bytes);
    out += grounds(remark) + "\n";
  }
  return out + remarks_summary(remarks) + "\n";
}

std::string remarks_summary(std::span<const Remark> remarks) {
  if (remarks.empty())
    return "no transient is copied into an argument";
  std::size_t eliminated = 0;
  std::size_t guarded = 0;
  for (const Remark &remark : remarks) {
    eliminated += remark.verdict == Outcome::Eliminated ? 1 : 0;
    guarded += remark.verdict == Outcome::Guarded ? 1 : 0;
  }
  std::string out = fmt::format("{} buffer{} eliminated, ", eliminated, eliminated == 1 ? "" : "s");
  if (guarded > 0)
    out += fmt::format("{} guarded, ", guarded);
  return out + fmt::format("{} kept", remarks.size() - eliminated - guarded);
}

std::string remarks_as_json(std::span<const Remark> remarks) {
  std::string out = "{\n  \"candidates\": [";
  for (const Remark &remark : remarks) {
    out += &remark == remarks.data() ? "\n    {\n" : ",\n    {\n";
    member(out, "pass", remark.pass);
    member(out, "buffer", remark.buffer);
    member(out, "destination", remark.destination);
    member(out, "region", remark.region);
    member(out, "state", remark.state);
    member(out, "state_id", remark.state_id.str());
    member(out, "node", remark.node.str());
    member(out, "verdict", verdict_name(remark.verdict));
    member(out, "rule", passes::rule_name(remark.rule));
    member(out, "reason", remark.reason);
    member(out, "condition", remark.condition);
    list(out, "facts", remark.facts);
    out += fmt::format("      \"trusted\": {},\n", remark.trusted);
    member(out, "bytes", remark.bytes, true);
    out += "    }";
  }
  out += remarks.empty() ? "]\n}\n" : "\n  ]\n}\n";
  return out;
}

} // namespace sdfgopt::report
