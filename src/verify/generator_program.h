// What the parts of the generator share: the program being made. generator.cpp lays it out,
// generator_control.cpp puts it in control flow, generator_actions.cpp chooses what is done,
// generator_compute.cpp and its neighbours add the dataflow for it.
#pragma once

#include "verify/generator.h"
#include "verify/generator_text.h"
#include "verify/splitmix.h"

#include <functional>
#include <optional>

namespace sdfgopt::verify::generator {

struct Data {
  Values shape;
  Values strides;
  std::string dtype;
  std::string text; ///< the descriptor
  bool transient = false;
};

/// Where an access begins; how far it goes is told with it.
struct Place {
  std::string data;
  Values begin;
};

/// Element by element over a box: each of `writes` becomes a function of `reads`.
struct Job {
  std::vector<Place> writes;
  std::vector<Place> reads;
  Values extents;
  std::string wcr;
  bool dynamic = false;
};

/// A transient that is copied.
struct Buffer {
  std::string name;
  Values extents;
  std::string destination;
  Values offset; ///< of its copy in the destination
  Values copied_begin;
  Values copied_extents;
  std::string previous; ///< the buffer that it is a copy of; "" as a rule
};

/// A part of some data.
struct Part {
  Values begin;
  Values extents;
};

struct Condition {
  std::string text;
  /// Certainly true, certainly false in a run; neither: not known.
  std::vector<std::optional<bool>> truth;
};

/// One thing that a program does, in one state.
struct Action {
  std::function<void(StateText &)> run;
  /// The buffer that is used, if the action may as well be left out: then it may stand in a branch
  /// or a loop, whatever comes later. "" for others.
  std::string optional;
};
using Actions = std::vector<Action>;

class Generator {
public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}
  GeneratedProgram program();

private:
  // The layout: generator.cpp.
  void choose_runs();
  void choose_symbol(const std::string &name, std::int64_t ordinary_first,
                     std::int64_t ordinary_last, std::int64_t empty);
  void choose_extents_and_offsets();
  void make_arguments();
  void make_buffers();
  void make_destination(Buffer &buffer, const Buffer *before);
  void copy_under_condition(Buffer &buffer);
  void choose_params();
  Actions merged_actions();
  std::vector<GeneratedRun> runs_of(const std::string &text) const;
  std::string wrapped(const std::string &body) const;
  std::string declarations(const std::string &text, bool transients) const;
  void new_data(const std::string &name, const Values &shape, const std::string &dtype,
                const std::string &kind, const std::string &more = "");
  void declare(const std::string &name, Data data, const std::string &kind,
               const std::string &more);

  // Control flow: generator_control.cpp.
  void emit(RegionText &region, const Actions &actions, int depth);
  std::vector<RegionText::Assignment> assignments();
  std::string element(const std::string &data);
  std::string any_data();
  Condition condition(RegionText &region);
  Condition comparison();
  void structured(RegionText &region, const Actions &actions, int depth);
  std::string body(const Actions &actions, int depth, const Condition *condition, bool holds);
  Actions other_branch(const Actions &actions);
  void make_if(RegionText &region, const Actions &actions, int depth, bool otherwise);
  void make_many(RegionText &region, const Actions &actions, int depth);
  void make_loop(RegionText &region, const Actions &actions, int depth, bool inverted);
  void make_old_if(RegionText &region, const Actions &actions, int depth);
  void make_old_loop(RegionText &region, const Actions &actions, int depth);
  std::string jump(const std::string &name);
  Value trips();
  /// Runs in which a part is executed become fewer; gives back what they were.
  std::vector<bool> narrow(const Condition &condition, bool holds);
  std::vector<bool> enter_loop(const std::string &variable, const Value &trips, bool inverted,
                               bool update_after);

  // Actions: generator_actions.cpp.
  Actions actions_around(const Buffer &buffer);
  Actions harmless_actions(const Buffer &buffer);
  Actions surroundings(const Buffer &buffer);
  Part part_of(const Buffer &buffer, double whole);
  std::optional<Place> source(const Buffer &buffer, const Part &part);
  Place in_destination(const Buffer &buffer, const Values &begin);
  void define(StateText &state, const Buffer &buffer, double whole);
  void accumulate(StateText &state, const Buffer &buffer);
  void use(StateText &state, const Buffer &buffer);
  void write_back(StateText &state, const Buffer &buffer);
  void copy_to(StateText &state, const Buffer &buffer, const std::string &destination);
  void copy_otherwise(StateText &state, const Buffer &buffer);
  void identity(StateText &state, const Buffer &buffer);
  void foreign(StateText &state, const Buffer &buffer, bool reads, bool anywhere);

