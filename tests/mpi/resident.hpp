// The memory a test program uses.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tutti::test {

// Resident memory in KiB; 0 where /proc does not tell.
inline long resident_kb() {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return 0;
  char line[256];
  long kb = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::strncmp(line, "VmRSS:", 6) == 0) kb = std::atol(line + 6);
  }
  std::fclose(file);
  return kb;
}

}  // namespace tutti::test
