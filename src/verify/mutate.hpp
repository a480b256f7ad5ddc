// Damages schedules on purpose, to show that the verifier notices.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "verify/verify.hpp"

namespace tutti {

enum class Mutation : std::uint8_t {
  delete_step,
  redirect_peer,
  shift_slice,
  swap_operands,
  change_size,
  another_order,
};
inline constexpr Mutation mutations[] = {Mutation::delete_step, Mutation::redirect_peer,
                                         Mutation::shift_slice, Mutation::swap_operands,
                                         Mutation::change_size, Mutation::another_order};
const char* to_string(Mutation mutation);

struct Mutant {
  Rank rank;
  std::uint32_t step;
  Schedule schedule;  // what that rank now does
  std::string what;   // for messages
};

// A random mutant of that kind, or nothing if no step can be damaged so. If steps are given, in
// order, one of them is damaged.
std::optional<Mutant> mutate(const std::vector<Schedule>& schedules, Mutation mutation,
                             std::mt19937_64& random, const std::vector<StepAt>* steps = nullptr);

}  // namespace tutti
