// Drives the thread pool and the engine without Python, for a run under ThreadSanitizer and under
// AddressSanitizer with leak checking. Prints "ok"; a wrong result ends it with status 1.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "opforge_engine.hpp"
#include "opforge_parallel.hpp"

namespace {

using opforge::Engine;
using opforge::ErrorPtr;
using opforge::Variable;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::exit(1);
}

// ---- the pool ----

void add_one(void* arg, std::ptrdiff_t begin, std::ptrdiff_t end) {
  int* cells = static_cast<int*>(arg);
  for (std::ptrdiff_t i = begin; i < end; ++i) ++cells[i];
}

void add_nested(void* arg, std::ptrdiff_t begin, std::ptrdiff_t end) {
  for (std::ptrdiff_t row = begin; row < end; ++row)
    opforge::parallel_for(16, 1, add_one, static_cast<int*>(arg) + 16 * row);
}

void loop(int times, int seed) {
  std::mt19937 random(seed);
  for (int i = 0; i < times; ++i) {
    std::vector<int> cells(16 * (1 + random() % 200), 0);
    const bool nested = random() % 2 != 0;
    if (nested)
      opforge::parallel_for(cells.size() / 16, 1, add_nested, cells.data());
    else
      opforge::parallel_for(cells.size(), 1 + random() % 50, add_one, cells.data());
    for (const int cell : cells) expect(cell == 1, "each unit of a loop runs once");
  }
}

// Several threads loop at once while another changes the number of threads.
void drive_pool() {
  for (const long spin_us : {0L, 20L}) {
    opforge::set_spin(spin_us);
    std::vector<std::thread> threads;
    for (int seed = 0; seed < 3; ++seed) threads.emplace_back(loop, 400, seed);
    for (int i = 0; i < 100; ++i) {
      opforge::set_threads(1 + i % 4);
      loop(2, i);
    }
    for (std::thread& thread : threads) thread.join();
  }
  opforge::set_threads(1);
}

// ---- the engine ----

constexpr int kFails = 7;  // status of a task that fails

std::atomic<int> released{0};

// Plain memory, so that a missing order between tasks is a race that a sanitizer sees.
struct Cell {
  Variable* var;
  std::uint64_t value = 0;
};

struct Job {
  std::vector<Cell*> read, write;
  std::uint64_t salt;
  bool fails;
};

int run_job(void* arg, void** payload) {
  Job* job = static_cast<Job*>(arg);
  std::uint64_t sum = job->salt;
  for (const Cell* cell : job->read) sum = sum * 31 + cell->value;
  for (Cell* cell : job->write) cell->value = cell->value * 17 + sum;
  const bool fails = job->fails;
  if (fails) *payload = new int(kFails);
  delete job;
  return fails ? kFails : 0;
}

void release_job(void* arg) {
  ++released;
  delete static_cast<Job*>(arg);
}

void release_payload(void* payload) { delete static_cast<int*>(payload); }

void push(Engine& engine, Job* job, int priority) {
  std::vector<Variable*> read, write;
  for (const Cell* cell : job->read) read.push_back(cell->var);
  for (const Cell* cell : job->write) write.push_back(cell->var);
  ErrorPtr failure;
  engine.push(run_job, job, release_job, read.data(), static_cast<int>(read.size()), write.data(),
              static_cast<int>(write.size()), priority, &failure);
}

void wait(Engine& engine, Variable* var, bool write) {
  opforge::Wait wait;
  wait.var = var;
  wait.write = write;
  int status = engine.begin_wait(&wait);
  if (status == opforge::kDone) return;
  expect(status == opforge::kTimeout, "a wait outside of tasks cannot deadlock");
  while (status == opforge::kTimeout) status = engine.wait_slice(&wait, 20);
  engine.end_wait(&wait);
}

// A random program over shared cells; returns what they hold in the end.
std::vector<std::uint64_t> program(Engine& engine, int seed, int length, bool with_failures) {
  std::mt19937 random(seed);
  std::vector<Cell> cells(6);
  for (Cell& cell : cells) cell.var = engine.new_var();
  for (int i = 0; i < length; ++i) {
    Job* job = new Job;
    for (Cell& cell : cells) {
      const unsigned pick = random() % 6;
      if (pick == 0) job->read.push_back(&cell);
      if (pick == 1) job->write.push_back(&cell);
    }
    job->salt = random();
    job->fails = with_failures && random() % 16 == 0;
    push(engine, job, static_cast<int>(random() % 3));
    Variable* var = cells[random() % cells.size()].var;
    switch (random() % 32) {
      case 0: wait(engine, var, false); break;
      case 1: wait(engine, var, true); break;
      case 2: engine.error_of(var); break;
      case 3: engine.forget_error(var); break;
    }
  }
  std::vector<std::uint64_t> values;
  for (Cell& cell : cells) {
    wait(engine, cell.var, true);
    values.push_back(cell.value);
    engine.free_var(cell.var);
  }
  return values;
}

void drive_engine(Engine& engine) {
  for (int seed = 0; seed < 12; ++seed) {
    engine.configure(1, true, 0);
    const std::vector<std::uint64_t> expected = program(engine, seed, 300, false);
    for (const int workers : {1, 2, 8}) {
      engine.configure(workers, false, seed % 2 * 20);
      expect(program(engine, seed, 300, false) == expected, "workers give the results of one");
    }
  }
  // Several threads push at once, and tasks fail.
  std::vector<std::thread> threads;
  for (int seed = 0; seed < 4; ++seed)
    threads.emplace_back([&engine, seed] { program(engine, 100 + seed, 500, true); });
  for (std::thread& thread : threads) thread.join();
  engine.take_first_error();
  expect(released > 0, "tasks that read what a failed one wrote are released");
  while (engine.wait_all_slice(engine.last_seq(), 20) == opforge::kTimeout) {
  }
}

}  // namespace

int main() {
  drive_pool();
  Engine& engine = *opforge::start_engine(release_payload);
  drive_engine(engine);
  engine.stop();
  while (engine.live() > 0) std::this_thread::yield();
  std::puts("ok");
}
