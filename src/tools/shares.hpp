// How a time that does not suffice is shared.
#pragma once

#include <span>

namespace tutti::tools {

// Of so many seconds the share of the first of those that want some, in seconds. If there are as
// many as all want together, or more, all get the same multiple of what they want. If not, those
// that want little get that, and the others the same as each other.
double share_of_first(std::span<const double> wanted, double seconds);

}  // namespace tutti::tools
