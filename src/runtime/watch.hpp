// Whether the ranks of a broadcast disagree about its length, which MPI forbids.
//
// Where each rank gets the message whole, the library finds out: what is too long is an error, what
// is shorter arrives. Where it travels in parts, ranks would wait for parts that nobody sends. So a
// tag says how long the message is, as far as a few bits can, and who has waited for long looks for
// messages of this call with another length. Who finds one tells all others, and gives up.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace tutti::runtime {

// How tags are divided: above a step's, a schedule's and a call's bit (runtime/transport.hpp) one
// for those who give up, the length, and the number of the call.
class LengthTags {
 public:
  // What the library's tags leave room for; none if that is too little.
  static LengthTags of_library();

  // Of a message in parts; one that is whole has 0.
  static int length(std::int64_t bytes);
  bool exist() const { return calls_ > 1; }
  // Not 0, as that of other collectives.
  int of_call(unsigned number) const {
    return static_cast<int>(1 + number % (calls_ - 1)) << first_bit;
  }

  static constexpr int gives_up = 1 << 15, length_bit = 16, lengths = 1 << 6;
  static constexpr int first_bit = 22;

 private:
  unsigned calls_ = 1;
};

class Watch {
 public:
  // Of a call on a communicator of p ranks, whose tags have these bits.
  Watch(MPI_Comm comm, int rank, int p, int call_bits, int length)
      : comm_(comm), rank_(rank), p_(p), call_bits_(call_bits), length_(length) {}

  int tag_bits() const { return call_bits_ | length_ << LengthTags::length_bit; }
  // To be asked again and again while nothing arrives; most of the time it only counts.
  bool sees_disagreement() { return ++looks_ % looks_between == 0 && look(); }
  void tell_others() const;

 private:
  static constexpr unsigned looks_between = 1024;
  static constexpr double patience = 0.2, interval = 0.05;  // seconds

  bool look();
  bool is_told() const;
  bool sees_other_length() const;

  MPI_Comm comm_;
  int rank_, p_, call_bits_, length_;
  unsigned looks_ = 0;
  int seen_ = 0;
  double next_ = 0;
};

}  // namespace tutti::runtime
