// Control flow of generated programs: states, branches, loops, interstate code.
#include "verify/generator_program.h"

namespace sdfgopt::verify::generator {

using Assignments = std::vector<RegionText::Assignment>;

namespace {

std::string block(const std::string &head, const std::string &body) {
  return head + " {\n" + indented(body) + "}\n";
}

} // namespace

void Generator::emit(RegionText &region, const Actions &actions, int depth) {
  std::optional<StateText> state;
  Assignments assigned;
  const auto flush = [&] {
    if (state)
      region.add(state->label(), state->text(), assigned);
    state.reset();
  };
  for (std::size_t i = 0; i < actions.size();) {
    const bool optional = depth < 2 && !actions[i].optional.empty() && chance(0.12);
    if (optional || (depth < 2 && chance(structure_))) {
      flush();
      const std::size_t wanted = optional ? 1 : random_.pick<std::size_t>({1, 1, 2, 2, 3, 4});
      const std::size_t count = std::min(wanted, actions.size() - i);
      tested_ = optional ? actions[i].optional : "";
      const auto first = actions.begin() + static_cast<std::ptrdiff_t>(i);
      structured(region, Actions(first, first + static_cast<std::ptrdiff_t>(count)), depth);
      tested_.clear();
      i += count;
      continue;
    }
    if (!state || !chance(join_states_)) {
      flush();
      state.emplace(label("s"));
      assigned = assignments();
    }
    actions[i++].run(*state);
  }
  flush();
  if (region.empty()) {
    const std::string name = label("empty");
    region.add(name, StateText(name).text());
  }
}

Assignments Generator::assignments() {
  if (!assigned_.empty() && chance(0.15)) {
    const std::string &name = random_.pick(assigned_);
    return {{name, random_.pick<std::string>({"1", "0", "2", "min(" + name + " + 1, 3)"})}};
  }
  if (wild_chance(0.03) && dtype_ != "bool") {
    extra_symbols_ = "symbol q: " + dtype_ + "\n";
    return {{"q", element(any_data())}};
  }
  return {};
}

std::string Generator::any_data() {
  const Buffer &buffer = random_.pick(buffers_);
  return random_.pick<std::string>({buffer.name, buffer.name, buffer.destination, "a"});
}

/// An element as interstate code reads it; of `a` where the data may be too short.
std::string Generator::element(const std::string &name) {
  Values index;
  for (std::size_t d = 0; d < rank_; ++d)
    index.push_back(random_.pick<Value>({0, 0, 1, 2, symbols_["o"]}));
  std::string used = name;
  if (!fits({name, index}, Values(rank_, 1))) {
    index = zeros();
    if (!fits({name, index}, Values(rank_, 1)))
      used = "a";
  }
  return used + subset(box(index, Values(rank_, 1)));
}

Condition Generator::comparison() {
  const auto compare = [&](const Value &a, const char *op, const Value &b) {
    Condition result{"(" + a.text() + " " + op + " " + b.text() + ")", {}};
    const Value difference = a - b;
    for (std::size_t run = 0; run < run_count_; ++run) {
      const Interval values = difference.in_run(run);
      const std::int64_t bound = op == std::string("<=") ? 1 : 0; // a <= b: a - b < 1
      std::optional<bool> truth;
      if (op == std::string(">"))
        truth = values.low > 0    ? std::optional(true)
                : values.high > 0 ? std::nullopt
                                  : std::optional(false);
      else
        truth = values.high < bound  ? std::optional(true)
                : values.low < bound ? std::nullopt
                                     : std::optional(false);
      result.truth.push_back(truth);
    }
    return result;
  };
  const Value &n = symbols_["N"];
  const Value &m = symbols_["M"];
  switch (random_.below(loops_.empty() ? 8 : 10)) {
  case 0:
    return compare(n, ">", 2);
  case 1:
    return compare(n, ">", 0);
  case 2:
    return compare(symbols_["o"], ">", 0);
  case 3:
    return compare(symbols_["lo"], "<", symbols_["hi"]);
  case 4:
    return compare(m, ">", 1);
  case 5:
    return compare(symbols_["k"], ">", 0);
  case 6:
    return compare(n, "<=", m);
  case 7:
    return compare(symbols_["el"], "<=", symbols_["hi"]);
  default:
    return compare(loops_.back().variable, ">", 0);
  }
}

Condition Generator::condition(RegionText &region) {
  const std::vector<std::optional<bool>> unknown(run_count_);
  const auto any = [&] { return tested_.empty() ? any_data() : tested_; };
  const bool by_symbol = tested_.empty() ? wild_chance(0.15) : chance(0.25);
  if (by_symbol && dtype_ != "bool") { // by way of a symbol
    extra_symbols_ = "symbol q: " + dtype_ + "\n";
    for (const bool second : {false, true}) {
      const std::string name = label("q");
      region.add(name, StateText(name).text(),
                 second ? Assignments{{"q", element(any())}} : Assignments{});
    }
    return {"(q > 1)", unknown};
  }
  const std::string tested = tested_.empty() && !wild_chance(0.2) ? "a" : any();
  if (chance(tested_.empty() ? 0.25 : 0.5))
    return {dtype_ == "bool" ? element(tested) : "(" + element(tested) + " > 1)", unknown};
  return comparison();
}

std::vector<bool> Generator::narrow(const Condition &condition, bool holds) {
  std::vector<bool> before = alive_;
  for (std::size_t run = 0; run < run_count_; ++run)
    if (condition.truth[run].value_or(holds) != holds)
      alive_[run] = false;
  return before;
}

void Generator::structured(RegionText &region, const Actions &actions, int depth) {
  switch (random_.below(11)) {
  case 0:
  case 1:
    return make_if(region, actions, depth, false);
  case 2:
    return make_if(region, actions, depth, true);
  case 3:
    return make_many(region, actions, depth);
  case 4:
  case 5:
  case 6:
    return make_loop(region, actions, depth, false);
  case 7:
    return make_loop(region, actions, depth, true);
  case 8:
    return make_old_if(region, actions, depth);
  case 9:
    return make_old_loop(region, actions, depth);
  default: {
    const std::string name = label("region");
    region.add(name, block("region " + name, body(actions, depth, nullptr, true)));
  }
  }
}

std::string Generator::body(const Actions &actions, int depth, const Condition *condition,
                            bool holds) {
  const std::vector<bool> before = condition ? narrow(*condition, holds) : alive_;
  RegionText inner;
  emit(inner, actions, depth + 1);
  alive_ = before;
  return inner.text();
}

Actions Generator::other_branch(const Actions &actions) {
  if (wildness_ == 0 || chance(0.6) || actions.empty())
    return actions;
  Actions reversed(actions.rbegin(), actions.rend());
  return random_.pick<Actions>({{}, {actions.front()}, {actions.back()}, reversed});
}

void Generator::make_if(RegionText &region, const Actions &actions, int depth, bool otherwise) {
  const Condition test = condition(region);
  const std::string name = label("if");
  std::string text = block("if `" + test.text + "`", body(actions, depth, &test, true));
  if (otherwise)
    text += block("else", body(other_branch(actions), depth, &test, false));
  region.add(name, block("branch " + name, text));
}

void Generator::make_many(RegionText &region, const Actions &actions, int depth) {
  const Condition first = condition(region);
  const Condition second = condition(region);
  const std::string name = label("if");
  std::string text = block("if `" + first.text + "`", body(actions, depth, &first, true));
  const std::vector<bool> before = narrow(first, false);
  text += block("if `" + second.text + "`", body(other_branch(actions), depth, &second, true));
  if (chance(0.7))
    text += block("else", body(other_branch(actions), depth, &second, false));
  alive_ = before;
  region.add(name, block("branch " + name, text));
}

/// A condition under which the loop is left, or its trip, or the program.
std::string Generator::jump(const std::string &name) {
  const char *kind = random_.pick({"break", "continue", "return"});
  const Condition test = comparison();
  return block("branch " + name,
               block("if `" + test.text + "`", std::string(kind) + " " + label("jump") + "\n"));
}

Value Generator::trips() {
  Values list{2, 2, 3, 1, symbols_["N"], symbols_["M"], buffers_[0].extents[0]};
  if (wildness_ > 0)
    list.emplace_back(0);
  return random_.pick(list);
}

/// The loop variable's values inside of the loop; runs without a trip do not execute it.
std::vector<bool> Generator::enter_loop(const std::string &variable, const Value &trips,
                                        bool inverted, bool update_after) {
  std::vector<bool> before = alive_;
  std::vector<Interval> values;
  for (std::size_t run = 0; run < run_count_; ++run) {
    const std::int64_t most = trips.in_run(run).high;
    if (most <= 0 && !inverted)
      alive_[run] = false;
    values.push_back({0, std::max<std::int64_t>(update_after ? most : most - 1, 0)});
  }
  loops_.push_back({Value::atom(variable, values)});
  return before;
}

void Generator::make_loop(RegionText &region, const Actions &actions, int depth, bool inverted) {
  const std::string name = label("loop");
  const bool update_after = inverted && chance(0.4);
  const bool by_symbol = std::find(assigned_.begin(), assigned_.end(), "k") != assigned_.end() &&
                         depth == 0 && chance(0.3);
  const std::string variable = by_symbol ? "k" : depth == 0 ? "it" : "jt";
  const Value count = by_symbol ? Value(2) : trips();
  const std::string also =
      wild_chance(0.1) && dtype_ != "bool" ? " and (" + element(any_data()) + " > 1)" : "";
  const std::vector<bool> before = enter_loop(variable, count, inverted, update_after);
  RegionText inner;
  if (wild_chance(0.5)) {
    const auto at = static_cast<std::ptrdiff_t>(random_.below(actions.size() + 1));
    const std::string start = label("body");
    inner.add(start, StateText(start).text());
    if (at > 0)
      emit(inner, Actions(actions.begin(), actions.begin() + at), depth + 1);
    const std::string leave = label("if");
    inner.add(leave, jump(leave));
    if (static_cast<std::size_t>(at) < actions.size())
      emit(inner, Actions(actions.begin() + at, actions.end()), depth + 1);
  } else {
    emit(inner, actions, depth + 1);
  }
  loops_.pop_back();
  alive_ = before;
  region.add(name, block("loop " + name + " var " + variable + " init `" + variable +
                             " = 0` while `((" + variable + " < " + count.text() + ")" + also +
                             ")` update `" + variable + " = (" + variable + " + 1)`" +
                             (inverted ? " inverted" : "") + (update_after ? " update_after" : ""),
                         inner.text()));
}

/// A branch by the conditions of interstate edges, as older programs have it.
void Generator::make_old_if(RegionText &region, const Actions &actions, int depth) {
  const Condition test = condition(region);
  const std::string otherwise = "(not " + test.text + ")";
  const std::string guard = label("guard");
  region.add(guard, StateText(guard).text());
  region.open = {{guard, test.text}};
  const std::vector<bool> before = narrow(test, true);
  emit(region, actions, depth + 1);
  alive_ = before;
  if (chance(0.4)) {
    const std::vector<RegionText::End> after = region.open;
    region.open = {{guard, otherwise}};
    narrow(test, false);
    const Actions other = other_branch(actions);
    emit(region, other.empty() ? actions : other, depth + 1);
    alive_ = before;
    region.open.insert(region.open.end(), after.begin(), after.end());
  } else if (!wild_chance(0.05)) { // without this edge, the program ends here
    region.open.push_back({guard, otherwise});
  }
  const std::string join = label("join");
  region.add(join, StateText(join).text());
}

void Generator::make_old_loop(RegionText &region, const Actions &actions, int depth) {
  const std::string variable = depth == 0 ? "it" : "jt";
  if (region.empty()) {
    const std::string start = label("start");
    region.add(start, StateText(start).text());
  }
  const std::string guard = label("guard");
  region.add(guard, StateText(guard).text(), {{variable, "0"}});
  const Value count = trips();
  const std::string test = "(" + variable + " < " + count.text() + ")";
  region.open = {{guard, test}};
  const std::vector<bool> before = enter_loop(variable, count, false, false);
  emit(region, actions, depth + 1);
  loops_.pop_back();
  alive_ = before;
  const std::string back = label("back");
  region.add(back, StateText(back).text());
  region.link(back, guard, "", {{variable, "(" + variable + " + 1)"}});
  region.open = {{guard, "(not " + test + ")"}};
  const std::string after = label("after");
  region.add(after, StateText(after).text());
}

} // namespace sdfgopt::verify::generator
