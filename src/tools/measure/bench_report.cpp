#include "tools/measure/bench_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/cli/numbers.hpp"
#include "tools/cli/table.hpp"
#include "tools/measure/statistics.hpp"

namespace tutti::tools {

namespace {

constexpr double margin = 0.02;  // medians closer than this are the same to a user

// Faster or slower only if the medians' intervals are apart and the difference is worth naming.
std::string_view verdict(const Measurement& one, const Measurement& native) {
  const auto mine = interval_of_median(one.seconds);
  const auto theirs = interval_of_median(native.seconds);
  if (!mine || !theirs) return "";
  const double ratio = median(one.seconds) / median(native.seconds);
  if (mine->second < theirs->first && ratio < 1 - margin) return "faster";
  if (mine->first > theirs->second && ratio > 1 + margin) return "slower";
  return "same";
}

Colour colour_of(std::string_view verdict) {
  if (verdict == "faster") return Colour::good;
  return verdict == "slower" ? Colour::bad : Colour::plain;
}

void add_row(Table& table, const Comparison& at, const std::string& name, const Measurement& one) {
  const Measurement& native = at.measurements.back();
  const std::string size = print_size(at.call.bytes());
  if (!one.obstacle.empty()) {
    table.add(Colour::faint, size, name, "-", "-", "-", one.obstacle);
  } else if (!one.right) {
    table.add(Colour::bad, size, name, "-", "-", "-", "WRONG RESULT");
  } else {
    const double middle = median(one.seconds);
    const auto interval = interval_of_median(one.seconds);
    const bool compared = &one != &native && native.right;
    const std::string_view result = compared ? verdict(one, native) : "";
    table.add(colour_of(result), size, name, print_us(middle),
              interval ? print_us(interval->first) + " .. " + print_us(interval->second) : "-",
              compared ? print_ratio(middle, median(native.seconds)) : "-", result);
  }
}

std::string describe(const Outcome& outcome) {
  const Surroundings& where = outcome.where;
  return fmt::format("{}, p = {} on {} {}, {}, {} repetitions, load {:.1f}\n",
                     to_string(outcome.collective), where.p, where.nodes,
                     where.nodes == 1 ? "node" : "nodes", where.library, outcome.repetitions,
                     where.load);
}

std::string warning_about(const Surroundings& where) {
  if (where.p == 1) return "one rank: there is nothing to compare; start more with mpirun -n P\n";
  if (!where.crowded()) return "";
  return fmt::format("warning: {} ranks share {} {}: these times are not to be trusted\n",
                     where.node_ranks, where.processors,
                     where.processors == 1 ? "processor" : "processors");
}

nlohmann::ordered_json json_of(const Comparison& at, const Contender& contender,
                               const Measurement& one) {
  nlohmann::ordered_json row{{"bytes", at.call.bytes()}, {"algorithm", contender.name()}};
  if (!one.obstacle.empty()) {
    row["obstacle"] = one.obstacle;
    return row;
  }
  row["right"] = one.right;
  if (!one.right) return row;
  row["calls_per_repetition"] = one.calls;
  row["seconds"] = median(one.seconds);
  row["interval"] = nullptr;
  if (const auto interval = interval_of_median(one.seconds)) {
    row["interval"] = {interval->first, interval->second};
  }
  const Measurement& native = at.measurements.back();
  if (contender.algorithm != nullptr && native.right) {
    row["ratio_to_native"] = median(one.seconds) / median(native.seconds);
    row["verdict"] = verdict(one, native);
  }
  return row;
}

nlohmann::ordered_json rows_of(const Outcome& outcome) {
  auto rows = nlohmann::ordered_json::array();
  for (const Comparison& at : outcome.comparisons) {
    for (std::size_t i = 0; i < outcome.contenders.size(); ++i) {
      rows.push_back(json_of(at, outcome.contenders[i], at.measurements[i]));
    }
  }
  return rows;
}

}  // namespace

bool Outcome::right() const {
  return std::ranges::all_of(comparisons, [](const Comparison& at) {
    return std::ranges::all_of(at.measurements, &Measurement::right);
  });
}

std::string table_of(const Outcome& outcome) {
  std::string text = describe(outcome) + warning_about(outcome.where);
  if (outcome.comparisons.empty()) return text;
  Table table({">n", "algorithm", ">median us", ">95% interval", ">vs native", "result"});
  for (const Comparison& at : outcome.comparisons) {
    for (std::size_t i = 0; i < outcome.contenders.size(); ++i) {
      add_row(table, at, outcome.contenders[i].name(), at.measurements[i]);
    }
  }
  return text + table.text();
}

std::string json_of(const Outcome& outcome) {
  const Surroundings& where = outcome.where;
  nlohmann::ordered_json result{{"collective", to_string(outcome.collective)},
                                {"p", where.p},
                                {"nodes", where.nodes},
                                {"library", where.library},
                                {"host", where.host},
                                {"ranks_on_node", where.node_ranks},
                                {"processors_on_node", where.processors},
                                {"trustworthy", !where.crowded()},
                                {"load", where.load},
                                {"repetitions", outcome.repetitions},
                                {"ok", outcome.right()},
                                {"rows", rows_of(outcome)}};
  return result.dump(2) + '\n';
}

std::string csv_of(const Outcome& outcome) {
  std::string text =
      "collective,p,bytes,algorithm,seconds,interval_low,interval_high,ratio_to_native,result\n";
  for (const auto& row : rows_of(outcome)) {
    const auto number = [&](const nlohmann::ordered_json& value) {
      return value.is_number() ? fmt::format("{:.6g}", value.get<double>()) : "";
    };
    const auto field = [&](const char* name) {
      return row.contains(name) ? number(row[name]) : "";
    };
    const auto bound = [&](std::size_t i) {
      return row.contains("interval") && !row["interval"].is_null() ? number(row["interval"][i])
                                                                    : "";
    };
    const std::string result = row.contains("obstacle")    ? row["obstacle"].get<std::string>()
                               : !row["right"].get<bool>() ? "WRONG RESULT"
                                                           : row.value("verdict", "");
    text += fmt::format("{},{},{:.0f},{},{},{},{},{},{}\n", to_string(outcome.collective),
                        outcome.where.p, row["bytes"].get<double>(),
                        row["algorithm"].get<std::string>(), field("seconds"), bound(0), bound(1),
                        field("ratio_to_native"), result);
  }
  return text;
}

}  // namespace tutti::tools
