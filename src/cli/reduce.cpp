#include "cli/command.h"

#include "cli/symbols.h"
#include "io/text_parser.h"
#include "io/text_printer.h"
#include "verify/reducer.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <sys/wait.h>
#include <unistd.h>

namespace sdfgopt::cli {

namespace {

struct Options {
  std::string in;
  std::string command;
  std::string out = "-";
  verify::ReduceOptions reduce;
};

/// A folder that goes away with its contents.
class TemporaryFolder {
public:
  static support::result<std::unique_ptr<TemporaryFolder>> make() {
    std::error_code error;
    std::string path = (std::filesystem::temp_directory_path(error) / "sdfg-opt-XXXXXX").string();
    if (error || ::mkdtemp(path.data()) == nullptr)
      return support::Error{support::ErrorCode::Io, "cannot make a temporary folder", path};
    return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(std::move(path)));
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  [[nodiscard]] const std::string &path() const { return path_; }

private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

bool was_interrupted(int status) {
  constexpr int shell_says_so = 128 + SIGINT;
  return status != -1 && ((WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) ||
                          (WIFEXITED(status) && WEXITSTATUS(status) == shell_says_so));
}

/// The command for a file: `{}` in it is the file's name; without, the name is put at the end.
std::string command_for(const std::string &command, const std::string &file) {
  std::string result = command;
  const std::string name = shell_word(file);
  bool named = false;
  for (std::size_t at = 0; (at = result.find("{}", at)) != std::string::npos; at += name.size()) {
    result.replace(at, 2, name);
    named = true;
  }
  return named ? result : result + " " + name;
}

support::result<Exit> reduce(const Options &options) {
  SDFGOPT_TRY(const io::FileForm form,
              io::output_form(options.out == "-" ? "x.sdfgt" : options.out));
  SDFGOPT_TRY(const std::unique_ptr<ir::Document> document, io::load(options.in));
  SDFGOPT_TRY(const std::string text, io::print_text(*document, {}));
  SDFGOPT_TRY(const auto folder, TemporaryFolder::make());
  // Candidates are in the form that the command is used to: that of the input.
  const io::FileForm candidate_form = io::form_of(options.in).value_or(io::FileForm::Json);
  const std::string candidate =
      folder->path() + "/candidate" + std::filesystem::path(options.in).extension().string();
  // What the command prints is of no interest, and the result may go to standard output.
  const std::string command = "{ " + command_for(options.command, candidate) + "\n} >/dev/null";
  bool interrupted = false;
  const auto interesting = [&](const std::string &smaller) {
    const auto parsed = io::parse_text(smaller);
    if (interrupted || !parsed.ok())
      return false;
    const auto bytes = io::render(*parsed.value(), candidate_form, false);
    if (!bytes.ok() || !io::write_file(candidate, bytes.value()).ok())
      return false;
    const int status = std::system(command.c_str()); // NOLINT(cert-env33-c): the user's command
    // Ctrl-C goes to the command, and is meant for both.
    interrupted = interrupted || was_interrupted(status);
    return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  };
  if (!interesting(text))
    return support::Error{support::ErrorCode::Usage,
                          "the command does not succeed on the program itself: " + options.command,
                          ""};
  SDFGOPT_TRY(const std::string small, verify::reduce(text, interesting, options.reduce));
  if (interrupted)
    return support::Error{support::ErrorCode::Usage, "interrupted", ""};
  SDFGOPT_TRY(const auto result, io::parse_text(small));
  SDFGOPT_TRY(const std::string bytes, io::render(*result, form, false));
  SDFGOPT_CHECK(io::write_file(options.out, bytes));
  return Exit::Done;
}

} // namespace

void add_reduce(CLI::App &app, Action &action) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand(
      "reduce", "Make a program as small as it can be while a command still succeeds on it.");
  command->add_option("IN", options->in, "the program")->required();
  command
      ->add_option("--command", options->command,
                   "a shell command; a program is interesting if this exits with 0. '{}' in it is "
                   "the program's file; without, the file is its last argument")
      ->required();
  command->add_option("-o,--output", options->out, "where to write the result (default: print it)");
  command->add_option("--attempts", options->reduce.max_attempts, "programs that are tried at most")
      ->capture_default_str();
  command->footer(
      "Example: sdfg-opt reduce bad.sdfg --command \"sdfg-opt explain {} | grep -q R4\"");
  command->callback([options, &action] { action = [options] { return reduce(*options); }; });
}

} // namespace sdfgopt::cli
