// What is rare in generated programs: Reduce nodes, Views, References, streams, scalars, map ranges
// from data.
#include "verify/generator_program.h"

namespace sdfgopt::verify::generator {

/// write := the sum or maximum over the last dimension of `read`.
void Generator::reduce(StateText &state, const Place &write, const Place &read, const Values &kept,
                       const Value &reduced) {
  Place from = read;
  Values extents = kept;
  if (from.begin.size() == kept.size())
    from.begin.emplace_back(0);
  extents.push_back(reduced);
  if (!fits(write, kept) || !fits(from, extents))
    return;
  const int source = reader(state, from.data);
  const int sink = writer(state, write.data, {source});
  const bool sum = dtype_ != "bool" && chance(0.7);
  const std::string identity = wild_chance(0.3)   ? "null"
                               : sum              ? "0"
                               : dtype_ == "bool" ? "false"
                                                  : "-9";
  const int node = state.node("library dace.libraries.standard.nodes.reduce.Reduce " +
                              label("reduce") + " @{\"axes\":[" + std::to_string(kept.size()) +
                              "],\"identity\":" + identity + ",\"wcr\":\"" +
                              (sum                ? "(lambda a, b: (a + b))"
                               : dtype_ == "bool" ? "(lambda a, b: (a or b))"
                                                  : "(lambda a, b: max(a, b))") +
                              "\",\"name\":\"Reduce\"}");
  state.edge(source, "", node, "", memlet(from.data, box(from.begin, extents)));
  state.edge(node, "", sink, "", memlet(write.data, box(write.begin, kept)));
  order(state, source, {sink}, {from.data}, {write.data}); // a Reduce node has one edge in
}

/// A map whose range comes out of an element of the buffer, or of an argument.
void Generator::dynamic_range(StateText &state, const Buffer &buffer) {
  if (!dtype_.starts_with("int"))
    return use(state, buffer);
  const std::string from = fits({buffer.name, zeros()}, Values(rank_, 1)) ? buffer.name : "a";
  const int source = reader(state, from);
  const int sink = writer(state, "c", {source});
  const StateText::Scope map = state.map(label("m"), {{"i", "0..Min(count, 4)"}});
  const int node = state.tasklet(label("t"), "y = 7", map.entry);
  state.edge(source, "", map.entry, "count", memlet(from, box(zeros(), Values(rank_, 1))));
  state.edge(node, "y", map.exit, "IN_c", memlet("c", "[i]"));
  state.edge(map.exit, "OUT_c", sink, "", memlet("c", "[0..4]"));
  order(state, map.entry, {sink}, {from}, {"c"});
}

/// b := a View of something, or a View of something := a.
void Generator::view(StateText &state, const Buffer &buffer) {
  const std::string of =
      random_.pick<std::string>({buffer.name, buffer.destination, "a", "a", "H", buffer.name});
  Values begin = zeros();
  if (of == buffer.destination && chance(0.5))
    begin = buffer.offset;
  if (!fits({of, begin}, buffer.extents))
    return;
  const std::string name = label("V");
  declare(name, {buffer.extents, data(of).strides, data(of).dtype, "", true}, "transient view", "");
  const std::string part = subset(box(begin, buffer.extents));
  const std::string whole = subset(box(zeros(), buffer.extents));
  if (chance(0.6)) {
    const int source = reader(state, of);
    const int node = state.access(name);
    state.edge(source, "", node, "views", memlet(of, part));
    const int sink = writer(state, "b", {node});
    state.edge(node, "", sink, "", memlet(name, whole, {whole, "", false, ""}));
    return order(state, source, {sink}, {of}, {"b"});
  }
  if (of == "a")
    return;
  const int source = reader(state, "a");
  const int node = state.access(name);
  const int sink = writer(state, of, {source});
  state.edge(source, "", node, "", memlet("a", whole, {whole, "", false, ""}));
  state.edge(node, "views", sink, "", memlet(of, part));
  order(state, source, {sink}, {"a"}, {of});
}

/// A pointer that is set to the buffer or its destination, and read through.
void Generator::reference(StateText &state, const Buffer &buffer) {
  const std::string of = random_.pick<std::string>({buffer.name, buffer.destination, "a"});
  if (!fits({of, zeros()}, buffer.extents))
    return;
  const std::string name = label("P");
  declare(name, {buffer.extents, data(of).strides, data(of).dtype, "", true}, "transient reference",
          "");
  const std::string whole = subset(box(zeros(), buffer.extents));
  const int source = reader(state, of);
  const int node = state.access(name);
  state.edge(source, "", node, "set", memlet(of, whole));
  const int sink = writer(state, "b", {source});
  state.edge(node, "", sink, "", memlet(name, whole, {whole, "", false, ""}));
  order(state, source, {sink}, {of}, {"b"});
}

/// The buffer's elements go through a stream; the order in which they come out does not matter.
void Generator::stream(StateText &state, const Buffer &buffer) {
  if (rank_ != 1 || dtype_ == "bool" || wildness_ == 0)
    return use(state, buffer);
  const std::string name = label("Q");
  Data stream;
  stream.dtype = data(buffer.name).dtype;
  stream.transient = true;
  stream.text = "transient stream " + name + ": " + stream.dtype + "[1] @{\"buffer_size\":\"20\"}";
  data_[name] = stream;
  order_of_data_.push_back(name);
  const int source = reader(state, buffer.name);
  const int sink = writer(state, "c", {source});
  const StateText::Scope map =
      state.map(label("m"), {{"i", "0.." + (buffer.extents[0] - 1).text()}});
  const int push = state.tasklet(label("t"), "y = x", map.entry);
  const int queue = state.access(name);
  const StateText::Scope consume =
      state.scope("consume " + label("pop") + " [p = 2]", StateText::top);
  const int pop = state.tasklet(label("t"), "y = x", consume.entry);
  const std::string all = memlet(buffer.name, box(zeros(), buffer.extents));
  state.edge(source, "", map.entry, "IN_x", all);
  state.edge(map.entry, "OUT_x", push, "x", memlet(buffer.name, "[i]"));
  state.edge(push, "y", map.exit, "IN_y", memlet(name, "[0]"));
  state.edge(map.exit, "OUT_y", queue, "", memlet(name, "[0]", {"", "", true, ""}));
  state.edge(queue, "", consume.entry, "IN_stream", memlet(name, "[0]", {"", "", true, ""}));
  state.edge(consume.entry, "OUT_stream", pop, "x", memlet(name, "[0]"));
  const MemletMore most{"", "(lambda a, b: max(a, b))", false, ""};
  state.edge(pop, "y", consume.exit, "IN_c", memlet("c", "[0]", most));
  state.edge(consume.exit, "OUT_c", sink, "", memlet("c", "[0]", {"", most.wcr, true, ""}));
  order(state, map.entry, {sink}, {buffer.name}, {"c"});
}

/// One element goes through a scalar: a transient one, or an argument.
void Generator::scalars(StateText &state, const Buffer &buffer) {
  const std::string from =
      fits({buffer.name, zeros()}, Values(rank_, 1)) && chance(0.7) ? buffer.name : "a";
  const bool argument = chance(0.3);
  const std::string name = argument ? "sc" : label("s");
  const std::string scalar = argument ? "array" : "transient scalar";
  if (!data_.contains(name)) {
    Data item{{1}, {1}, data(from).dtype, scalar + " " + name + ": " + data(from).dtype, !argument};
    if (argument)
      item.text += "[1]";
    data_[name] = std::move(item);
    order_of_data_.push_back(name);
  }
  const int source = reader(state, from);
  const int node = state.access(name);
  const int tasklet = state.tasklet(label("t"), "y = " + expression(1));
  const int sink = writer(state, "b", {source, node});
  const std::string one = memlet(from, box(zeros(), Values(rank_, 1)));
  state.edge(source, "", node, "", rank_ == 1 ? one + " -> [0]" : one);
  state.edge(node, "", tasklet, "x0", memlet(name, "[0]"));
  state.edge(tasklet, "y", sink, "", memlet("b", box(zeros(), Values(rank_, 1))));
  order(state, source, {sink}, {from}, {"b", name});
}

} // namespace sdfgopt::verify::generator
