// What the program was asked to do.
#pragma once

#include <string>

#include "random.hpp"
#include "run.hpp"

namespace tutti::fuzz {

struct Options {
  Seed seed = 1;
  long first = 0;
  long cases = 1000;
  std::string collective;             // only this one; empty for all
  Against against = Against::native;  // --judge: both
  bool limits = false;                // also what Tutti is known to fail at
  bool trace = false;                 // print every call before making it
};

// Ends the program if it does not understand.
Options parse(int argc, char** argv);

}  // namespace tutti::fuzz
