#include "runtime/roomy.hpp"

#include <pthread.h>
#include <unistd.h>

#include <cstddef>

namespace tutti::runtime {

namespace {

// MPICH makes a communicator with over 128 KiB, a schedule is chosen and written with some 10.
constexpr std::ptrdiff_t enough = std::ptrdiff_t{256} << 10;
constexpr std::size_t room = std::size_t{1} << 20;

bool has_room() {
  if (gettid() == getpid()) return true;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return true;
  void* lowest = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  return static_cast<char*>(__builtin_frame_address(0)) - static_cast<char*>(lowest) > enough;
}

struct Task {
  void (*work)(void*);
  void* argument;
};

void* perform(void* what) {
  const auto* task = static_cast<const Task*>(what);
  task->work(task->argument);
  return nullptr;
}

}  // namespace

void with_room(void (*work)(void*), void* argument) {
  if (has_room()) return work(argument);
  Task task{work, argument};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, room);
  pthread_t thread{};
  const bool started = pthread_create(&thread, &attributes, perform, &task) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) return work(argument);
  pthread_join(thread, nullptr);
}

}  // namespace tutti::runtime
