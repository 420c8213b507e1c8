// The search for facts: on programs, and on a model of what the passes would tell.
#include "passes/fact_search.h"

#include "io/text_parser.h"
#include "passes/facts.h"
#include "report/facts.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sdfgopt::passes {
namespace {

using Texts = std::vector<std::string>;

/// A buffer of elements 0..size-1, of which `copied` are copied.
struct Buffer {
  std::string name;
  std::string size;
  std::string copied;
};

/// For each buffer T, T[i] = a[i], then T to G_T.
std::string program(const std::vector<Buffer> &buffers, const Texts &symbols) {
  std::string data;
  std::string define;
  std::string copy;
  std::size_t n = 0;
  std::size_t m = 0;
  for (const Buffer &b : buffers) {
    data += "  array a_" + b.name + ": float64[1000]\n  array G_" + b.name +
            ": float64[1000]\n  transient array " + b.name + ": float64[Max(0, " + b.size + ")]\n";
    const auto node = [&](std::size_t k) { return "n" + std::to_string(n + k); };
    define += "    " + node(0) + " map m_" + b.name + " [i = 0.." + b.size + " - 1] exit " +
              node(2) + ": " + node(1) + " tasklet t (x = " + node(3) + " a_" + b.name +
              "[i]) -> (y = " + node(4) + " " + b.name + "[i]) { y = x }\n    " + node(3) + " a_" +
              b.name + "\n    " + node(4) + " " + b.name + "\n";
    copy += "    n" + std::to_string(m) + " " + b.name + "\n    n" + std::to_string(m + 1) + " G_" +
            b.name + " <- n" + std::to_string(m) + " " + b.name + "[0.." + b.copied +
            " - 1] -> [0.." + b.copied + " - 1]\n";
    n += 5;
    m += 2;
  }
  for (const std::string &symbol : symbols)
    data += "  symbol " + symbol + ": int64\n";
  return "sdfg p {\n" + data + "  state define {\n" + define + "  }\n  state copy {\n" + copy +
         "  }\n  define -> copy\n}\n";
}

/// Nothing if the facts are refused.
std::optional<std::vector<Remark>> remarks_of(const std::string &text, const Texts &facts) {
  auto document = io::parse_text(text);
  EXPECT_TRUE(document.ok()) << document.error().text();
  std::vector<FactText> texts;
  for (const std::string &fact : facts)
    texts.push_back({fact, ""});
  auto parsed = parse_facts(*document.value(), texts);
  if (!parsed.ok())
    return std::nullopt;
  PassOptions options;
  options.facts = parsed.value();
  std::vector<Remark> remarks;
  for (const Pass *pass : all_passes())
    for (Remark &remark : pass->run(*document.value(), options).remarks)
      remarks.push_back(std::move(remark));
  return remarks;
}

Texts eliminated(const std::vector<Remark> &remarks) {
  Texts names;
  for (const Remark &remark : remarks)
    if (remark.verdict == Outcome::Eliminated)
      names.push_back(remark.buffer);
  return names;
}

FoundFacts found_in(const std::string &text, const Texts &given = {}) {
  const auto found =
      search_facts(given, [&](const Texts &facts) { return remarks_of(text, facts); });
  EXPECT_TRUE(found);
  return found.value_or(FoundFacts());
}

Texts facts_of(const FoundFacts &found) {
  Texts facts;
  for (const FactGroup &group : found.groups)
    facts.insert(facts.end(), group.facts.begin(), group.facts.end());
  return facts;
}

TEST(FactSearch, OneFactFreesTwoBuffers) {
  const std::string text = program(
      {{"T", "Max(p, q)", "q"}, {"U", "Max(p, q)", "q"}, {"V", "Max(r, q)", "q"}}, {"p", "q", "r"});
  const FoundFacts found = found_in(text);
  EXPECT_EQ(facts_of(found), (Texts{"p <= q", "r <= q"}));
  ASSERT_EQ(found.groups.size(), 2U);
  EXPECT_EQ(eliminated(found.groups[0].freed), (Texts{"T", "U"}));
  EXPECT_EQ(eliminated(found.groups[1].freed), (Texts{"V"}));
  EXPECT_TRUE(found.conflicting.empty());
  EXPECT_TRUE(found.complete);
}

TEST(FactSearch, GivenFactsCount) {
  const std::string text =
      program({{"T", "Max(p, q)", "q"}, {"U", "Max(r, q)", "q"}}, {"p", "q", "r"});
  const FoundFacts found = found_in(text, {"p < q"});
  EXPECT_EQ(facts_of(found), (Texts{"r <= q"}));
  EXPECT_EQ(report::facts_as_file(found, "p.sdfg"),
            "# Facts about the symbols of p.sdfg, for 'sdfg-opt optimize --facts'.\n"
            "# Delete those that are not true of every run: the optimiser believes them.\n"
            "\n"
            "# given\n"
            "p < q\n"
            "\n"
            "# frees U -> G_U at copy, 8*q bytes\n"
            "r <= q\n");
  EXPECT_EQ(report::facts_in_words(found, "f.txt"), "f.txt: 1 fact, which frees 1 more buffer\n");
}

TEST(FactSearch, OfTwoThatExcludeEachOtherTheLarger) {
  for (const bool first : {true, false}) {
    std::vector<Buffer> buffers = {{"T", "Max(p + 1, q)", "q"}, {"U", "Max(p, 4*q)", "p"}};
    // T: p < q. U: 4*q <= p. Both hold only if nothing is moved.
    if (first)
      std::swap(buffers[0], buffers[1]);
    const std::string text = program(buffers, {"p", "q"});
    const FoundFacts found = found_in(text, {"q >= 1"});
    ASSERT_EQ(found.groups.size(), 1U);
    EXPECT_EQ(eliminated(found.groups[0].freed), (Texts{"U"}));
    EXPECT_EQ(found.conflicting, (Texts{"T"}));
    EXPECT_EQ(eliminated(*remarks_of(text, {"q >= 1", facts_of(found)[0]})), (Texts{"U"}));
  }
}

TEST(FactSearch, NothingToFind) {
  const std::string text = program({{"T", "p", "p"}}, {"p"});
  const FoundFacts found = found_in(text);
  EXPECT_TRUE(found.groups.empty());
  EXPECT_EQ(eliminated(found.remarks), (Texts{"T"}));
  EXPECT_EQ(report::facts_in_words(found, "f.txt"), "f.txt: no facts that would free a buffer\n");
}

/// A model: each buffer goes if all of its comparisons are among the facts, and needs those that
/// are not. Facts that begin with "not " exclude the fact behind it.
struct Wish {
  std::string buffer;
  Texts needs;
  std::string bytes;
};

std::optional<std::vector<Remark>> modelled(const std::vector<Wish> &wishes, const Texts &facts) {
  const auto known = [&](const std::string &fact) {
    return std::ranges::find(facts, fact) != facts.end();
  };
  std::vector<Remark> remarks;
  for (const Wish &wish : wishes) {
    Remark remark;
    remark.buffer = wish.buffer;
    remark.bytes = wish.bytes;
    std::string condition;
    bool excluded = false;
    for (const std::string &fact : wish.needs) {
      if (!known(fact))
        condition += (condition.empty() ? "" : " and ") + fact;
      for (const std::string &other : facts)
        excluded |= other.substr(0, other.find(' ')) == fact.substr(0, fact.find(' ')) &&
                    other != fact && other.find("==") != std::string::npos;
    }
    if (condition.empty())
      remark.verdict = Outcome::Eliminated;
    else if (!excluded)
      remark.condition = condition;
    remarks.push_back(remark);
  }
  return remarks;
}

FoundFacts found_for(const std::vector<Wish> &wishes, std::size_t *runs = nullptr) {
  const auto found = search_facts({}, [&](const Texts &facts) {
    if (runs)
      ++*runs;
    return modelled(wishes, facts);
  });
  return found.value_or(FoundFacts());
}

TEST(FactSearch, FewestComparisonsFirst) {
  const FoundFacts found =
      found_for({{"A", {"b < 2", "a < 1"}, "8"}, {"B", {"b < 2"}, "8"}, {"C", {"c < 3"}, "16"}});
  ASSERT_EQ(found.groups.size(), 3U);
  EXPECT_EQ(found.groups[0].facts, (Texts{"c < 3"})); // more bytes
  EXPECT_EQ(found.groups[1].facts, (Texts{"b < 2"}));
  EXPECT_EQ(found.groups[2].facts, (Texts{"a < 1"}));
}

TEST(FactSearch, ConflictsAreTriedFromEachSide) {
  // k == 1 frees the most at once, but k == 2 frees three others.
  const FoundFacts found = found_for({{"A", {"k == 1"}, "100*n"},
                                      {"B", {"k == 2"}, "60*n"},
                                      {"C", {"k == 2"}, "60*n"},
                                      {"D", {"m < 3"}, "n"}});
  EXPECT_EQ(facts_of(found), (Texts{"k == 2", "m < 3"}));
  EXPECT_EQ(eliminated(found.remarks), (Texts{"B", "C", "D"}));
  EXPECT_EQ(found.conflicting, (Texts{"A"}));
}

TEST(FactSearch, SameBytesFewerFacts) {
  const FoundFacts found = found_for({{"A", {"k == 1"}, "9*n"}, {"B", {"k == 2"}, "9*n"}});
  EXPECT_EQ(facts_of(found), (Texts{"k == 1"}));
}

TEST(FactSearch, RunsAreBounded) {
  std::vector<Wish> wishes;
  for (std::size_t i = 0; i < 2 * max_search_runs; ++i)
    wishes.push_back({"T" + std::to_string(i), {"n" + std::to_string(i) + " < 1"}, "8"});
  std::size_t runs = 0;
  const FoundFacts found = found_for(wishes, &runs);
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(runs, max_search_runs);
  EXPECT_EQ(eliminated(found.remarks).size(), max_search_runs - 1);
  EXPECT_NE(report::facts_in_words(found, "f").find("stopped after 200 runs"), std::string::npos);
}

TEST(FactSearch, FactsThatAreRefused) {
  EXPECT_FALSE(search_facts({"n < n"}, [](const Texts &) { return std::nullopt; }));
  const FoundFacts found = *search_facts({}, [](const Texts &facts) {
    return facts.empty() ? modelled({{"A", {"k < 1"}, "8"}}, {}) : std::nullopt;
  });
  EXPECT_TRUE(found.groups.empty());
  EXPECT_EQ(found.conflicting, (Texts{"A"}));
}

} // namespace
} // namespace sdfgopt::passes
