// Where a program's collective calls go.
#pragma once

namespace tutti::preload {

// The function that serves calls of `name` in this process: the engine's if the program has an MPI
// library of a family that one is installed for, otherwise the next definition after libtutti.so,
// the program's own. Ends the program with a line if there is none. Any thread may ask.
void* find(const char* name);

}  // namespace tutti::preload
