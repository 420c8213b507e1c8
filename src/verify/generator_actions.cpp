// What generated programs do with a buffer and its destination, and in which order.
#include "verify/generator_program.h"

namespace sdfgopt::verify::generator {

// --- lists of actions ---

/// Actions that nothing speaks against: the definition is whole and the copy always follows.
Actions Generator::harmless_actions(const Buffer &buffer) {
  const Action use_it{[this, buffer](StateText &state) { use(state, buffer); }, buffer.name};
  const Action reads{[this, buffer](StateText &state) { foreign(state, buffer, true, true); }, ""};
  const Action writes{[this, buffer](StateText &state) { foreign(state, buffer, false, true); },
                      ""};
  const Action elsewhere{
      [this, buffer](StateText &state) { foreign(state, buffer, chance(0.5), false); }, ""};
  Actions list;
  if (chance(0.15))
    list.push_back(reads);
  if (chance(0.15))
    list.push_back(writes);
  if (buffer.previous.empty() || chance(0.2))
    list.push_back({[this, buffer](StateText &state) { define(state, buffer, 1); }, ""});
  if (chance(0.15))
    list.push_back({[this, buffer](StateText &state) { define(state, buffer, 0.6); }, ""});
  if (chance(0.1))
    list.push_back({[this, buffer](StateText &state) { copy_to(state, buffer, "H"); }, ""});
  const std::size_t uses = random_.pick<std::size_t>({0, 1, 1, 2});
  list.insert(list.end(), uses, use_it);
  if (chance(0.1))
    list.push_back(elsewhere);
  list.push_back({[this, buffer](StateText &state) { write_back(state, buffer); }, ""});
  if (chance(0.08)) // the same copy twice
    list.push_back({[this, buffer](StateText &state) { write_back(state, buffer); }, ""});
  list.insert(list.end(), random_.pick<std::size_t>({0, 0, 1}), use_it);
  if (chance(0.25))
    list.push_back(reads);
  if (chance(0.1))
    list.push_back(elsewhere);
  if (chance(0.15) && buffer.previous.empty())
    list.push_back(writes);
  return list;
}

/// Actions as they may come in any program, most of them in an order that makes sense.
Actions Generator::actions_around(const Buffer &buffer) {
  Actions list;
  if (buffer.previous.empty() && !chance(0.03)) {
    if (chance(0.12))
      list.push_back({[this, buffer](StateText &state) { identity(state, buffer); }, ""});
    else
      list.push_back({[this, buffer](StateText &state) { define(state, buffer, 0.85); }, ""});
  }
  const Action define_it{[this, buffer](StateText &state) { define(state, buffer, 0.6); }, ""};
  const Action use_it{[this, buffer](StateText &state) { use(state, buffer); }, buffer.name};
  Actions middle(random_.pick<std::size_t>({0, 0, 0, 1}), define_it);
  middle.insert(middle.end(), random_.pick<std::size_t>({0, 1, 1, 2}), use_it);
  random_.shuffle(middle);
  list.insert(list.end(), middle.begin(), middle.end());
  list.push_back({[this, buffer](StateText &state) { write_back(state, buffer); }, ""});
  list.insert(list.end(), random_.pick<std::size_t>({0, 0, 1}), use_it);
  for (std::size_t more = random_.pick<std::size_t>({0, 1, 1, 2, 3}); more > 0; --more) {
    const Actions new_ones = surroundings(buffer);
    const auto at = static_cast<std::ptrdiff_t>(random_.below(list.size() + 1));
    list.insert(list.begin() + at, new_ones.begin(), new_ones.end());
  }
  if (chance(0.06))
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(random_.below(list.size())),
                {[this, buffer](StateText &state) { identity(state, buffer); }, ""});
  return list;
}

