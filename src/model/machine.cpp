#include "model/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "model/files.hpp"

namespace tutti {

// Inside nodes as on share/tutti/machines/hier16.json: copies go side by side.
Machine usual_machine() {
  return {.overlap = 65536, .near_alpha = 0.7e-6, .near_together = 1.25e-11};
}

// share/tutti/machines/edr.json
static Machine infiniband() {
  Machine machine = usual_machine();
  machine.alpha = 1.5e-6;
  machine.beta = 8e-11;
  machine.eager = 16384;
  machine.overlap = 16384;
  machine.busy = 0.1667;
  return machine;
}

// As `tutti machine` finds hosts that share a processor, 200 Mbit/s, 50 us (docs/results.md): a
// message costs much of the processor, long ones leave in order and do better in fragments.
static Machine slow_ethernet() {
  Machine machine = usual_machine();
  machine.alpha = 150e-6;
  machine.beta = 4e-8;
  machine.eager = 32768;
  machine.overlap = 32768;
  machine.busy = 0.5;
  machine.in_order = 16384;
  machine.fragment = 16384;
  return machine;
}

static double latency_between(const Machine& one, const Machine& other) {
  return std::sqrt(one.alpha * other.alpha);
}

bool is_slow(const Machine& machine) {
  return machine.alpha > latency_between(usual_machine(), slow_ethernet());
}

Machine machine_by(double latency, double gamma) {
  Machine machine = usual_machine();
  if (latency > latency_between(usual_machine(), slow_ethernet())) machine = slow_ethernet();
  if (latency > 0 && latency < latency_between(usual_machine(), infiniband())) {
    machine = infiniband();
  }
  if (latency == 0) machine.overlap = 16384;
  if (gamma < machine.gamma / 20) machine.gamma = 0;
  return machine;
}

Machine hockney(Machine machine) {
  machine.overlap = 0;
  return machine;
}

Machine inside_a_node(Machine machine) {
  machine.alpha = machine.near_alpha;
  machine.beta = machine.near_beta;
  machine.busy = machine.near_busy;
  machine.f_alpha = machine.f_beta = 1;
  return machine;
}

namespace {

struct Field {
  const char* name;
  double Machine::*value;
};

constexpr std::array fields{
    Field{"alpha", &Machine::alpha},       Field{"beta", &Machine::beta},
    Field{"gamma", &Machine::gamma},       Field{"f_alpha", &Machine::f_alpha},
    Field{"f_beta", &Machine::f_beta},     Field{"eager", &Machine::eager},
    Field{"overlap", &Machine::overlap},   Field{"busy", &Machine::busy},
    Field{"in_order", &Machine::in_order}, Field{"fragment", &Machine::fragment},
};
constexpr std::array near_fields{
    Field{"alpha", &Machine::near_alpha},
    Field{"beta", &Machine::near_beta},
    Field{"together", &Machine::near_together},
    Field{"busy", &Machine::near_busy},
};

using Json = nlohmann::ordered_json;
using Complaint = std::invalid_argument;

void read_number(const std::string& key, const Json& value, double& number) {
  number = value.get<double>();
  if (!(number >= 0)) throw Complaint(fmt::format("'{}' is negative", key));
}

template <class Fields>
void read_fields(const Json& object, const Fields& known, Machine& machine) {
  if (!object.is_object()) throw Complaint("is not valid");
  for (const auto& [key, value] : object.items()) {
    if (value.is_object() || key == "ranks_per_node" || key == "about") continue;
    const auto field =
        std::ranges::find_if(known, [&](const Field& each) { return key == each.name; });
    if (field == known.end()) throw Complaint(fmt::format("unknown parameter '{}'", key));
    read_number(key, value, machine.*(field->value));
  }
}

Machine machine_in(const Json& object) {
  Machine machine = usual_machine();
  read_fields(object, fields, machine);
  if (object.contains("eager") && !object.contains("overlap")) machine.overlap = machine.eager;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_object()) continue;
    if (key == "near") {
      read_fields(value, near_fields, machine);
      if (!value.contains("together")) machine.near_together = machine.near_beta;
    } else if (key != "measured") {  // how: for people
      throw Complaint(fmt::format("unknown parameter '{}'", key));
    }
  }
  if (object.contains("ranks_per_node")) {
    machine.ranks_per_node = object["ranks_per_node"].get<int>();
    if (machine.ranks_per_node < 1) throw Complaint("'ranks_per_node' is below 1");
  }
  return machine;
}

}  // namespace

Machine read_machine(const std::string& path) {
  if (path.empty()) return usual_machine();
  const auto complain = [&](const std::string& what) {
    return std::invalid_argument(fmt::format(
        "machine file '{}': {}; expected JSON like "
        "{{\"alpha\": 2e-5, \"beta\": 8e-10, \"gamma\": 5e-11}} (seconds, seconds per byte; also "
        "f_alpha and f_beta, alpha_uni/alpha and beta_uni/beta; eager and overlap, bytes; busy, a "
        "part of alpha; in_order and fragment, bytes; near: {{alpha, beta, together, busy}}; "
        "ranks_per_node)",
        path, what));
  };
  const auto text = contents(path);
  if (!text) throw complain("cannot be read");
  try {
    return machine_in(Json::parse(*text));
  } catch (const nlohmann::json::exception&) {
    throw complain("is not valid");
  } catch (const Complaint& error) {
    throw complain(error.what());
  }
}

std::string json_of(const Machine& machine) {
  Json object;
  for (const Field& each : fields) object[each.name] = machine.*(each.value);
  for (const Field& each : near_fields) object["near"][each.name] = machine.*(each.value);
  object["ranks_per_node"] = machine.ranks_per_node;
  return object.dump(2) + "\n";
}

}  // namespace tutti
