// The small parts of reading and writing: JSON tokens, gzip, white space, member plans, files.
#include "io/file.h"
#include "io/gzip.h"
#include "io/json_respace.h"
#include "io/json_text.h"
#include "io/object_plan.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace sdfgopt::io {
namespace {

namespace fs = std::filesystem;

// --- json_text ---------------------------------------------------------------------------------

std::string unescaped(std::string_view text) {
  std::string out;
  EXPECT_TRUE(unescape(text, out)) << text;
  return out;
}

std::string in_quotes(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

TEST(JsonText, EscapesAndBack) {
  EXPECT_EQ(unescaped(R"(a\"\\\/\b\f\n\r\t\u0041)"), "a\"\\/\b\f\n\r\tA");
  EXPECT_EQ(in_quotes("a\"\\/\b\f\n\r\t\x01\x7F"), R"("a\"\\/\b\f\n\r\t\u0001)"
                                                   "\x7F\"");
  EXPECT_EQ(unescaped(R"(\u00e4\u20AC\ud83d\ude00)"), "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(in_quotes("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"), R"("\u00e4\u20ac\ud83d\ude00")");
  EXPECT_EQ(unescaped(std::string_view(R"(\u0000)")), std::string(1, '\0'));
}

TEST(JsonText, LoneSurrogatesSurvive) {
  for (const char *text : {R"(\ud800)", R"(\udfff)", R"(\ud800\ud800)", R"(\udc00\ud800)",
                           R"(\ud83dx\ude00)", R"(\ud800\ud83d\ude00)"})
    EXPECT_EQ(in_quotes(unescaped(text)), "\"" + std::string(text) + "\"");
}

TEST(JsonText, MalformedEscapes) {
  for (const char *text : {"\\", "\\q", "\\u", "\\u12", "\\u12g4", "a\\u123", "\\x41", "\\U0041"}) {
    std::string out;
    EXPECT_FALSE(unescape(text, out)) << text;
    EXPECT_FALSE(has_valid_escapes(text)) << text;
  }
  for (const char *text : {"", "abc", "\\\\q", R"(\u12Af\n)"})
    EXPECT_TRUE(has_valid_escapes(text)) << text;
}

TEST(JsonText, NeedlessEscapes) {
  for (const char *text : {R"(\u0061)", R"(x\/y)", R"(\n\u0041)"})
    EXPECT_TRUE(has_needless_escape(text)) << text;
  for (const char *text : {"abc", R"(\n\\u0061)", R"(\u00e4)", R"(\u0022\u005c\u001f)"})
    EXPECT_FALSE(has_needless_escape(text)) << text;
}

TEST(JsonText, ScalarTokens) {
  for (const char *token :
       {"0", "-0", "-0.0", "12", "1e5", "1E+5", "1.25e-7", "9223372036854775809", "true", "false",
        "null", "NaN", "Infinity", "-Infinity"})
    EXPECT_TRUE(is_scalar_token(token)) << token;
  for (const char *token :
       {"",      "-",   "01",   "-01",  "+1",  ".5",    "1.",  "1e",    "1e+", "0x10",
        "1_000", "nan", "-NaN", "True", "nul", "nullx", "1 2", "\"a\"", "]",   "inf"})
    EXPECT_FALSE(is_scalar_token(token)) << token;
}

TEST(JsonText, Space) {
  EXPECT_EQ(trim_json_space(" \t\r\n a b \n"), "a b");
  EXPECT_EQ(trim_json_space(" \n"), "");
  EXPECT_EQ(trim_json_space("\v"), "\v"); // not JSON's white space
}

// --- gzip --------------------------------------------------------------------------------------

constexpr std::size_t roomy = std::size_t{1} << 26;

TEST(Gzip, RoundTrip) {
  std::string large;
  for (int i = 0; i < 200000; ++i)
    large += std::to_string(i * 7919);
  for (const std::string &text : {std::string(), std::string("{}"), large}) {
    const std::string packed = gzip(text).value();
    EXPECT_TRUE(is_gzip(packed));
    EXPECT_EQ(gunzip(packed, roomy).value(), text);
    EXPECT_EQ(gzip(text).value(), packed);
  }
}

TEST(Gzip, MembersAndPadding) {
  const std::string two = gzip("first ").value() + gzip("second").value();
  EXPECT_EQ(gunzip(two, roomy).value(), "first second");
  EXPECT_EQ(gunzip(two + std::string(100, '\0'), roomy).value(), "first second");
  EXPECT_FALSE(gunzip(two + "x", roomy).ok());
}

TEST(Gzip, EveryTruncationAndBitFlip) {
  const std::string packed = gzip("some text that is packed, packed, packed").value();
  for (std::size_t size = 0; size < packed.size(); ++size)
    EXPECT_FALSE(gunzip(std::string_view(packed).substr(0, size), roomy).ok()) << size;
  for (std::size_t bit = 0; bit < packed.size() * 8; ++bit) {
    std::string flipped = packed;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    const auto text = gunzip(flipped, roomy); // time stamp and such do not matter
    EXPECT_TRUE(!text.ok() || text.value().starts_with("some text")) << bit;
  }
}

TEST(Gzip, Limit) {
  const std::string bomb = gzip(std::string(std::size_t{1} << 24, 'x')).value();
  const auto text = gunzip(bomb, 1000);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code, support::ErrorCode::Limit);
  EXPECT_TRUE(gunzip(gzip("12345").value(), 5).ok());
  EXPECT_FALSE(gunzip(gzip("123456").value(), 5).ok());
}

TEST(Gzip, ManySmallMembers) {
  std::string many;
  const std::string one = gzip("a").value();
  for (int i = 0; i < 20000; ++i)
    many += one;
  EXPECT_EQ(gunzip(many, roomy).value(), std::string(20000, 'a'));
}

// --- json_respace ------------------------------------------------------------------------------

std::string respaced(std::string_view json, ir::Layout layout,
                     const std::function<bool(std::string_view, unsigned)> &drop = {}) {
  std::string out;
  respace_json(json, {layout, drop}, [&](std::string_view piece) { out += piece; });
  return out;
}

TEST(Respace, Layouts) {
  using Style = ir::Layout::Style;
  const std::string json = R"( {"a" : [1 ,{} ,[ ]], "b":{"c":"x , {\"y\"}" },"d":null} )";
  EXPECT_EQ(respaced(json, {Style::Compact, 0}),
            R"({"a":[1,{},[]],"b":{"c":"x , {\"y\"}"},"d":null})");
  EXPECT_EQ(respaced(json, {Style::Spaced, 0}),
            R"({"a": [1, {}, []], "b": {"c": "x , {\"y\"}"}, "d": null})");
  EXPECT_EQ(
      respaced(json, {Style::Indented, 2}),
      "{\n  \"a\": [\n    1,\n    {},\n    []\n  ],\n  \"b\": {\n    \"c\": \"x , {\\\"y\\\"}\"\n"
      "  },\n  \"d\": null\n}");
}

