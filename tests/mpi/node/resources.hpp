// What a process holds that communicators may leave behind.
#pragma once

#include <dirent.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace tutti::test {

struct Mappings {
  int all = 0, tuttis = 0;  // lines of /proc/self/maps
};

inline Mappings mappings() {
  Mappings found;
  std::FILE* file = std::fopen("/proc/self/maps", "r");
  if (file == nullptr) return found;
  char line[1024];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    ++found.all;
    found.tuttis += std::strstr(line, "/tutti-") != nullptr && std::strstr(line, ".so") == nullptr;
  }
  std::fclose(file);
  return found;
}

inline int entries_of(const char* folder, const std::string& prefix) {
  DIR* const opened = opendir(folder);
  if (opened == nullptr) return -1;
  int count = 0;
  while (const dirent* entry = readdir(opened)) {
    count += std::string(entry->d_name).starts_with(prefix) ? 1 : 0;
  }
  closedir(opened);
  return count;
}

// The look itself has one open.
inline int descriptors() { return entries_of("/proc/self/fd", ""); }

// Names of the objects that this process made.
inline int names_left() {
  return entries_of("/dev/shm", "tutti-" + std::to_string(getpid()) + "-");
}

}  // namespace tutti::test
