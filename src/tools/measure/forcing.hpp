// Makes the MPI library use one of its own algorithms, while the program runs.
#pragma once

#include <string>
#include <vector>

#include "tools/export/peers.hpp"

namespace tutti::tools {

// To be called before MPI_Init: Open MPI looks only then whether algorithms may be chosen at all.
void allow_forcing();

// The MPI tool interface. What is below needs one that lives, made after MPI_Init.
class ToolInterface {
 public:
  ToolInterface();
  ~ToolInterface();
  ToolInterface(const ToolInterface&) = delete;
  ToolInterface& operator=(const ToolInterface&) = delete;
};

// Why algorithms cannot be forced; empty if they can.
std::string forcing_obstacle();
// The library's own algorithms that serve the call and can be forced.
std::vector<NamedPeer> forcible(const Call& call);

// While it lives, communicators that are made (Open MPI) and calls that are made (MPICH) use that
// algorithm. Does nothing for no algorithm.
class Forcing {
 public:
  explicit Forcing(const NamedPeer& one);
  ~Forcing();
  Forcing(const Forcing&) = delete;
  Forcing& operator=(const Forcing&) = delete;

 private:
  struct Setting {
    int variable;
    int before;
  };
  std::vector<Setting> settings_;
};

}  // namespace tutti::tools
