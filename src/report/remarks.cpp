#include "report/remarks.h"

#include "io/json_text.h"

#include <fmt/format.h>

namespace sdfgopt::report {

using passes::Outcome;
using passes::Remark;

namespace {

std::string_view verdict_name(Outcome verdict) {
  return verdict == Outcome::Eliminated ? "eliminated" : "kept";
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

} // namespace

std::string remarks_as_text(std::span<const Remark> remarks, const TextStyle &style) {
  std::string out;
  std::size_t eliminated = 0;
  for (const Remark &remark : remarks) {
    const bool gone = remark.verdict == Outcome::Eliminated;
    eliminated += gone ? 1 : 0;
    const std::string_view on = !style.color ? "" : gone ? "\x1b[32m" : "\x1b[33m";
    const std::string_view off = style.color ? "\x1b[0m" : "";
    out += fmt::format("{}{}{}: {} -> {} at {}", on, verdict_name(remark.verdict), off,
                       remark.buffer, remark.destination, place(remark));
    if (!remark.bytes.empty())
      out += fmt::format(", {} bytes", remark.bytes);
    if (gone)
      out += remark.trusted ? "\n  trusted: rests on --assume-pointwise" : "\n  proved";
    else
      out += fmt::format("\n  {}: {}", passes::rule_name(remark.rule), remark.reason);
    if (!remark.condition.empty())
      out += fmt::format("\n  right whenever: {}", remark.condition);
    out += '\n';
  }
  if (remarks.empty())
    return "no transient is copied into an argument\n";
  out += fmt::format("{} buffer{} eliminated, {} kept\n", eliminated, eliminated == 1 ? "" : "s",
                     remarks.size() - eliminated);
  return out;
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
    out += fmt::format("      \"trusted\": {},\n", remark.trusted);
    member(out, "bytes", remark.bytes, true);
    out += "    }";
  }
  out += remarks.empty() ? "]\n}\n" : "\n  ]\n}\n";
  return out;
}

} // namespace sdfgopt::report
