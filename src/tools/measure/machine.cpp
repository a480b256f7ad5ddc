// tutti machine: measures what the cost model has to know of this machine.
#include <fmt/format.h>

#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>

#include "model/files.hpp"
#include "model/machine_file.hpp"
#include "model/refuse.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/measuring_options.hpp"
#include "tools/cli/numbers.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/table.hpp"
#include "tools/measure/machine_measure.hpp"

namespace tutti::tools {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Level& level) {
  Json sizes = Json::array();
  for (const MessageTimes& each : level.sizes) {
    sizes.push_back({{"bytes", each.bytes},
                     {"one_way_seconds", each.one_way},
                     {"exchange_seconds", each.exchange}});
  }
  return {{"spread_alpha", level.alpha.spread},
          {"spread_beta", level.beta.spread},
          {"messages", sizes}};
}

Json json_of(const Measured& measured, const Surroundings& where) {
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  Json all{{"library", where.library},
           {"host", where.host},
           {"date", date},
           {"ranks", where.p},
           {"nodes", where.nodes},
           {"load", where.load},
           {"spread_gamma", measured.gamma.spread},
           {"clock_skew_seconds", measured.clock_skew}};
  if (measured.between_nodes.exists) all["between_nodes"] = json_of(measured.between_nodes);
  if (measured.inside_a_node.exists) all["inside_a_node"] = json_of(measured.inside_a_node);
  for (const Pattern& each : measured.patterns) {
    all["bytes_per_second_of_a_rank"][each.name] = each.bandwidth;
  }
  return all;
}

std::string percent(double part) { return fmt::format("{:.1f}%", 100 * part); }
std::string nanoseconds(double seconds) { return fmt::format("{:.4g}", seconds * 1e9); }

void print_level(const std::string& name, const Level& level) {
  if (!level.exists) return;
  Table table({name, ">both ways", ">one way", ">spread"});
  table.add("alpha (us)", print_us(level.alpha.value), print_us(level.alpha_one_way.value),
            percent(level.alpha.spread));
  table.add("beta (ns/byte)", nanoseconds(level.beta.value), nanoseconds(level.beta_one_way.value),
            percent(level.beta.spread));
  table.add("processor per message (us)", print_us(level.busy.value), "",
            percent(level.busy.spread));
  table.add("waits for its receiver from", print_size(level.eager), "", "");
  const bool ordered = level.in_order > 0;
  table.add("arrives in its order up to", ordered ? print_size(level.in_order) : "-", "", "");
  fmt::print("{}\n", table.text());
}

void print(const SharedMemory& memory) {
  Table table({"memory of a node", ">"});
  table.add("latency (ns)", nanoseconds(memory.latency));
  table.add("processor per message (ns)", nanoseconds(memory.entry));
  table.add("copy by cells (ns/byte)", nanoseconds(memory.copy));
  table.add("the same, all ranks together (ns/byte)", nanoseconds(memory.together));
  if (memory.lent_from > 0) {
    table.add("messages are read where they lie from", print_size(memory.lent_from));
    table.add("that takes (ns)", nanoseconds(memory.lending));
    table.add("and (ns/byte)", nanoseconds(memory.lent_copy));
  }
  fmt::print("{}\n", table.text());
}

void print(const Measured& measured, const Surroundings& where) {
  fmt::print("{} ranks on {} {}, {}, load {:.1f}\n\n", where.p, where.nodes,
             where.nodes == 1 ? "node" : "nodes", where.library, where.load);
  print_level("between nodes", measured.between_nodes);
  print_level("inside a node", measured.inside_a_node);
  if (measured.memory) print(*measured.memory);
  Table table({"all ranks", ">"});
  table.add("gamma (ns/byte), spread " + percent(measured.gamma.spread),
            nanoseconds(measured.gamma.value));
  if (measured.between_nodes.exists) {
    table.add("long messages go in fragments of",
              measured.fragment > 0 ? print_size(measured.fragment) : "-");
  }
  if (measured.near_together > 0) {
    table.add("a node's ranks together (ns/byte)", nanoseconds(measured.near_together));
  }
  for (const Pattern& each : measured.patterns) {
    table.add(each.name + " (MB/s of each)", fmt::format("{:.1f}", each.bandwidth / 1e6));
  }
  table.add("clock skew (us)", print_us(measured.clock_skew));
  fmt::print("{}", table.text());
  warn_of_crowd(where);
}

int run(const std::string& output, const std::vector<std::string>& unknown) {
  const Session session;
  return run_together(session, "machine", [&] {
    refuse_unknown(unknown, "-o, --output");
    if (session.p < 2) {
      refuse(
          "one rank sends no messages; start it on two or more: mpirun -n 2 "
          "tutti machine");
    }
    check_agreement({output});
    const Surroundings where = surroundings(session);
    const Measured measured = measure_machine(session);
    if (session.rank == 0) print(measured, where);
    if (output.empty()) return success;
    on_rank_0(session, [&] {
      Json file = Json::parse(tutti::json_of(machine_from(measured)));
      file["measured"] = json_of(measured, where);
      write_file(output, file.dump(2) + "\n");
      fmt::print(
          "\n{0} is written; use it: tutti explain ... --machine {0}, tutti exec --machine {0}\n",
          output);
    });
    return success;
  });
}

}  // namespace

Command machine_command(CLI::App& tutti) {
  auto options = std::make_shared<MachineOptions>();
  CLI::App* app = add_options(tutti, *options);
  return {app, [options, app] { return run(options->output, app->remaining()); }};
}

}  // namespace tutti::tools
