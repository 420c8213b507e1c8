// Facts that a user gives: what is read, what is accepted, and how the rest is told.
#include "passes/facts.h"

#include "io/text_parser.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace sdfgopt::passes {
namespace {

std::unique_ptr<ir::Document> program() {
  auto document = io::parse_text("sdfg p {\n"
                                 "  array A: float64[n]\n"
                                 "  array B: float64[n - m, 4]\n"
                                 "  scalar s: int32\n"
                                 "  transient array T: float64[length]\n"
                                 "  symbol n: int64\n"
                                 "  symbol m: int64\n"
                                 "  symbol k: int64\n"
                                 "  symbol dt: float64\n"
                                 "  symbol size: uint32\n"
                                 "  state one {\n"
                                 "    n0 map m [i = first..n - 1] exit n2: n1 tasklet t (x = n3 "
                                 "A[i]) -> (y = n4 T[i]) { y = x }\n"
                                 "    n3 A\n"
                                 "    n4 T\n"
                                 "  }\n"
                                 "  state two {\n"
                                 "    n0 B\n"
                                 "    n1 A <- n0 B[0, 0..3] -> [0..3]\n"
                                 "  }\n"
                                 "  loop l var j init `j = 0` while `j < n` update `j = j + 1` {\n"
                                 "    state three {\n"
                                 "    }\n"
                                 "  }\n"
                                 "  one -> two with k = `k + 1`\n"
                                 "  two -> l\n"
                                 "}\n");
  EXPECT_TRUE(document.ok()) << document.error().text();
  return std::move(document).value();
}

std::vector<FactText> given(const std::vector<std::string> &texts) {
  std::vector<FactText> facts;
  facts.reserve(texts.size());
  for (const std::string &text : texts)
    facts.push_back({text, "fact " + std::to_string(facts.size() + 1)});
  return facts;
}

/// The error; "" if the facts are accepted.
std::string refused(const std::vector<std::string> &texts) {
  const auto document = program();
  const auto facts = parse_facts(*document, given(texts));
  return facts.ok() ? "" : facts.error().text();
}

std::string printed(const std::string &text) {
  const auto document = program();
  const auto facts = parse_facts(*document, given({text}));
  EXPECT_TRUE(facts.ok()) << facts.error().text();
  return facts.ok() ? document->context.print(facts.value()[0].condition, symbolic::Grammar::Python)
                    : "";
}

TEST(Facts, Accepted) {
  EXPECT_EQ(printed("  n >= 1 "), "1 <= n");
  EXPECT_EQ(printed("n > m"), "m < n");
  EXPECT_EQ(printed("1 <= m <= n - 1"), "1 <= m and m <= -1 + n");
  EXPECT_EQ(printed("not (n == 3 or m != 2)"), "2 == m and 3 != n");
  EXPECT_EQ(refused({"True"}), "");
  EXPECT_EQ(refused({"n >= 1", "n >= 1", "n == 4"}), "");
}

TEST(Facts, SymbolsNeedNotBeInTheTable) { EXPECT_EQ(refused({"length >= 1", "first == 0"}), ""); }

TEST(Facts, OfNoUseButAccepted) {
  EXPECT_EQ(refused({"dt > 0.5", "sqrt(n) <= 4", "n*m > n*m*m"}), "");
}

TEST(Facts, TextIsKeptAsGiven) {
  const auto document = program();
  const auto facts = parse_facts(*document, given({" m<=n "}));
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts.value()[0].text, "m<=n");
}

TEST(Facts, DoNotParse) {
  EXPECT_EQ(refused({"n >= 1", "n >"}), "fact 2: 'n >': column 4: expected an expression");
  EXPECT_EQ(refused({"n >= 1 n"}),
            "fact 1: 'n >= 1 n': column 8: unexpected text after the expression");
  EXPECT_EQ(refused({" "}), "fact 1: the fact is empty; write a comparison such as 'n >= 1'");
}

TEST(Facts, AreConditions) {
  for (const char *text : {"n + 1", "n", "7", "not n", "n >= 1 and m", "f(n)", "Max(n, 1)"})
    EXPECT_EQ(refused({text}).find(std::string("fact 1: '") + text + "' is no comparison; "), 0U)
        << text;
}

