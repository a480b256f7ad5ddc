// cluster_platform.so, a platform for smpirun: the file that CLUSTER_PLATFORM names, in which a
// link may say how many bytes per second one message gets at most (property "each_message").
//
// SimGrid's own way to say that is a second link on the route, of policy FATPIPE. Its solver
// compares all messages on such a link with each other whenever one starts or ends. Here the link's
// bandwidth depends on how many messages it carries, which is the same where they have no other
// link in common.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <simgrid/s4u.hpp>

extern "C" void load_platform(const simgrid::s4u::Engine& engine) {
  const char* const file = std::getenv("CLUSTER_PLATFORM");
  if (file == nullptr) {
    std::fprintf(stderr, "cluster_platform: CLUSTER_PLATFORM has to name a platform file\n");
    std::abort();
  }
  engine.load_platform(file);
  using simgrid::s4u::Link;
  for (Link* const link : engine.get_all_links()) {
    const char* const each_message = link->get_property("each_message");
    if (each_message == nullptr) continue;
    const double most = std::strtod(each_message, nullptr);
    link->set_sharing_policy(
        Link::SharingPolicy::NONLINEAR,
        [most](double bandwidth, int messages) { return std::min(bandwidth, most * messages); });
  }
}
