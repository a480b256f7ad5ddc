// Says which call was under way when the program crashed, or did not end.
#pragma once

#include <string>

namespace tutti::fuzz {

// Call after MPI_Init: MPI libraries install handlers of their own.
void start_watching();

// The call about to be made; its text is printed if it crashes or takes longer than two minutes.
void watch_call(const std::string& text);

// Who carries it out: "by Tutti".
void watch(const char* stage);

}  // namespace tutti::fuzz
