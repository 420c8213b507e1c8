// How a generated program computes boxes of data from others: maps, copies, tasklets.
#include "verify/generator_program.h"

namespace sdfgopt::verify::generator {

// --- nodes and order ---

int Generator::reader(StateText &state, const std::string &name) {
  const std::vector<int> &nodes = state.accesses(name);
  if (!nodes.empty() && chance(0.75))
    return nodes.back();
  return state.access(name);
}

/// A new node as a rule; sometimes one that is there, if no cycle comes from that.
int Generator::writer(StateText &state, const std::string &name, const std::vector<int> &sources) {
  const std::vector<int> &nodes = state.accesses(name);
  for (std::size_t i = nodes.size(); i-- > 0;)
    if (chance(0.2) && std::none_of(sources.begin(), sources.end(),
                                    [&](int source) { return state.reaches(nodes[i], source); }))
      return nodes[i];
  const bool zero = name.starts_with('T') && wild_chance(0.06);
  return state.access(name, StateText::top, zero ? " setzero" : "");
}

/// Empty memlets after earlier actions that this one must not run into; rarely forgotten.
void Generator::order(StateText &state, int first, const std::vector<int> &ends,
                      const std::set<std::string> &reads, const std::set<std::string> &writes) {
  const auto meet = [](const std::set<std::string> &a, const std::set<std::string> &b) {
    return std::any_of(a.begin(), a.end(),
                       [&](const std::string &name) { return b.contains(name); });
  };
  for (const StateText::Action &other : state.history) {
    const bool conflict =
        meet(writes, other.reads) || meet(writes, other.writes) || meet(reads, other.writes);
    if (!conflict || wild_chance(0.05))
      continue;
    for (const int end : other.ends)
      if (!state.reaches(end, first) && !state.reaches(first, end))
        state.edge(end, first);
  }
  state.history.push_back({reads, writes, ends});
}

// --- jobs ---

std::string Generator::kind_of(const Job &job) {
  if (job.dynamic)
    return "map";
  if (!job.wcr.empty())
    return chance(0.2) && job.reads.size() == 1 && job.writes.size() == 1 &&
                   job.reads[0].data != job.writes[0].data
               ? "copy"
               : "map";
  if (job.reads.size() == 2 && job.writes.size() == 2 && chance(0.6))
    return "pair";
  std::vector<std::string> kinds{"map", "map", "map", "map", "map", "nested", "nested"};
  if (job.writes.size() == 1) {
    kinds.insert(kinds.end(), {"nodes", "nested_in_map"});
    if (job.extents.size() > 1)
      kinds.emplace_back("row");
    const bool numbers = std::all_of(job.extents.begin(), job.extents.end(),
                                     [](const Value &e) { return e.is_number() && !e.is(1); });
    if (numbers && !job.reads.empty())
      kinds.emplace_back("whole");
    if (std::all_of(job.extents.begin(), job.extents.end(), [](const Value &e) { return e.is(1); }))
      kinds.insert(kinds.end(), {"tasklet", "tasklet"});
    if (job.reads.size() == 1 && job.reads[0].data != job.writes[0].data) {
      kinds.emplace_back("copy");
      if (job.extents.size() == 1 && !job.extents[0].is(1))
        kinds.emplace_back("gather");
    }
  }
  return random_.pick(kinds);
}

void Generator::compute(StateText &state, Job job) {
  // What a map writes, it must not read elsewhere: the iterations would depend on each other.
  std::erase_if(job.reads, [&](const Place &read) {
    return !wild_chance(0.02) &&
           std::any_of(job.writes.begin(), job.writes.end(), [&](const Place &write) {
             return write.data == read.data && !(write.begin == read.begin);
           });
  });
  if (job.writes.size() == 2 && job.writes[0].data == job.writes[1].data)
    job.writes.pop_back();
  const std::string kind = kind_of(job);
  Nodes ins;
  Nodes sinks;
  std::vector<int> sources;
  std::set<std::string> reads;
  std::set<std::string> writes;
  for (const Place &read : job.reads)
    if (reads.insert(read.data).second)
      sources.push_back(ins[read.data] = reader(state, read.data));
  std::vector<int> ends;
  for (const Place &write : job.writes)
    if (writes.insert(write.data).second)
      ends.push_back(sinks[write.data] = writer(state, write.data, sources));
  const int first =
      kind == "copy"            ? compute_copy(state, job.writes[0], job.reads[0], job, ins, sinks)
      : kind == "pair"          ? compute_pair(state, job, ins, sinks)
      : kind == "nested"        ? compute_nested(state, job, ins, sinks)
      : kind == "nodes"         ? compute_through_nodes(state, job, ins, sinks)
      : kind == "row"           ? compute_nested_in_map(state, job, ins, sinks, 1)
      : kind == "whole"         ? compute_whole(state, job, ins, sinks)
      : kind == "gather"        ? compute_gather(state, job, ins, sinks)
      : kind == "tasklet"       ? compute_tasklet(state, job, ins, sinks)
      : kind == "nested_in_map" ? compute_nested_in_map(state, job, ins, sinks, job.extents.size())
                                : compute_map(state, job, ins, sinks);
  order(state, first, ends, reads, writes);
}

int Generator::compute_copy(StateText &state, const Place &write, const Place &read, const Job &job,
                            const Nodes &ins, const Nodes &sinks) {
  const Values extents = as_ranges(job.extents);
  const std::string from = subset(box(read.begin, extents));
  const std::string to = subset(box(write.begin, extents));
  const bool told_by_source = chance(0.5);
  const Place &far = told_by_source ? write : read;
  // The other side need not be told where it is the whole of its data.
  const bool whole = far.begin == zeros() && data(far.data).shape == extents;
  MemletMore more{whole && chance(0.5) ? "" : told_by_source ? to : from, job.wcr, job.dynamic, ""};
  state.edge(ins.at(read.data), "", sinks.at(write.data), "",
             memlet(told_by_source ? read.data : write.data, told_by_source ? from : to, more));
  return ins.at(read.data);
}

StateText::Scope Generator::map_over(StateText &state, const Job &job,
                                     std::vector<std::string> &params) {
  params = params_for(job);
  std::vector<StateText::Param> list;
  list.reserve(params.size());
  for (std::size_t d = 0; d < params.size(); ++d)
    list.push_back({params[d], "0.." + (job.extents[d] - 1).text()});
  return state.map(label("m"), list);
}

/// The reads of a map's tasklet, a connector each; gives back the function of them.
std::string Generator::reads_into(StateText &state, const Job &job, StateText::Scope map, int node,
                                  const Nodes &ins, const std::vector<std::string> &params) {
  for (std::size_t k = 0; k < job.reads.size(); ++k) {
    const Place &read = job.reads[k];
    const std::string x = "x" + std::to_string(k);
    const std::string stem = read.data + "_" + x;
    state.edge(ins.at(read.data), "", map.entry, "IN_" + stem,
               memlet(read.data, outer(read, job.extents)));
    state.edge(map.entry, "OUT_" + stem, node, x, memlet(read.data, point(params, read.begin)));
  }
  return expression(job.reads.size());
}

namespace {

/// The maps of a job: one, or the second dimension's in the first one's.
struct Maps {
  StateText::Scope outer;
  StateText::Scope inner;
  bool two = false;
};

/// Ranges begin at `shift`; what is accessed is moved back by it.
Maps make_maps(StateText &state, const Values &extents, const std::vector<std::string> &params,
               const Value &shift, bool two, const std::string &step, const std::string &name) {
  std::vector<StateText::Param> list;
  for (std::size_t d = 0; d < params.size(); ++d) {
    const Value first = d == 0 ? shift : Value(0);
    list.push_back(
        {params[d], first.text() + ".." + (first + extents[d] - 1).text() + (d == 0 ? step : "")});
  }
  Maps maps;
  maps.two = two;
  if (!two) {
    maps.outer = maps.inner = state.map(name, list);
    return maps;
  }
  maps.outer = state.map(name, {list.begin(), list.begin() + 1});
  maps.inner = state.map(name + "_in", {list.begin() + 1, list.end()}, maps.outer.entry);
  return maps;
}

} // namespace

/// Every output is the same; a dynamic one is written for some values of `param` only.
std::string Generator::map_code(const Job &job, const std::string &param) {
  const std::string text = expression(job.reads.size());
  std::string code;
  for (std::size_t k = 0; k < job.writes.size(); ++k)
    code += (k == 0 ? "y" : "\ny") + std::to_string(k) + " = " + text;
  if (job.dynamic)
    code = "if " + param + " > 0:\n    y0 = " + text;
  return code;
}

int Generator::compute_map(StateText &state, const Job &given, const Nodes &ins,
                           const Nodes &sinks) {
  Job job = given;
  job.extents = as_ranges(job.extents);
  const std::vector<std::string> params = params_for(job);
  Value shift = 0;
  if (!constant_ && chance(0.2) && std::find(params.begin(), params.end(), "lo") == params.end())
    shift = symbols_["lo"];
  const bool square = params.size() == 2 && job.extents[0] == job.extents[1];
  const bool two = params.size() > 1 && chance(0.15);
  const char *step = wild_chance(0.03) ? ":2" : "";
  const Maps maps = make_maps(state, job.extents, params, shift, two, step, label("m"));
  Values back = zeros();
  back.resize(params.size());
  back[0] = Value(0) - shift;
  const int node = state.tasklet(label("t"), map_code(job, params[0]), maps.inner.entry);
  const auto row = [&](const Place &place) {
    Box part = outer(place, job.extents);
    part[0] = point(params, place.begin + back)[0];
    return part;
  };
  for (std::size_t k = 0; k < job.reads.size(); ++k) {
    const Place &read = job.reads[k];
    const std::string x = "x" + std::to_string(k);
    const std::string stem = read.data + "_" + x;
    Box where = point(params, read.begin + back);
    const bool also_written = sinks.contains(read.data);
    if (!also_written && !maps.two && chance(0.06)) // backwards
      where[0].begin = read.begin[0] + job.extents[0] - 1 - (Value::name(params[0]) - shift);
    else if (!also_written && !maps.two && square && shift.is(0) && chance(0.15))
      where = point({params[1], params[0]}, read.begin);
    state.edge(ins.at(read.data), "", maps.outer.entry, "IN_" + stem,
               memlet(read.data, outer(read, job.extents)));
    if (maps.two)
      state.edge(maps.outer.entry, "OUT_" + stem, maps.inner.entry, "IN_" + stem,
                 memlet(read.data, row(read)));
    state.edge(maps.inner.entry, "OUT_" + stem, node, x, memlet(read.data, where));
  }
  const MemletMore more{"", job.wcr, job.dynamic, ""};
  for (std::size_t k = 0; k < job.writes.size(); ++k) {
    const Place &write = job.writes[k];
    const std::string y = "y" + std::to_string(k);
    const std::string stem = write.data + "_" + y;
    state.edge(node, y, maps.inner.exit, "IN_" + stem,
               memlet(write.data, point(params, write.begin + back), more));
    if (maps.two)
      state.edge(maps.inner.exit, "OUT_" + stem, maps.outer.exit, "IN_" + stem,
                 memlet(write.data, row(write), more));
    state.edge(maps.outer.exit, "OUT_" + stem, sinks.at(write.data), "",
               memlet(write.data, outer(write, job.extents), more));
  }
  if (maps.two && job.reads.empty())
    state.edge(maps.outer.entry, maps.inner.entry);
  return maps.outer.entry;
}

/// A map with two tasklets: the first write from the first read, the second one from the second.
int Generator::compute_pair(StateText &state, const Job &job, const Nodes &ins,
                            const Nodes &sinks) {
  std::vector<std::string> params;
  const StateText::Scope map = map_over(state, job, params);
  for (std::size_t k = 0; k < 2; ++k) {
    const Place &read = job.reads[k];
    const Place &write = job.writes[k];
    const int node = state.tasklet(label("t"), "y = " + expression(1), map.entry);
    const std::string stem = std::to_string(node);
    state.edge(ins.at(read.data), "", map.entry, "IN_" + read.data + stem,
               memlet(read.data, box(read.begin, job.extents)));
    state.edge(map.entry, "OUT_" + read.data + stem, node, "x0",
               memlet(read.data, point(params, read.begin)));
    state.edge(node, "y", map.exit, "IN_" + write.data + stem,
               memlet(write.data, point(params, write.begin)));
    state.edge(map.exit, "OUT_" + write.data + stem, sinks.at(write.data), "",
               memlet(write.data, box(write.begin, job.extents)));
  }
  return map.entry;
}

} // namespace sdfgopt::verify::generator
