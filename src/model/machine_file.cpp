#include "model/machine_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>

#include "model/files.hpp"

namespace tutti {

namespace {

template <class Of>
struct Field {
  const char* name;
  double Of::*value;
};

constexpr Field<Machine> fields[]{
    {"alpha", &Machine::alpha},
    {"beta", &Machine::beta},
    {"gamma", &Machine::gamma},
    {"f_alpha", &Machine::f_alpha},
    {"f_beta", &Machine::f_beta},
    {"eager", &Machine::eager},
    {"overlap", &Machine::overlap},
    {"busy", &Machine::busy},
    {"in_order", &Machine::in_order},
    {"fragment", &Machine::fragment},
    {"shared_busy", &Machine::shared_busy},
};
constexpr Field<Machine> near_fields[]{
    {"alpha", &Machine::near_alpha},
    {"beta", &Machine::near_beta},
    {"together", &Machine::near_together},
    {"busy", &Machine::near_busy},
};

constexpr Field<SharedMemory> memory_fields[]{
    {"latency", &SharedMemory::latency}, {"entry", &SharedMemory::entry},
    {"copy", &SharedMemory::copy},       {"together", &SharedMemory::together},
    {"step", &SharedMemory::step},       {"lent_from", &SharedMemory::lent_from},
    {"lending", &SharedMemory::lending}, {"lent_copy", &SharedMemory::lent_copy},
};

using Json = nlohmann::ordered_json;
using Complaint = std::invalid_argument;

void read_number(const std::string& key, const Json& value, double& number) {
  number = value.get<double>();
  if (!(number >= 0)) throw Complaint(fmt::format("'{}' is negative", key));
}

template <class Of>
void read_fields(const Json& object, std::span<const Field<Of>> known, Of& read) {
  if (!object.is_object()) throw Complaint("is not valid");
  for (const auto& [key, value] : object.items()) {
    if (value.is_object() || key == "ranks_per_node" || key == "about") continue;
    const auto field =
        std::ranges::find_if(known, [&](const auto& each) { return each.name == key; });
    if (field == known.end()) throw Complaint(fmt::format("unknown parameter '{}'", key));
    read_number(key, value, read.*(field->value));
  }
}

Machine machine_in(const Json& object) {
  Machine machine = usual_machine();
  read_fields<Machine>(object, fields, machine);
  if (object.contains("eager") && !object.contains("overlap")) machine.overlap = machine.eager;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_object()) continue;
    if (key == "near") {
      read_fields<Machine>(value, near_fields, machine);
      if (!value.contains("together")) machine.near_together = machine.near_beta;
    } else if (key == "memory") {
      read_fields<SharedMemory>(value, memory_fields, machine.memory);
      machine.inside = Inside::memory;
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
        "part of alpha; in_order and fragment, bytes; shared_busy, seconds; near: {{alpha, beta, "
        "together, busy}}; memory, if messages inside a node go by it: {{latency, entry, "
        "lending, seconds; copy, lent_copy, together, seconds per byte; step, lent_from, bytes}}; "
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
  for (const auto& each : fields) object[each.name] = machine.*(each.value);
  for (const auto& each : near_fields) object["near"][each.name] = machine.*(each.value);
  for (const auto& each : memory_fields) {
    if (machine.inside != Inside::memory) break;
    object["memory"][each.name] = machine.memory.*(each.value);
  }
  object["ranks_per_node"] = machine.ranks_per_node;
  return object.dump(2) + "\n";
}

}  // namespace tutti
