// result<T>: a value, or one Error. The library returns it everywhere; it never throws, prints or
// aborts on account of its input.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace sdfgopt::support {

/// What kind of thing went wrong. Closed list; a front end may map it to an exit status.
enum class ErrorCode {
  Usage,       ///< the caller asked for something that does not exist (a pass, a state)
  Io,          ///< a file could not be read or written
  Syntax,      ///< the bytes are not JSON, gzip or text form
  Format,      ///< well-formed, but not an SDFG (a key is missing, an id is out of range)
  Limit,       ///< a documented limit was exceeded
  Invalid,     ///< the graph breaks an invariant of the IR
  Unsupported, ///< a program that the interpreter does not know how to run
  Fault,       ///< a program that, when run, does what no program may (an access out of bounds)
  Stopped,     ///< the caller asked for it to stop (std::stop_token)
};

/// One error: the sentence for people, and the place it is about: a file, then a byte, line, or
/// path in the graph ("out.sdfg: byte 120", "out.sdfg: state s2, node n4").
struct Error {
  ErrorCode code;
  std::string message;
  std::string place;

  /// "place: message", or just the message where no place is known.
  [[nodiscard]] std::string text() const {
    return place.empty() ? message : place + ": " + message;
  }
};

template <typename T> class [[nodiscard]] result {
public:
  result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T &value() & { return std::get<0>(state_); }
  [[nodiscard]] const T &value() const & { return std::get<0>(state_); }
  [[nodiscard]] T &&value() && { return std::get<0>(std::move(state_)); }
  [[nodiscard]] Error &error() & { return std::get<1>(state_); }
  [[nodiscard]] const Error &error() const & { return std::get<1>(state_); }
  [[nodiscard]] Error &&error() && { return std::get<1>(std::move(state_)); }

private:
  std::variant<T, Error> state_;
};

template <> class [[nodiscard]] result<void> {
public:
  result() = default;
  result(Error error) : error_(std::move(error)) {}

  [[nodiscard]] bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] Error &error() & { return *error_; }
  [[nodiscard]] const Error &error() const & { return *error_; }
  [[nodiscard]] Error &&error() && { return std::move(*error_); }

private:
  std::optional<Error> error_;
};

} // namespace sdfgopt::support

// Evaluates an expression of type result<T>; returns its error from the enclosing function, or
// binds its value. The two forms are for T and for void.
#define SDFGOPT_CONCAT_(a, b) a##b
#define SDFGOPT_CONCAT(a, b) SDFGOPT_CONCAT_(a, b)
#define SDFGOPT_TRY_(temporary, variable, expression)                                              \
  auto temporary = (expression);                                                                   \
  if (!temporary.ok())                                                                             \
    return std::move(temporary).error();                                                           \
  variable = std::move(temporary).value()
#define SDFGOPT_TRY(variable, expression)                                                          \
  SDFGOPT_TRY_(SDFGOPT_CONCAT(sdfgopt_try_, __LINE__), variable, expression)
#define SDFGOPT_CHECK(expression)                                                                  \
  do {                                                                                             \
    if (auto sdfgopt_checked = (expression); !sdfgopt_checked.ok())                                \
      return std::move(sdfgopt_checked).error();                                                   \
  } while (false)
