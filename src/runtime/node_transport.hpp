// The executor's transport where ranks share memory with others of their node: messages among them
// go through it, others through MPI (runtime/transport.hpp).
#pragma once

#include "runtime/node_memory.hpp"
#include "runtime/transport.hpp"

namespace tutti::runtime {

class NodeTransport final : private Packer {
 public:
  // Of a call that is alone, with that number and tag of its length (runtime/watch.hpp); the rest
  // as MpiTransport has it, which sees to messages to other nodes and to local steps.
  NodeTransport(const Plan& plan, const Addresses& addresses, Carrier& carrier, MPI_Comm shadow,
                int rank, MPI_Op op, Kernel kernel, Slots slots, int tag_base, unsigned number,
                int length_tag, Watch* watch)
      : plan_(plan),
        carrier_(carrier),
        shadow_(shadow),
        far_(plan, addresses, shadow, rank, op, kernel, slots, tag_base, true, watch) {
    rank_ = rank;
    carrier_.begin(addresses, number, static_cast<unsigned>(length_tag), kernel,
                   plan.element_bytes(), this, plan.schedule().slots);
  }

  void send(const Step& step, std::uint32_t number) {
    const Near& near = plan_.near(number);
    if (near.peer < 0) return far_.send(step, number);
    if (gave_up_) return;
    carrier_.send(step.slot, near.peer, plan_.pieces(near), near.bytes, near.publication);
  }
  void recv(const Step& step, std::uint32_t number) {
    const Near& near = plan_.near(number);
    if (near.peer < 0) return far_.recv(step, number);
    if (!gave_up_) carrier_.receive(step.slot, near.peer, plan_.target(near), near.bytes);
  }
  void exchange(const Step& first, std::uint32_t number) {
    if (plan_.near(number).peer < 0 && plan_.near(number + 1).peer < 0) {
      return far_.exchange(first, number);
    }
    const Step& second = plan_.schedule().steps[number + 1];
    for (const Step* each : {&first, &second}) {
      each->kind == Kind::send ? send(*each, number++) : recv(*each, number++);
    }
    if (first.kind == Kind::recv) {  // it is completed with the send
      wait(first);
      wait(second);
    }
  }

  void wait(const Step& step) {
    if (is_near(step)) {
      if (!carrier_.is_over(step.slot)) wait_until_over(step.slot);
    } else if (carrier_.is_idle()) {
      far_.wait(step);
    } else {
      wait_for_far(step);
    }
  }
  bool test(const Step& step) {
    carrier_.progress();
    return is_complete(step) || (!is_near(step) && far_.test(step));
  }
  bool is_complete(const Step& step) const {
    return is_near(step) ? carrier_.is_over(step.slot) : far_.is_complete(step);
  }
  // Only of schedules with several strands, which go by messages alone.
  void wait_for_some(std::span<const Step* const> messages) { far_.wait_for_some(messages); }
  void wait_for_all() {
    while (!carrier_.is_idle()) wait_until_idle();
    if (plan_.has_far()) far_.wait_for_all();
  }

  void reduce(const Step& step, std::uint32_t number) { far_.reduce(step, number); }
  void copy(const Step& step, std::uint32_t number) { far_.copy(step, number); }
  // It was combined as it came.
  void recv_reduce(const Step&, std::uint32_t) {}

  int error() const {
    if (error_ != MPI_SUCCESS) return error_;
    return carrier_.has_truncated() ? MPI_ERR_TRUNCATE : far_.error();
  }

 private:
  bool is_near(const Step& step) const {
    return plan_.near(static_cast<std::uint32_t>(&step - plan_.schedule().steps.data())).peer >= 0;
  }
  void pack(const Piece& piece, const char* at, std::size_t first, std::size_t bytes,
            char* to) override;
  void unpack(const Piece& piece, char* at, std::size_t first, std::size_t bytes,
              const char* from) override;
  void note(int result) {
    if (result != MPI_SUCCESS && error_ == MPI_SUCCESS) error_ = result;
  }
  void wait_until_over(int slot);
  void wait_until_idle();
  void wait_for_far(const Step& step);
  template <class IsOver>
  void wait_until(IsOver is_over);
  void rest(unsigned times);
  void look_around();
  void fail();

  const Plan& plan_;
  Carrier& carrier_;
  MPI_Comm shadow_;
  MpiTransport far_;
  int rank_ = 0;
  bool gave_up_ = false;
  int error_ = MPI_SUCCESS;
};

}  // namespace tutti::runtime
