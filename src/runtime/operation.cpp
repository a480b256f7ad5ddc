#include "runtime/operation.hpp"

#include <algorithm>
#include <utility>

#include "runtime/agree.hpp"
#include "runtime/look_up.hpp"

namespace tutti::runtime {

namespace {

// Copies areas of the user's memory to or from packed bytes, one after the other.
class Staging {
 public:
  Staging(MPI_Comm shadow, int rank, char* packed) : shadow_(shadow), rank_(rank), at_(packed) {}

  void pack(const Areas& areas, char* users) {
    copy(areas, users,
         [](const Elements& user, const Elements& packed) { return std::pair(user, packed); });
  }
  void unpack(const Areas& areas, char* users) {
    copy(areas, users,
         [](const Elements& user, const Elements& packed) { return std::pair(packed, user); });
  }
  char* position() const { return at_; }
  int error() const { return error_; }

 private:
  template <class Direct>
  void copy(const Areas& areas, char* users, Direct direct) {
    for (const Area& area : areas) {
      const Elements user{users + area.offset, area.elements(), area.place};
      const auto [from, to] = direct(user, Elements{at_, area.units, {}});
      if (error_ == MPI_SUCCESS) error_ = copy_elements(from, to, shadow_, rank_);
      at_ += area.units;
    }
  }

