#include "verify/generator_text.h"

namespace sdfgopt::verify::generator {

std::string indented(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0)
      result.append("  ").append(text.substr(0, end));
    result += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string memlet(const std::string &data, const Box &part, const MemletMore &more) {
  return memlet(data, subset(part), more);
}

std::string memlet(const std::string &data, const std::string &part, const MemletMore &more) {
  std::string text = data + part;
  if (more.dynamic)
    text += " dynamic";
  if (!more.wcr.empty())
    text += " wcr `" + more.wcr + "`";
  text += more.side;
  if (!more.other.empty())
    text += " -> " + more.other;
  return text;
}

// --- states ---

int StateText::node(const std::string &text, int scope) {
  nodes_.push_back({text, scope});
  return static_cast<int>(nodes_.size()) - 1;
}

int StateText::access(const std::string &data, int scope, const std::string &more) {
  const int result = node(data + more, scope);
  if (scope == top)
    accesses_[data].push_back(result);
  return result;
}

int StateText::tasklet(const std::string &label, const std::string &code, int scope) {
  if (code.find('\n') == std::string::npos)
    return node("tasklet " + label + " { " + code + " }", scope);
  return node("tasklet " + label + " ```\n" + code + "\n```", scope);
}

StateText::Scope StateText::map(const std::string &label, const std::vector<Param> &params,
                                int scope_of_map) {
  std::string list;
  for (const Param &param : params)
    list += (list.empty() ? "" : ", ") + param.name + " = " + param.range;
  return scope("map " + label + " [" + list + "]", scope_of_map);
}

StateText::Scope StateText::scope(const std::string &head, int outer) {
  const int entry = node(head, outer);
  const int exit = node("", entry);
  nodes_[static_cast<std::size_t>(entry)].exit = exit;
  nodes_[static_cast<std::size_t>(exit)].is_exit = true;
  return {entry, exit};
}

void StateText::edge(int src, const std::string &src_connector, int dst,
                     const std::string &dst_connector, const std::string &memlet) {
  const auto end = [](int node, const std::string &connector) {
    return "n" + std::to_string(node) + (connector.empty() ? "" : "." + connector);
  };
  edges_.push_back({src, dst,
                    "edge " + end(src, src_connector) + " -> " + end(dst, dst_connector) + " " +
                        (memlet.empty() ? "()" : memlet)});
}

bool StateText::reaches(int from, int to) const {
  std::vector<bool> seen(nodes_.size());
  std::vector<int> work;
  const auto visit = [&](int node) {
    if (!seen[static_cast<std::size_t>(node)])
      work.push_back(node);
    seen[static_cast<std::size_t>(node)] = true;
  };
  visit(from);
  while (!work.empty()) {
    const int node = work.back();
    work.pop_back();
    if (node == to)
      return true;
    for (const Edge &edge : edges_)
      if (edge.src == node)
        visit(edge.dst);
    if (const int exit = nodes_[static_cast<std::size_t>(node)].exit; exit != top)
      visit(exit); // in scopes, some edges are only there once the text is read
  }
  return false;
}

std::string StateText::node_text(int node) const {
  const Node &item = nodes_[static_cast<std::size_t>(node)];
  std::string text = "n" + std::to_string(node) + " " + item.text;
  if (item.exit == top)
    return text + "\n";
  text += " exit n" + std::to_string(item.exit) + " {\n";
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].scope == node && !nodes_[i].is_exit)
      text += indented(node_text(static_cast<int>(i)));
  return text + "}\n";
}

std::string StateText::text() const {
  std::string body;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].scope == top && !nodes_[i].is_exit)
      body += node_text(static_cast<int>(i));
  for (const Edge &edge : edges_)
    body += edge.text + "\n";
  return "state " + label_ + " {\n" + indented(body) + "}\n";
}

// --- regions ---

void RegionText::add(const std::string &label, const std::string &text,
                     const std::vector<Assignment> &assignments) {
  blocks_.push_back(text);
  for (const End &end : open)
    link(end.label, label, end.condition, assignments);
  open = {{label, ""}};
}

void RegionText::link(const std::string &src, const std::string &dst, const std::string &condition,
                      const std::vector<Assignment> &assignments) {
  edges_ += src + " -> " + dst;
  if (!condition.empty())
    edges_ += " if `" + condition + "`";
  for (std::size_t i = 0; i < assignments.size(); ++i)
    edges_ +=
        (i == 0 ? " with " : ", ") + assignments[i].symbol + " = `" + assignments[i].value + "`";
  edges_ += '\n';
}

std::string RegionText::text() const {
  std::string text;
  for (const std::string &block : blocks_)
    text += block;
  return text + edges_;
}

} // namespace sdfgopt::verify::generator
