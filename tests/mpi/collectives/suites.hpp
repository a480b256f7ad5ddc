// The suites: which calls are made, and in what company.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "call.hpp"

namespace tutti::test {

struct Options {
  std::vector<const Collective*> chosen;
  bool quick = false;  // fewer counts, communicators and random calls
  bool large = false;  // adds messages over INT_MAX bytes
  Seed seed = 1;
  bool all = false;    // also what the native library is known to fail at, and Tutti is not
  bool trace = false;  // print every call before making it
  int calls = 0;       // random calls in the mix; 0 for the default

  bool wants(std::string_view name) const {
    return std::ranges::any_of(chosen, [&](const Collective* each) { return each->name == name; });
  }
};

// What every suite needs; all ranks of MPI_COMM_WORLD hold equal ones.
struct Bench {
  const Options& options;
  const CommTable& comms;
  const TypeTable& types;
  const ReductionTable& reductions;
  Report& report;

  // Makes the call and checks it, unless the native library is known to fail at it.
  void make(const Call& call) const;
};

// Every collective x datatype x operator x count x placement x communicator, roots in turn, and
// all roots for a few of them.
void run_sweep(const Bench& bench);

// Collectives back to back with user messages, wildcard receives and non-blocking collectives
// pending on the same communicator.
void run_traffic(const Bench& bench);

// Random calls drawn from options.seed.
void run_mix(const Bench& bench);

// One random call on `comm`, among `chosen`; every rank of comm draws the same.
void run_random_call(const Bench& bench, const TestComm& comm,
                     const std::vector<const Collective*>& chosen, SharedRandom& random,
                     bool wildcard_pending = false);

// Same bits on every rank, MPI_BOTTOM reductions, and with --large messages over INT_MAX bytes.
void run_special(const Bench& bench);

}  // namespace tutti::test
