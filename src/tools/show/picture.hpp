// Draws a trace as SVG: a column per rank, a row per round, an arrow per message.
#pragma once

#include <string>

#include "tools/show/trace.hpp"

namespace tutti::tools {

// A complete SVG document. Every message is one element of class "arrow".
std::string picture(const Trace& trace, const Algorithm& algorithm);

}  // namespace tutti::tools