/// Something that may be in the way.
Actions Generator::surroundings(const Buffer &buffer) {
  const auto one = [&](void (Generator::*action)(StateText &, const Buffer &)) -> Actions {
    return {{[this, buffer, action](StateText &state) { (this->*action)(state, buffer); }, ""}};
  };
  switch (random_.below(22)) {
  case 0:
  case 1:
  case 2:
  case 3:
  case 4:
    return {{[this, buffer](StateText &state) { foreign(state, buffer, true, true); }, ""}};
  case 5:
  case 6:
  case 7:
    return {{[this, buffer](StateText &state) { foreign(state, buffer, false, true); }, ""}};
  case 8:
  case 9:
    return one(&Generator::use);
  case 10:
  case 11:
    return one(&Generator::write_back);
  case 12:
    return {{[this, buffer](StateText &state) { define(state, buffer, 0.6); }, ""},
            {[this, buffer](StateText &state) { write_back(state, buffer); }, ""}};
  case 13:
    return {{[this, buffer](StateText &state) { copy_to(state, buffer, "H"); }, ""}};
  case 14:
  case 15:
    return one(&Generator::view);
  case 16:
    return one(&Generator::accumulate);
  case 17:
    return one(&Generator::copy_otherwise);
  case 18:
    return one(&Generator::scalars);
  case 19:
    return one(chance(0.4) ? &Generator::stream : &Generator::scalars);
  case 20:
    return one(chance(0.4) ? &Generator::reference : &Generator::use);
  default:
    return one(&Generator::dynamic_range);
  }
}

// --- places ---

Part Generator::part_of(const Buffer &buffer, double whole) {
  Part part{zeros(), buffer.extents};
  if (chance(whole))
    return part;
  const std::size_t d = random_.below(rank_);
  switch (random_.below(4)) {
  case 0: // what is copied
    return {buffer.copied_begin, buffer.copied_extents};
  case 1:
    part.begin[d] = 1;
    part.extents[d] = buffer.extents[d] - 1;
    break;
  case 2:
    part.extents[d] = buffer.extents[d] - 1;
    break;
  default:
    part.begin[d] = random_.pick<Value>({0, 1, symbols_["k"]});
    if (!loops_.empty() && chance(0.7))
      part.begin[d] = random_.pick(loops_).variable;
    part.extents[d] = 1;
  }
  if (!fits({buffer.name, part.begin}, part.extents))
    return {zeros(), buffer.extents};
  return part;
}

/// A place in the destination: the buffer's image, next to it, or elsewhere.
Place Generator::in_destination(const Buffer &buffer, const Values &begin) {
  Values at = begin + buffer.offset;
  switch (random_.below(10)) {
  case 0:
  case 1:
  case 2:
    at[0] = at[0] + random_.pick({1, 2, -1});
    break;
  case 3:
  case 4:
    at[0] = at[0] + buffer.extents[0];
    break;
  case 5:
    at = begin;
    break;
  case 6:
    if (!loops_.empty())
      at[0] = buffer.offset[0] + loops_.back().variable;
    break;
  default:
    break;
  }
  return {buffer.destination, at};
}

/// Something to compute a part of the buffer from.
std::optional<Place> Generator::source(const Buffer &buffer, const Part &part) {
  const double kind = static_cast<double>(random_.below(100)) / 100;
  if (kind < 0.15 && part.extents == data("E").shape)
    return Place{"E", zeros()};
  if (kind < 0.7 || (wildness_ == 0 && kind < 0.92))
    return Place{"a", chance(0.5) ? zeros() : part.begin};
  if (kind < 0.8) {
    const Buffer &other = random_.pick(buffers_);
    if (other.extents == buffer.extents && wildness_ > 0)
      return Place{other.name, part.begin};
  }
  if (kind < 0.95 && wildness_ > 0)
    return in_destination(buffer, part.begin);
  if (kind < 0.96)
    return std::nullopt;
  return Place{wildness_ > 0 ? "H" : "a", zeros()};
}

// --- actions ---

void Generator::define(StateText &state, const Buffer &buffer, double whole) {
  const Part part = part_of(buffer, whole);
  Job job{{{buffer.name, part.begin}}, {}, part.extents, "", false};
  const std::size_t count = chance(0.15) ? 2 : 1;
  for (std::size_t i = 0; i < count; ++i)
    if (const auto place = source(buffer, part))
      job.reads.push_back(*place);
  if (wild_chance(0.06))
    job.reads = {{buffer.name, part.begin}};
  const double kind = static_cast<double>(random_.below(100)) / 100;
  if (kind < 0.07)
    return reduce(state, job.writes[0], {"r", zeros()}, part.extents, 3);
  if (kind < 0.11 && wildness_ > 0)
    job.wcr = wcr();
  else if (kind < 0.14 && wildness_ > 0)
    job.dynamic = true;
  else if (kind < 0.25) { // together with something else
    Place other{"b", part.begin};
    if (wildness_ > 0)
      other = random_.pick<Place>(
          {{"b", part.begin}, {"H", part.begin}, in_destination(buffer, part.begin)});
    job.writes.push_back(other);
    if (chance(0.4) && wildness_ > 0)
      job.reads.push_back(in_destination(buffer, part.begin));
  }
  if (!fits(job))
    job = {{{buffer.name, part.begin}}, {{"a", zeros()}}, part.extents, "", false};
  compute(state, std::move(job));
}

