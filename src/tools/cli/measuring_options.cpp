#include "tools/cli/measuring_options.hpp"

#include "algorithms/registry.hpp"
#include "tools/cli/options.hpp"

namespace tutti::tools {

CLI::App* add_options(CLI::App& tutti, BenchOptions& options) {
  CLI::App* app = tutti.add_subcommand("bench", "Time a collective's algorithms on this machine");
  app->allow_extras();
  app->add_option("COLLECTIVE", options.collective, "One of: " + known_collectives());
  add_text(*app, "--algorithm", options.algorithms,
           "Their names, separated by commas (default: all)");
  add_text(*app, "--bytes", options.bytes, "n, bytes of the whole message (default 8,1K,64K,1M)");
  add_text(*app, "--root", options.root, "Root of a rooted collective (default 0)");
  add_text(*app, "--repetitions", options.repetitions, "Batches of calls that are timed")
      ->capture_default_str();
  app->add_flag("--non-commutative", options.non_commutative, "The operator does not commute");
  add_json(*app, options.json);
  app->add_flag("--csv", options.csv, "Print comma-separated values instead of a table");
  app->footer(
      "To be started by mpirun. The algorithms and the native collective take turns in shuffled\n"
      "order. A time is that of a call among others of a batch, on the rank where they took\n"
      "longest; `faster` and `slower` mean that the medians' 95% intervals are apart, by over 2%.\n"
      "Blocks of a message are rounded up to equal sizes. Exit status 1 if a result is wrong.\n"
      "Examples:\n"
      "  mpirun -n 4 tutti bench allreduce\n"
      "  mpirun -n 4 tutti bench bcast --algorithm binomial --bytes 8,64K --root 3 --json");
  return app;
}

CLI::App* add_options(CLI::App& tutti, MachineOptions& options) {
  CLI::App* app = tutti.add_subcommand("machine", "Measure what messages cost on this machine");
  app->allow_extras();
  add_text(*app, "-o,--output", options.output, "JSON file to write");
  app->footer(
      "To be started by mpirun, on two nodes at least to see the network, with as many ranks per\n"
      "node as programs have. Takes some seconds. Figures are medians; spread is that of the\n"
      "middle half of the measurements.\n"
      "Example:\n"
      "  mpirun -n 32 tutti machine -o machine.json");
  return app;
}

CLI::App* add_options(CLI::App& tutti, TuneOptions& options) {
  CLI::App* app = tutti.add_subcommand("tune", "Measure which algorithms are fastest here");
  app->allow_extras();
  add_text(*app, "-o,--output", options.output, "JSON file to write, or to go on with");
  add_text(*app, "--collectives", options.collectives,
           "Their names, separated by commas (default: all)");
  add_text(*app, "--bytes", options.bytes, "n, bytes of the whole message (default 8 to 8M)");
  add_text(*app, "--machine", options.machine,
           "JSON file that `tutti machine` wrote, to guess by (default: TUTTI_MACHINE)");
  add_text(*app, "--budget", options.budget, "Time after which to stop, such as 90s")
      ->capture_default_str();
  app->add_flag("--peers", options.peers,
                "Measure the MPI library's own algorithms too, each forced: for `tutti export`");
  app->footer(
      "To be started by mpirun, as programs are. At each size those algorithms race that the "
      "model\n"
      "thinks well of, and the native collective; who loses drops out. The file is whole after\n"
      "every size: an interrupted run is gone on with by the same command. Runs with other "
      "numbers\n"
      "of ranks add to the same file. Exit status 1 if an algorithm gave a wrong result.\n"
      "Examples:\n"
      "  mpirun -n 33 tutti tune -o site.json\n"
      "  mpirun -n 33 tutti tune -o site.json --collectives allreduce,bcast --budget 90s\n"
      "  mpirun -n 33 tutti tune --peers -o site.json");
  return app;
}

}  // namespace tutti::tools
