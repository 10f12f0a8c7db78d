// The error of a task: a status and a reference-counted Python object.
#ifndef OPFORGE_ERROR_HPP
#define OPFORGE_ERROR_HPP

#include <atomic>
#include <cstddef>
#include <utility>

#include "opforge_plain_memory.hpp"

namespace opforge {

using ReleaseFn = void (*)(void*);

// Drops a payload. Set by the Python side; takes the GIL, so it is never called under the engine's lock.
inline std::atomic<ReleaseFn>& payload_release() {
  static std::atomic<ReleaseFn> release{nullptr};
  return release;
}

inline void drop_payload(void* payload) {
  const ReleaseFn release = payload_release().load();
  if (payload != nullptr && release != nullptr) release(payload);
}

struct Error : FromMalloc {
  int status;
  void* payload;
  std::atomic<bool> reported{false};
  std::atomic<long> refs{1};

  Error(int code, void* object) : status(code), payload(object) {}
  Error(const Error&) = delete;
  ~Error() { drop_payload(payload); }
};

// A reference to an error, or null. Unlike std::shared_ptr, it does not throw if memory has run out.
class ErrorPtr {
 public:
  ErrorPtr() = default;
  ErrorPtr(std::nullptr_t) {}
  explicit ErrorPtr(Error* fresh) : error_(fresh) {}
  ErrorPtr(const ErrorPtr& other) : error_(other.error_) {
    if (error_ != nullptr) error_->refs.fetch_add(1);
  }
  ErrorPtr(ErrorPtr&& other) noexcept : error_(std::exchange(other.error_, nullptr)) {}
  ErrorPtr& operator=(ErrorPtr other) noexcept {
    swap(other);
    return *this;
  }
  ~ErrorPtr() {
    if (error_ != nullptr && error_->refs.fetch_sub(1) == 1) delete error_;
  }

  void swap(ErrorPtr& other) noexcept { std::swap(error_, other.error_); }
  void reset() noexcept { ErrorPtr().swap(*this); }
  // Leaks the error on purpose.
  void leak() noexcept { error_ = nullptr; }

  Error* get() const noexcept { return error_; }
  Error* operator->() const noexcept { return error_; }
  bool operator==(std::nullptr_t) const noexcept { return error_ == nullptr; }
  bool operator!=(std::nullptr_t) const noexcept { return error_ != nullptr; }

 private:
  Error* error_ = nullptr;
};

}  // namespace opforge

#endif
