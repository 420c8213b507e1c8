// Nested SDFGs of generated programs.
#include "verify/generator_program.h"

namespace sdfgopt::verify::generator {

namespace {

std::string array_text(const std::string &kind, const std::string &name, const std::string &dtype,
                       const Values &shape, const Values &strides) {
  const std::string text = kind + " " + name + ": " + dtype + list_text(shape);
  return strides.empty() ? text + "\n" : text + " strides " + list_text(strides) + "\n";
}

} // namespace

/// Names inside: sometimes those of data outside, of others at that.
std::vector<std::string> Generator::connector_names(std::size_t count) {
  std::vector<std::string> names{"p", "v", "w", "u", "q0"};
  if (chance(0.25)) {
    names = {"T", "G", "a", "b", "H"};
    random_.shuffle(names);
  } else if (chance(0.2)) {
    names = {"x", "y0", "x2", "y3", "q4"};
  }
  names.resize(count);
  return names;
}

/// Some have names that mean something else outside.
class Generator::InnerSymbols {
public:
  explicit InnerSymbols(Generator &generator) : generator_(generator) {
    if (generator.chance(0.3))
      names_ = {"o", "M", "N"};
  }

  /// What stands for an outer value inside.
  Value of(const Value &outer) {
    if (outer.is_number() && generator_.chance(0.7))
      return outer;
    for (const auto &[name, value] : mapping_)
      if (value == outer.text())
        return Value::name(name);
    const std::size_t index = mapping_.size();
    const std::string name = index < names_.size() ? names_[index] : "n" + std::to_string(index);
    mapping_.emplace(name, outer.text());
    return Value::name(name);
  }

