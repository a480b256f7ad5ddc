// An Ethernet switch between hosts that are network namespaces, as fast as it is told to be.
//
//   hosts_switch PREFIX HOSTS MBIT_PER_SECOND DELAY_US
//
// Host i is the namespace PREFIXi; its network card is the TAP device d0. Hockney's model, in real
// packets: a host sends one frame at a time, and receives one at a time, both at once, at the given
// rate; nothing is dropped and nothing is free. A frame that starts to be sent at s has arrived at
// max(s + delay, when the receiver's port is free) + bytes/rate. Pure acknowledgements of TCP take
// their share of the rate, but do not queue behind data.
//
// It is to have a processor for itself: while frames are under way it never sleeps, as a timer
// would wake it too late, by more than the delay of the network.
//
// Prints "ready" when packets may come, and what it carried when it is told to end (SIGTERM).
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace {

using Nanoseconds = std::int64_t;

// What a TAP device puts before a frame (virtio_net_hdr, whose header is not C++).
struct DeviceHeader {
  std::uint8_t flags = 0, segmented = 0;
  std::uint16_t header_bytes = 0, segment_bytes = 0;
  std::uint16_t sum_start = 0, sum_offset = 0;
};

constexpr std::size_t device_bytes = sizeof(DeviceHeader);
static_assert(device_bytes == 10);
constexpr std::size_t ethernet_bytes = 14;
constexpr std::size_t around_a_frame = 24;  // preamble, check sum and gap, which go over the wire
constexpr std::size_t largest_frame = 70'000;
constexpr int frames_in_a_row = 16;  // from one host, before the others are looked at

volatile sig_atomic_t told_to_end = 0;

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

Nanoseconds now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

struct Port {
  int device = -1;
  Nanoseconds sends = 0, receives = 0;  // until then
};

struct Frame {
  std::vector<std::uint8_t> bytes;  // a DeviceHeader, then the frame

  const std::uint8_t* ethernet() const { return bytes.data() + device_bytes; }
  std::size_t size() const { return bytes.size() - device_bytes; }

  // Several segments may cross together, as large as TCP likes; on a wire each has headers.
  std::size_t wire_bytes() const {
    DeviceHeader header;
    std::memcpy(&header, bytes.data(), device_bytes);
    if (header.segmented == 0 || header.segment_bytes == 0) return size() + around_a_frame;
    const std::size_t payload = size() - header.header_bytes;
    const std::size_t segments = (payload + header.segment_bytes - 1) / header.segment_bytes;
    return payload + segments * (header.header_bytes + around_a_frame);
  }

  // The host it goes to, by its address 02:77:00:00:00:HOST; nothing if it goes to all or none.
  std::optional<std::size_t> host(std::size_t hosts) const {
    const std::uint8_t* to = ethernet();
    if (to[0] != 0x02 || to[1] != 0x77 || to[5] >= hosts) return std::nullopt;
    return to[5];
  }

  bool is_acknowledgement() const {
    constexpr std::uint8_t tcp = 6, flags_but_ack = 0x07;
    const std::uint8_t* ip = ethernet() + ethernet_bytes;
    const bool has_tcp =
        size() >= ethernet_bytes + 40 && ip[-2] == 0x08 && ip[-1] == 0 && ip[9] == tcp;
    if (!has_tcp) return false;
    const int ip_bytes = (ip[0] & 15) * 4, all_bytes = ip[2] << 8 | ip[3];
    const std::uint8_t* segment = ip + ip_bytes;
    return all_bytes == ip_bytes + (segment[12] >> 4) * 4 && (segment[13] & flags_but_ack) == 0;
  }
};

// Of a frame under way: first that it reaches its receiver's port, then that it has arrived.
struct Event {
  std::size_t host;
  Frame frame;
  Nanoseconds takes;  // to cross a port
  bool waits;         // for the port
  bool crosses = false;
};
using Events = std::map<std::pair<Nanoseconds, std::uint64_t>, Event>;  // by time, then in order

// The TAP device d0 of a namespace.
int open_device(const std::string& name) {
  const std::string path = "/run/netns/" + name;
  const int space = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (space < 0 || setns(space, CLONE_NEWNET) != 0) fail(path);
  close(space);
  const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device < 0) fail("/dev/net/tun");
  ifreq request{};
  std::strcpy(request.ifr_name, "d0");
  request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
  if (ioctl(device, TUNSETIFF, &request) != 0) fail("TUNSETIFF");
  if (ioctl(device, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4) != 0) fail("TUNSETOFFLOAD");
  int unlimited = 1 << 30;
  if (ioctl(device, TUNSETSNDBUF, &unlimited) != 0) fail("TUNSETSNDBUF");
  return device;
}

