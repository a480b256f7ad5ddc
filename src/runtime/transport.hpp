// The executor's transport over MPI: messages on the shadow communicator, common arithmetic by a
// kernel, other arithmetic and typed copies by the MPI library.
#pragma once

#include <mpi.h>

#include <span>

#include "runtime/kernels.hpp"
#include "runtime/plan.hpp"
#include "runtime/watch.hpp"

namespace tutti::runtime {

// A tag has 15 bits, as MPI promises: a step's, then the call's. What a call's ranks ask each other
// is under way together with its first steps, and has the tags of later ones.
inline constexpr int step_tag_bits = 12;
inline constexpr int call_tags = 1 << step_tag_bits, question_tags = call_tags / 2;
inline constexpr unsigned calls_together = 8;  // in progress on a communicator, at most

// Copies data, and nothing but data: gaps of the target keep what they hold. What has gaps on both
// sides goes as a message to oneself on `shadow`. Returns MPI_SUCCESS or the library's error.
int copy_elements(const Elements& from, const Elements& to, MPI_Comm shadow, int rank);

// Room for messages that are under way, one in each slot of a schedule.
struct Slots {
  MPI_Request* requests;
  MPI_Status* statuses;
};

class MpiTransport {
 public:
  // `kernel` may be null; `slots` are as many as the schedule has; `tag_base` keeps calls apart. A
  // send may block if the call is `alone`. `watch`, if any, says when to give up waiting.
  MpiTransport(const Plan& plan, const Addresses& addresses, MPI_Comm shadow, int rank, MPI_Op op,
               Kernel kernel, Slots slots, int tag_base, bool alone, Watch* watch = nullptr)
      : plan_(plan),
        addresses_(addresses),
        comm_(shadow),
        rank_(rank),
        op_(op),
        kernel_(kernel),
        requests_(slots.requests),
        statuses_(slots.statuses),
        tag_base_(tag_base),
        alone_(alone),
        watch_(watch) {}

  void send(const Step& step, std::uint32_t number) {
    if (gave_up_) return;
    last_ = number;
    const Message& message = plan_.message(number);
    if (!alone_ || !message.small) return start(step, message);
    // Proved to be free of deadlock even if this waits for the receive.
    note(PMPI_Send(at(message), message.count, message.type, step.peer, tag(step), comm_));
    requests_[step.slot] = MPI_REQUEST_NULL;
  }

  void recv(const Step& step, std::uint32_t number) {
    if (gave_up_) return;
    last_ = number;
    post(step, plan_.message(number));
  }

  // Of two, one of which is received and one sent.
  void exchange(const Step& first, std::uint32_t number) {
    const Step& second = plan_.schedule().steps[number + 1];
    if (first.kind == Kind::recv && alone_ && watch_ == nullptr) {
      return exchange(first, second, number);
    }
    for (const Step* each : {&first, &second}) {
      each->kind == Kind::send ? send(*each, number++) : recv(*each, number++);
    }
  }

  void wait(const Step& step) {
    MPI_Request& request = requests_[step.slot];
    if (request == MPI_REQUEST_NULL) return;
    if (watch_ != nullptr) return wait_watched(request);
    note(PMPI_Wait(&request, MPI_STATUS_IGNORE));
  }

  bool test(const Step& step) { return test(requests_[step.slot]); }
  bool is_complete(const Step& step) const { return requests_[step.slot] == MPI_REQUEST_NULL; }
  void wait_for_some(std::span<const Step* const> messages);
  void wait_for_all();

  void reduce(const Step&, std::uint32_t number) {
    for (const Operands& operands : plan_.operands(number)) reduce(operands);
  }
  void copy(const Step&, std::uint32_t number) {
    for (const auto& [from, to, unused] : plan_.operands(number)) copy_run(from, to);
  }

  // Leaves all messages that are under way, and those to come.
  void give_up();

  // The first error of any call to MPI.
  int error() const { return error_; }

 private:
  void note(int result) {
    if (result != MPI_SUCCESS && error_ == MPI_SUCCESS) error_ = result;
  }
  int tag(const Step& step) const { return tag_base_ + step.tag % (1 << step_tag_bits); }
  char* address(Buffer buffer) const { return addresses_[static_cast<std::size_t>(buffer)]; }
  char* at(const Message& message) const { return address(message.buffer) + message.offset; }
  char* at(const Run& run) const { return address(run.buffer) + run.offset; }
  Elements elements(const Run& run) const { return {at(run), run.elements, *run.place}; }
  void post(const Step& recv, const Message& message) {
    note(PMPI_Irecv(at(message), message.count, message.type, recv.peer, tag(recv), comm_,
                    &requests_[recv.slot]));
  }
  void copy_run(const Run& from, const Run& to) {
    note(copy_elements(elements(from), elements(to), comm_, rank_));
  }
  void start(const Step& send, const Message& message) {
    const auto immediate = plan_.schedule().synchronous ? PMPI_Issend : PMPI_Isend;
    note(immediate(at(message), message.count, message.type, send.peer, tag(send), comm_,
                   &requests_[send.slot]));
  }
  void exchange(const Step& receive, const Step& send, std::uint32_t number) {
    const Message &in = plan_.message(number), &out = plan_.message(number + 1);
    note(PMPI_Sendrecv(at(out), out.count, out.type, send.peer, tag(send), at(in), in.count,
                       in.type, receive.peer, tag(receive), comm_, MPI_STATUS_IGNORE));
  }
  void reduce(const Operands& operands) {
    const auto& [left, right, into] = operands;
    if (kernel_ == nullptr) return reduce_by_library(left, right, into);
    kernel_(at(left), at(right), at(into), static_cast<std::size_t>(into.elements));
  }
  bool test(MPI_Request& request);
  void wait_watched(MPI_Request& request) {
    while (!test(request)) {
    }
  }
  void reduce_by_library(const Run& left, const Run& right, const Run& into);
  void reduce_into_left(const Run& left, const Run& right);
  // right = left op right.
  void apply(const Run& left, const Run& right);

  const Plan& plan_;
  Addresses addresses_;
  MPI_Comm comm_;
  int rank_;
  MPI_Op op_;
  Kernel kernel_;
  MPI_Request* requests_;
  MPI_Status* statuses_;
  int tag_base_;
  bool alone_;
  Watch* watch_;
  std::uint32_t last_ = 0;  // message that was started
  bool gave_up_ = false;
  int error_ = MPI_SUCCESS;
};

}  // namespace tutti::runtime
