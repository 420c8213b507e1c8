// Dataflow of generated programs that is no plain map: access nodes and Views in scopes, tasklets
// that index arrays themselves.
#include "verify/generator_program.h"

namespace sdfgopt::verify::generator {

/// A map with an access node in it: of a scalar, or of the data itself.
int Generator::compute_through_nodes(StateText &state, const Job &job, const Nodes &ins,
                                     const Nodes &sinks) {
  std::vector<std::string> params;
  const StateText::Scope map = map_over(state, job, params);
  const Place &write = job.writes[0];
  const int node = state.tasklet(label("t"), "y = " + expression(job.reads.size()), map.entry);
  for (std::size_t k = 0; k < job.reads.size(); ++k) {
    const Place &read = job.reads[k];
    const std::string x = "x" + std::to_string(k);
    const std::string stem = read.data + "_" + x;
    state.edge(ins.at(read.data), "", map.entry, "IN_" + stem,
               memlet(read.data, box(read.begin, job.extents)));
    if (chance(0.3))
      through_inner_node(state, map, node, x, stem, read, params);
    else
      state.edge(map.entry, "OUT_" + stem, node, x, memlet(read.data, point(params, read.begin)));
  }
  const Box where = point(params, write.begin);
  if (chance(0.5)) {
    const std::string name = label("s");
    declare(name, {{1}, {1}, data(write.data).dtype, "", true}, "transient array", "");
    const int inner = state.access(name, map.entry);
    state.edge(node, "y", inner, "", memlet(name, "[0]"));
    state.edge(inner, "", map.exit, "IN_" + write.data,
               chance(0.5) || params.size() > 1
                   ? memlet(write.data, where, {params.size() == 1 ? "[0]" : "", "", false, ""})
                   : memlet(name, "[0]", {subset(where), "", false, ""}));
  } else {
    const int inner = state.access(write.data, map.entry);
    state.edge(node, "y", inner, "", memlet(write.data, where));
    state.edge(inner, "", map.exit, "IN_" + write.data,
               memlet(write.data, where, {subset(where), "", false, ""}));
  }
  state.edge(map.exit, "OUT_" + write.data, sinks.at(write.data), "",
             memlet(write.data, box(write.begin, job.extents)));
  return map.entry;
}

/// An element comes to a tasklet by way of a scalar, or of a View, inside of the map.
void Generator::through_inner_node(StateText &state, StateText::Scope map, int node,
                                   const std::string &connector, const std::string &stem,
                                   const Place &read, const std::vector<std::string> &params) {
  const Box where = point(params, read.begin);
  const std::size_t rank = params.size();
  const std::string &dtype = data(read.data).dtype;
  if (chance(0.6)) {
    const std::string name = label("s");
    declare(name, {{1}, {1}, dtype, "", true}, "transient array", "");
    const int inner = state.access(name, map.entry);
    state.edge(map.entry, "OUT_" + stem, inner, "",
               rank > 1 || chance(0.5)
                   ? memlet(read.data, where, {rank == 1 ? "[0]" : "", "", false, ""})
                   : memlet(name, "[0]", {subset(where), "", false, ""}));
    state.edge(inner, "", node, connector, memlet(name, "[0]"));
    return;
  }
  const std::string name = label("V");
  declare(name, {Values(rank, 1), data(read.data).strides, dtype, "", true}, "transient view", "");
  const int inner = state.access(name, map.entry);
  state.edge(map.entry, "OUT_" + stem, inner, "views", memlet(read.data, where));
  state.edge(inner, "", node, connector, memlet(name, box(Values(rank, 0), Values(rank, 1))));
}

/// A tasklet's edges: all that is read at x0, x1, ..., and all that is written at y.
void Generator::connect_whole(StateText &state, const Job &job, const Nodes &ins,
                              const Nodes &sinks, int node) {
  for (std::size_t k = 0; k < job.reads.size(); ++k)
    state.edge(ins.at(job.reads[k].data), "", node, "x" + std::to_string(k),
               memlet(job.reads[k].data, box(job.reads[k].begin, job.extents)));
  const Place &write = job.writes[0];
  state.edge(node, "y", sinks.at(write.data), "",
             memlet(write.data, box(write.begin, job.extents)));
}

/// One element, without a map.
int Generator::compute_tasklet(StateText &state, const Job &job, const Nodes &ins,
                               const Nodes &sinks) {
  const int node = state.tasklet(label("t"), "y = " + expression(job.reads.size()));
  connect_whole(state, job, ins, sinks, node);
  return node;
}

/// A tasklet that takes arrays as a whole and loops over them itself.
int Generator::compute_whole(StateText &state, const Job &job, const Nodes &ins,
                             const Nodes &sinks) {
  std::string index;
  std::string code;
  std::string margin;
  for (std::size_t d = 0; d < job.extents.size(); ++d) {
    const std::string name = "p" + std::to_string(d);
    index += (d == 0 ? "" : ", ") + name;
    code.append(margin).append("for " + name + " in range(" + job.extents[d].text() + "):\n");
    margin += "    ";
  }
  std::string terms;
  for (std::size_t k = 0; k < job.reads.size(); ++k)
    terms.append(k == 0             ? "x"
                 : dtype_ == "bool" ? " != x"
                                    : " + x")
        .append(std::to_string(k) + "[" + index + "]");
  code += margin + "y[" + index + "] = " + terms;
  const int node = state.tasklet(label("t"), code);
  connect_whole(state, job, ins, sinks, node);
  return node;
}

/// A map whose tasklet gets all that is read, and picks its element by an index expression.
int Generator::compute_gather(StateText &state, const Job &job, const Nodes &ins,
                              const Nodes &sinks) {
  std::vector<std::string> params;
  const StateText::Scope map = map_over(state, job, params);
  const Place &read = job.reads[0];
  const Place &write = job.writes[0];
  const std::string &i = params[0];
  const std::string last = (job.extents[0] - 1).text();
  const std::string index = random_.pick<std::string>(
      {i, last + " - " + i, "(" + i + " // 2)", "min(" + i + " + 1, " + last + ")"});
  const int node = state.tasklet(label("t"), "y = x[" + index + "]", map.entry);
  const std::string all = memlet(read.data, box(read.begin, job.extents));
  state.edge(ins.at(read.data), "", map.entry, "IN_x", all);
  state.edge(map.entry, "OUT_x", node, "x", all);
  state.edge(node, "y", map.exit, "IN_y", memlet(write.data, point(params, write.begin)));
  state.edge(map.exit, "OUT_y", sinks.at(write.data), "",
             memlet(write.data, box(write.begin, job.extents)));
  return map.entry;
}

} // namespace sdfgopt::verify::generator
