// The machine as the cost model knows it: what a message takes, between nodes and inside one.
#pragma once

#include <compare>
#include <cstdint>

namespace tutti {

// How messages that are under way together share a connection between nodes.
enum class Sharing : std::uint8_t { fair, in_order, unknown };

// How ranks of a node reach each other.
enum class Inside : std::uint8_t {
  messages,  // the library's
  memory,    // that they share (src/medium)
  crowded,   // the same, by more ranks than processors: they sleep while they wait
};

// What messages take that go by the memory of a node: latency and copies as on two processors of a
// virtual machine, all ranks together as on 128 cores of two sockets, where published allreduces of
// 64 KiB move 700 GB/s and those of 16 MiB 200 (ext_mpi_collectives). A processor writes them to
// cells, another reads them there while the next bytes are written; longer ones are read where they
// lie. What is to be combined is combined from the cell.
struct SharedMemory {
  double latency = 8e-8;     // seconds until a rank sees what another has written
  double entry = 3e-8;       // seconds of a processor for a message, at each of its ends
  double copy = 8e-11;       // seconds per byte, into a cell or out of it
  double together = 2e-12;   // the same of all that ranks of a node copy at once
  double step = 4096;        // bytes that are read while the next are written
  double lent_from = 16384;  // bytes from which on a message is read where it lies; 0: none is
  double lending = 8e-7;     // seconds that takes more, for a message
  double lent_copy = 8e-11;  // seconds per byte

  bool is_lent(double bytes) const { return lent_from > 0 && bytes >= lent_from; }
  auto operator<=>(const SharedMemory&) const = default;
};

// Hockney's model: a message of b bytes takes alpha + b*beta, reducing b bytes takes b*gamma. One
// whose sender receives nothing and whose receiver sends nothing in that round takes alpha_uni +
// b*beta_uni (Thakur2005, 3): from half as much, where a link carries one message at a time, to as
// much, where it is full duplex.
//
// Past it, short messages of a rank overlap, and ranks of one node reach each other sooner and
// share the node's connection to the network.
struct Machine {
  // Between nodes.
  double alpha = 20e-6;  // seconds
  double beta = 8e-10;   // seconds per byte
  double gamma = 5e-11;  // seconds per byte
  double f_alpha = 1;    // alpha_uni / alpha
  double f_beta = 1;     // beta_uni / beta
  // Bytes from which on a message waits for its receiver. Shorter ones run ahead of their sender's
  // pace.
  double eager = 65536;
  // A rank may start a message while its last one travels, once its processor and its port are
  // free. It need not wait for one of less than so many bytes to arrive. 0: messages of a rank
  // follow each other, as Hockney's model has it.
  double overlap = 0;
  // The part of alpha for which a message keeps a processor busy, at each of its ends. If it waits
  // for its receiver only its sender's, and between nodes that once more, on top of alpha, to ask.
  double busy = 0.2;
  // Messages of up to so many bytes pass a connection between nodes in the order in which they
  // left. Longer ones that are under way together share it, and all arrive late: no pipeline should
  // have segments that are longer and run ahead. 0: all share, and fairly. Below 0: nobody knows;
  // they are taken to share, as they then arrive last, but no algorithm may count on it.
  double in_order = 0;
  // Seconds of what all nodes share, for each message: a processor, where nodes are virtual. A call
  // takes at least those of all its messages, in simulations of nodes with one rank each.
  double shared_busy = 0;
  // Longer messages between nodes go in fragments of so many bytes at most, which do not wait for
  // their receivers. 0: they go whole.
  double fragment = 0;
  // Inside a node.
  double near_alpha = 0.5e-6;
  double near_beta = 1e-10;
  double near_together = 1e-10;  // of all ranks of a node together: between near_beta and its p-th
  double near_busy = 0.35;       // as busy is
  Inside inside = Inside::messages;
  SharedMemory memory{};
  int ranks_per_node = 1;  // unless a communicator says where its ranks are

  // As in_order has it.
  Sharing sharing() const {
    return in_order > 0 ? Sharing::in_order : in_order < 0 ? Sharing::unknown : Sharing::fair;
  }

  auto operator<=>(const Machine&) const = default;
};

// What calls are chosen for where nothing was measured: a cluster on 10 Gbit/s Ethernet. On it
// arithmetic costs little beside messages: what spends messages to hide arithmetic is then chosen
// only by who says that it pays. Nobody knows how messages share its connections.
Machine usual_machine();
// What a program takes its machine to be, where nobody measured it, by two figures that are quickly
// found. The latency between nodes is nearest to that of the usual one, of 100 Gbit/s InfiniBand
// (1.5 us) or of a slow Ethernet (150 us); 0: all ranks are on one node, where messages wait sooner
// for their receivers. Where arithmetic takes next to no time the cluster is simulated: it takes
// none, and connections are shared fairly. Nothing else comes of them: choices are the same in
// every run.
Machine machine_by(double latency, double gamma);
// Whether its latency is nearer to a slow Ethernet's than to the usual one's.
bool is_slow(const Machine& machine);
// The same without overlap or memory: what formulas and simulations are compared on.
Machine hockney(Machine machine);
// Where all ranks are on one node.
Machine inside_a_node(Machine machine);

}  // namespace tutti