class Switch {
 public:
  Switch(const std::string& prefix, std::size_t hosts, double mbit, double delay_us)
      : ns_per_byte_(8000 / mbit), delay_(static_cast<Nanoseconds>(delay_us * 1000)) {
    const int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    events_ = epoll_create1(EPOLL_CLOEXEC);
    for (std::size_t i = 0; i < hosts; ++i) {
      ports_.push_back({open_device(prefix + std::to_string(i))});
      epoll_event wanted{.events = EPOLLIN, .data = {.u64 = i}};
      if (epoll_ctl(events_, EPOLL_CTL_ADD, ports_[i].device, &wanted) != 0) fail("epoll");
    }
    if (setns(home, CLONE_NEWNET) != 0) fail("setns");
    close(home);
  }

  void run() {
    epoll_event happened[64];
    while (told_to_end == 0) {
      deliver();
      const int count = epoll_wait(events_, happened, 64, under_way_.empty() ? -1 : 0);
      for (int i = 0; i < count; ++i) receive_from(happened[i].data.u64);
    }
  }

  void print() const {
    std::printf("frames %llu, bytes %llu, latest %.0f us late, %llu more than 200 us late\n",
                static_cast<unsigned long long>(frames_), static_cast<unsigned long long>(bytes_),
                static_cast<double>(latest_) / 1e3, static_cast<unsigned long long>(late_));
  }

 private:
  void receive_from(std::size_t host) {
    for (int i = 0; i < frames_in_a_row; ++i) {
      const ssize_t read_bytes = read(ports_[host].device, received_.data(), received_.size());
      if (read_bytes <= static_cast<ssize_t>(device_bytes + ethernet_bytes)) break;
      Frame frame{{received_.begin(), received_.begin() + read_bytes}};
      if (const auto to = frame.host(ports_.size())) carry(host, *to, std::move(frame));
    }
    deliver();
  }

  void carry(std::size_t from, std::size_t to, Frame frame) {
    const Nanoseconds asked = now();
    const std::size_t wire = frame.wire_bytes();
    const auto takes = static_cast<Nanoseconds>(static_cast<double>(wire) * ns_per_byte_);
    const bool waits = !frame.is_acknowledgement();
    const Nanoseconds sent = std::max(asked, ports_[from].sends);
    ports_[from].sends = sent + takes;
    const Nanoseconds reaches = (waits ? sent : asked) + delay_;
    under_way_.emplace(std::pair(reaches, frames_++), Event{to, std::move(frame), takes, waits});
    bytes_ += wire;
  }

  Nanoseconds next_time() const { return under_way_.begin()->first.first; }

  void deliver() {
    while (!under_way_.empty() && next_time() <= now()) {
      Events::node_type next = under_way_.extract(under_way_.begin());
      if (next.mapped().crosses) {
        hand_over(next.key().first, next.mapped());
      } else {
        cross(std::move(next));
      }
    }
  }

  // The port is taken by who reaches it first, once it is free.
  void cross(Events::node_type event) {
    Event& crossing = event.mapped();
    Nanoseconds& busy_until = ports_[crossing.host].receives;
    Nanoseconds& time = event.key().first;
    const Nanoseconds begins = std::max(time, busy_until);
    busy_until = begins + crossing.takes;
    time = (crossing.waits ? begins : time) + crossing.takes;
    crossing.crosses = true;
    under_way_.insert(std::move(event));
  }

  void hand_over(Nanoseconds time, const Event& event) {
    const Nanoseconds late = now() - time;
    latest_ = std::max(latest_, late);
    late_ += late > 200'000;
    const std::vector<std::uint8_t>& bytes = event.frame.bytes;
    if (write(ports_[event.host].device, bytes.data(), bytes.size()) < 0) fail("a host's card");
  }

  double ns_per_byte_;
  Nanoseconds delay_;
  int events_ = -1;
  std::vector<Port> ports_;
  std::array<std::uint8_t, largest_frame> received_{};
  Events under_way_;
  std::uint64_t frames_ = 0, bytes_ = 0, late_ = 0;
  Nanoseconds latest_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: hosts_switch PREFIX HOSTS MBIT_PER_SECOND DELAY_US\n");
    return 2;
  }
  try {
    const sched_param before_others{.sched_priority = 10};
    if (sched_setscheduler(0, SCHED_FIFO, &before_others) != 0) fail("SCHED_FIFO");
    mallopt(M_TRIM_THRESHOLD, 1 << 30);  // memory of frames is not handed back and forth
    signal(SIGTERM, [](int) { told_to_end = 1; });
    Switch ethernet(argv[1], std::strtoul(argv[2], nullptr, 10), std::strtod(argv[3], nullptr),
                    std::strtod(argv[4], nullptr));
    std::printf("ready\n");
    std::fflush(stdout);
    ethernet.run();
    ethernet.print();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hosts_switch: %s\n", error.what());
    return 1;
  }
  return 0;
}
