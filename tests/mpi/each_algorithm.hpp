// Every algorithm of a collective in turn, on a communicator of its own.
#pragma once

#include <mpi.h>

#include <string>

#include "algorithms/registry.hpp"
#include "tutti/tutti.hpp"

// Calls serve(comm, name) for each algorithm of the collective, and for what is chosen by itself.
// Where something is open it is 3: segments, a radix, or a window.
template <class Serve>
void with_each_algorithm(tutti::Collective collective, Serve serve) {
  const auto with = [&](const std::string& forced) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (!forced.empty()) tutti::force(comm, forced);
    serve(comm, forced.empty() ? "by itself: " + std::string(to_string(collective)) : forced);
    MPI_Comm_free(&comm);
  };
  with("");
  for (const tutti::Algorithm* each : tutti::algorithms_of(collective)) {
    const bool open = each->parameter.open != tutti::Open::nothing;
    with(std::string(to_string(collective)) + "=" + std::string(each->name) + (open ? ":3" : ""));
  }
}
