// What each algorithm of a collective would take for one call.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/simulate.hpp"
#include "select/select.hpp"

namespace tutti::tools {

// What an algorithm takes with one value of its parameter.
struct Point {
  int parameter = 0;
  double rounds = 0;
  double bytes = 0;  // sent one after the other: what beta is paid for
  double predicted = 0;
};

// Its parameter is chosen by the machine model.
struct Candidate : Variant {
  std::string obstacle{};                 // why it cannot serve the call; empty if it can
  double predicted = 0;                   // seconds, by the machine model
  std::optional<Simulation> simulated{};  // missing if it cannot, or is too large to simulate
  // For powers of two, values worth trying (not of segments) and the one chosen, in order; empty if
  // nothing is open.
  std::vector<Point> curve{};
};

// "a commutative operator" or "MPI_IN_PLACE"; empty if it takes every call.
std::string requirements(const Algorithm& algorithm);

// How much may be simulated, in units of work (model/simulate.hpp): of one algorithm, and of all,
// the cheapest by the model first.
struct Effort {
  std::size_t each = 1'000'000;
  std::size_t all = ~std::size_t{0};
};

// All algorithms of the call's collective, in the order of the registry.
std::vector<Candidate> candidates(const Call& call, const Machine& machine,
                                  const Selector& selector, const Effort& effort = {});

// Where ranks would tell each other sizes first, the call becomes one that is agreed on. Returns
// the seconds that takes.
std::optional<double> agree(Call& call, const Selector& selector);

// "allreduce, p = 33, n = 1M (1048576 bytes)"
std::string describe(const Call& call);
std::string describe(const Machine& machine);

}  // namespace tutti::tools
