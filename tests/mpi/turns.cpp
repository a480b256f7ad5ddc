// turns P: values of TUTTI_FORCE, a line each, in which every algorithm that takes P ranks has its
// turn. What it leaves open is one of the values worth trying: another one with other P.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "algorithms/registry.hpp"

int main(int argc, char** argv) {
  const int p = argc == 2 ? std::atoi(argv[1]) : 0;
  if (p < 1) {
    std::fprintf(stderr, "usage: turns P\n");
    return 2;
  }
  std::vector<std::string> lines;
  for (const tutti::CollectiveInfo& collective : tutti::collectives) {
    std::size_t turn = 0;
    for (const tutti::Algorithm* each : tutti::algorithms_of(collective.collective)) {
      if (!fits(*each, p)) continue;
      if (turn == lines.size()) lines.emplace_back();
      const std::vector<int> values = worth_trying(each->parameter.open, p);
      const int value = values[(static_cast<std::size_t>(p) + turn) % values.size()];
      std::string& line = lines[turn++];
      line += (line.empty() ? "" : ",") + std::string(collective.name) + "=" +
              std::string(each->name) + (value > 0 ? ":" + std::to_string(value) : "");
    }
  }
  for (const std::string& line : lines) std::puts(line.c_str());
}
