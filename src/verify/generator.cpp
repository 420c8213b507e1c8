// The layout of a generated program: symbols, their values in the runs, arrays, buffers.
#include "verify/generator.h"

#include "verify/generator_program.h"

namespace sdfgopt::verify {

namespace generator {

// --- symbols ---

void Generator::choose_symbol(const std::string &name, std::int64_t ordinary_first,
                              std::int64_t ordinary_last, std::int64_t empty) {
  std::vector<std::int64_t> &values = symbol_runs_[name];
  values = {random_.between(ordinary_first, ordinary_last), empty, 1,
            random_.between(ordinary_first, ordinary_last)};
  if (chance(0.3)) // not all of them are empty at once
    values[1] = random_.between(ordinary_first, ordinary_last);
  values.resize(run_count_);
}

void Generator::choose_runs() {
  run_count_ = 2 + random_.below(3);
  alive_.assign(run_count_, true);
  const std::int64_t most = rank_ == 1 ? 4 : rank_ == 2 ? 3 : 2;
  choose_symbol("N", 2, most, 0);
  choose_symbol("M", 2, most, 0);
  choose_symbol("o", 0, 3, 0);
  choose_symbol("k", 0, 2, 0);
  choose_symbol("lo", 0, 3, 2);
  const bool negative = chance(0.3);
  std::vector<std::int64_t> &lo = symbol_runs_["lo"];
  std::vector<std::int64_t> &hi = symbol_runs_["hi"];
  std::vector<std::int64_t> &origin = symbol_runs_["g"];
  const std::int64_t lengths[] = {random_.between(2, most), 0, 1, random_.between(2, most)};
  for (std::size_t run = 0; run < run_count_; ++run) {
    if (negative)
      lo[run] -= 3;
    hi.push_back(lo[run] + lengths[run]);
    origin.push_back(lo[run] - random_.between(0, 2));
  }
  reversed_ = chance(0.35);
  if (reversed_)
    hi.back() = lo.back() - 1;
  std::vector<std::int64_t> &other_end = symbol_runs_["el"];
  const bool often_inside = chance(0.5);
  for (std::size_t run = 0; run < run_count_; ++run)
    other_end.push_back(hi[run] + random_.between(-2, often_inside ? 0 : 1));
  for (const auto &[name, values] : symbol_runs_) {
    std::vector<Interval> intervals;
    for (const std::int64_t value : values)
      intervals.push_back({value, value});
    symbols_[name] = Value::atom(name, intervals);
  }
}

namespace {

std::int64_t maximum(std::int64_t a, std::int64_t b) { return std::max(a, b); }
std::int64_t minimum(std::int64_t a, std::int64_t b) { return std::min(a, b); }

} // namespace

void Generator::choose_extents_and_offsets() {
  constant_ = chance(0.3);
  Values numbers{3, 2, rank_ == 1 ? 4 : 3, 1};
  if (constant_) {
    extents_ = numbers;
    offsets_ = {0, 0, 0, 1, 2};
    return;
  }
  const Value &n = symbols_["N"];
  const Value &m = symbols_["M"];
  const Value length = symbols_["hi"] - symbols_["lo"];
  conditional_ = chance(0.35);
  domain_ = call("Max", Value(0), length, run_count_, maximum);
  const Value plain = reversed_ ? domain_ : length;
  for (int i = 0; i < 3; ++i)
    extents_.insert(extents_.end(), {n, n, m, plain, domain_, domain_, n + 1, 3, 2});
  extents_.insert(
      extents_.end(),
      {1, call("Min", n, m, run_count_, minimum), call("Max", n, m, run_count_, maximum),
       call("int_floor", n, Value(2), run_count_,
            [](std::int64_t a, std::int64_t b) { return a / b; }),
       call("Mod", n, Value(3), run_count_, [](std::int64_t a, std::int64_t b) { return a % b; })});
  if (rank_ == 1)
    extents_.push_back(m.times(2));
  offsets_ = {0,
              0,
              0,
              1,
              2,
              symbols_["o"],
              symbols_["o"],
              symbols_["lo"],
              symbols_["lo"] - symbols_["g"],
              symbols_["lo"] - symbols_["g"],
              n,
              symbols_["o"] + 1,
              symbols_["k"]};
}

// --- data ---

void Generator::declare(const std::string &name, Data data, const std::string &kind,
                        const std::string &more) {
  Value next = 1;
  bool plain = true;
  for (std::size_t d = data.shape.size(); d-- > 0;) {
    plain = plain && data.strides[d] == next;
    next = product(next, data.shape[d], run_count_);
  }
  data.transient = kind.starts_with("transient");
  data.text = kind + " " + name + ": " + data.dtype + list_text(data.shape);
  if (!plain) {
    // Enough whatever the extents are, and never negative.
    const bool by_columns = data.strides[0].is(1) && data.shape.size() > 1;
    const Value total = by_columns ? product(data.shape.back(), data.strides.back(), run_count_)
                                   : product(data.shape[0], data.strides[0], run_count_);
    data.text += " strides " + list_text(data.strides) + " total_size (" + total.text() + ")";
  }
  data.text += more;
  if (!data_.contains(name))
    order_of_data_.push_back(name);
  data_[name] = std::move(data);
}

void Generator::new_data(const std::string &name, const Values &shape, const std::string &dtype,
                         const std::string &kind, const std::string &more) {
  Data data;
  data.shape = shape;
  data.dtype = dtype;
  data.strides = Values(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;)
    data.strides[d - 1] = product(data.strides[d], shape[d], run_count_);
  if (shape.size() == 2 && chance(0.15))
    data.strides = {1, shape[0]};
  else if (shape.size() == 2 && chance(0.1))
    data.strides = {shape[1] + 1, 1};
  else if (shape.size() == 1 && chance(0.03))
    data.strides = {2};
  declare(name, std::move(data), kind, more);
}

void Generator::make_arguments() {
  const Values room(rank_, room_);
  for (const char *name : {"a", "b", "H"})
    new_data(name, room, dtype_, "array", name[0] != 'a' && wild_chance(0.015) ? " may_alias" : "");
  new_data("c", {room_}, dtype_, "array");
  Values longer = room;
  longer.emplace_back(3);
  new_data("r", longer, dtype_, "array");
}

void Generator::make_buffers() {
  const std::size_t count = random_.pick({1, 1, 1, 1, 2, 2, 3});
  const bool chain = count > 1 && chance(0.3);
  for (std::size_t i = 0; i < count; ++i) {
    Buffer buffer;
    buffer.name = i == 0 ? "T" : "T" + std::to_string(i + 1);
    for (std::size_t d = 0; d < rank_; ++d) {
      buffer.extents.push_back(random_.pick(extents_));
      buffer.offset.push_back(random_.pick(offsets_));
    }
    if (i > 0 && chance(0.6))
      buffer.extents = buffers_[0].extents;
    if (chain && i == 1) {
      buffer.extents = buffers_[0].extents;
      buffer.previous = buffers_[0].name;
    }
    if (conditional_ && buffer.previous.empty() && chance(0.8))
      copy_under_condition(buffer);
    std::string dtype = dtype_;
    if (wild_chance(0.03))
      dtype = dtype_ == "float64" ? "float32" : "float64";
    std::string more;
    if (wild_chance(0.04))
      more = " lifetime Persistent";
    else if (chance(0.1))
      more = " lifetime SDFG";
    new_data(buffer.name, buffer.extents, dtype, "transient array", more);
    make_destination(buffer, i > 0 ? &buffers_[i - 1] : nullptr);
    buffers_.push_back(std::move(buffer));
  }
  if (chain) { // the first one is copied to the second one
    buffers_[0].destination = buffers_[1].name;
    buffers_[0].offset = zeros();
    buffers_[0].copied_begin = zeros();
    buffers_[0].copied_extents = buffers_[0].extents;
  }
  for (const char *name : {"E", "F"}) // as long as the first buffer
    new_data(name, buffers_[0].extents, dtype_, "array");
}

/// One dimension of the buffer, and what is copied of it: all of it only for some values of the
/// symbols, or for all although it does not look so, or for hardly any.
void Generator::copy_under_condition(Buffer &buffer) {
  const Value &lo = symbols_["lo"];
  const Value &hi = symbols_["hi"];
  const Value &el = symbols_["el"];
  const Value &n = symbols_["N"];
  const Value &m = symbols_["M"];
  const Value length = hi - lo;
  const auto most = [&](const Value &a, const Value &b) {
    return call("Max", a, b, run_count_, maximum);
  };
  const auto least = [&](const Value &a, const Value &b) {
    return call("Min", a, b, run_count_, minimum);
  };
  struct Kind {
    Value extent;
    Value begin;
    Value copied;
  };
  const Value first = least(lo, lo - 1 + symbols_["k"]);
  const Kind kind = random_.pick<Kind>({
      {most(0, most(hi, el) - lo), 0, length},
      {most(0, most(hi, el) - lo), 0, length},
      {most(0, most(hi, el) - lo), 0, most(0, length)},
      {most(0, most(hi, el) - lo), 0, el - lo},
      {most(0, length), 0, length},
      {most(0, length), 0, most(0, el - lo)},
      {most(1, length), 0, length},
      {most(0, length + 1), 0, length},
      {most(0, length + 1), 1, length},
      {most(0, hi - first), lo - first, length},
      {most(0, hi - first), 0, hi - first},
      {most(0, hi - least(lo, hi)), 0, length},
      {most(n, m), 0, n},
      {most(n, m), 0, least(n, m)},
      {n, 0, m},
      {n + 1, symbols_["k"], n},
  });
  buffer.copied_begin = zeros();
  buffer.copied_extents = buffer.extents;
  const std::size_t d = random_.below(rank_);
  buffer.extents[d] = kind.extent;
  buffer.copied_begin[d] = kind.begin;
  buffer.copied_extents[d] = kind.copied;
}

/// Where the buffer is copied to: as a rule to G, behind the buffer before.
void Generator::make_destination(Buffer &buffer, const Buffer *before) {
  const bool own = before && chance(0.4);
  buffer.destination = own ? "G" + buffer.name.substr(1) : "G";
  if (before && !own && !wild_chance(0.4)) {
    buffer.offset = before->offset;
    buffer.offset[0] = before->offset[0] + before->extents[0];
  }
  if (buffer.copied_extents.empty()) {
    buffer.copied_begin = zeros();
    buffer.copied_extents = buffer.extents;
  }
  if (wild_chance(0.2)) { // a part only
    const std::size_t d = random_.below(rank_);
    buffer.copied_extents[d] = buffer.copied_extents[d] - 1;
    buffer.copied_begin[d] = buffer.copied_begin[d] + random_.pick({0, 1});
  }
  if (!data_.contains(buffer.destination)) {
    Values shape(rank_, room_);
    if (chance(0.2))
      for (std::size_t d = 0; d < rank_; ++d)
        shape[d] = buffer.offset[d] + buffer.extents[d] + random_.between(0, 2);
    const bool negative = std::any_of(shape.begin(), shape.end(), [&](const Value &extent) {
      for (std::size_t run = 0; run < run_count_; ++run)
        if (extent.in_run(run).low < 0)
          return true;
      return false;
    });
    std::string more = wild_chance(0.015) ? " may_alias" : "";
    if (rank_ == 1 && chance(0.04)) { // its memory begins before the first element
      const std::string size = std::to_string(room_ + 4);
      more += " total_size " + size + " @{\"start_offset\":3}";
      declare(buffer.destination, {{room_}, {1}, dtype_, "", false}, "array", more);
    } else {
      new_data(buffer.destination, negative ? Values(rank_, room_) : shape, dtype_, "array", more);
    }
  }
  const auto lies_inside = [&] {
    return fits({buffer.destination, buffer.copied_begin + buffer.offset}, buffer.copied_extents);
  };
  for (int attempt = 0; attempt < 8 && !lies_inside(); ++attempt)
    for (Value &offset : buffer.offset)
      offset = random_.pick(offsets_);
  if (!lies_inside())
    buffer.offset = zeros();
}

/// Parameters of maps are called like symbols in offsets now and then, but not like those in the
/// extents of buffers: where a buffer is allocated would then decide how long it is.
void Generator::choose_params() {
  Values taken;
  Values used;
  for (const Buffer &buffer : buffers_) {
    for (const Values *values : {&buffer.extents, &buffer.copied_begin, &buffer.copied_extents})
      taken.insert(taken.end(), values->begin(), values->end());
    used.insert(used.end(), buffer.offset.begin(), buffer.offset.end());
  }
  for (const auto &[name, data] : data_)
    taken.insert(taken.end(), data.shape.begin(), data.shape.end());
  std::vector<std::string> free;
  for (const char *name : {"o", "lo", "k", "N", "M"})
    if (!mention(taken, {name}) && mention(used, {name}))
      free.emplace_back(name);
  params_ = {"i", "j", "l"};
  if (!free.empty() && chance(0.15))
    params_[random_.below(rank_)] = free[0];
  for (const char *name : {"k", "o"}) {
    if (mention(taken, {name}) || !wild_chance(0.25))
      continue;
    assigned_.emplace_back(name); // its values are then any of those that it is ever given
    std::vector<Interval> hull;
    for (const std::int64_t value : symbol_runs_[name])
      hull.push_back({std::min<std::int64_t>(value, 0), std::max<std::int64_t>(value, 3)});
    const Value wide = Value::atom(name, hull);
    for (Buffer &buffer : buffers_)
      for (Value &offset : buffer.offset)
        if (offset.mentions(name))
          offset = offset - symbols_[name] + wide;
    for (Value &offset : offsets_)
      if (offset.mentions(name))
        offset = offset - symbols_[name] + wide;
    symbols_[name] = wide;
  }
}

// --- the whole ---

std::vector<GeneratedRun> Generator::runs_of(const std::string &text) const {
  std::vector<GeneratedRun> runs;
  for (std::size_t run = 0; run < run_count_; ++run) {
    GeneratedRun choice;
    for (const auto &[name, values] : symbol_runs_)
      if (has_word(text, name))
        choice.emplace_back(name, values[run]);
    if (std::find(runs.begin(), runs.end(), choice) == runs.end())
      runs.push_back(std::move(choice));
  }
  return runs;
}

/// Descriptors of what the text mentions, symbols, and the list of arguments.
std::string Generator::declarations(const std::string &text, bool transients) const {
  std::string arrays;
  std::string arguments;
  for (const std::string &name : order_of_data_) {
    const Data &item = data_.at(name);
    if (!has_word(text, name) || (item.transient && !transients))
      continue;
    arrays += item.text + "\n";
    if (!item.transient)
      arguments += (arguments.empty() ? "args " : ", ") + name;
  }
  std::string symbols;
  for (const auto &[name, values] : symbol_runs_)
    if (has_word(text, name) || has_word(arrays, name)) {
      symbols += "symbol " + name + ": int32\n";
      arguments += (arguments.empty() ? "args " : ", ") + name;
    }
  if (transients)
    symbols += extra_symbols_;
  return arrays + symbols + (arguments.empty() ? "" : arguments + "\n");
}

/// The program as the only node of another one.
std::string Generator::wrapped(const std::string &body) const {
  StateText state("call");
  std::string mapping;
  const std::string all = declarations(body, true) + body;
  for (const auto &[name, values] : symbol_runs_)
    if (has_word(all, name))
      mapping.append(mapping.empty() ? "" : ", ").append(name).append(" = ").append(name);
  if (!extra_symbols_.empty())
    mapping += mapping.empty() ? "q = 0" : ", q = 0"; // is assigned before it is used
  const int node = state.node("nested whole symbols (" + mapping + ") sdfg whole {\n" +
                              indented(declarations(body, true) + body) + "}");
  for (const std::string &name : order_of_data_) {
    const Data &item = data_.at(name);
    if (item.transient || !has_word(body, name))
      continue;
    const std::string whole = memlet(name, box(Values(item.shape.size(), 0), item.shape));
    state.edge(state.access(name), "", node, name, whole);
    state.edge(node, name, state.access(name), "", whole);
  }
  return state.text();
}

/// What is done with each buffer, in its order; what is done with different ones, in any order.
Actions Generator::merged_actions() {
  std::vector<Actions> lists;
  for (const Buffer &buffer : buffers_) {
    Actions list = wildness_ == 0 ? harmless_actions(buffer) : actions_around(buffer);
    if (!buffer.previous.empty()) // comes after what it is copied from
      lists.back().insert(lists.back().end(), list.begin(), list.end());
    else
      lists.push_back(std::move(list));
  }
  Actions merged;
  while (!lists.empty()) {
    const std::size_t chosen = random_.below(lists.size());
    if (lists[chosen].empty()) {
      lists.erase(lists.begin() + static_cast<std::ptrdiff_t>(chosen));
      continue;
    }
    merged.push_back(lists[chosen].front());
    lists[chosen].erase(lists[chosen].begin());
  }
  if (wild_chance(0.15) && merged.size() > 1) {
    const std::size_t at = random_.below(merged.size() - 1);
    std::swap(merged[at], merged[at + 1]);
  }
  return merged;
}

GeneratedProgram Generator::program() {
  const double kind = static_cast<double>(random_.below(1000)) / 1000;
  wildness_ = kind < 0.5 ? 0 : kind < 0.75 ? 0.4 : 1;
  rank_ = random_.pick<std::size_t>({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3});
  room_ = rank_ == 1 ? 14 : rank_ == 2 ? 9 : 6;
  if (chance(0.2))
    dtype_ = random_.pick({"int64", "int64", "int32", "int32", "float32", "float32", "bool"});
  choose_runs();
  choose_extents_and_offsets();
  make_arguments();
  make_buffers();
  choose_params();
  join_states_ = random_.pick({0.0, 0.25, 0.5, 1.0});
  structure_ = wildness_ == 0 ? 0.0 : random_.pick({0.0, 0.1, 0.3});

  const Actions merged = merged_actions();
  RegionText region;
  if (chance(0.3))
    region.add("first", StateText("first").text());
  if (wildness_ == 0 && chance(0.25)) // all of it in a branch or a loop
    structured(region, merged, 0);
  else
    emit(region, merged, 0);

  std::string text = region.text();
  if (chance(0.04))
    text = wrapped(text);
  GeneratedProgram result;
  const bool is_wrapped = text.starts_with("state call {");
  text = declarations(text, !is_wrapped) + text;
  result.runs = runs_of(text);
  result.text = "sdfg fuzz {\n" + indented(text) + "}\n";
  return result;
}

// --- small helpers ---

bool Generator::fits(const Place &place, const Values &extents) const {
  const Data &item = data(place.data);
  if (item.shape.size() != place.begin.size())
    return false;
  for (std::size_t d = 0; d < extents.size(); ++d) { // what is wrong by its numbers alone
    const Value end = place.begin[d] + extents[d] - item.shape[d];
    if ((extents[d].is_number() && extents[d].number() <= 0) ||
        (place.begin[d].is_number() && place.begin[d].number() < 0) ||
        (end.is_number() && end.number() > 0))
      return false;
  }
  for (std::size_t run = 0; run < run_count_; ++run) {
    if (!alive_[run])
      continue;
    bool empty = false;
    bool inside = true;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      const Interval begin = place.begin[d].in_run(run);
      const Interval extent = extents[d].in_run(run);
      empty = empty || extent.high <= 0;
      inside =
          inside && begin.low >= 0 && begin.high + extent.high <= item.shape[d].in_run(run).low;
    }
    if (!empty && !inside)
      return false;
  }
  return true;
}

bool Generator::fits(const Job &job) const {
  const auto inside = [&](const Place &place) { return fits(place, job.extents); };
  return std::all_of(job.reads.begin(), job.reads.end(), inside) &&
         std::all_of(job.writes.begin(), job.writes.end(), inside);
}

std::string Generator::expression(std::size_t count) {
  std::string text;
  const auto join = [&](const char *with, const std::string &term) {
    text += (text.empty() ? "" : with) + term;
  };
  if (dtype_ == "bool") {
    for (std::size_t i = 0; i < count; ++i)
      join(" != ", "x" + std::to_string(i));
    return count == 0 ? "True" : count == 1 ? "(not x0)" : "(" + text + ")";
  }
  const bool whole = dtype_.starts_with("int");
  for (std::size_t i = 0; i < count; ++i) {
    const std::string x = "x" + std::to_string(i);
    join(" + ", whole ? x : "(" + x + " * " + random_.pick({"0.5", "2.0", "1.5"}) + ")");
  }
  join(" + ", std::to_string(random_.between(1, 9)) + (whole ? "" : ".25"));
  return text;
}

std::string Generator::wcr() {
  if (dtype_ == "bool")
    return "(lambda a, b: (a or b))";
  return random_.pick({"(lambda a, b: (a + b))", "(lambda a, b: (a + b))",
                       "(lambda a, b: max(a, b))", "(lambda a, b: min(a, b))"});
}

/// The memlet outside of a scope: now and then more than is accessed.
Box Generator::outer(const Place &place, const Values &extents) {
  const Values &shape = data(place.data).shape;
  return chance(0.12) ? box(Values(shape.size(), 0), shape) : box(place.begin, extents);
}

Values Generator::as_ranges(Values extents) {
  if (!constant_ && chance(0.4))
    for (Value &extent : extents)
      if (extent == domain_)
        extent = symbols_["hi"] - symbols_["lo"];
  return extents;
}

/// Parameters whose names mean nothing else in a job.
std::vector<std::string> Generator::params_for(const Job &job) const {
  std::vector<std::string> params(
      params_.begin(), params_.begin() + static_cast<std::ptrdiff_t>(job.extents.size()));
  bool clash = mention(job.extents, params);
  for (const std::vector<Place> *places : {&job.reads, &job.writes})
    for (const Place &place : *places)
      clash = clash || mention(place.begin, params) || mention(data(place.data).strides, params) ||
              mention(data(place.data).shape, params);
  if (clash) {
    params = {"i", "j", "l"};
    params.resize(job.extents.size());
  }
  return params;
}

Box point(const std::vector<std::string> &params, const Values &begin) {
  Box result;
  for (std::size_t d = 0; d < params.size(); ++d)
    result.push_back({Value::name(params[d]) + begin[d], 1});
  return result;
}

} // namespace generator

GeneratedProgram generate(std::uint64_t seed) { return generator::Generator(seed).program(); }

} // namespace sdfgopt::verify
