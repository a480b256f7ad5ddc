// Connections between ranks, as they are in a program that has run for a while.
#pragma once

#include <mpi.h>

namespace tutti::tools {

// Bytes of messages that are long everywhere.
inline constexpr int long_enough = 256 << 10;

// Collective. Every pair of ranks talks, both ways, in messages of so many bytes: connections are
// made, and buffers grown. Takes two messages' memory.
void connect_all(MPI_Comm comm, int bytes);

}  // namespace tutti::tools
