// Reads what lies in another process of the node, without its help: the data move once.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti {

// By which a process knows another before it reads there: a number that nobody else has, and where
// it is kept.
struct Token {
  std::uint64_t value;
  const char* address;  // there
  std::int64_t process;
};

// This process's.
Token own_token();
// Whether what is read there is the token: containers refuse it, or have their own numbers for
// processes.
bool can_read(const Token& other);

// Of ranks that can all read each other.
class SingleCopy {
 public:
  SingleCopy() = default;
  // By rank.
  explicit SingleCopy(std::vector<pid_t> processes) : processes_(std::move(processes)) {}

  bool is_possible() const { return !processes_.empty(); }
  // `from` is the other's address. False if it was refused, which the agreement above should have
  // shown.
  bool read(int rank, const char* from, char* to, std::size_t bytes) const;

 private:
  std::vector<pid_t> processes_;
};

}  // namespace tutti
