// What MPICH chooses by itself: the rules it has built in, which a file of rules replaces.
#pragma once

#include <string>

namespace tutti::tools {

// As they stand in the MPICH library that programs would load here. Both throw
// std::invalid_argument if there is none, or none with rules.
std::string mpich_rules();         // of MPIR
std::string mpich_device_rules();  // of the device, ch4

}  // namespace tutti::tools
