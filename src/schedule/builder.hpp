// Writes a schedule: an algorithm calls send, recv, reduce and copy in the order a reader would
// tell the story, and the builder works out what has to wait for what.
//
// Dependences are derived from overlapping slices (read after write, write after read, write after
// write). Steps stay in their order: passes move receives ahead (passes/lowering.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "schedule/schedule.hpp"

namespace tutti {

class ScheduleBuilder;

// How many messages of a rank may be under way together, beyond what the data allows.
enum class Pace : std::uint8_t {
  all_at_once,     // any number: the network sorts them out
  one_send,        // a send waits for the rank's sends of earlier rounds
  in_turn,         // and a receive for its receives: their senders do not wait for each other
  round_by_round,  // a send waits for all of the rank's messages of earlier rounds
};

// What a one-ported, bidirectional machine does at once: at most one send and one receive.
class Round {
 public:
  void send(const Slices& pieces, Rank peer) { message(Kind::send, pieces, peer); }
  void recv(const Slices& pieces, Rank peer) { message(Kind::recv, pieces, peer); }
  void send(const Slice& piece, Rank peer) { message(Kind::send, Places(&piece, 1), peer); }
  void recv(const Slice& piece, Rank peer) { message(Kind::recv, Places(&piece, 1), peer); }
  // Messages without data, for synchronisation.
  void signal(Rank peer);
  void await(Rank peer);

 private:
  friend class ScheduleBuilder;
  Round(ScheduleBuilder& builder, int number) : builder_(builder), number_(number) {}
  void message(Kind kind, Places pieces, Rank peer);
  ScheduleBuilder& builder_;
  int number_;
};

class ScheduleBuilder {
 public:
  // Writes for the rank whose virtual rank is `me`; virtual rank v is rank v + origin (mod p).
  ScheduleBuilder(int p, Rank me, Rank origin = 0);

  Round round() { return {*this, rounds_++}; }
  // For the messages that follow. One send at a time unless said otherwise: messages that share a
  // port all arrive late, and the next round waits for the first. Where a message waits for others,
  // the messages of `rounds` rounds may be under way together: it waits for those of as many rounds
  // ago, and of those before.
  void pace(Pace pace, int rounds = 1) {
    pace_ = pace;
    window_ = rounds;
  }

  // A receive may be posted so many rounds before its own. One unless said otherwise: enough to be
  // there while the segment before it is worked on, few enough that a hurried rank does not get in
  // the way of a slow one.
  void ahead(int rounds) { ahead_ = rounds; }

  // What follows belongs to a strand (schedule.hpp), which keeps its own pace. 0 unless said
  // otherwise.
  void strand(int number);

  // What was written so far are the first steps: no receive that follows is moved ahead of them.
  void end_lead() { lead_ = steps_.size(); }

  // Whether places that lie side by side are reduced as one. They are unless said otherwise.
  void join_operands(bool join) { joins_ = join; }

  // A fresh region, disjoint from all others.
  Slice scratch(Units size);
  // The same, for padding, which nobody looks at: sent even where nothing was written.
  Slice blank(Units size);
  // `wanted`, or scratch of that size if `wanted` shares memory with one of `others`.
  Slice apart(const Slice& wanted, const Slices& others);

  // Copies piece by piece; pieces copied onto themselves cost nothing.
  void copy(const Slices& from, const Slices& to);
  void copy(const Slice& from, const Slice& to);
  // into = left op right. The operand order is kept; `into` may be either operand.
  void reduce(const Slices& left, const Slices& right, const Slices& into);
  void reduce(const Slice& left, const Slice& right, const Slice& into);

  // Another that writes for the same rank; it may use the scratch this one has so far.
  ScheduleBuilder fresh() const {
    ScheduleBuilder result(p_, me_, origin_);
    result.scratch_ = result.shared_ = scratch_;
    result.joins_ = joins_;
    return result;
  }
  // What others have written, by turns: a round of one, then a round of the next. Local work that
  // follows a round is put behind the next one's messages, which travel meanwhile. Parts that start
  // apart send nothing before a message without data has come from the rank before, which sent it
  // when the part before them had begun there.
  struct Part;
  enum class Start : std::uint8_t { together, apart };
  void by_turns(const std::vector<Part>& parts, Start start = Start::together);

  // As it was written: passes give messages their slots, and leave out waits that a step before has
  // (passes/lowering.hpp).
  Schedule finish() &&;

 private:
  friend class Round;

  struct Replay;

  void message(Kind kind, int round, Places pieces, Rank peer);
  void replay(const Step& step, const Replay& from, int round);
  void append_local(Kind kind, Places operands);
  void append(Step step, Places places);
  struct Outstanding {
    std::uint32_t message;
    Slice around;         // from its first place to its last
    std::size_t ordered;  // its places, from there on in ordered_; if they are few, nowhere
  };
  // Messages of one kind that nobody waits for yet, oldest first; and since when there are any, and
  // where, at least: most steps have to do with none of them.
  struct UnderWay {
    std::vector<Outstanding> messages{};
    int first_round = std::numeric_limits<int>::max();
    std::array<Slices, 3> around{};  // by buffer, apart from each other

    void add(const Outstanding& message, int round);
    bool touches(Places places) const;
  };
  UnderWay& under_way(Kind kind) { return kind == Kind::send ? sends_ : receives_; }
  bool paced(const Step& step, const Step& earlier) const;
  bool conflicts(const Step& step, const Outstanding& earlier) const;
  void add_waits(Step& step);
  void follow(const Step& step, Places places, UnderWay& messages);

  int p_;
  Rank me_;
  Rank origin_;
  int rounds_ = 0;
  int strand_ = 0, strands_ = 1;
  Pace pace_ = Pace::one_send;
  int window_ = 1;
  int ahead_ = 1;
  std::size_t lead_ = 0;  // steps
  int start_ = -1;        // the round of the message that later rounds' sends wait for
  bool joins_ = true;
  Units scratch_ = 0;
  Units shared_ = 0;  // scratch that is another's too
  Slices blank_;
  std::vector<Step> steps_;
  std::vector<Slice> slices_;
  std::vector<std::uint32_t> waits_;
  Slices ordered_;  // places of messages that have many
  UnderWay sends_, receives_;
  struct Completed {
    std::uint32_t message;
    int round;  // of the step that waits for it
  };
  std::vector<Completed> completed_;
  std::vector<int> sent_, received_;  // messages so far per peer
};

struct ScheduleBuilder::Part {
  ScheduleBuilder written;
  Units offset = 0;  // from the places it has written of, in the input and the output
};

}  // namespace tutti