  MPI_Comm shadow_;
  int rank_;
  char* at_;
  int error_ = MPI_SUCCESS;
};

// Whether it serves blocks of any length right, whatever ranks have heard.
bool serves_any_length(const Prepared& prepared, Collective collective) {
  if (info(collective).rooted) return false;
  return prepared.algorithm == nullptr ||
         (!prepared.algorithm->requires_.agreement && !prepared.answers);
}

// A broadcast's root has the message where others get it.
bool holds_message(const Arguments& arguments, const Communicator& state) {
  return arguments.collective == Collective::bcast && state.rank == arguments.root;
}

char* users_input(const Arguments& arguments) { return static_cast<char*>(arguments.in.address); }
char* users_output(const Arguments& arguments) { return static_cast<char*>(arguments.out.address); }

}  // namespace

Operation::Operation(const Arguments& arguments, const Prepared& prepared, Communicator& state,
                     unsigned number, Company company)
    : arguments_(arguments),
      state_(state),
      workspace_(state.workspaces),
      number_(number),
      company_(company),
      prepared_(&prepared) {
  move_data();
}

// Ranks go without agreeing in the same calls only where each ends before the next begins.
Operation::Operation(const Arguments& arguments, Borrowed workspace, Communicator& state,
                     unsigned number, Company company)
    : arguments_(arguments),
      state_(state),
      workspace_(std::move(workspace)),
      number_(number),
      company_(company),
      is_looked_up_(true) {
  if (!state.agrees(arguments.collective)) {
    look_up();
  } else if (company == Company::alone && agreement().pace.goes_without()) {
    known().heard = agreement().heard;
    look_up();
  } else {
    agreed_now_ = true;
    write_sizes(arguments, known(), state.p, workspace_->numbers);
    tell();
  }
}

void Operation::reject(const Arguments& arguments, Communicator& state, unsigned number) {
  Borrowed workspace(state.workspaces);
  workspace->numbers.assign(static_cast<std::size_t>(state.p), is_rejected);
  const Arguments rejecting = telling(arguments, state, workspace->numbers);
  CallFacts facts{.out = {.all = state.numbers}};
  const std::shared_ptr<const Prepared> prepared = prepared_for(rejecting, facts, state);
  if (prepared->plan == nullptr) {
    PMPI_Bcast(rejecting.out.address, static_cast<int>(rejecting.out.count), rejecting.out.type,
               rejecting.root, rejecting.comm);
  } else {
    Operation(rejecting, *prepared, state, number).finish();
  }
}

// What was looked up is not kept alive by memory that waits for the next call.
void Operation::forget() {
  workspace_->prepared.reset();
  workspace_->tells.reset();
}

Agreement& Operation::agreement() {
  return state_.agreement(arguments_.collective, arguments_.in_place);
}

template <Waiting waiting>
bool Operation::run_schedule() {
  if (plan_ == nullptr) {  // the library tells
    int done = 1;
    note(waiting == Waiting::block ? PMPI_Wait(&workspace_->telling, MPI_STATUS_IGNORE)
                                   : PMPI_Test(&workspace_->telling, &done, MPI_STATUS_IGNORE));
    return done != 0;
  }
  const auto run_over = [&](auto& transport) {
    const bool over = tutti::advance<waiting>(plan_->schedule(), transport, cursor_);
    if (over) note(transport.error());
    return over;
  };
  return node_ ? run_over(*node_) : run_over(*transport_);
}

template <Waiting waiting>
bool Operation::run_stages() {
  while (stage_ != Stage::over) {
    if (!run_schedule<waiting>()) return false;
    if (stage_ != Stage::data) {
      end_exchange();
    } else if (prepared_->is_whole()) {
      end_data();
    } else {
      next_window();
    }
  }
  return true;
}

bool Operation::advance(bool may_block) {
  return may_block ? run_stages<Waiting::block>() : run_stages<Waiting::poll>();
}

int Operation::finish() {
  run_stages<Waiting::block>();
  if (error_ != MPI_SUCCESS && !is_native()) {
    PMPI_Comm_call_errhandler(arguments_.comm, error_);
  }
  return error_;
}

// Ranks end one schedule before they begin the next, and messages of one tag keep their order: only
// what is under way together needs tags of its own.
void Operation::start(const Plan& plan, const Prepared& prepared, const Arguments& running,
                      const Addresses& addresses, int tags) {
  if (running.collective == Collective::bcast && state_.length_tags.exist()) {
    watch_.emplace(state_.shadow, state_.rank, state_.p, state_.length_tags.of_call(number_),
                   prepared.length_tag);
    tags |= watch_->tag_bits();
  } else {
    watch_.reset();
  }
  plan_ = &plan;
  cursor_ = {};
  Watch* const watch = watch_ ? &*watch_ : nullptr;
  if (plan.has_near()) {
    node_.emplace(plan, addresses, state_.memory->carrier(), state_.shadow, state_.rank, running.op,
                  prepared.kernel, workspace_->slots(plan.schedule().slots), tags, number_,
                  watch_ ? prepared.length_tag : 0, watch);
    return;
  }
  node_.reset();
  transport_.emplace(plan, addresses, state_.shadow, state_.rank, running.op, prepared.kernel,
                     workspace_->slots(plan.schedule().slots), tags, company_ == Company::alone,
                     watch);
}

void Operation::end_exchange() {
  if (stage_ == Stage::agree) {
    hear();
  } else {
    look_up();
  }
}

void Operation::tell() {
  stage_ = Stage::agree;
  const Arguments to_tell = telling(arguments_, state_, workspace_->numbers);
  CallFacts facts{.out = {.all = state_.numbers}};
  workspace_->tells = prepared_for(to_tell, facts, state_);
  if (workspace_->tells->plan == nullptr) return tell_natively(to_tell);
  const Prepared& tells = *workspace_->tells;
  start(*tells.plan, tells, to_tell, {nullptr, users_output(to_tell), scratch(tells)}, tags());
}

void Operation::tell_natively(const Arguments& telling) {
  const Side& numbers = telling.out;
  const auto count = static_cast<int>(numbers.count);
  plan_ = nullptr;
  if (company_ == Company::alone) {
    note(telling.in_place
             ? PMPI_Allreduce(MPI_IN_PLACE, numbers.address, count, numbers.type, telling.op,
                              telling.comm)
             : PMPI_Bcast(numbers.address, count, numbers.type, telling.root, telling.comm));
  } else if (telling.in_place) {
    note(PMPI_Iallreduce(MPI_IN_PLACE, numbers.address, count, numbers.type, telling.op,
                         telling.comm, &workspace_->telling));
  } else {
    note(PMPI_Ibcast(numbers.address, count, numbers.type, telling.root, telling.comm,
                     &workspace_->telling));
  }
}

void Operation::hear() {
  workspace_->tells.reset();
  Heard& heard = known().heard;
  heard.numbers = workspace_->numbers;
  heard.agreed = static_cast<std::ptrdiff_t>(heard.numbers.size());
  if (company_ == Company::alone) agreement().heard = heard;
  if (heard.numbers.front() == is_rejected) {
    stage_ = Stage::over;
  } else {
    look_up();
  }
}

void Operation::look_up() {
  CallFacts& facts = known();
  if (!facts.heard.asked) {
    facts.recurs = runtime::recurs(arguments_, facts.out, state_, workspace_->numbers);
  }
  workspace_->prepared = prepared_for(arguments_, facts, state_);
  prepared_ = workspace_->prepared.get();
  if (agreed_now_ && company_ == Company::alone && !facts.heard.asked) {
    agreement().pace.led_to_any_length(serves_any_length(*prepared_, arguments_.collective));
  }
  if (prepared_->answers) {
    ask();
  } else if (prepared_->plan != nullptr) {
    move_data();
  } else {
    stage_ = Stage::over;
  }
}

void Operation::ask() {
  stage_ = Stage::ask;
  write_sent(arguments_, known(), state_.p, workspace_->numbers);
  Words& heard = known().heard.numbers;
  const std::size_t agreed = heard.size();
  heard.resize(agreed + static_cast<std::size_t>(*prepared_->answers));
  known().heard.asked = true;
  if (prepared_->lead != nullptr) begin_early();
  start(*prepared_->plan, *prepared_, arguments_,
        {reinterpret_cast<char*>(workspace_->numbers.data()),
         reinterpret_cast<char*>(heard.data() + agreed), scratch(*prepared_)},
        tags() + question_tags);
}

// Issues the first steps of the schedule that will have the answers. They leave their messages
// under way, in slots 0, 1, 2 ...
void Operation::begin_early() {
  const Schedule& lead = prepared_->lead->schedule();
  early_ = static_cast<std::uint32_t>(lead.steps.size());
  workspace_->early.assign(lead.steps.size(), MPI_REQUEST_NULL);
  MpiTransport transport(
      *prepared_->lead, {users_input(arguments_), users_output(arguments_), nullptr}, state_.shadow,
      state_.rank, MPI_OP_NULL, nullptr, {workspace_->early.data(), nullptr}, tags(),
      company_ == Company::alone, nullptr);
  Cursor::Place from;
  issue<Waiting::block>(lead, transport, from);
  note(transport.error());
}

void Operation::move_data() {
  stage_ = Stage::data;
  window_ = {users_input(arguments_), users_output(arguments_), scratch(*prepared_)};
  if (prepared_->is_packed) pack();
  start(*prepared_->plan, *prepared_, arguments_, window_, tags());
  if (early_ == 0) return;
  const Slots slots = workspace_->slots(prepared_->plan->schedule().slots);
  std::copy_n(workspace_->early.begin(), early_, slots.requests);
  cursor_.strands[0].step = early_;
}

void Operation::pack() {
  char* const packed = window_[2] - prepared_->scratch_shift + prepared_->scratch_bytes;
  Staging before(state_.shadow, state_.rank, packed);
  if (!prepared_->staged_in.empty()) window_[0] = before.position();
  before.pack(prepared_->staged_in, users_input(arguments_));
  packed_out_ = before.position();
  if (!prepared_->staged_out.empty()) window_[1] = packed_out_;
  if (arguments_.in_place || holds_message(arguments_, state_)) {
    before.pack(prepared_->staged_out, users_output(arguments_));
  }
  note(before.error());
}

void Operation::unpack() {
  if (holds_message(arguments_, state_)) return;
  Staging after(state_.shadow, state_.rank, packed_out_);
  after.unpack(prepared_->staged_out, users_output(arguments_));
  note(after.error());
}

void Operation::end_data() {
  if (prepared_->is_packed) unpack();
  stage_ = Stage::over;
}

// Behind the first window.
void Operation::next_window() {
  ++windows_done_;
  const bool is_last = windows_done_ == prepared_->windows;
  if (windows_done_ > prepared_->windows || (is_last && prepared_->last_plan == nullptr)) {
    return end_data();
  }
  window_[0] += prepared_->window_span[0];
  window_[1] += prepared_->window_span[1];
  start(is_last ? *prepared_->last_plan : *prepared_->plan, *prepared_, arguments_, window_,
        tags());
}

}  // namespace tutti::runtime
