// The complete engine, its only instance, and its fork handlers.
#ifndef OPFORGE_ENGINE_HPP
#define OPFORGE_ENGINE_HPP

#include <pthread.h>

#include "opforge_engine_class.hpp"
#include "opforge_engine_waits.hpp"
#include "opforge_engine_workers.hpp"

namespace opforge {

inline Engine*& engine() noexcept {
  static Engine* only = nullptr;
  return only;
}

// Creates the engine and registers its fork handlers.
inline Engine* start_engine(ReleaseFn drop_payload) {
  payload_release().store(drop_payload);
  engine() = new Engine;
  const int failed = pthread_atfork([] { engine()->before_fork(); },
                                    [] { engine()->after_fork_in_parent(); },
                                    [] { engine()->after_fork_in_child(); });
  if (failed != 0) throw std::bad_alloc();
  return engine();
}

}  // namespace opforge

#endif
