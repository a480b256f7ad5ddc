// Work that needs more stack than some programs' threads have.
#pragma once

namespace tutti::runtime {

// Calls work(argument) here, or, if this thread's stack has no room for it, on one of its own. Such
// a thread is not the program's first: the program told MPI that other threads call it.
void with_room(void (*work)(void*), void* argument);

template <class Work>
void with_room(const Work& work) {
  with_room([](void* what) { (*static_cast<const Work*>(what))(); }, const_cast<Work*>(&work));
}

}  // namespace tutti::runtime
