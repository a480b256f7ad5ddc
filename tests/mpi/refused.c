// librefused.so, preloaded: the machine refuses what TEST_REFUSED names, on the rank TEST_RANK or,
// without it, on all.
//
//   shm_open          the node's memory cannot be made, or is another's
//   posix_fallocate   it is too small
//   process_vm_readv  ranks cannot read each other, as in many containers
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

static int is_refused(const char* what) {
  const char* refused = getenv("TEST_REFUSED");
  const char* where = getenv("TEST_RANK");
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank == NULL) rank = getenv("PMI_RANK");
  if (refused == NULL || strcmp(refused, what) != 0) return 0;
  return where == NULL || (rank != NULL && strcmp(rank, where) == 0);
}

int shm_open(const char* name, int flags, mode_t mode) {
  int (*next)(const char*, int, mode_t) = dlsym(RTLD_NEXT, "shm_open");
  const int is_tuttis = strncmp(name, "/tutti-", 7) == 0;
  if (!is_tuttis || !is_refused("shm_open")) return next(name, flags, mode);
  errno = EACCES;
  return -1;
}

int posix_fallocate(int file, off_t offset, off_t length) {
  int (*next)(int, off_t, off_t) = dlsym(RTLD_NEXT, "posix_fallocate");
  return is_refused("posix_fallocate") ? ENOSPC : next(file, offset, length);
}

ssize_t process_vm_readv(pid_t process, const struct iovec* here, unsigned long heres,
                         const struct iovec* there, unsigned long theres, unsigned long flags) {
  ssize_t (*next)(pid_t, const struct iovec*, unsigned long, const struct iovec*, unsigned long,
                  unsigned long) = dlsym(RTLD_NEXT, "process_vm_readv");
  Dl_info caller = {0};
  dladdr(__builtin_return_address(0), &caller);  // MPI libraries read so too
  const int is_tuttis = caller.dli_fname != NULL && strstr(caller.dli_fname, "libtutti") != NULL;
  if (!is_tuttis || !is_refused("process_vm_readv")) {
    return next(process, here, heres, there, theres, flags);
  }
  errno = EPERM;
  return -1;
}