  // Dataflow: generator_compute.cpp and generator_scopes.cpp.
  void compute(StateText &state, Job job);
  std::string kind_of(const Job &job);
  int reader(StateText &state, const std::string &data);
  int writer(StateText &state, const std::string &data, const std::vector<int> &sources);
  void order(StateText &state, int first, const std::vector<int> &ends,
             const std::set<std::string> &reads, const std::set<std::string> &writes);
  using Nodes = std::map<std::string, int>; ///< access nodes by data
  int compute_copy(StateText &state, const Place &write, const Place &read, const Job &job,
                   const Nodes &ins, const Nodes &sinks);
  int compute_map(StateText &state, const Job &job, const Nodes &ins, const Nodes &sinks);
  std::string map_code(const Job &job, const std::string &param);
  int compute_through_nodes(StateText &state, const Job &job, const Nodes &ins, const Nodes &sinks);
  void through_inner_node(StateText &state, StateText::Scope map, int node,
                          const std::string &connector, const std::string &stem, const Place &read,
                          const std::vector<std::string> &params);
  int compute_pair(StateText &state, const Job &job, const Nodes &ins, const Nodes &sinks);
  void connect_whole(StateText &state, const Job &job, const Nodes &ins, const Nodes &sinks,
                     int node);
  int compute_tasklet(StateText &state, const Job &job, const Nodes &ins, const Nodes &sinks);
  int compute_whole(StateText &state, const Job &job, const Nodes &ins, const Nodes &sinks);
  int compute_gather(StateText &state, const Job &job, const Nodes &ins, const Nodes &sinks);
  StateText::Scope map_over(StateText &state, const Job &job, std::vector<std::string> &params);
  std::string reads_into(StateText &state, const Job &job, StateText::Scope map, int node,
                         const Nodes &ins, const std::vector<std::string> &params);

  // Rare things: generator_rare.cpp.
  void reduce(StateText &state, const Place &write, const Place &read, const Values &kept,
              const Value &reduced);
  void dynamic_range(StateText &state, const Buffer &buffer);
  void view(StateText &state, const Buffer &buffer);
  void reference(StateText &state, const Buffer &buffer);
  void stream(StateText &state, const Buffer &buffer);
  void scalars(StateText &state, const Buffer &buffer);

  // Nested SDFGs: generator_nested.cpp.
  struct Inner {
    std::string text; ///< "nested label symbols (...) sdfg label { ... }"
    std::vector<std::string> reads;
    std::vector<std::string> writes;
  };
  struct InnerArray {
    std::string name;
    std::string dtype;
    Values strides;
  };
  int compute_nested(StateText &state, const Job &job, const Nodes &ins, const Nodes &sinks);
  int compute_nested_in_map(StateText &state, const Job &job, const Nodes &ins, const Nodes &sinks,
                            std::size_t mapped);
  Inner inner_of(const Job &job, const Values &shape, std::size_t dropped);
  std::vector<std::string> connector_names(std::size_t count);
  /// Symbols of a nested SDFG, and what they are mapped to.
  class InnerSymbols;
  std::string inner_control(std::string state, const Value &extent);
  std::string inner_sdfg(const std::vector<InnerArray> &reads,
                         const std::vector<InnerArray> &writes, const Values &extents, bool deep);
  void inner_state(StateText &state, std::string &arrays, const std::vector<InnerArray> &reads,
                   const std::vector<InnerArray> &writes, const Values &shape);
  void inner_again(StateText &state, const std::vector<InnerArray> &reads,
                   const std::vector<InnerArray> &writes, const Values &shape);

  // Small helpers: generator.cpp.
  bool chance(double probability) { return random_.chance(probability); }
  /// For what may spoil the rewrite: never in tame programs.
  bool wild_chance(double probability) { return random_.chance(probability * wildness_); }
  std::string label(const std::string &stem) { return stem + std::to_string(++labels_); }
  [[nodiscard]] bool fits(const Place &place, const Values &extents) const;
  [[nodiscard]] bool fits(const Job &job) const;
  [[nodiscard]] const Data &data(const std::string &name) const { return data_.at(name); }
  [[nodiscard]] Values zeros() const { return Values(rank_, 0); }
  /// A function of x0, x1, ...
  std::string expression(std::size_t count);
  std::string wcr();
  Box outer(const Place &place, const Values &extents);
  /// The same extents, unless the domain is reversed: `hi - lo` for `Max(0, hi - lo)` now and then.
  Values as_ranges(Values extents);
  [[nodiscard]] std::vector<std::string> params_for(const Job &job) const;

  SplitMix random_;
  std::size_t labels_ = 0;
  std::size_t rank_ = 1;
  std::int64_t room_ = 14; ///< an extent that is enough for everything
  std::string dtype_ = "float64";
  double wildness_ = 0;    ///< 0: nothing is in the way of the rewrite; 1: anything may be
  double structure_ = 0;   ///< how often actions are put in control flow
  double join_states_ = 0; ///< how often an action goes into the state of the one before
  bool constant_ = false;  ///< all sizes are numbers
  bool reversed_ = false;  ///< hi may be less than lo

  std::size_t run_count_ = 0;
  std::map<std::string, std::vector<std::int64_t>> symbol_runs_;
  std::map<std::string, Value> symbols_;
  std::string extra_symbols_;         ///< declarations
  std::vector<std::string> assigned_; ///< symbols that interstate edges may assign
  Values extents_;
  Values offsets_;
  Value domain_;             ///< Max(0, hi - lo)
  bool conditional_ = false; ///< how much is copied may be less than the buffer, by the symbols

  std::map<std::string, Data> data_;
  std::vector<std::string> order_of_data_;
  std::vector<Buffer> buffers_;
  std::vector<std::string> params_;

  std::string tested_;      ///< a buffer that conditions may read now
  std::vector<bool> alive_; ///< runs that execute what is being made
  struct Loop {
    Value variable;
  };
  std::vector<Loop> loops_;
};

/// Parameters with an offset, as the box of one element.
Box point(const std::vector<std::string> &params, const Values &begin);

} // namespace sdfgopt::verify::generator
