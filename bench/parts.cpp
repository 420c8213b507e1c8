// Parts of the program on one chain of write-back patterns, by number of patterns: watch the
// growth.
#include "io/json_reader.h"
#include "io/json_respace.h"
#include "io/json_writer.h"
#include "io/text_parser.h"
#include "io/text_printer.h"
#include "passes/pass.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

using namespace sdfgopt;

namespace {

/// The JSON of a chain, made by bench/chain.py once a process.
const std::string &chain(std::int64_t count) {
  static std::map<std::int64_t, std::string> chains;
  std::string &text = chains[count];
  if (text.empty()) {
    const std::string path = std::string(SDFGOPT_BINARY_DIR) + "/chain.sdfg";
    const std::string command =
        "python3 " SDFGOPT_SOURCE_DIR "/bench/chain.py " + std::to_string(count) + " " + path;
    if (std::system(command.c_str()) != 0)
      std::abort();
    std::ifstream file(path, std::ios::binary);
    std::ostringstream all;
    all << file.rdbuf();
    text = all.str();
  }
  return text;
}

std::unique_ptr<ir::Document> read(const std::string &text) {
  auto buffer = std::make_unique<char[]>(text.size() + support::TextArena::padding);
  std::memcpy(buffer.get(), text.data(), text.size());
  return std::move(io::read_json(std::move(buffer), text.size())).value();
}

void count_bytes(benchmark::State &state, const std::string &text) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
  state.SetComplexityN(state.range(0));
}

void read_json(benchmark::State &state) {
  const std::string &text = chain(state.range(0));
  for (auto unused : state)
    benchmark::DoNotOptimize(read(text));
  count_bytes(state, text);
}

void write_unchanged(benchmark::State &state) {
  const std::string &text = chain(state.range(0));
  const auto document = read(text);
  for (auto unused : state)
    benchmark::DoNotOptimize(io::write_json(*document));
  count_bytes(state, text);
}

void pass(benchmark::State &state) {
  const std::string &text = chain(state.range(0));
  for (auto unused : state) {
    state.PauseTiming();
    auto document = read(text);
    state.ResumeTiming();
    benchmark::DoNotOptimize(passes::all_passes().front()->run(*document, {}));
    state.PauseTiming();
    document.reset();
    state.ResumeTiming();
  }
  count_bytes(state, text);
}

void write_optimized(benchmark::State &state) {
  const std::string &text = chain(state.range(0));
  const auto document = read(text);
  passes::all_passes().front()->run(*document, {});
  for (auto unused : state)
    benchmark::DoNotOptimize(io::write_json(*document));
  count_bytes(state, text);
}

void hash(benchmark::State &state) {
  const std::string &text = chain(state.range(0));
  for (auto unused : state)
    benchmark::DoNotOptimize(io::sdfg_hash(text));
  count_bytes(state, text);
}

void print_text(benchmark::State &state) {
  const std::string &text = chain(state.range(0));
  const auto document = read(text);
  for (auto unused : state)
    benchmark::DoNotOptimize(io::print_text(*document, {}));
  count_bytes(state, text);
}

void parse_text(benchmark::State &state) {
  const auto document = read(chain(state.range(0)));
  const std::string text = io::print_text(*document, {}).value();
  for (auto unused : state)
    benchmark::DoNotOptimize(io::parse_text(text));
  count_bytes(state, text);
}

void sizes(benchmark::internal::Benchmark *benchmark) {
  benchmark->RangeMultiplier(10)->Range(10, 1000)->Unit(benchmark::kMillisecond)->Complexity();
}

BENCHMARK(read_json)->Apply(sizes);
BENCHMARK(write_unchanged)->Apply(sizes);
BENCHMARK(pass)->Apply(sizes);
BENCHMARK(write_optimized)->Apply(sizes);
BENCHMARK(hash)->Apply(sizes);
BENCHMARK(print_text)->Apply(sizes);
BENCHMARK(parse_text)->Apply(sizes);

} // namespace

BENCHMARK_MAIN();
