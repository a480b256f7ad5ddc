#include "tools/show/timings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>

#include "model/cost.hpp"
#include "model/files.hpp"
#include "model/refuse.hpp"
#include "tools/cli/options.hpp"
#include "tools/show/candidates.hpp"

namespace tutti::tools {

namespace {

using Json = nlohmann::ordered_json;

// As `tutti bench --csv` prints it; more columns may follow.
constexpr std::string_view csv_header = "collective,p,bytes,algorithm,seconds";

std::invalid_argument refused(const std::string& file, const std::string& what) {
  return std::invalid_argument(
      fmt::format("'{}' {}; accepted is the output of tutti bench --csv, tutti bench --json or "
                  "tutti simulate --json",
                  file, what));
}

// Collects points, and refuses what does not belong together.
class Collector {
 public:
  // What the next points are of. Files of one drawing agree in all of it.
  void begin(const std::string& file, Timings of) {
    file_ = file;
    if (result_.title.empty()) {
      result_ = std::move(of);
      first_ = file;
    } else if (of.title != result_.title || of.where != result_.where || of.base != result_.base) {
      throw refused(file, fmt::format("has {}, but '{}' has {}: only sizes may differ",
                                      description(of), first_, description(result_)));
    }
  }

  // Times that are 0, as of a single rank, have no place on a logarithmic axis.
  void add(const std::string& line, double bytes, std::optional<double> seconds) {
    if (!(bytes >= 1)) {
      throw refused(file_,
                    fmt::format("has n = {}, which has no place on a logarithmic axis", bytes));
    }
    if (!places_.insert({line, bytes}).second) {
      throw refused(file_, fmt::format("has {} at n = {} a second time", line, bytes));
    }
    if (!seconds || *seconds == 0) return;
    if (!std::isfinite(*seconds) || *seconds < 0) {
      throw refused(file_, fmt::format("has {} seconds, which is no time", *seconds));
    }
    auto& lines = result_.lines;
    auto known = std::ranges::find(lines, line, &Line::name);
    if (known == lines.end()) known = lines.insert(lines.end(), {line});
    known->seconds[bytes] = *seconds;
  }

  // The base is the last line.
  Timings finish(const std::string& file) {
    if (result_.lines.empty()) throw refused(file, "has no times above 0");
    std::stable_partition(result_.lines.begin(), result_.lines.end(),
                          [&](const Line& each) { return each.name != result_.base; });
    return std::move(result_);
  }

 private:
  static std::string description(const Timings& of) {
    return of.where.empty() ? of.title : fmt::format("{} ({})", of.title, of.where);
  }

  Timings result_{};
  std::string first_, file_;
  std::set<std::pair<std::string, double>> places_{};
};

Timings measured(const std::string& collective, int p, std::string where) {
  return {.collective = parse_collective(collective),
          .title = fmt::format("{}, p = {}, measured", collective, p),
          .where = std::move(where),
          .base = "native"};
}

Timings simulated(const Json& document) {
  const Collective collective = parse_collective(document.at("collective").get<std::string>());
  const Machine machine{.alpha = document.at("alpha").get<double>(),
                        .beta = document.at("beta").get<double>(),
                        .gamma = document.at("gamma").get<double>()};
  const int root = document.at("root").get<int>();
  return {.collective = collective,
          .title = fmt::format("{}, p = {}{}, simulated", to_string(collective),
                               document.at("ranks").get<int>(),
                               root == 0 ? "" : fmt::format(", root {}", root)),
          .where = describe(machine),
          .base = lower_bound_name};
}

std::optional<double> time_in(const Json& row) {
  if (!row.contains("seconds")) return std::nullopt;
  return row["seconds"].get<double>();
}

void read_bench(const std::string& file, const Json& document, Collector& out) {
  std::string where = document.at("library").get<std::string>();
  if (!document.at("trustworthy").get<bool>()) where += ", more ranks than processors";
  out.begin(file, measured(document.at("collective").get<std::string>(),
                           document.at("p").get<int>(), where));
  for (const Json& row : document.at("rows")) {
    out.add(row.at("algorithm").get<std::string>(), row.at("bytes").get<double>(), time_in(row));
  }
}

void read_simulation(const std::string& file, const Json& document, Collector& out) {
  out.begin(file, simulated(document));
  const double bytes = document.at("bytes").get<double>();
  for (const Json& each : document.at("algorithms")) {
    out.add(each.at("algorithm").get<std::string>(), bytes, time_in(each));
  }
  out.add(lower_bound_name, bytes, document.at("lower_bound_seconds").get<double>());
}

void read_json(const std::string& file, const std::string& text, Collector& out) {
  std::istringstream in(text);
  while (in >> std::ws && !in.eof()) {
    try {
      Json document;
      in >> document;
      document.contains("rows") ? read_bench(file, document, out)
                                : read_simulation(file, document, out);
    } catch (const Json::exception&) {
      throw refused(file, "is other JSON");
    }
  }
}

// The first fields of a line of CSV; the last that bench writes may have commas in it.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
  return fields;
}

std::optional<double> number(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

void read_csv(const std::string& file, const std::string& text, Collector& out) {
  std::istringstream in(text);
  std::string line;
  std::getline(in, line);
  for (int i = 2; std::getline(in, line); ++i) {
    const std::vector<std::string> fields = fields_of(line);
    const bool whole = fields.size() >= 5;
    const auto p = whole ? number(fields[1]) : std::nullopt;
    const auto bytes = whole ? number(fields[2]) : std::nullopt;
    const auto seconds = whole ? number(fields[4]) : std::nullopt;
    const bool empty = whole && fields[4].empty();
    if (!p || !bytes || (!seconds && !empty) || !collective_named(fields[0])) {
      throw refused(file, fmt::format("has a line {} that is not {}", i, csv_header));
    }
    out.begin(file, measured(fields[0], static_cast<int>(*p), ""));
    out.add(fields[3], *bytes, seconds);
  }
}

void read_file(const std::string& file, Collector& out) {
  const auto text = contents(file);
  if (!text || text->empty()) throw refused(file, "cannot be read or is empty");
  const std::size_t start = text->find_first_not_of(" \t\r\n");
  if (start != std::string::npos && (*text)[start] == '{') return read_json(file, *text, out);
  if (text->starts_with(csv_header)) return read_csv(file, *text, out);
  throw refused(file, "is something else");
}

}  // namespace

Timings read_timings(const std::vector<std::string>& files) {
  Collector collector;
  for (const std::string& file : files) read_file(file, collector);
  return collector.finish(files.front());
}

Timings ratios(const Timings& timings) {
  const auto base = std::ranges::find(timings.lines, timings.base, &Line::name);
  if (base == timings.lines.end()) {
    refuse("there are no times of {} to divide by; without --ratio these can be drawn",
           timings.base);
  }
  Timings result = timings;
  for (Line& line : result.lines) {
    std::erase_if(line.seconds, [&](const auto& at) { return !base->seconds.contains(at.first); });
    for (auto& [bytes, seconds] : line.seconds) seconds /= base->seconds.at(bytes);
  }
  std::erase_if(result.lines, [](const Line& line) { return line.seconds.empty(); });
  return result;
}

std::vector<double> sizes_of(const Timings& timings) {
  std::set<double> sizes;
  for (const Line& line : timings.lines) {
    for (const auto& at : line.seconds) sizes.insert(at.first);
  }
  return {sizes.begin(), sizes.end()};
}

}  // namespace tutti::tools
