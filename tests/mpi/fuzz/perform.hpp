// Makes the call that was drawn, through MPI_Xxx or PMPI_Xxx.
#pragma once

#include "memory.hpp"

namespace tutti::fuzz {

enum class Library : std::uint8_t { tutti, native };  // behind MPI_Xxx, behind PMPI_Xxx

// What MPI returned.
int perform(Library library, const Call& call, const Argument& send, const Argument& receive,
            MPI_Op op, MPI_Comm comm);

}  // namespace tutti::fuzz