TEST(Respace, Drops) {
  const auto drop = [](std::string_view key, unsigned depth) {
    return key == "x" || (key == "y" && depth == 1);
  };
  EXPECT_EQ(respaced(R"({"x":{"a":["}",1]},"y":1,"z":[{"x":"\"","y":2,"x":3}],"x":[]})", {}, drop),
            R"({"z":[{"y":2}]})");
  EXPECT_EQ(respaced(R"({"x":1})", {}, drop), "{}");
}

TEST(Respace, Deep) {
  const std::string json = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_EQ(respaced(json, {}), json);
}

TEST(Respace, HashOfMeaning) {
  const std::string one =
      R"({"type":"SDFG","attributes":{"name":"a","hash":"x","k":1},"dace_version":"2"})";
  // SHA-256 of {"type": "SDFG", "attributes": {"k": 1}}
  EXPECT_EQ(sdfg_hash(one), sdfg_hash(R"({"type": "SDFG", "attributes": {"k": 1}})"));
  EXPECT_EQ(sdfg_hash(one), "14d59cf6d28e6b11cd19c8177b75c7c9ec856845d995709cac2ce6a556f98a0b");
  EXPECT_NE(sdfg_hash(one), sdfg_hash(R"({"type": "SDFG", "attributes": {"k": 2}})"));
}

// --- object_plan -------------------------------------------------------------------------------

std::string plan_text(std::span<const ir::Member> remembered,
                      std::span<const ModelledMember> modelled) {
  static constexpr std::string_view order[] = {"a", "b", "c", "d"};
  std::string text;
  for (const ir::Member &member : plan_object(remembered, modelled, order))
    text += std::string(member.key) + "=" + std::string(member.value) + " ";
  return text;
}

