#include "python/interruptible.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <thread>

namespace sdfgopt::python {

namespace nb = nanobind;

namespace {

constexpr std::chrono::milliseconds between_looks(50);

/// Work on its thread; whether it is done.
class Worker {
public:
  explicit Worker(const std::function<void(std::stop_token)> &work) {
    thread_ = std::thread([this, &work] {
      try {
        work(stop_.get_token());
      } catch (...) {
        thrown_ = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      done_ = true;
      ended_.notify_one();
    });
  }
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;
  ~Worker() { thread_.join(); }

  void stop() { stop_.request_stop(); }
  /// Waits a while; whether the work has ended.
  bool ended() {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, between_looks, [&] { return done_; });
  }
  /// What it threw, once it has ended.
  [[nodiscard]] std::exception_ptr thrown() const { return thrown_; }

private:
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::exception_ptr thrown_;
  std::thread thread_;
};

} // namespace

void run_apart(const std::function<void(std::stop_token)> &work) {
  std::optional<nb::python_error> raised;
  std::exception_ptr thrown;
  {
    const nb::gil_scoped_release without_gil;
    Worker worker(work);
    while (!worker.ended()) {
      if (raised) // it was asked to stop
        continue;
      const nb::gil_scoped_acquire with_gil;
      if (PyErr_CheckSignals() == 0)
        continue;
      raised.emplace();
      worker.stop();
    }
    thrown = worker.thrown();
  }
  if (raised)
    throw std::move(*raised);
  try {
    if (thrown)
      std::rethrow_exception(thrown);
  } catch (const std::bad_alloc &) {
    raise({support::ErrorCode::Limit, "out of memory", ""});
  }
}

} // namespace sdfgopt::python