  [[nodiscard]] std::string declarations() const {
    std::string text;
    for (const auto &[name, value] : mapping_)
      text.append("symbol ").append(name).append(": int32\n");
    return text;
  }
  [[nodiscard]] std::string mapping() const {
    std::string text;
    for (const auto &[name, value] : mapping_)
      text.append(text.empty() ? "" : ", ").append(name).append(" = ").append(value);
    return text;
  }

private:
  Generator &generator_;
  std::vector<std::string> names_;
  std::map<std::string, std::string> mapping_;
};

/// The state `inner`, maybe not always, or in a loop.
std::string Generator::inner_control(std::string state, const Value &extent) {
  if (wild_chance(0.2)) {
    const std::string test = "(" + extent.text() + " > 2)";
    return "state choose { }\n" + state + "state done { }\nchoose -> inner if `" + test +
           "`\nchoose -> done if `(not " + test + ")`\ninner -> done\n";
  }
  if (chance(0.1))
    return "loop again var r init `r = 0` while `(r < 1)` update `r = (r + 1)` {\n" +
           indented(state) + "}\n";
  return state;
}

/// The text of a node that computes every element of its writes from its reads.
std::string Generator::inner_sdfg(const std::vector<InnerArray> &reads,
                                  const std::vector<InnerArray> &writes, const Values &extents,
                                  bool deep) {
  InnerSymbols symbols(*this);
  Values shape;
  for (const Value &extent : extents)
    shape.push_back(symbols.of(extent));
  std::string arrays;
  std::set<std::string> declared;
  const auto inner = [&](const std::vector<InnerArray> &list) {
    std::vector<InnerArray> result = list;
    for (InnerArray &array : result) {
      for (Value &stride : array.strides)
        stride = symbols.of(stride);
      if (declared.insert(array.name).second)
        arrays += array_text("array", array.name, array.dtype, shape, array.strides);
    }
    return result;
  };
  const std::vector<InnerArray> inner_reads = inner(reads);
  const std::vector<InnerArray> inner_writes = inner(writes);
  StateText state("inner");
  const bool disjoint = declared.size() == reads.size() + writes.size();
  if (deep && disjoint && chance(0.15))
    inner_again(state, inner_reads, inner_writes, shape);
  else
    inner_state(state, arrays, inner_reads, inner_writes, shape);
  const std::string body = inner_control(state.text(), shape[0]);
  const std::string name = label("nest");
  return "nested " + name + " symbols (" + symbols.mapping() + ") sdfg " + name + " {\n" +
         indented(arrays + symbols.declarations() + body) + "}";
}

void Generator::inner_state(StateText &state, std::string &arrays,
                            const std::vector<InnerArray> &reads,
                            const std::vector<InnerArray> &writes, const Values &shape) {
  std::vector<std::string> params{"i", "j", "l"};
  params.resize(shape.size());
  std::vector<StateText::Param> ranges;
  ranges.reserve(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d)
    ranges.push_back({params[d], "0.." + (shape[d] - 1).text()});
  const Values none(shape.size(), 0);
  const StateText::Scope map = state.map(label("m"), ranges);
  const std::string text = expression(reads.size());
  const bool local = chance(0.15);
  std::string code;
  for (std::size_t k = 0; k < (local ? 1 : writes.size()); ++k)
    code += (k == 0 ? "out" : "\nout") + std::to_string(k) + " = " + text;
  const int node = state.tasklet(label("t"), code, map.entry);
  for (std::size_t k = 0; k < reads.size(); ++k) {
    const std::string x = "x" + std::to_string(k);
    state.edge(state.access(reads[k].name), "", map.entry, "IN_" + x,
               memlet(reads[k].name, box(none, shape)));
    state.edge(map.entry, "OUT_" + x, node, x, memlet(reads[k].name, point(params, none)));
  }
  if (local) {
    arrays += array_text("transient array", "z", dtype_, shape, {});
    state.edge(node, "out0", map.exit, "IN_z", memlet("z", point(params, none)));
    const int middle = state.access("z");
    state.edge(map.exit, "OUT_z", middle, "", memlet("z", box(none, shape)));
    for (const InnerArray &array : writes)
      state.edge(middle, "", state.access(array.name), "", memlet(array.name, box(none, shape)));
    return;
  }
  for (std::size_t k = 0; k < writes.size(); ++k) {
    state.edge(node, "out" + std::to_string(k), map.exit, "IN_" + writes[k].name,
               memlet(writes[k].name, point(params, none)));
    state.edge(map.exit, "OUT_" + writes[k].name, state.access(writes[k].name), "",
               memlet(writes[k].name, box(none, shape)));
  }
}

/// The body of a nested SDFG is another one, with names of its own.
void Generator::inner_again(StateText &state, const std::vector<InnerArray> &reads,
                            const std::vector<InnerArray> &writes, const Values &shape) {
  const auto renamed = [](std::vector<InnerArray> list) {
    for (InnerArray &array : list)
      array.name += '_';
    return list;
  };
  const int node = state.node(inner_sdfg(renamed(reads), renamed(writes), shape, false));
  const Values none(shape.size(), 0);
  for (const InnerArray &array : reads)
    state.edge(state.access(array.name), "", node, array.name + "_",
               memlet(array.name, box(none, shape)));
  for (const InnerArray &array : writes)
    state.edge(node, array.name + "_", state.access(array.name), "",
               memlet(array.name, box(none, shape)));
}

/// The SDFG for a job, with arrays that have lost their first `dropped` dimensions.
Generator::Inner Generator::inner_of(const Job &job, const Values &shape, std::size_t dropped) {
  const std::vector<std::string> names = connector_names(job.reads.size() + job.writes.size());
  Inner inner;
  std::vector<InnerArray> reads;
  std::vector<InnerArray> writes;
  const auto strides_of = [&](const Place &place) {
    const Values &all = data(place.data).strides;
    Values rest(all.begin() + static_cast<std::ptrdiff_t>(dropped), all.end());
    return rest.empty() ? Values{1} : rest;
  };
  for (std::size_t k = 0; k < job.writes.size(); ++k) {
    inner.writes.push_back(names[job.reads.size() + k]);
    const Place &write = job.writes[k];
    writes.push_back({inner.writes.back(), data(write.data).dtype, strides_of(write)});
  }
  for (std::size_t k = 0; k < job.reads.size(); ++k) {
    std::string name = names[k];
    const auto same = std::find_if(job.writes.begin(), job.writes.end(), [&](const Place &write) {
      return write.data == job.reads[k].data && write.begin == job.reads[k].begin;
    });
    if (same != job.writes.end() && chance(0.6)) // read and written by one name
      name = inner.writes[static_cast<std::size_t>(same - job.writes.begin())];
    if (std::find(inner.reads.begin(), inner.reads.end(), name) != inner.reads.end())
      name = names[k];
    inner.reads.push_back(name);
    reads.push_back({name, data(job.reads[k].data).dtype, strides_of(job.reads[k])});
  }
  inner.text = inner_sdfg(reads, writes, shape, true);
  return inner;
}

int Generator::compute_nested(StateText &state, const Job &job, const Nodes &ins,
                              const Nodes &sinks) {
  const Inner inner = inner_of(job, job.extents, 0);
  const int node = state.node(inner.text);
  for (std::size_t k = 0; k < job.reads.size(); ++k)
    state.edge(ins.at(job.reads[k].data), "", node, inner.reads[k],
               memlet(job.reads[k].data, box(job.reads[k].begin, job.extents)));
  for (std::size_t k = 0; k < job.writes.size(); ++k)
    state.edge(node, inner.writes[k], sinks.at(job.writes[k].data), "",
               memlet(job.writes[k].data, box(job.writes[k].begin, job.extents)));
  return node;
}

/// A nested SDFG for each element, or for each row: then it gets arrays with fewer dimensions, or
/// with the same ones, the first of them of extent 1.
int Generator::compute_nested_in_map(StateText &state, const Job &job, const Nodes &ins,
                                     const Nodes &sinks, std::size_t mapped) {
  std::vector<std::string> params = params_for(job);
  params.resize(mapped);
  std::vector<StateText::Param> ranges;
  ranges.reserve(mapped);
  for (std::size_t d = 0; d < mapped; ++d)
    ranges.push_back({params[d], "0.." + (job.extents[d] - 1).text()});
  const StateText::Scope map = state.map(label("m"), ranges);
  const auto split = static_cast<std::ptrdiff_t>(mapped);
  Values shape(job.extents.begin() + split, job.extents.end());
  const bool keeps = !shape.empty() && mapped == 1 && chance(0.3);
  if (shape.empty() || keeps)
    shape.insert(shape.begin(), 1);
  const Inner inner = inner_of(job, shape, keeps ? 0 : mapped);
  const int node = state.node(inner.text, map.entry);
  const auto part = [&](const Place &place) {
    Box result = box(place.begin, job.extents);
    for (std::size_t d = 0; d < mapped; ++d)
      result[d] = {Value::name(params[d]) + place.begin[d], 1};
    return result;
  };
  for (std::size_t k = 0; k < job.reads.size(); ++k) {
    const Place &read = job.reads[k];
    const std::string stem = inner.reads[k] + "_in";
    state.edge(ins.at(read.data), "", map.entry, "IN_" + stem,
               memlet(read.data, box(read.begin, job.extents)));
    state.edge(map.entry, "OUT_" + stem, node, inner.reads[k], memlet(read.data, part(read)));
  }
  for (std::size_t k = 0; k < job.writes.size(); ++k) {
    const Place &write = job.writes[k];
    state.edge(node, inner.writes[k], map.exit, "IN_" + inner.writes[k],
               memlet(write.data, part(write)));
    state.edge(map.exit, "OUT_" + inner.writes[k], sinks.at(write.data), "",
               memlet(write.data, box(write.begin, job.extents)));
  }
  return map.entry;
}

} // namespace sdfgopt::verify::generator