TEST(ObjectPlan, OrderAndNeeds) {
  const ir::Member remembered[] = {{"u", "1"}, {"c", "2"}, {"v", "3"}, {"b", "null"}};
  const ModelledMember needed[] = {{"a", Need::Always}, {"c", Need::Always}, {"d", Need::Always}};
  // Remembered members keep their order; missing ones go before the first that comes later.
  EXPECT_EQ(plan_text(remembered, needed), "u=1 a= c= v=3 b=null d= ");
  const ModelledMember defaults[] = {{"a", Need::IfRemembered}, {"c", Need::IfRemembered}};
  EXPECT_EQ(plan_text(remembered, defaults), "u=1 c= v=3 b=null ");
  // Never: left out, except an explicit null, which says the same.
  const ModelledMember never[] = {{"b", Need::Never}, {"c", Need::Never}};
  EXPECT_EQ(plan_text(remembered, never), "u=1 v=3 b=null ");
}

// --- file --------------------------------------------------------------------------------------

class Files : public ::testing::Test {
protected:
  void SetUp() override {
    dir_ = fs::temp_directory_path() / ("sdfg-opt-io-test-" + std::to_string(::getpid()));
    fs::create_directory(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }

  [[nodiscard]] std::string path(const char *name) const { return (dir_ / name).string(); }
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(dir_), fs::directory_iterator()));
  }
  static std::string content(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  fs::path dir_;
};

TEST_F(Files, WriteReplacesAndKeepsPermissions) {
  ASSERT_TRUE(write_file(path("a"), "one").ok());
  fs::permissions(path("a"), fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_TRUE(write_file(path("a"), "two").ok());
  EXPECT_EQ(content(path("a")), "two");
  EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(count(), 1u);
}

TEST_F(Files, LinksAreFollowed) {
  ASSERT_TRUE(write_file(path("target"), "one").ok());
  fs::create_symlink("target", path("link"));
  ASSERT_TRUE(write_file(path("link"), "two").ok());
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(content(path("target")), "two");
  fs::create_symlink("later", path("dangling"));
  ASSERT_TRUE(write_file(path("dangling"), "three").ok());
  EXPECT_EQ(content(path("later")), "three");
}

TEST_F(Files, FailuresLeaveNothing) {
  EXPECT_FALSE(write_file(dir_.string(), "x").ok());
  EXPECT_FALSE(write_file(path("no/such/folder"), "x").ok());
  EXPECT_EQ(count(), 0u);
  if (fs::exists("/dev/full")) {
    EXPECT_FALSE(write_file("/dev/full", std::string(100000, 'x')).ok());
  }
}

TEST_F(Files, LoadErrorsNameTheFile) {
  const auto expect_error = [&](const std::string &name, support::ErrorCode code) {
    const auto document = load(name);
    ASSERT_FALSE(document.ok()) << name;
    EXPECT_EQ(document.error().code, code) << document.error().text();
    EXPECT_NE(document.error().place.find(name), std::string::npos) << document.error().text();
  };
  expect_error(path("missing"), support::ErrorCode::Io);
  expect_error(dir_.string(), support::ErrorCode::Io);
  ASSERT_TRUE(write_file(path("empty"), "").ok());
  expect_error(path("empty"), support::ErrorCode::Syntax);
  ASSERT_TRUE(write_file(path("pickle"), "\x80\x04stuff").ok());
  expect_error(path("pickle"), support::ErrorCode::Syntax);
  ASSERT_TRUE(write_file(path("packed"), gzip("not json").value()).ok());
  expect_error(path("packed"), support::ErrorCode::Syntax);
}

TEST_F(Files, Limits) {
  ASSERT_TRUE(write_file(path("plain"), std::string(2000, ' ')).ok());
  EXPECT_EQ(load(path("plain"), {1000, 1000}).error().code, support::ErrorCode::Limit);
  ASSERT_TRUE(write_file(path("packed"), gzip(std::string(100000, ' ')).value()).ok());
  EXPECT_EQ(load(path("packed"), {1000, 1000}).error().code, support::ErrorCode::Limit);
}

TEST_F(Files, FormsByName) {
  EXPECT_EQ(form_of("a.sdfg"), FileForm::Json);
  EXPECT_EQ(form_of("a.sdfgz"), FileForm::GzipJson);
  EXPECT_EQ(form_of("a.sdfg.gz"), FileForm::GzipJson);
  EXPECT_EQ(form_of("a.sdfgt"), FileForm::Text);
  EXPECT_EQ(form_of("-"), FileForm::Json);
}

} // namespace
} // namespace sdfgopt::io