/// T += f(a), element by element, or max and the like.
void Generator::accumulate(StateText &state, const Buffer &buffer) {
  compute(state, {{{buffer.name, zeros()}}, {{"a", zeros()}}, buffer.extents, wcr(), false});
}

void Generator::use(StateText &state, const Buffer &buffer) {
  const Part part = part_of(buffer, 0.6);
  Place target = random_.pick<Place>({{"b", part.begin}, {"b", zeros()}, {"H", part.begin}});
  if (part.extents == data("F").shape && chance(0.2))
    target = {"F", zeros()};
  Job job{{target}, {{buffer.name, part.begin}}, part.extents, "", false};
  if (chance(0.25))
    if (const auto other = source(buffer, part))
      job.reads.push_back(*other);
  const double kind = static_cast<double>(random_.below(100)) / 100;
  if (kind < 0.08 && rank_ == 2 && fits(job)) { // sums or maxima of the rows
    const Values rows{part.extents[0]};
    return reduce(state, {"c", {0}}, job.reads[0], rows, part.extents[1]);
  }
  if (kind < 0.12)
    job.wcr = wcr();
  if (fits(job))
    compute(state, std::move(job));
}

void Generator::write_back(StateText &state, const Buffer &buffer) {
  Part part{buffer.copied_begin, buffer.copied_extents};
  Values offset = buffer.offset;
  if (wild_chance(0.06))
    part = part_of(buffer, 0);
  if (wild_chance(0.06))
    for (Value &value : offset)
      value = random_.pick<Value>({0, 1, symbols_["o"]});
  std::vector<Part> pieces{part};
  const Value &length = part.extents[0];
  if (length.is_number() && length.number() > 1 && chance(0.1)) { // in two pieces
    pieces.push_back(part);
    pieces[0].extents[0] = 1;
    pieces[1].begin[0] = part.begin[0] + 1;
    pieces[1].extents[0] = length - 1;
  }
  Job job;
  if (wild_chance(0.05))
    job.wcr = wcr();
  job.dynamic = wild_chance(0.03);
  if (!fits({buffer.name, part.begin}, part.extents) ||
      !fits({buffer.destination, part.begin + offset}, part.extents))
    return;
  if (chance(0.04)) { // by a map: no copy to the optimiser, but much the same
    job.writes = {{buffer.destination, part.begin + offset}};
    job.reads = {{buffer.name, part.begin}};
    job.extents = part.extents;
    return compute(state, std::move(job));
  }
  const int source = reader(state, buffer.name);
  const int sink = writer(state, buffer.destination, {source});
  for (const Part &piece : pieces) {
    job.extents = piece.extents;
    compute_copy(state, {buffer.destination, piece.begin + offset}, {buffer.name, piece.begin}, job,
                 {{buffer.name, source}}, {{buffer.destination, sink}});
  }
  order(state, source, {sink}, {buffer.name}, {buffer.destination});
}

void Generator::copy_to(StateText &state, const Buffer &buffer, const std::string &destination) {
  Buffer other = buffer;
  other.destination = destination;
  if (destination == buffer.destination ||
      !fits({destination, other.copied_begin + other.offset}, other.copied_extents))
    return;
  write_back(state, other);
}

