#include "tools/measure/pair_memory.hpp"

#include <mpi.h>
#include <sys/types.h>

#include <array>
#include <cstring>
#include <utility>

namespace tutti::tools {

namespace {

struct Introduction {
  std::array<char, 64> name;  // of the object, by the first of the two
  Token token;
};

template <class Value>
Value of_partner(const Value& mine, int partner) {
  constexpr int tag = 2;
  Value theirs{};
  PMPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, partner, tag, &theirs, sizeof theirs, MPI_BYTE,
                partner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return theirs;
}

}  // namespace

std::unique_ptr<PairMemory> PairMemory::share(int rank, int partner) {
  if (partner == rank) return nullptr;
  const int me = rank < partner ? 0 : 1;
  SharedObject object;
  Introduction mine{.name = {}, .token = own_token()};
  if (me == 0) {
    object = SharedObject::create(Medium::bytes(2));
    object.name().copy(mine.name.data(), mine.name.size() - 1);
  }
  const Introduction theirs = of_partner(mine, partner);
  if (me == 1) object = SharedObject::open(theirs.name.data(), Medium::bytes(2));
  const std::size_t box = Medium::box_bytes(2);
  struct Finding {
    bool has_it, can_read;
  };
  const Finding own{object.exists() && object.reserve(static_cast<std::size_t>(me) * box, box),
                    can_read(theirs.token)};
  const Finding other = of_partner(own, partner);
  if (me == 0) object.forget_name();
  object.close();
  if (!own.has_it || !other.has_it) return nullptr;
  object.map_all();
  const bool lends = own.can_read && other.can_read;
  std::vector<pid_t> processes;
  if (lends) processes.assign(2, static_cast<pid_t>(theirs.token.process));
  return std::unique_ptr<PairMemory>(
      new PairMemory(std::move(object), me, SingleCopy(std::move(processes)), lends));
}

PairMemory::PairMemory(SharedObject object, int me, SingleCopy single_copy, bool lends)
    : object_(std::move(object)),
      peer_(1 - me),
      lends_(lends),
      medium_(object_.memory(), 2, me, Waits::spinning),
      carrier_(medium_, std::move(single_copy)),
      out_(most_bytes),
      in_(most_bytes) {}

void PairMemory::exchange(std::size_t bytes, int messages) {
  const Piece from{.buffer = 0, .bytes = bytes}, to{.buffer = 1, .bytes = bytes};
  carrier_.begin({out_.data(), in_.data(), nullptr}, ++calls_, 0, nullptr, 1, nullptr,
                 2 * most_messages);
  for (int i = 0; i < messages; ++i) carrier_.send(i, peer_, {&from, 1}, bytes);
  for (int i = 0; i < messages; ++i) {
    carrier_.receive(most_messages + i, peer_, {.pieces = {&to, 1}}, bytes);
  }
  constexpr int spins = 4000;
  for (int idle = 0; !carrier_.is_idle();) {
    if (carrier_.progress()) {
      idle = 0;
    } else if (++idle < spins) {
      pause_a_moment();
    } else {
      yield_processor();
    }
  }
}

}  // namespace tutti::tools