TEST(Facts, AreAboutSymbolsThatKeepTheirValue) {
  EXPECT_EQ(refused({"n >= 1", "lenght >= 1"}),
            "fact 2: 'lenght' is no symbol of the program; is 'length' meant?");
  EXPECT_EQ(refused({"quite_another_name >= 1"}),
            "fact 1: 'quite_another_name' is no symbol of the program, whose symbols are dt, "
            "first, length, m, n, size");
  EXPECT_EQ(refused({"i >= 1"}).find("fact 1: 'i' is no symbol of the program"), 0U);
  EXPECT_EQ(refused({"A >= 1"}), "fact 1: 'A' is an array, not a symbol: facts are about symbols");
  EXPECT_EQ(refused({"A[0] >= n"}).find("fact 1: 'A' is an array"), 0U);
  EXPECT_EQ(refused({"s >= 1"}), "fact 1: 's' is a scalar, not a symbol: facts are about symbols");
  for (const char *name : {"k", "j"})
    EXPECT_EQ(refused({name + std::string(" >= 1")}),
              "fact 1: '" + std::string(name) +
                  "' is assigned by the program, so its value changes: nothing can be assumed of "
                  "it");
}

TEST(Facts, Contradictions) {
  EXPECT_EQ(refused({"n >= 1", "n < n"}), "fact 2: 'n < n' cannot hold: it contradicts itself");
  EXPECT_EQ(refused({"m < length < m"}),
            "fact 1: 'm < length < m' cannot hold: it contradicts itself");
  EXPECT_EQ(refused({"length == 1", "m > 5", "m != 3", "m <= 5", "m < 2"}),
            "fact 4: 'm <= 5' contradicts 'm > 5' (fact 2)");
  EXPECT_EQ(refused({"m <= first", "first <= length", "length < m"}),
            "fact 3: 'length < m' contradicts the facts before it, taken together");
}

TEST(Facts, WhatIsKnownAlready) {
  EXPECT_EQ(refused({"n == 0"}), "");
  EXPECT_EQ(refused({"n < 0"}), "fact 1: 'n < 0' contradicts '0 <= n', which is known already, of "
                                "extents of arguments or types of symbols");
  EXPECT_EQ(refused({"n == 2", "m == 3"}), "fact 2: 'm == 3' contradicts 'n == 2' (fact 1)");
  EXPECT_NE(refused({"size < 0"}).find("contradicts"), std::string::npos); // unsigned
  EXPECT_EQ(refused({"length < 0"}), "");                                  // of a transient
}

TEST(Facts, Limits) {
  EXPECT_EQ(refused({std::string(max_fact_size, ' ') + "n >= 1"}), "");
  EXPECT_EQ(refused({"n >= " + std::string(max_fact_size, '1')}),
            "fact 1: a fact of more than 65536 characters");
  const std::string nested = std::string(1000, '(') + "n >= 1" + std::string(1000, ')');
  EXPECT_NE(refused({nested}).find("column 201: nested too deeply"), std::string::npos);
  EXPECT_EQ(refused(std::vector<std::string>(max_facts + 1, "n >= 1")),
            "fact 2001: more than 2000 facts");
}

/// Of very many about the same symbols, not all are looked at together.
TEST(Facts, ManyAreChecked) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 40; ++i)
    texts.push_back("first <= length + " + std::to_string(i));
  EXPECT_EQ(refused(texts), "");
  texts.emplace_back("first > length");
  EXPECT_EQ(refused(texts), "fact 41: 'first > length' contradicts 'first <= length + 0' (fact 1)");
}

class FactsFile : public testing::Test {
protected:
  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] support::result<std::vector<FactText>> read(const std::string &content) const {
    std::ofstream(path_, std::ios::binary) << content;
    return read_facts(path());
  }
  void TearDown() override { std::filesystem::remove(path_); }

private:
  std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + "_facts.txt");
};

TEST_F(FactsFile, OneALine) {
  const auto facts =
      read("\xef\xbb\xbf# all of them\r\n\r\n  n >= 1 # always\r\nm == 0\n\t\nk < 2");
  ASSERT_TRUE(facts.ok());
  ASSERT_EQ(facts.value().size(), 3U);
  EXPECT_EQ(facts.value()[0].text, "n >= 1");
  EXPECT_EQ(facts.value()[0].place, path() + ":3");
  EXPECT_EQ(facts.value()[1].text, "m == 0");
  EXPECT_EQ(facts.value()[2].place, path() + ":6");
  EXPECT_TRUE(read("").value().empty());
}

TEST_F(FactsFile, CannotBeRead) {
  EXPECT_EQ(read_facts(path()).error().text(), path() + ": cannot open: No such file or directory");
  EXPECT_EQ(read(std::string(max_facts * 1024 + 1, '#')).error().text(),
            path() + ": larger than 2048000 bytes");
}

} // namespace
} // namespace sdfgopt::passes
