// A collective call in progress. Its stages:
//
// - agree: ranks tell each other sizes, where none knows them all and they do not go without.
// - ask: ranks ask each other what the algorithm has to know; its first messages travel meanwhile.
// - data: packing, a schedule for each window of the message, unpacking.
//
// Each stage runs schedules over messages. All that belongs to the call is here, so several may be
// in progress on a communicator: their tags differ by the number that all ranks give a call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "execute/executor.hpp"
#include "runtime/communicator.hpp"
#include "runtime/node_transport.hpp"
#include "runtime/transport.hpp"
#include "runtime/watch.hpp"

namespace tutti::runtime {

class Operation {
 public:
  enum class Company : std::uint8_t {
    alone,        // this rank makes no other call before the end of this one
    with_others,  // it may have others in progress: no message may wait for its receiver, nor go by
                  // the node's memory, which has those of one call (TUTTI_MEMORY=0)
  };

  // Of a call like one for which `prepared` was made. These outlive it, also below.
  Operation(const Arguments& arguments, const Prepared& prepared, Communicator& state,
            unsigned number, Company company = Company::alone);
  // Of one that nothing is wrong with; workspace->facts says what this rank knows of it.
  Operation(const Arguments& arguments, Borrowed workspace, Communicator& state, unsigned number,
            Company company = Company::alone);
  ~Operation() {
    if (is_looked_up_) forget();
  }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  // Tells other ranks, which wait for its sizes, that this rank's call is in error.
  static void reject(const Arguments& arguments, Communicator& state, unsigned number);

  // Goes on as far as it can: to the end, if it may block. True once it is over.
  bool advance(bool may_block);
  // To the end. MPI_SUCCESS, or the library's first error, which the communicator's handler got.
  int finish();

  // Once it is over: whether it did nothing, as the native collective is to serve the call.
  bool is_native() const { return prepared_ == nullptr || prepared_->plan == nullptr; }
  // What serves it; null if ranks heard that one is in error.
  const std::shared_ptr<const Prepared>& prepared() const { return workspace_->prepared; }
  const CallFacts& facts() const { return workspace_->facts; }

 private:
  enum class Stage : std::uint8_t { agree, ask, data, over };

  CallFacts& known() { return workspace_->facts; }
  Agreement& agreement();
  void note(int result) {
    if (error_ == MPI_SUCCESS) error_ = result;
  }
  // Where its element 0 is.
  char* scratch(const Prepared& prepared) {
    const std::size_t memory = prepared.memory;
    return (memory > 0 ? workspace_->scratch(memory) : nullptr) + prepared.scratch_shift;
  }
  int tags() const { return static_cast<int>(number_ % calls_together) * call_tags; }
  // `running` says what is reduced, and whether its lengths are watched.
  void start(const Plan& plan, const Prepared& prepared, const Arguments& running,
             const Addresses& addresses, int tags);
  template <Waiting waiting>
  bool run_schedule();
  template <Waiting waiting>
  bool run_stages();
  void end_exchange();

  void forget();
  void tell();
  void tell_natively(const Arguments& telling);
  void hear();
  void look_up();
  void ask();
  void begin_early();
  void move_data();
  void pack();
  void unpack();
  void next_window();
  void end_data();

  const Arguments& arguments_;
  Communicator& state_;
  Borrowed workspace_;
  unsigned number_;
  Company company_;
  Stage stage_ = Stage::data;
  bool is_looked_up_ = false;
  bool agreed_now_ = false;
  int error_ = MPI_SUCCESS;
  const Prepared* prepared_ = nullptr;
  std::uint32_t early_ = 0;  // so many of the data's first steps were issued before

  // The schedule that is running; none where the library tells.
  const Plan* plan_ = nullptr;
  Cursor cursor_;
  std::optional<Watch> watch_;
  std::optional<MpiTransport> transport_;  // of messages only, or
  std::optional<NodeTransport> node_;      // also through the node's memory

  // Of the data.
  Addresses window_{};
  Units windows_done_ = 0;
  char* packed_out_ = nullptr;
};

}  // namespace tutti::runtime
