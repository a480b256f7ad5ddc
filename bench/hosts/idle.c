// libhosts_idle.so, preloaded: MPI over TCP sleeps where it would poll, so that many hosts fit on
// few processors. For one rank per host.
//
// Open MPI (libevent) and MPICH (UCX) look for messages by poll and epoll_wait that return at once.
// After one that found nothing the next, if it comes within 100 us, waits for a message up to a
// millisecond.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { patience = 1, in_a_row_ns = 100000, wait_ns = 1000000, flush_ns = 5000000 };

static _Thread_local bool is_main_thread;
static int found_nothing;  // so many times in a row
static long long last_time;
static bool probing;  // the program asks whether there is a message, and wants no waiting

__attribute__((constructor)) static void note_main_thread(void) { is_main_thread = true; }

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// To be asked before a look.
static bool may_wait(void) {
  if (now() - last_time > in_a_row_ns) found_nothing = 0;
  return found_nothing >= patience && !probing;
}

static int found(int events) {
  last_time = now();
  found_nothing = events != 0 ? 0 : found_nothing + 1;
  return events;
}

static int look(int set, struct epoll_event* events, int most, long ns) {
  const struct timespec timeout = {0, ns};
  return (int)syscall(SYS_epoll_pwait2, set, events, most, &timeout, (void*)0, 0);
}

int epoll_pwait(int set, struct epoll_event* events, int most, int timeout, const sigset_t* mask) {
  if (timeout != 0 || !is_main_thread) {
    const int count = (int)syscall(SYS_epoll_pwait, set, events, most, timeout, mask, 8);
    // UCX's thread asks again at once while the main one holds its lock: that must have its turn.
    if (!is_main_thread) syscall(SYS_sched_yield);
    return count;
  }
  return found(look(set, events, most, may_wait() ? wait_ns : 0));
}

int epoll_wait(int set, struct epoll_event* events, int most, int timeout) {
  return epoll_pwait(set, events, most, timeout, (void*)0);
}

static int look_at(struct pollfd* files, nfds_t count, const struct timespec* timeout) {
  struct timespec left = timeout ? *timeout : (struct timespec){0, 0};
  return (int)syscall(SYS_ppoll, files, count, timeout ? &left : (void*)0, (void*)0, 8);
}

int poll(struct pollfd* files, nfds_t count, int timeout) {
  const struct timespec given = {timeout / 1000, timeout % 1000 * 1000000L};
  const struct timespec none = {0, 0}, some = {0, wait_ns};
  if (timeout != 0 || count < 2 || !is_main_thread) {
    return look_at(files, count, timeout < 0 ? (void*)0 : &given);
  }
  return found(look_at(files, count, may_wait() ? &some : &none));
}

// Who finds nothing sleeps soon; to give way before that would be one change of ranks more.
int sched_yield(void) { return 0; }

// Handles of MPI are as wide as this, or narrower.
int PMPI_Iprobe(int source, int tag, void* comm, int* found_one, void* status) {
  static int (*real)(int, int, void*, int*, void*);
  if (!real) real = (int (*)(int, int, void*, int*, void*))dlsym(RTLD_NEXT, "PMPI_Iprobe");
  probing = true;
  const int result = real(source, tag, comm, found_one, status);
  probing = false;
  syscall(SYS_sched_yield);  // for the other hosts of this processor
  return result;
}

// MPICH 4.0.2 with UCX 1.13 over TCP often does not end: in MPI_Finalize a rank waits to disconnect
// from one that waits in a barrier and makes no progress. Disconnecting is reported as done, after
// what is still to be sent has had time to go.
static void* worker;
static unsigned (*progress)(void*);

unsigned ucp_worker_progress(void* of) {
  if (!progress) progress = (unsigned (*)(void*))dlsym(RTLD_NEXT, "ucp_worker_progress");
  worker = of;
  return progress(of);
}

void* ucp_disconnect_nb(void* endpoint) {
  static bool flushed;
  (void)endpoint;
  if (!flushed && worker && progress) {
    flushed = true;
    for (const long long end = now() + flush_ns; now() < end;) progress(worker);
  }
  return (void*)0;
}
