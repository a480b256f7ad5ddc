// Memory of a call in progress. A communicator keeps what ended calls have left for the next ones,
// so that calls do not allocate.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/prepared.hpp"
#include "runtime/transport.hpp"

namespace tutti::runtime {

class Workspace {
 public:
  // Valid until the next.
  char* scratch(std::size_t bytes) {
    if (bytes > scratch_size_) grow_scratch(bytes);
    return scratch_.get();
  }
  // Keeps scratch up to a bound.
  void release_scratch() {
    if (scratch_size_ > kept_scratch) drop_scratch();
  }
  Slots slots(int count) {
    if (static_cast<int>(requests_.size()) < count) grow_slots(count);
    return {requests_.data(), statuses_.data()};
  }

  // Of a call that is looked up.
  CallFacts facts;
  Words numbers;                                     // to be told to other ranks, or asked for
  std::vector<const Datatype*> in_types, out_types;  // of blocks
  std::shared_ptr<const Prepared> prepared, tells;   // for the call, and for telling sizes
  MPI_Request telling = MPI_REQUEST_NULL;            // natively
  std::vector<MPI_Request> early;                    // messages of its first steps

 private:
  friend class Workspaces;
  static constexpr std::size_t kept_scratch = std::size_t{1} << 20;  // bytes

  void grow_scratch(std::size_t bytes);
  void drop_scratch();
  void grow_slots(int count);

  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;
  std::unique_ptr<char[]> scratch_;
  std::size_t scratch_size_ = 0;
  Workspace* next_ = nullptr;  // idle, too
};

class Workspaces {
 public:
  Workspace* take() {
    if (idle_ == nullptr) make();
    return std::exchange(idle_, idle_->next_);
  }
  void give_back(Workspace* workspace) {
    workspace->release_scratch();
    workspace->next_ = std::exchange(idle_, workspace);
  }

 private:
  void make();

  std::vector<std::unique_ptr<Workspace>> all_;
  Workspace* idle_ = nullptr;
};

// One that a call has, until it ends.
class Borrowed {
 public:
  explicit Borrowed(Workspaces& from) : from_(&from), workspace_(from.take()) {}
  Borrowed(Borrowed&& other) noexcept
      : from_(other.from_), workspace_(std::exchange(other.workspace_, nullptr)) {}
  Borrowed& operator=(Borrowed&&) = delete;
  ~Borrowed() {
    if (workspace_ != nullptr) from_->give_back(workspace_);
  }
  Workspace& operator*() const { return *workspace_; }
  Workspace* operator->() const { return workspace_; }

 private:
  Workspaces* from_;
  Workspace* workspace_;
};

}  // namespace tutti::runtime
