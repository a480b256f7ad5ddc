// A second opinion, independent of src/verify: runs schedules on real values, a step at a time, in
// an order drawn at random.
//
// Messages behave as badly as MPI lets them: one may be delivered as soon as it is posted, or at
// any later moment up to where it is waited for, and its memory is read and written only then.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "schedule/schedule.hpp"

namespace tutti::oracle {

// One unit: which ranks contributed, in operand order ('A' is rank 0), and which of their units.
struct Value {
  std::string ranks = "?";  // memory nobody has written
  Units index = -1;

  bool operator==(const Value&) const = default;
};
using Values = std::vector<Value>;

inline std::string name_of(Rank rank) { return std::string(1, static_cast<char>('A' + rank)); }

// The buffers of a rank, in the order of enum Buffer.
struct Memory {
  Values buffers[3];
  Values& at(Buffer buffer) { return buffers[static_cast<std::size_t>(buffer)]; }
  const Values& at(Buffer buffer) const { return buffers[static_cast<std::size_t>(buffer)]; }
};

struct Options {
  std::uint64_t seed = 1;
  bool commutative = true;
  bool always_eager = false;      // every send is done at once
  std::optional<Rank> held_up{};  // this rank never starts
};

class Executor {
 public:
  Executor(const std::vector<Schedule>& schedules, std::vector<Memory> memory, Options options);

  // Runs until nothing can go on. Empty if all went well; else what is wrong.
  std::string run();
  const Memory& memory(Rank rank) const { return memory_[static_cast<std::size_t>(rank)]; }
  bool finished(Rank rank) const { return finished_[static_cast<std::size_t>(rank)]; }

 private:
  struct Side {
    Rank rank;
    std::uint32_t step;
  };
  struct Message {
    std::optional<Side> send, recv;
    std::optional<Values> buffered;
  };
  using Key = std::tuple<Rank, Rank, int>;  // from, to, tag

  const Schedule& schedule(Rank rank) const { return schedules_[static_cast<std::size_t>(rank)]; }
  bool go_on(Rank rank);
  bool go_on(Rank rank, int strand);
  std::size_t next_of(Rank rank, int strand, std::size_t from) const;
  bool all_done(Rank rank, const std::uint32_t* waits, std::size_t count) const;
  void compute(Rank rank, std::uint32_t number);
  Values operand(Rank rank, std::uint32_t number, int which);
  void post(Rank rank, std::uint32_t number);
  void deliver(const Key& key);
  void complete(const Side& side);
  Values read(Rank rank, const Slice& slice);
  Values read_pieces(const Side& side);
  void write(Rank rank, const Slice& slice, const Values& values);
  bool inside(Rank rank, const Slice& slice);
  Value combined(const Value& left, const Value& right) const;
  std::size_t below(std::size_t bound);

  const std::vector<Schedule>& schedules_;
  std::vector<Memory> memory_;
  Options options_;
  std::mt19937_64 random_;
  std::vector<std::vector<std::size_t>> next_;             // per rank and strand: the step to issue
  std::vector<std::vector<bool>> done_;                    // per rank and step
  std::map<std::pair<Rank, std::uint32_t>, Values> come_;  // for a recv_reduce that was posted
  std::vector<bool> finished_;
  std::vector<Rank> runnable_;
  std::map<Key, Message> messages_;
  std::vector<Key> deliverable_;
  std::string error_;
};

}  // namespace tutti::oracle
