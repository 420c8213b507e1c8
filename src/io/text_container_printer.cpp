// What containers have besides their children and typed fields: `property`, `key` and `frame`
// lines.
#include "io/text_graph_printer.h"

#include "io/json_text.h"

#include <algorithm>
#include <array>

namespace sdfgopt::io {

using ir::Member;

namespace {

using Generated = std::vector<std::pair<std::string_view, std::string>>;

const std::string *find(const Generated &list, std::string_view key) {
  for (const auto &[name, value] : list)
    if (name == key)
      return &value;
  return nullptr;
}

bool contains(std::span<const std::string_view> keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

bool is_child(std::string_view key) {
  return key == "attributes" || key == "nodes" || key == "edges" || key == "branches";
}

std::string spell_key(std::string_view key) {
  std::string decoded;
  unescape(key, decoded);
  return spell_name(decoded, true);
}

bool same_keys(const std::vector<Member> &a, const std::vector<Member> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Member &x, const Member &y) { return x.key == y.key; });
}

} // namespace

void TextGraphPrinter::print_container(const ir::Container &container, const Standard &standard) {
  static constexpr auto bookkeeping =
      std::to_array<std::string_view>({"collapsed", "cfg_list_id", "scope_dict", "source_files"});
  std::vector<Member> keys;
  std::vector<Member> properties;
  for (const Member &member : container.members) {
    const std::string *generated = find(standard.members, member.key);
    if (is_child(member.key) || (generated && (!full_ || *generated == member.value)) ||
        (!full_ && contains(bookkeeping, member.key)))
      continue;
    keys.push_back(member);
  }
  for (const Member &member : container.attributes) {
    const std::string *generated = find(standard.attributes, member.key);
    if (contains(standard.typed, member.key) || (generated && *generated == member.value) ||
        (!full_ && is_bookkeeping_attribute(member.key)))
      continue;
    properties.push_back(member);
  }
  if (full_ && !is_standard(container, standard, keys, properties))
    return print_frame(container, standard);
  for (const Member &member : keys)
    line("key " + spell_key(member.key) + " " + std::string(member.value));
  for (const Member &member : properties)
    line("property " + spell_key(member.key) + " " + std::string(member.value));
}

/// Whether the parser, then the writer, make the same members in the same order.
bool TextGraphPrinter::is_standard(const ir::Container &container, const Standard &standard,
                                   const std::vector<Member> &keys,
                                   const std::vector<Member> &properties) {
  std::vector<Member> members;
  for (const std::string_view key : standard.remembered)
    if (key != "dace_version")
      members.push_back({key, "0"});
  const auto is_source_files = [](const Member &member) { return member.key == "source_files"; };
  const auto later = std::find_if_not(keys.begin(), keys.end(), is_source_files);
  members.insert(members.end(), keys.begin(), later);
  if (contains(standard.remembered, "dace_version"))
    members.push_back({"dace_version", "0"});
  members.insert(members.end(), later, keys.end());
  for (const Member &member : members)
    if (std::count_if(members.begin(), members.end(),
                      [&](const Member &other) { return other.key == member.key; }) > 1)
      return false;
  const auto with_needed = [](const std::vector<Member> &told,
                              std::span<const std::string_view> needed,
                              std::span<const std::string_view> order) {
    std::vector<ModelledMember> missing;
    for (const std::string_view key : needed)
      if (std::none_of(told.begin(), told.end(), [&](const Member &m) { return m.key == key; }))
        missing.push_back({key, Need::Always});
    return plan_object(told, missing, order);
  };
  std::vector<std::string_view> needed;
  for (const std::string_view key : standard.order)
    if (key != "source_files" && key != "dace_version" && key != "error")
      needed.push_back(key);
  if (!same_keys(with_needed(members, needed, standard.order), container.members))
    return false;
  std::vector<Member> attributes;
  if (standard.attribute_order.empty())
    for (const auto &[key, value] : standard.attributes)
      attributes.push_back({key, value});
  attributes.insert(attributes.end(), properties.begin(), properties.end());
  return same_keys(with_needed(attributes, standard.needed_attributes, standard.attribute_order),
                   container.attributes);
}

/// All members in their order, 0 where the value is one that the parser or the writer fills in.
void TextGraphPrinter::print_frame(const ir::Container &container, const Standard &standard) {
  const auto object = [](const std::vector<Member> &members, const auto &value) {
    std::string text = "{";
    for (const Member &member : members) {
      if (text.size() > 1)
        text += ',';
      ((text += '"') += member.key) += "\":";
      text += value(member);
    }
    return text + "}";
  };
  const auto attribute = [&](const Member &member) {
    const std::string *generated = find(standard.attributes, member.key);
    const bool filled_in =
        generated && *generated == member.value && !member.key.ends_with("_code");
    return contains(standard.typed, member.key) || filled_in ? "0" : std::string(member.value);
  };
  line("frame " + object(container.members, [&](const Member &member) {
         if (member.key == "attributes")
           return object(container.attributes, attribute);
         const std::string *generated = find(standard.members, member.key);
         const bool filled_in =
             generated && *generated == member.value && !contains(standard.remembered, member.key);
         return is_child(member.key) || filled_in ? "0" : std::string(member.value);
       }));
}

} // namespace sdfgopt::io
