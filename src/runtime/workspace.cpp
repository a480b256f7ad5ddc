#include "runtime/workspace.hpp"

namespace tutti::runtime {

void Workspaces::make() {
  all_.push_back(std::make_unique<Workspace>());
  idle_ = all_.back().get();
}

void Workspace::grow_scratch(std::size_t bytes) {
  scratch_.reset(new char[bytes]);
  scratch_size_ = bytes;
}

void Workspace::drop_scratch() {
  scratch_.reset();
  scratch_size_ = 0;
}

void Workspace::grow_slots(int count) {
  requests_.resize(static_cast<std::size_t>(count), MPI_REQUEST_NULL);
  statuses_.resize(static_cast<std::size_t>(count));
}

}  // namespace tutti::runtime
