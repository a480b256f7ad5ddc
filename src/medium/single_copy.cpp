#include "medium/single_copy.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <random>

namespace tutti {

namespace {

std::uint64_t number_of_its_own() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

bool read_from(pid_t process, std::uint64_t address, char* to, std::size_t bytes) {
  while (bytes > 0) {
    const iovec here{to, bytes};
    const iovec there{reinterpret_cast<void*>(address), bytes};
    const ssize_t count = process_vm_readv(process, &here, 1, &there, 1, 0);
    if (count <= 0) return false;
    to += count;
    address += static_cast<std::uint64_t>(count);
    bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

Token own_token() {
  static const std::uint64_t value = number_of_its_own();
  return {value, reinterpret_cast<std::uint64_t>(&value), getpid()};
}

bool can_read(const Token& other) {
  std::uint64_t found = 0;
  return read_from(static_cast<pid_t>(other.process), other.address,
                   reinterpret_cast<char*>(&found), sizeof found) &&
         found == other.value;
}

bool SingleCopy::read(int rank, std::uint64_t address, char* to, std::size_t bytes) const {
  return read_from(processes_[static_cast<std::size_t>(rank)], address, to, bytes);
}

}  // namespace tutti