/// Copies that are no shifts: every second element, a row of an array with more dimensions, all of
/// it in another shape, with the dimensions exchanged.
void Generator::copy_otherwise(StateText &state, const Buffer &buffer) {
  const Values &extents = buffer.extents;
  const std::string part = subset(box(zeros(), extents));
  std::string name;
  std::string there;
  const std::size_t kind = random_.below(4);
  if (kind == 0 && rank_ == 1) {
    name = "W";
    if (!data_.contains(name))
      new_data(name, {2 * room_}, dtype_, "array");
    there = "[1.." + (extents[0].times(2) - 1).text() + ":2]";
  } else if (kind == 1 && rank_ < 3) {
    name = "S";
    Values shape{3};
    shape.insert(shape.end(), rank_, room_);
    if (!data_.contains(name))
      new_data(name, shape, dtype_, "array");
    Values begin{random_.between(0, 2)};
    Values counts{1};
    begin.insert(begin.end(), buffer.offset.begin(), buffer.offset.end());
    counts.insert(counts.end(), extents.begin(), extents.end());
    if (!fits({name, begin}, counts))
      return;
    there = subset(box(begin, counts));
  } else if (kind == 2 && rank_ == 2 && extents[0].is_number() && extents[1].is_number()) {
    name = "L" + buffer.name; // DaCe copies such boxes as one piece
    const Value count = extents[0].times(extents[1].number());
    declare(name, {{count}, {1}, dtype_, "", false}, "array", "");
    there = subset(box({0}, {count}));
  } else if (rank_ == 2) {
    const std::vector<std::string> params{"i", "j"};
    const StateText::Scope map = state.map(label("m"), {{"i", "0.." + (extents[0] - 1).text()},
                                                        {"j", "0.." + (extents[1] - 1).text()}});
    const int node = state.tasklet(label("t"), "y = x", map.entry);
    const int source = reader(state, buffer.name);
    const int sink = writer(state, "b", {source});
    state.edge(source, "", map.entry, "IN_x", memlet(buffer.name, part));
    state.edge(map.entry, "OUT_x", node, "x", memlet(buffer.name, "[i, j]"));
    state.edge(node, "y", map.exit, "IN_y", memlet("b", "[j, i]"));
    state.edge(map.exit, "OUT_y", sink, "", memlet("b", box({0, 0}, {extents[1], extents[0]})));
    return order(state, map.entry, {sink}, {buffer.name}, {"b"});
  } else {
    return copy_to(state, buffer, "H");
  }
  const int source = reader(state, buffer.name);
  const int sink = writer(state, name, {source});
  state.edge(source, "", sink, "", memlet(buffer.name, part, {there, "", false, ""}));
  order(state, source, {sink}, {buffer.name}, {name});
}

/// T becomes what the destination holds already.
void Generator::identity(StateText &state, const Buffer &buffer) {
  const Place from{buffer.destination, buffer.copied_begin + buffer.offset};
  if (!fits(from, buffer.copied_extents) ||
      !fits({buffer.name, buffer.copied_begin}, buffer.copied_extents))
    return;
  const int source = reader(state, from.data);
  const int sink = writer(state, buffer.name, {source});
  Job job;
  job.extents = buffer.copied_extents;
  compute_copy(state, {buffer.name, buffer.copied_begin}, from, job, {{from.data, source}},
               {{buffer.name, sink}});
  order(state, source, {sink}, {from.data}, {buffer.name});
}

/// An access to the destination that is not the copy's: anywhere, or beside of what is copied.
void Generator::foreign(StateText &state, const Buffer &buffer, bool reads, bool anywhere) {
  Values extents = buffer.extents;
  Place place = in_destination(buffer, zeros());
  if (!anywhere) {
    place.begin = buffer.offset;
    place.begin[0] = buffer.offset[0] + (chance(0.5) ? extents[0] : Value(-1));
    if (place.begin[0] == buffer.offset[0] - 1)
      extents[0] = 1;
  }
  for (const Loop &loop : loops_)
    if (mention(place.begin, {loop.variable.text()}))
      extents[0] = 1;
  Job job;
  job.extents = extents;
  if (reads) {
    job.reads = {place};
    job.writes = {{random_.pick<std::string>({"b", "H"}), zeros()}};
  } else {
    job.writes = {place};
    if (const auto from = source(buffer, {zeros(), extents}))
      if (from->data != buffer.name || wildness_ > 0)
        job.reads = {*from};
  }
  if (chance(0.08))
    job.wcr = wcr();
  if (!fits(job) && !job.reads.empty() && !reads)
    job.reads = {{"a", zeros()}};
  if (fits(job))
    compute(state, std::move(job));
}

} // namespace sdfgopt::verify::generator
