#include "medium/shared_object.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <mutex>
#include <string_view>
#include <utility>

namespace tutti {

namespace {

constexpr std::string_view prefix = "tutti-";

// Whether nobody makes it any more: who does has it locked, but for the first moment.
bool is_left_behind(int file) {
  constexpr std::time_t first_moment = 60;
  struct stat about {};
  return fstat(file, &about) == 0 && std::time(nullptr) - about.st_mtime > first_moment &&
         flock(file, LOCK_EX | LOCK_NB) == 0;
}

// Who is killed while it shares an object with others leaves its name behind.
void forget_names_left_behind() {
  DIR* const folder = opendir("/dev/shm");
  if (folder == nullptr) return;
  while (const dirent* entry = readdir(folder)) {
    if (!std::string_view(entry->d_name).starts_with(prefix)) continue;
    const int file = openat(dirfd(folder), entry->d_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) continue;
    if (is_left_behind(file)) unlinkat(dirfd(folder), entry->d_name, 0);
    close(file);
  }
  closedir(folder);
}

}  // namespace

SharedObject::SharedObject(SharedObject&& other) noexcept { *this = std::move(other); }

SharedObject& SharedObject::operator=(SharedObject&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(file_, other.file_);
  std::swap(memory_, other.memory_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

SharedObject::~SharedObject() {
  close();
  if (memory_ != nullptr) munmap(memory_, bytes_);
}

bool SharedObject::map(std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (memory == MAP_FAILED) return false;
  memory_ = static_cast<char*>(memory);
  bytes_ = bytes;
  madvise(memory, bytes, MADV_DONTFORK);  // a child is not a rank
  return true;
}

SharedObject SharedObject::create(std::size_t bytes) {
  static std::once_flag once;
  std::call_once(once, forget_names_left_behind);
  SharedObject made;
  for (int tries = 0; tries < 100 && made.file_ < 0; ++tries) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    made.name_ = "/" + std::string(prefix) + std::to_string(getpid()) + "-" +
                 std::to_string(now.tv_sec) + "-" + std::to_string(now.tv_nsec);
    made.file_ = shm_open(made.name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made.file_ < 0 && errno != EEXIST) break;
  }
  if (made.file_ < 0) return {};
  flock(made.file_, LOCK_SH);  // until all have it
  if (ftruncate(made.file_, static_cast<off_t>(bytes)) != 0 || !made.map(bytes)) {
    made.forget_name();
    return {};
  }
  return made;
}

SharedObject SharedObject::open(const std::string& name, std::size_t bytes) {
  SharedObject found;
  found.file_ = shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0600);
  struct stat about {};
  const bool fits = found.file_ >= 0 && fstat(found.file_, &about) == 0 &&
                    about.st_size == static_cast<off_t>(bytes);
  if (!fits || !found.map(bytes)) return {};
  return found;
}

bool SharedObject::reserve(std::size_t offset, std::size_t bytes) {
  int result = EINTR;
  while (result == EINTR) {
    result = posix_fallocate(file_, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  }
  return result == 0;
}

// Older kernels refuse that, and pages come as they are touched.
void SharedObject::map_all() { madvise(memory_, bytes_, MADV_POPULATE_WRITE); }

void SharedObject::forget_name() {
  if (!name_.empty()) shm_unlink(name_.c_str());
  name_.clear();
}

void SharedObject::close() {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
}

}  // namespace tutti
