// How much is left on the table for a call.
#pragma once

#include <optional>
#include <string_view>

#include "select/select.hpp"

namespace tutti {

// Seconds of one call.
struct Outlook {
  double bound = 0;             // no algorithm takes less
  double best = 0;              // the best algorithm known
  std::optional<double> now{};  // the algorithm that served it, by the same source as `best`
  bool measured = false;        // the source is the profile; else the machine model
};

// By the profile where it has just these ranks and about this size. `algorithm` may be "native", of
// which the model knows nothing. `bytes` of the whole message: blocks are taken to be equal, and
// operators to commute. The selector goes by the model alone.
Outlook outlook(const Selector& selector, const Profile* profile, Collective collective, int p,
                double bytes, std::string_view algorithm);

}  // namespace tutti
