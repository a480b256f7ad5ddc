#include "run.hpp"

#include <algorithm>
#include <chrono>

#include "perform.hpp"
#include "reference.hpp"
#include "watch.hpp"

namespace tutti::fuzz {

namespace {

// A buffer as it was, and after each of the three.
struct Results {
  Buffer before;
  Buffer by_tutti;
  Buffer by_native;
  Buffer by_messages;

  explicit Results(const Buffer& buffer)
      : before(buffer), by_tutti(buffer), by_native(buffer), by_messages(buffer) {}
};

Outcome error_of(const char* whose, int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(code, text, &length);
  std::string line(text, static_cast<std::size_t>(length));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return {Outcome::failed, std::string(whose) + " returned an error: " + line};
}

class Runner {
 public:
  Runner(const Call& call, const Group& group, Against against, Objects& objects)
      : call_(call),
        group_(group),
        against_(against),
        objects_(objects),
        op_(call.reduction),
        random_(call.values, static_cast<Seed>(group.rank), 0),
        sent_(layout(Direction::send)),
        received_(layout(Direction::receive)),
        send_(contents(Direction::send, sent_)),
        receive_(contents(Direction::receive, received_)) {}

  Outcome run() {
    if (const int code = make(Library::tutti, send_.by_tutti, receive_.by_tutti)) {
      return error_of("Tutti", code);
    }
    if (against_ != Against::messages) {
      if (const int code = make(Library::native, send_.by_native, receive_.by_native)) {
        return error_of("the native library", code);
      }
    }
    if (against_ != Against::native) {
      if (const int code = make_by_messages()) return error_of("plain messages", code);
    }
    if (user_function_was_misled()) {
      return {Outcome::different, "the operator was called with another datatype"};
    }
    if (call_.about().reduces && is_in_place()) forget_undefined();
    const Outcome outcome = compare("receive", receive_);
    return outcome.kind == Outcome::same ? compare("send", send_) : outcome;
  }

 private:
  bool is_in_place() const { return call_.is_in_place(Direction::send, group_.rank); }

  // Elements of a reduction in one buffer; in place, input and result share it.
  long elements(Direction direction) const {
    const long contributed = call_.contributed(group_.rank);
    if (direction == Direction::send) return is_in_place() ? 0 : contributed;
    const long result = call_.result(group_.rank);
    return is_in_place() ? std::max(contributed, result) : result;
  }

  const Operand& operand() { return objects_.operand.get(call_.reduction, objects_.types); }

  Layout layout(Direction direction) {
    if (!call_.about().reduces) return lay_out(call_, direction, group_.rank, objects_.types);
    return lay_out(operand().type, elements(direction));
  }

  Buffer contents(Direction direction, const Layout& layout) {
    Buffer buffer(layout, random_);
    const bool input = (direction == Direction::receive) == is_in_place();
    if (call_.about().reduces && input) {
      fill_operands(buffer.address(), elements(direction), operand(), call_.reduction, call_.values,
                    group_.rank);
    }
    return buffer;
  }

  int make(Library library, Buffer& send, Buffer& receive) {
    const ArgumentHolder from(call_, Direction::send, group_.rank, sent_, send, objects_.types);
    const ArgumentHolder to(call_, Direction::receive, group_.rank, received_, receive,
                            objects_.types);
    watch(library == Library::tutti ? "by Tutti" : "natively");
    return perform(library, call_, *from, *to, *op_, group_.comm);
  }

  int make_by_messages() {
    watch("by plain messages");
    if (call_.about().reduces) {
      reduce();
      return MPI_SUCCESS;
    }
    Buffer& send = send_.by_messages;
    Buffer& receive = receive_.by_messages;
    const ArgumentHolder to(call_, Direction::receive, group_.rank, received_, receive,
                            objects_.types);
    const bool shared = is_in_place() || call_.collective == Collective::bcast;
    const ArgumentHolder from(call_, shared ? Direction::receive : Direction::send, group_.rank,
                              shared ? received_ : sent_, shared ? receive_.before : send,
                              objects_.types);
    return move_by_messages(call_, group_.rank, *from, *to, group_.comm);
  }

  void reduce() {
    const int rank = group_.rank;
    if (call_.collective == Collective::reduce && rank != call_.root) return;
    int last = group_.p - 1;
    if (call_.collective == Collective::scan) last = rank;
    if (call_.collective == Collective::exscan) last = rank - 1;
    if (last < 0) return;
    long first = 0;
    if (call_.collective == Collective::reduce_scatter_block) first = rank * call_.result(rank);
    if (call_.collective == Collective::reduce_scatter) {
      for (int i = 0; i < rank; ++i) first += call_.result(i);
    }
    reduce_in_order(call_, last, first, call_.result(rank), operand(), *op_,
                    receive_.by_messages.address());
  }

  // What a reduce-scatter in place leaves behind its result, MPI does not say.
  void forget_undefined() {
    const MPI_Aint extent = extent_of(call_.reduction);
    for (long i = call_.result(group_.rank); i < call_.contributed(group_.rank); ++i) {
      for (const Leaf& leaf : operand().leaves) {
        for (Buffer* buffer : {&receive_.by_native, &receive_.by_messages}) {
          buffer->adopt(receive_.by_tutti, i * extent + leaf.offset, size_of(leaf.kind));
        }
      }
    }
  }

  Outcome compare(const char* name, const Results& results) const {
    const bool by_native = against_ != Against::messages;
    const Buffer& other = by_native ? results.by_native : results.by_messages;
    const long position = results.by_tutti.first_difference(other);
    if (position == Buffer::none) return {};
    const auto value = [&](const Buffer& buffer) { return std::to_string(buffer.at(position)); };
    std::string text = std::string(name) + " buffer, byte " + std::to_string(position) +
                       ": before " + value(results.before) + ", Tutti " + value(results.by_tutti);
    if (by_native) text += ", native " + value(results.by_native);
    if (against_ != Against::native) text += ", plain messages " + value(results.by_messages);
    return {Outcome::different, text};
  }

  const Call& call_;
  const Group& group_;
  const Against against_;
  Objects& objects_;
  const OperatorHolder op_;
  Random random_;
  const Layout sent_;
  const Layout received_;
  Results send_;
  Results receive_;
};

// One clock for all ranks, which are on one machine. (MPI_Wtime may start at 0 on each.)
double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// No rank leaves before the last has entered; the root is late.
Outcome run_barrier(const Call& call, const Group& group) {
  const double start = now();
  if (group.rank == call.root) {
    while (now() < start + 200e-6) continue;
  }
  const double entered = now();
  watch("by Tutti");
  if (const int code = MPI_Barrier(group.comm)) return error_of("Tutti", code);
  const double left = now();
  double last = entered;
  watch("while comparing");
  PMPI_Allreduce(&entered, &last, 1, MPI_DOUBLE, MPI_MAX, group.comm);
  if (left >= last) return {};
  return {Outcome::different,
          "left " + std::to_string((last - left) * 1e6) + " us before the last rank entered"};
}

}  // namespace

Outcome run_call(const Call& call, const Group& group, Against against, Objects& objects) {
  if (call.collective == Collective::barrier) return run_barrier(call, group);
  return Runner(call, group, against, objects).run();
}

}  // namespace tutti::fuzz
