#!/usr/bin/env python3
"""The tutti command without MPI: cli_test.py TUTTI"""
import csv
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

from harness import Tutti, check, prints, refuses, report

tutti = Tutti(sys.argv[1])
folder = tempfile.mkdtemp()
examples = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
SVG = "{http://www.w3.org/2000/svg}"
catalog = json.loads(prints(tutti, ["algorithms", "--json"]))
collectives = list(dict.fromkeys(each["collective"] for each in catalog))
rooted = {"bcast", "gather", "gatherv", "scatter", "scatterv", "reduce"}


def serves(each, ranks):
    most = re.search(r"p at most (\d+)", each["requires"])
    return ((most is None or ranks <= int(most[1])) and
            ("power of two" not in each["requires"] or ranks & (ranks - 1) == 0) and
            ("p even" not in each["requires"] or ranks % 2 == 0))


def size_of(collective):
    return [] if collective == "barrier" else ["--bytes", "4K"]


def test_help():
    version = prints(tutti, ["--version"], "tutti ")
    check(re.fullmatch(r"tutti \d+\.\d+\.\d+\n", version), "the version is a version")
    prints(tutti, ["--help"], "algorithms", "verify", "explain", "simulate", "draw", "map", "plot",
           "Examples")
    for command in ["algorithms", "verify", "explain", "simulate", "draw", "map", "plot", "advise",
                    "export", "exec", "doctor", "man", "completion"]:
        prints(tutti, [command, "--help"], "Examples:", f"tutti {command}")


def completed(*words):
    """What bash offers for the last of the words."""
    script = ('eval "$("$1" completion bash)"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
              '_tutti; echo "${COMPREPLY[*]}"')
    return subprocess.run(["bash", "-c", script, "bash", tutti.program, *words], check=True,
                          text=True, stdout=subprocess.PIPE).stdout.split()


def test_descriptions():
    page = prints(tutti, ["man"], ".TH TUTTI 1", ".SS tutti explain", "\\-\\-ranks", ".SS tutti bench")
    told = subprocess.run(["groff", "-man", "-ww", "-Tascii"], input=page, text=True,
                          capture_output=True, check=True)
    check(not told.stderr and "collective communication" in told.stdout, f"the page: {told.stderr}")
    check(completed("tutti", "expl") == ["explain"], "bash completes commands")
    check(completed("tutti", "explain", "allred") == ["allreduce"], "bash completes collectives")
    check(completed("tutti", "explain", "--ran") == ["--ranks", "--ranks-per-node"],
          f"bash completes options: {completed('tutti', 'explain', '--ran')}")
    prints(tutti, ["completion", "zsh"], "#compdef tutti", "explain) compadd --")
    refuses(tutti, ["completion", "fish"], "'fish'", "bash and zsh")


def fits_a_page(text):
    return max(map(len, text.splitlines())) <= 100


def test_algorithms():
    check(len(catalog) >= 51, "every algorithm is listed")
    for each in catalog:
        for field in ["collective", "name", "rounds", "cost", "within", "source", "summary"]:
            check(each[field], f"{each['name']} has a {field}")
        check(bool(each["published"]) == bool(each["difference"]),
              f"{each['name']}: where the paper has another formula, how it differs")
    check(sum(bool(each["published"]) for each in catalog) >= 13, "the paper's own formulas")
    in_place = {each["name"] for each in catalog if "in place" in each["requires"]}
    check(in_place == {"exchange_in_place"}, "who has to be called in place")
    table = prints(tutti, ["algorithms"], *(each["name"] for each in catalog))
    first_lines = [line for line in table.splitlines() if not line.startswith(" ")]
    check(len(first_lines) == len(catalog) + 1, "one row per algorithm")
    ends = {re.match(r"(\S+ +)\S", line).end() for line in first_lines}
    check(len(ends) == 1, "columns are aligned")
    check(fits_a_page(table), "no line is over 100 columns")
    prints(tutti, ["algorithms", "--formulas"],
           *(f"  cost    {each['cost']}\n" for each in catalog))
    check({each["bits"] for each in catalog if each["collective"] == "allreduce"} == {"same"},
          "all ranks get the same bits of an allreduce")
    ordered = {each["name"] for each in catalog
               if each["collective"] == "allreduce" and each["order"] == "kept"}
    check({"recursive_doubling", "ring"} <= ordered and "swing" not in ordered, "who keeps order")
    placed = {(each["collective"], each["name"]): each["placed"] for each in catalog}
    check(placed["reduce", "node_tree"] == "differ" and placed["reduce", "postal"] == "short" and
          placed["scan", "chain"] == "same" and placed["bcast", "node_tree"] == "-", "where bits depend on the nodes of ranks")
    check("\033" not in table, "no colours outside of a terminal")
    one = json.loads(prints(tutti, ["algorithms", "allgather", "--json"]))
    check({each["collective"] for each in one} == {"allgather"}, "one collective only")


def test_verify():
    table = prints(tutti, ["verify", "--ranks", "1:3", "--mutants", "--seed", "7"], "--seed 7",
                   *(each["name"] for each in catalog))
    check(table.count("proved") == len(catalog) + 1, "every algorithm is proved, and the total")
    for ranks in ["5", "2:5"]:
        result = json.loads(prints(tutti, ["verify", "allreduce", "--algorithm", "circulant",
                                           "--ranks", ranks, "--mutants", "--json"]))
        check(result["ok"] and result["cases"] > 0, "the JSON says that all is well")
        check(result["mutants"] == result["killed"] > 0, "mutants are killed")
        check([each["algorithm"] for each in result["algorithms"]] == ["circulant"], "one only")
    same = [prints(tutti, ["verify", "scan", "--ranks", "1:9", "--mutants"]) for _ in range(2)]
    check(same[0] == same[1], "verify prints the same every time")
    everywhere = json.loads(prints(tutti, ["verify", "--algorithm", "binomial", "--ranks", "4",
                                           "--json"]))
    check(len(everywhere["algorithms"]) > 2, "an algorithm's name alone means all of that name")


def explained(*arguments, **environment):
    return json.loads(prints(tutti, ["explain", *arguments, "--json"], **environment))


def test_explain():
    known = [("allgather", "33", "1K", "digits", "bruck"),
             ("allgather", "32", "1K", "digits", "recursive_doubling"),
             ("allgather", "33", "1M", "isend_irecv", "ring"),
             ("allreduce", "33", "1M", "isend_irecv", "binary_blocks"),
             ("allreduce", "33", "8", "allgather_reduce", "recursive_doubling"),
             ("alltoall", "8", "64", "bruck_radix", "bruck"),
             ("alltoallv", "8", "1M", "isend_irecv", "isend_irecv"),
             ("bcast", "33", "1K", "postal", "binomial"),
             ("bcast", "33", "1M", "two_tree_strands", "scatter_ring"),
             ("reduce", "33", "1M", "circulant_turns", "rabenseifner")]
    for collective, ranks, size, by_model, by_paper in known:
        shape = [collective, "--ranks", ranks, "--bytes", size]
        for policy, algorithm in [("model", by_model), ("mpich2005", by_paper)]:
            result = explained(*shape, "--policy", policy)
            check(result["chosen"] == algorithm,
                  f"{policy}: {collective} {ranks} {size}: {algorithm}, not {result['chosen']}")
            check(result["why"], "a choice has a reason")
            same = explained(*shape, TUTTI_POLICY=policy)
            check(same["chosen"] == algorithm, f"TUTTI_POLICY={policy} counts")
        check(explained(*shape)["chosen"] == by_model, "the model decides if nobody else does")
    for collective in collectives:
        shape = [collective, "--ranks", "6", *size_of(collective)]
        result = explained(*shape)
        names = {each["name"] for each in catalog if each["collective"] == collective}
        check({each["algorithm"] for each in result["candidates"]} == names, "all candidates")
        text = prints(tutti, ["explain", *shape], result["chosen"], "because", *names)
        check(fits_a_page(text), f"explain {collective}: no line is over 100 columns")
        formulas = {each["formula"] for each in result["candidates"]}
        prints(tutti, ["explain", *shape, "--formulas"], *formulas)
    ordered = explained("allreduce", "--ranks", "33", "--bytes", "1M", "--non-commutative",
                        TUTTI_USER_OPS="any")
    impossible = [each for each in ordered["candidates"] if not each["possible"]]
    check({each["algorithm"] for each in impossible} ==
          {"circulant", "circulant_turns", "digits", "census", "swing", "two_rings"},
          "operand order is kept")
    node = ["bcast", "--ranks", "2", "--ranks-per-node", "2", "--bytes"]
    for library, size, chosen in [("mpich", "4K", "binomial"), ("mpich", "256K", "native"),
                                  ("openmpi", "256K", "native")]:
        known = explained(*node, size, "--library", library)
        check(known["chosen"] == chosen and "known" in known["why"], f"{library}: {known}")
    check(explained(*node, "256K")["chosen"] != "native", "the model is asked")
    refuses(tutti, ["explain", *node, "8", "--library", "lam"], "'lam'", "mpich, openmpi")
    refuses(tutti, ["explain", "bcast", "--ranks", "2", "--ranks-per-node", "0", "--bytes", "8"],
            "ranks per node")
    integers = explained("allreduce", "--ranks", "33", "--bytes", "4K", "--integers")
    check(integers["chosen"] == "census", "integers may be added in any order")
    check(ordered["chosen"] == "isend_irecv", "the cheapest that keeps it")
    for flag in "--user-op", "--non-commutative":
        whole = explained("allreduce", "--ranks", "33", "--bytes", "1M", flag)
        check(whole["chosen"] == "native", "long operands of a user's operator")
        short = explained("allreduce", "--ranks", "33", "--bytes", "1K", flag)
        remaining = {each["algorithm"] for each in short["candidates"] if each["possible"]}
        check(remaining == {"recursive_doubling", "allgather_reduce", "reduce_bcast", "two_tree",
                            "dual_root"}, "what cuts no operand")
        check(short["chosen"] in remaining, "one of those")
        cuts = {each["algorithm"]: each["obstacle"] for each in short["candidates"]}["ring"]
        check(cuts == "needs an operator for any length", "why another is not possible")
    prints(tutti, ["explain", "allreduce", "--ranks", "33", "--bytes", "1K", "--user-op"],
           "user's operator on whole operands")
    exchange = explained("alltoall", "--ranks", "6", "--bytes", "6K")
    obstacles = {each["algorithm"]: each["obstacle"] for each in exchange["candidates"]}
    check(obstacles["exchange_in_place"] == "needs a call in place", "what it needs")
    check(not any(obstacles[name] for name in obstacles if name != "exchange_in_place"),
          "nothing is in the others' way")
    check(any("commutative" in each["obstacle"] for each in impossible), "why it is not possible")
    forced = explained("allreduce", "--ranks", "33", "--bytes", "1M",
                       TUTTI_FORCE="allreduce=recursive_doubling")
    check(forced["chosen"] == "recursive_doubling", "TUTTI_FORCE counts")
    huge = explained("alltoall", "--ranks", "4000", "--bytes", "1G")
    check("simulated_seconds" not in huge["candidates"][0], "too large to simulate")
    explains_curves(exchange)


def explains_curves(exchange):
    by_name = {each["algorithm"]: each for each in exchange["candidates"]}
    check(by_name["pairwise"]["curve"] == [], "no curve where nothing is open")
    points = [(each["radix"], each["rounds"], each["bytes"])
              for each in by_name["bruck_radix"]["curve"]]
    blocks = {2: (3, 7), 3: (3, 7), 4: (4, 6), 5: (5, 5), 6: (5, 5)}
    check(points == [(radix, rounds, 1024 * sent) for radix, (rounds, sent) in blocks.items()],
          f"rounds and bytes over the radix: {points}")
    best = min(by_name["bruck_radix"]["curve"], key=lambda each: each["predicted_seconds"])
    check(best["predicted_seconds"] == by_name["bruck_radix"]["predicted_seconds"],
          "the best is on the curve")
    for shape, words in [(["alltoall", "--ranks", "64", "--bytes", "64K"],
                          ["bruck_radix, best with radix", "blocks sent"]),
                         (["bcast", "--ranks", "33", "--bytes", "1M"],
                          ["best with segments", "bytes in turn"])]:
        prints(tutti, ["explain", *shape], *words)


def test_memory_of_a_node():
    node = ["--ranks", "16", "--per-node", "16"]
    prints(tutti, ["explain", "allreduce", *node, "--bytes", "64K"],
           "16 ranks per node share memory", "copied ", "in all", "have to be")
    short = json.loads(prints(tutti, ["explain", "bcast", *node, "--bytes", "512", "--json"]))
    star = next(each for each in short["candidates"] if each["algorithm"] == "postal")
    check(star["bytes_copied"] >= 16 * 512, f"once into a cell, and out by 15 ranks: {star}")
    prints(tutti, ["simulate", "bcast", *node, "--bytes", "64K"], "bytes copied")
    simulated = json.loads(prints(tutti, ["simulate", "bcast", *node, "--bytes", "1M", "--json"]))
    binomial = next(each for each in simulated["algorithms"] if each["algorithm"] == "binomial")
    check(binomial["copied"] == 15 << 20, f"long messages are copied once: {binomial}")
    machine = os.path.join(folder, "shares_no_memory.json")
    with open(machine, "w") as file:
        json.dump({"alpha": 1e-5, "beta": 1e-9, "gamma": 1e-10}, file)
    flat = prints(tutti, ["explain", "bcast", *node, "--bytes", "512", "--machine", machine])
    check("copied" not in flat and "share memory" not in flat, "as the file says")
    with open(machine, "w") as file:
        json.dump({"memory": {"latency": 1e-7, "lent_from": 0}}, file)
    cells = json.loads(prints(tutti, ["simulate", "bcast", *node, "--bytes", "1M", "--json",
                                      "--machine", machine]))
    binomial = next(each for each in cells["algorithms"] if each["algorithm"] == "binomial")
    check(binomial["copied"] > 20 << 20, f"into cells and out of them: {binomial}")
    with open(machine, "w") as file:
        json.dump({"memory": {"latencies": 1}}, file)
    refuses(tutti, ["explain", "bcast", *node, "--bytes", "8", "--machine", machine], "latencies")


def test_simulate():
    machine = os.path.join(folder, "machine.json")
    with open(machine, "w") as file:
        json.dump({"alpha": 2e-5, "beta": 8e-10, "gamma": 5e-11}, file)
    for collective in collectives:
        shape = [collective, "--ranks", "13", *size_of(collective)]
        shape += ["--root", "12"] if collective in rooted else []
        names = [each["name"] for each in catalog if each["collective"] == collective]
        prints(tutti, ["simulate", *shape], "lower bound", *names)
        result = json.loads(prints(tutti, ["simulate", *shape, "--machine", machine, "--json"]))
        check(result["alpha"] == 2e-5, "the machine file counts")
        simulated = [each for each in result["algorithms"] if each["simulated"]]
        times = [each["seconds"] for each in simulated]
        check(times == sorted(times) and len(result["algorithms"]) == len(names), "fastest first")
        check({each["algorithm"] for each in simulated} ==
              {each["name"] for each in catalog
               if each["collective"] == collective and serves(each, 13)}, "all that take 13 ranks")
        check(all(each["ratio"] > 0.99 for each in simulated), "no bound is beaten")
    shape = ["simulate", "bcast", "--ranks", "8", "--bytes", "1M", "--json"]
    one = json.loads(prints(tutti, shape))
    binomial = next(each for each in one["algorithms"] if each["algorithm"] == "binomial")
    check((binomial["messages"], binomial["rounds"], binomial["bytes"], binomial["most_sent"]) ==
          (7, 3, 7 * 2**20, 3 * 2**20), "binomial bcast's counts")
    prints(tutti, ["simulate", "allreduce", "--ranks", "1", "--bytes", "0"], "circulant")
    shape = ["simulate", "allreduce", "--ranks", "8", "--bytes", "64", "--json"]
    for each in json.loads(prints(tutti, shape))["algorithms"]:
        paper = next(one["published"] for one in catalog if one["collective"] == "allreduce" and
                     one["name"] == each["algorithm"])
        check(("published_seconds" in each) == bool(paper), "the paper's formula, where it is another")
        check(abs(each.get("published_seconds", each["seconds"]) / each["seconds"] - 1) < 1e-9,
              "which is right for powers of two")


def drawing(collective, algorithm, ranks, *more):
    path = os.path.join(folder, "drawing.svg")
    prints(tutti, ["draw", collective, "--algorithm", algorithm, "--ranks", str(ranks), *more,
                   "-o", path])
    return xml.parse(path).getroot()


def texts(root, kind):
    return [each.text for each in root.iter(SVG + "text") if each.get("class") == kind]


def test_draw():
    # A drawing has the least radix, which is the best where no messages overlap.
    machine = os.path.join(folder, "nothing_overlaps.json")
    with open(machine, "w") as file:
        json.dump({"eager": 0}, file)
    for each in catalog:
        for ranks in [1, 2, 6, 13]:
            if not serves(each, ranks):
                continue
            root = drawing(each["collective"], each["name"], ranks)
            size = [] if each["collective"] == "barrier" else ["--bytes", str(ranks * 8)]
            shape = ["simulate", each["collective"], "--ranks", str(ranks), *size, "--json",
                     "--machine", machine]
            simulated = next(one for one in json.loads(prints(tutti, shape))["algorithms"]
                             if one["algorithm"] == each["name"])
            arrows = [path for path in root.iter(SVG + "path")
                      if path.get("class", "").startswith("arrow")]
            name = f"{each['collective']} {each['name']}, p = {ranks}"
            asked = bool(each["question_cost"])  # in messages that are not drawn
            check(len(arrows) <= simulated["messages"] if asked else
                  len(arrows) == simulated["messages"], f"{name}: an arrow per message")
            check(len(texts(root, "target")) == len(arrows), f"{name}: arrows are labelled")
            check(root.find(SVG + "title").text.startswith(each["collective"]), f"{name}: title")
    ring = drawing("allgather", "ring", 6)
    check(texts(ring, "round") == ["start"] + [f"round {k}" for k in range(1, 6)], "round labels")
    check(texts(ring, "held")[:6] == list("012345"), "row 0: initial contents")
    check(texts(ring, "held")[-6:] == ["0-5"] * 6, "the last row: every block")
    check(texts(ring, "carried")[6:12] == list("501234"), "the second round passes blocks on")
    check(texts(drawing("bcast", "binomial", 6, "--root", "4"), "held")[0] == "all", "uncut")
    scan = texts(drawing("scan", "recursive_doubling", 6), "held")[-6:]
    check(scan == ["Σ0"] + [f"Σ0-{r}" for r in range(1, 6)], "scan: prefixes")
    summed = texts(drawing("allreduce", "circulant", 13), "held")[-13:]
    check(summed == ["0-12 Σ0-12"] * 13, "allreduce: all blocks over all ranks")
    for collective, name in [("alltoall", "pairwise"), ("alltoall", "exchange_in_place"),
                             ("alltoallv", "pairwise"), ("alltoallw", "exchange_in_place")]:
        swapped = texts(drawing(collective, name, 13), "held")[-13:]
        check(swapped == [f"0-12:{r}" for r in range(13)],
              f"{collective} {name}: a block from each rank")
    gathered = texts(drawing("gatherv", "linear", 6, "--root", "2"), "held")
    check("0-5" in gathered, "gatherv: the root has the blocks of all ranks")
    check(texts(drawing("scatterv", "linear", 6, "--root", "2"), "held")[-6:] == list("012345"),
          "scatterv: each rank has its block")
    check(texts(drawing("allgatherv", "ring", 6), "held")[-6:] == ["0-5"] * 6, "allgatherv: all")
    check(os.listdir(folder).count("drawing.svg") == 1 and
          not [name for name in os.listdir(folder) if ".svg." in name], "no temporary file is left")


def mapped(*arguments, **environment):
    """The cells of a map by (p, n), from its CSV."""
    path = os.path.join(folder, "map.csv")
    check(prints(tutti, ["map", *arguments, "-o", path], **environment) == "", "written in silence")
    with open(path) as file:
        rows = list(csv.DictReader(file))
    check(list(rows[0]) == ["ranks", "bytes", "algorithm", "parameter", "predicted_seconds"],
          f"columns of a map's CSV: {list(rows[0])}")
    return {(int(row["ranks"]), int(row["bytes"])): row for row in rows}


def agrees_with_explain(cells, points, *options, **environment):
    for collective, p, n in points:
        said = explained(collective, "--ranks", str(p), "--bytes", str(n), *options, **environment)
        cell = cells[p, n]
        name = f"map of {collective} at p = {p}, n = {n}"
        check(cell["algorithm"] == said["chosen"], f"{name}: {cell['algorithm']}, "
              f"explain has {said['chosen']}")
        for each in said["candidates"]:
            if each["algorithm"] == said["chosen"]:
                check(float(cell["predicted_seconds"]) == each["predicted_seconds"],
                      f"{name}: the time that explain predicts")
                check(int(cell["parameter"]) == sum((each["parameter"] or {}).values()),
                      f"{name}: the parameter that explain has")


def test_map_agrees_with_explain():
    for first, last in (2, 7), (32, 33):
        cells = mapped("allreduce", "--ranks", f"{first}:{last}", "--bytes", "8:16M")
        check(set(cells) == {(p, 8 << k) for p in range(first, last + 1) for k in range(22)},
              "every p and n")
        agrees_with_explain(cells, [("allreduce", p, n) for p in (first, last)
                                    for n in (8, 2048, 1 << 20)])
        check(len({cells[key]["algorithm"] for key in cells}) > 1, "more than one algorithm wins")
    for settings in {}, {"TUTTI_USER_OPS": "any"}:
        ordered = mapped("allreduce", "--ranks", "5:6", "--bytes", "1K:1M", "--non-commutative",
                         **settings)
        agrees_with_explain(ordered, [("allreduce", 5, 1 << 10), ("allreduce", 5, 1 << 20)],
                            "--non-commutative", **settings)
    agrees_with_explain(mapped("allreduce", "--ranks", "33", "--bytes", "8", "--integers"),
                        [("allreduce", 33, 8)], "--integers")
    for options, settings in [(["--policy", "mpich2005"], {}), ([], {"TUTTI_POLICY": "mpich2005"})]:
        old = mapped("bcast", "--ranks", "33", "--bytes", "1K:1M", *options, **settings)
        agrees_with_explain(old, [("bcast", 33, 1 << 10), ("bcast", 33, 1 << 20)], *options,
                            **settings)
    forced = mapped("allreduce", "--ranks", "2:9", "--bytes", "8", TUTTI_FORCE="allreduce=ring")
    check({cell["algorithm"] for cell in forced.values()} == {"ring"}, "TUTTI_FORCE counts")
    prints(tutti, ["map", "bcast", "--ranks", "2:9", "--policy", "mpich2005"],
           "bcast, policy mpich2005, TUTTI_FORCE=bcast=binomial", TUTTI_FORCE="bcast=binomial")
    for collective in collectives:  # also those whose sizes have to be agreed on
        cells = mapped(collective, "--ranks", "7:8", "--bytes", "64:64K")
        n = 0 if collective == "barrier" else 4096
        check(len(cells) == (2 if collective == "barrier" else 22), f"{collective}: all cells")
        agrees_with_explain(cells, [(collective, 8, n)])


def columns_of(text):
    """The rank counts under a grid, and its rows of letters by label."""
    lines = text.split("\n\n")
    grid = {line[:6].strip(): line[8:] for line in lines[1].splitlines()[1:]}
    digits = [line[8:] for line in lines[2].splitlines()]
    width = max(map(len, digits))
    ps = [int("".join(line.ljust(width)[i] for line in digits)) for i in range(width)]
    return ps, grid


def by_formulas():
    """Words that name a machine on which nothing is simulated: for tests of what a map looks like."""
    machine = {"alpha": 1e-5, "beta": 1e-9, "gamma": 1e-10, "overlap": 0}
    return ["--machine", copied("hockney.json", json.dumps(machine))]


def letters_agree(text, cells, sizes):
    """The grid's letters are the algorithms of the cells, at each (label, n)."""
    ps, grid = columns_of(text)
    legend = dict(re.findall(r"^(\S) {7}(\w+) ", text, re.M))
    for label, n in sizes:
        for p, letter in zip(ps, grid[label]):
            check(legend[letter] == cells[p, n]["algorithm"], f"the letter at p = {p}, n = {n}")


def test_map_simulates_alike():
    """However few columns the terminal has room for, points are simulated as much as in the CSV."""
    shape = ["allreduce", "--ranks", "2:256", "--bytes", "8:16"]
    letters_agree(prints(tutti, ["map", *shape]), mapped(*shape), [("8", 8), ("16", 16)])


def test_map_grid():
    shape = ["allreduce", "--ranks", "2:256", "--bytes", "8:16M", *by_formulas()]
    text = prints(tutti, ["map", *shape], "allreduce, p = 2 to 256, n = 8 to 16M", "alpha =",
                  "of 255 values of p are shown", "circulant", "%")
    ps, grid = columns_of(text)
    near = {2**k + d for k in range(1, 9) for d in (-1, 0, 1)} & set(range(2, 257))
    check(near <= set(ps) and len(ps) <= 64 and ps == sorted(ps), f"rank counts shown: {ps}")
    check(list(grid)[0] == "16M" and list(grid)[-1] == "8" and len(grid) == 22, "n goes up")
    check({len(row) for row in grid.values()} == {len(ps)}, "a letter for every p shown")
    cells = mapped(*shape)
    letters_agree(text, cells, [("8", 8), ("2K", 2048), ("1M", 1 << 20), ("16M", 16 << 20)])
    percent = sum(map(float, re.findall(r"([\d.]+)%", text)))
    check(abs(percent - 100) < 0.5, f"shares of the area make up all of it: {percent}")
    check("\033" not in text, "no colours outside of a terminal")
    check("every p is shown" in prints(tutti, ["map", "bcast", "--ranks", "2:60",
                                               *by_formulas()]), "all are shown")
    result = json.loads(prints(tutti, ["map", *shape, "--json"]))
    check({(each["ranks"], each["bytes"]): each["algorithm"] for each in result["cells"]} ==
          {key: cell["algorithm"] for key, cell in cells.items()}, "JSON has every p and n")
    check(abs(sum(each["share"] for each in result["shares"]) - 1) < 1e-9, "shares in JSON")
    coloured = on_terminal("map", *shape)
    plain = re.sub(r"\033\[[\d;]*m", "", coloured).replace("\r", "")
    check("\033[48;5;" in coloured and plain == text, "the same on a terminal, in colours")
    check("\033" not in on_terminal("map", *shape, NO_COLOR="1"), "NO_COLOR counts")


def on_terminal(*arguments, **environment):
    """What the command prints if standard output is a terminal."""
    ours, its = pty.openpty()
    with subprocess.Popen([sys.argv[1], *arguments], stdout=its, stderr=subprocess.DEVNULL,
                          env={"TERM": "xterm", **environment}) as process:
        os.close(its)
        text = b""
        try:
            while part := os.read(ours, 65536):
                text += part
        except OSError:  # the terminal's end
            pass
        check(process.wait() == 0, "exit status on a terminal")
    os.close(ours)
    return text.decode()


def words_in(path):
    """All text of an SVG."""
    texts_of = xml.parse(path).getroot().iter(SVG + "text")
    return ["".join(each.itertext()).strip() for each in texts_of]


def is_png(path):
    with open(path, "rb") as file:
        return file.read(8) == b"\x89PNG\r\n\x1a\n"


def test_map_pictures():
    path = os.path.join(folder, "map.svg")
    shape = ["allreduce", "--ranks", "2:64", "--bytes", "8:1M", *by_formulas()]
    prints(tutti, ["map", *shape, "-o", path])
    winners = {cell["algorithm"] for cell in mapped(*shape).values()}
    words = words_in(path)
    for name in winners:
        check(any(word.startswith(name + " (") for word in words), f"{name} is in the legend")
    for word in ["allreduce: the algorithm chosen", "p, number of ranks", "64", "512K", "8"]:
        check(word in words, f"'{word}' is in the picture: {words}")
    for shape in [["barrier", "--ranks", "2"], ["bcast", "--ranks", "1:3", "--bytes", "1"],
                  ["alltoallw", "--ranks", "16000:16010", "--bytes", "1G"]]:
        prints(tutti, ["map", *shape, "-o", path])
        check(f"{shape[0]}: the algorithm chosen" in words_in(path), f"a small map: {shape}")
    path = os.path.join(folder, "map.png")
    prints(tutti, ["map", "bcast", "--ranks", "2:1000", "--bytes", "8:1M", *by_formulas(), "-o",
                   path])
    check(is_png(path), "PNG")


def plotted(*arguments):
    path = os.path.join(folder, "plot.csv")
    check(prints(tutti, ["plot", *arguments, "-o", path]) == "", "written in silence")
    with open(path) as file:
        return {float(row.pop("bytes")): {name: float(time) for name, time in row.items() if time}
                for row in csv.DictReader(file)}


def copied(name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def example(name):
    with open(os.path.join(examples, name)) as file:
        return file.read()


def exported(to, profile, ending=""):
    """The text of the rules, and what is printed."""
    path = os.path.join(folder, f"rules.{to}")
    printed = prints(tutti, ["export", "--to", to, copied("peers.json", json.dumps(profile)), "-o",
                             path], path)
    with open(path + ending) as file:
        return file.read(), printed


def profile_of(library, **collectives):
    """Of 4 ranks: name=[(bytes, {algorithm: seconds})]."""
    points = {name: [{"bytes": n, "winner": "native", "seconds": seconds} for n, seconds in all]
              for name, all in collectives.items()}
    return {"tutti_profile": 1, "library": library, "machine": "m", "date": "2026-11-22",
            "runs": [{"ranks": 4, "ranks_per_node": 4, "collectives": points}]}


OPENMPI, MPICH = "Open MPI v4.1.4", "MPICH Version: 4.0.2"


def numbers_in(text):
    return [int(word) for line in text.splitlines() for word in line.split("#")[0].split()]


def test_export_to_openmpi():
    """The file as coll_tuned reads it: {collective: {ranks: [(from bytes, number, segment)]}}."""
    def read(text):
        numbers = iter(numbers_in(text))
        rules = {}
        for _ in range(next(numbers)):
            of_it = rules[next(numbers)] = {}
            for _ in range(next(numbers)):
                ranks, count = next(numbers), next(numbers)
                of_it[ranks] = []
                for _ in range(count):
                    first, number, _, segment = (next(numbers) for _ in range(4))
                    of_it[ranks].append((first, number, segment))
        check(next(numbers, None) is None, "nothing follows")
        return rules

    own = [(0, 0, 0)]
    site = json.loads(example("site-peers.json"))
    text, printed = exported("openmpi", site)
    check("coll_tuned_dynamic_rules_filename" in printed, printed)
    rules = read(text)
    numbers = {"basic_linear": 1, "chain": 2, "pipeline": 3, "split_binary_tree": 4,
               "binary_tree": 5, "binomial": 6, "knomial": 7, "scatter_allgather": 8,
               "scatter_allgather_ring": 9}
    for point in site["runs"][0]["collectives"]["bcast"]:
        times = point["seconds"]
        best = min((name for name in times if name.startswith("native:")), key=times.get)
        name, _, segment = best.removeprefix("native:").partition(":")
        wanted = (0, 0) if times[best] >= 0.98 * times["native"] else (numbers[name],
                                                                       int(segment or 0))
        found = [rule for rule in rules[7][2] if rule[0] <= point["bytes"]][-1]
        check(found[1:] == wanted, f"{point}: {found}")
    check(rules[7][0] == rules[7][3] == own, "other communicators are left alone")

    fast, slow = {"native": 2e-6}, {"native": 1e-9}
    profile = profile_of(
        OPENMPI,
        bcast=[(8, fast | {"native:binomial": 1e-6}), (512, fast | {"native:binomial": 1e-6}),
               (8192, slow | {"native:binomial": 1e-6}),
               (32768, fast | {"native:pipeline:8192": 1e-6})],
        gather=[(8, fast | {"native:binomial": 1e-6}), (512, slow | {"native:binomial": 1e-6})],
        scatter=[(8, fast | {"native:binomial": 1e-6}), (512, fast | {"native:binomial": 1e-6})],
        reduce=[(8, fast | {"native:binomial": 1e-7, "native:linear": 1e-6})],
        allreduce=[(8, fast | {"native:recursive_doubling": 1.97e-6})],
        scan=[(8, fast | {"ring": 1e-6})])
    profile["runs"].append({**profile["runs"][0], "ranks": 5})
    rules = read(exported("openmpi", profile)[0])
    bcast = [(0, 6, 0), (2048, 0, 0), (16384, 3, 8192)]
    check(rules[7] == {0: own, 4: bcast, 5: bcast, 6: own}, f"cut-offs and segments: {rules}")
    check(rules[15][4] == [(0, 2, 0)] and 9 not in rules, "a scatter is told no sizes")
    check(rules[11][4] == [(0, 1, 0)], "only what keeps the order of operands")
    check(2 not in rules and 14 not in rules, "within 2%, or without times: its own choice")


def leaf(tree, p, n, **facts):
    """What MPICH takes for a call."""
    for condition, branch in tree.items():
        if condition.startswith(("algorithm=", "composition=")):
            return condition.partition("=")[2]
        key, sign, value = re.fullmatch(r"(\w+)(<=|<|=)(.*)", condition).groups()
        if condition == "count<pow2":  # of elements, below p
            continue
        here = {"comm_type": "intra", "comm_size": p, "avg_msg_size": n, "total_msg_size": n,
                **facts}[key] if value != "any" else None
        if value == "any" or {"<=": lambda: here <= int(value), "<": lambda: here < int(value),
                              "=": lambda: here == value}[sign]():
            return leaf(branch, p, n, **facts)
    raise KeyError(str(tree))


def test_export_to_mpich():
    fast, slow = {"native": 2e-6}, {"native": 1e-9}
    ring, shares = "native:scatter_ring_allgather", "native:reduce_scatter_allgather"
    profile = profile_of(
        MPICH, bcast=[(8, slow | {ring: 1e-6}), (512, fast | {ring: 1e-6})],
        allreduce=[(64, fast | {shares: 1e-6})],
        alltoall=[(64, fast | {"native:brucks": 1e-6}), (1024, slow | {"native:brucks": 1e-6})],
        reduce_scatter=[(64, fast | {"native:pairwise": 1e-6})])
    text, printed = exported("mpich", profile)
    check("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE" in printed, printed)
    tree, device = json.loads(text), json.loads(exported("mpich", profile, ".device")[0])
    check(len(tree) == 44 and len(device) == 17, f"all collectives: {len(tree)} {len(device)}")
    flat = {"comm_hierarchy": "flat"}
    for p, n, algorithm, plain in [(4, 63, "binomial", "gamma"), (4, 64, ring[7:], "gamma"),
                                   (3, 64, "binomial", "gamma"), (5, 64, "binomial", "gamma")]:
        check(leaf(tree["collective=bcast"], p, n, **flat) == f"MPIR_Bcast_intra_{algorithm}",
              f"bcast {p} {n}")
        check(leaf(device["collective=bcast"], p, n, **flat).endswith(plain), f"device {p} {n}")
    parent = {"comm_hierarchy": "parent"}
    check(leaf(device["collective=bcast"], 4, 63, **parent).endswith("alpha"), "the device's own")
    check(leaf(device["collective=bcast"], 4, 64, **parent).endswith("gamma"), "all by MPIR")
    for facts, algorithm in [({"is_op_built_in": "yes"}, shares[7:]),
                             ({"is_op_built_in": "no"}, "recursive_doubling")]:
        check(leaf(tree["collective=allreduce"], 4, 64, **facts) ==
              f"MPIR_Allreduce_intra_{algorithm}", f"{facts}")
    for place, n, algorithm in [("yes", 64, "pairwise_sendrecv_replace"), ("no", 64, "brucks"),
                                ("no", 256, "scattered")]:
        check(leaf(tree["collective=alltoall"], 4, n, is_sendbuf_inplace=place) ==
              f"MPIR_Alltoall_intra_{algorithm}", f"in place {place}, {n} bytes")
    for commutes, algorithm in [("yes", "pairwise"), ("no", "noncommutative")]:
        check(leaf(tree["collective=reduce_scatter"], 4, 64, is_commutative=commutes,
                   is_block_regular="yes") == f"MPIR_Reduce_scatter_intra_{algorithm}", commutes)


def test_export_to_intel():
    times = {"native": 1e-9, "native:nonoverlapping": 2e-6}
    doubling = {"native:recursive_doubling": 1e-6}
    profile = profile_of(OPENMPI, allreduce=[(8, times | doubling), (128, times)],
                         reduce=[(8, {"native": 1e-6, "native:binomial": 1e-6}),
                                 (128, {"native": 1e-6, "native:linear": 1e-6,
                                        "native:binomial": 1.1e-6})],
                         alltoall=[(64, {"native": 1e-6, "native:modified_bruck": 1e-6}),
                                   (1024, {"native": 1e-6, "native:pairwise": 1e-6})],
                         gather=[(8, {"native": 1e-6, "native:binomial": 1e-6})])
    text, _ = exported("intel", profile)
    check("I_MPI_ADJUST_ALLREDUCE='1:0-31;3:32-2147483647'" in text, text)
    check("REDUCE=" not in text.replace("ALLREDUCE=", ""), "linear has no number: " + text)
    check("I_MPI_ADJUST_ALLTOALL='1:0-63;3:64-2147483647'" in text, "by blocks: " + text)
    check("I_MPI_ADJUST_GATHER='1:0-2147483647'" in text, text)
    profile["runs"].append(profile["runs"][0] | {"ranks": 8})
    text, printed = exported("intel", profile, ".8")
    check("I_MPI_ADJUST_ALLTOALL='1:0-31;3:32-2147483647'" in text, "a file for each p: " + text)
    check("rules.intel.4 is written; use it" in printed, printed)
    profile["library"] = MPICH
    refuses(tutti, ["export", "--to", "openmpi", copied("x.json", json.dumps(profile)), "-o", "x"],
            "x.json", f"measured with '{MPICH}'", "Open MPI v4.1")


def test_bad_exports():
    site = os.path.join(examples, "site-peers.json")
    end = ["-o", os.path.join(folder, "never")]
    refuses(tutti, ["export"], "FILE")
    refuses(tutti, ["export", "--to", "openmpi", site], "--output")
    refuses(tutti, ["export", "--to", "lam", site, *end], "'lam'", "openmpi, mpich, intel")
    refuses(tutti, ["export", "--to", "mpich", site, *end], "Open MPI", "MPICH Version: 4.0")
    refuses(tutti, ["export", "--to", "openmpi", "/no/file", *end], "'/no/file'")
    refuses(tutti, ["export", "--to", "intel", os.path.join(examples, "site.json"), *end], "SMPI",
            "Open MPI, MPICH")
    refuses(tutti, ["export", "--to", "openmpi", site, "-o", "/no/folder/rules"], "/no/folder")
    bare = profile_of(OPENMPI, bcast=[(8, {"native": 1e-6})])
    refuses(tutti, ["export", "--to", "openmpi", copied("bare.json", json.dumps(bare)), *end],
            "bare.json", "tutti tune --peers")
    bare["runs"] *= 2
    refuses(tutti, ["export", "--to", "openmpi", copied("bare.json", json.dumps(bare)), *end],
            "two runs have 4 ranks")
    check(not os.path.exists(end[1]), "nothing is written")


def test_advise():
    site = os.path.join(examples, "site.json")
    shipped = os.path.join(examples, "trace.json")
    prints(tutti, ["advise", shipped, "--profile", site], "served by", "profile", "model", "all")
    point = next(each for each in json.loads(example("site.json"))["runs"][0]["collectives"]["bcast"]
                 if each["winner"] != "native")
    rows = [{"collective": "bcast", "ranks": 8, "bytes": point["bytes"], "algorithm": "native",
             "calls": 10, "seconds": 2.0},
            {"collective": "allreduce", "ranks": 33, "bytes": 1 << 20, "algorithm": "reduce_bcast",
             "calls": 1, "seconds": 1.0},
            {"collective": "bcast", "ranks": 12, "bytes": 8, "algorithm": "native", "calls": 1,
             "seconds": 4.0}]
    path = copied("trace.json", json.dumps({"tutti_trace": 1, "calls": rows}))
    advice = json.loads(prints(tutti, ["advise", path, "--profile", site, "--json"]))
    by_source = {(each["source"], each["ranks"]): each for each in advice["rows"]}
    native, best = point["seconds"]["native"], point["seconds"][point["winner"]]
    measured = by_source["profile", 8]
    check(measured["now_seconds"] == native and measured["best_seconds"] == best, "as measured")
    check(abs(measured["saved_seconds"] - 2.0 * (1 - best / native)) < 1e-12, "its share")
    explained = json.loads(prints(tutti, ["explain", "allreduce", "--ranks", "33", "--bytes", "1M",
                                          "--json"]))
    times = {each["algorithm"]: each["predicted_seconds"] for each in explained["candidates"]}
    modelled = by_source["model", 33]
    share = 1 - times[explained["chosen"]] / times["reduce_bcast"]
    check(share > 0.1 and abs(modelled["saved_seconds"] - share) < 1e-9, f"by the model: {modelled}")
    check(by_source["model", 12]["saved_seconds"] is None, "the model knows no native collective")
    total = advice["totals"]
    check(total["all"]["seconds"] == 7 and total["bcast"]["seconds"] == 6 and
          abs(total["all"]["saved_seconds"] - measured["saved_seconds"] -
              modelled["saved_seconds"]) < 1e-12, f"sums: {total}")
    refuses(tutti, ["advise"], "FILE")
    refuses(tutti, ["advise", "/nonexistent"], "'/nonexistent'", "cannot be read")
    refuses(tutti, ["advise", site], "not valid", "tutti exec --trace")
    for wrong in ({"ranks": 0}, {"calls": 0}, {"collective": "sing"}, {"algorithm": "wave"}):
        path = copied("wrong.json", json.dumps({"tutti_trace": 1, "calls": [rows[0] | wrong]}))
        refuses(tutti, ["advise", path], f"trace '{path}': ", str(next(iter(wrong.values()))))
    path = copied("wrong.json", json.dumps({"tutti_trace": 2, "calls": []}))
    refuses(tutti, ["advise", path], f"trace '{path}': version 2, this Tutti reads 1")


def test_plot_bench():
    text = example("bench-allreduce.csv")
    measured = {(float(row["bytes"]), row["algorithm"]): float(row["seconds"])
                for row in csv.DictReader(text.splitlines()) if row["seconds"]}
    bench = copied("bench.csv", text)
    drawn = plotted(bench)
    check({(n, name): t for n, row in drawn.items() for name, t in row.items()} == measured,
          "the times of the file")
    ratios = plotted(bench, "--ratio")
    check(all(row["native"] == 1 for row in ratios.values()), "native is 1 of itself")
    check(all(abs(ratios[n][name] - t / measured[n, "native"]) < 1e-12
              for (n, name), t in measured.items()), "the others are divided by native")
    check(prints(tutti, ["plot", bench]) == bench[:-3] + "svg\n", "says which file it has written")
    names = {name for _, name in measured}
    check("census" not in names and "circulant" in names, "one algorithm has no times")
    words = words_in(bench[:-3] + "svg")
    check(names <= set(words) and "census" not in words, f"all lines are named: {words}")
    check("time of one call" in words and "lower bound" not in words, "no bound in measured times")
    rows = [{"bytes": n, "algorithm": name, "right": True, "seconds": t}
            for (n, name), t in measured.items()]
    rows.append({"bytes": 8, "algorithm": "census", "obstacle": "needs exact arithmetic"})
    document = {"collective": "allreduce", "p": 2, "library": "MPI of 'tests' <1>",
                "trustworthy": False, "rows": rows}
    path = copied("bench.json", json.dumps(document))
    check(plotted(path) == drawn, "JSON of the same run")
    svg = os.path.join(folder, "ratio.svg")
    prints(tutti, ["plot", path, "--ratio", "-o", svg])
    words = words_in(svg)
    check("time / native" in words and
          "MPI of 'tests' <1>, more ranks than processors" in words, f"what was measured: {words}")
    png = os.path.join(folder, "ratio.png")
    prints(tutti, ["plot", path, "--ratio", "-o", png])
    check(is_png(png), "PNG")


def test_plot_simulation():
    files = []
    for n in ("1K", "64K", "1M"):
        shape = ["simulate", "allreduce", "--ranks", "33", "--bytes", n, "--json"]
        files.append(copied(f"{n}.json", prints(tutti, shape)))
    documents = [json.loads(open(file).read()) for file in files]
    drawn = plotted(*files)
    for document in documents:
        row = drawn[document["bytes"]]
        check(row.pop("lower bound") == document["lower_bound_seconds"], "the lower bound")
        check(row == {each["algorithm"]: each["seconds"] for each in document["algorithms"]
                      if each["simulated"]}, "the times of the files")
    ratios = plotted(*files, "--ratio")
    for document in documents:
        row = ratios[document["bytes"]]
        check(row["lower bound"] == 1, "the bound is 1 of itself")
        check(all(abs(row[each["algorithm"]] - each["ratio"]) < 1e-12
                  for each in document["algorithms"] if each["simulated"]), "ratios of simulate")
    joined = copied("joined.json", "".join(open(file).read() for file in reversed(files)))
    check(plotted(joined, "--ratio") == ratios, "several times in one file")
    path = copied("shipped.json", example("simulate-allreduce.json"))
    prints(tutti, ["plot", path], "shipped.svg")
    svg = path[:-4] + "svg"
    words = words_in(svg)
    names = {each["algorithm"] for each in documents[0]["algorithms"] if each["simulated"]}
    check(names | {"lower bound", "2M"} <= set(words), f"all lines are named: {words}")
    check("stroke-dasharray" in open(svg).read(), "the bound is dashed")
    prints(tutti, ["plot", files[0], "-o", svg])  # a single size


def test_bad_input():
    refuses(tutti, [], "algorithms", "verify", "explain", "simulate", "draw")
    refuses(tutti, ["sing"], "'sing'", "algorithms", "verify", "draw", "map", "plot")
    refuses(tutti, ["--loud"], "--loud", "--help")
    refuses(tutti, ["algorithms", "allsing"], "'allsing'", *collectives)
    call = ["--ranks", "8", "--bytes", "1K"]
    for command in ["explain", "simulate"]:
        refuses(tutti, [command], "a collective is needed", *collectives)
        refuses(tutti, [command, "everything"], "'everything'", *collectives)
        refuses(tutti, [command, "bcast"], "--ranks")
        refuses(tutti, [command, *call], "allgather")
        refuses(tutti, [command, "allsing", *call], "'allsing'", *collectives)
        refuses(tutti, [command, "bcast", "--ranks", "8"], "--bytes", "64K")
        refuses(tutti, [command, "bcast", *call, "--loud"], "--loud", "--bytes")
        refuses(tutti, [command, "bcast", "--ranks"], "--ranks")
        for ranks in ["0", "-1", "x", "", "1.5", "99999999999999999999", "8x", "1:4"]:
            refuses(tutti, [command, "bcast", "--ranks", ranks, "--bytes", "1"], "1 to 1000000")
        for size in ["", "x", "-1", "1.5K", "64Q", "64KB", "K", "99999999999G", "1e6", " 1"]:
            refuses(tutti, [command, "bcast", "--ranks", "8", "--bytes", size], "64K, 1M")
        for root in ["8", "-1", "x", "99999999999999999999"]:
            refuses(tutti, [command, "bcast", *call, "--root", root],
                    "a rank outside the communicator", "0 to 7")
        refuses(tutti, [command, "allreduce", *call, "--root", "1"], "no root", "bcast")
        refuses(tutti, [command, "bcast", *call, "--machine", "/no/file"], "'/no/file'", "alpha")
    refuses(tutti, ["explain", "bcast", *call, "--non-commutative"], "no operator", "allreduce")
    refuses(tutti, ["explain", "bcast", *call, "--user-op"], "no operator", "--user-op", "scan")
    refuses(tutti, ["explain", "bcast", *call], "'x'", "known", TUTTI_FORCE="bcast=x")
    for ranks in ["0", "0:4", "5:4", "1:x", ":", "1:2:3", "1:9999999"]:
        refuses(tutti, ["verify", "--ranks", ranks], "P and LO:HI")
    refuses(tutti, ["verify", "allsing"], "'allsing'", *collectives)
    refuses(tutti, ["verify", "allgather", "--algorithm", "wave"], "'wave'", "ring", "bruck")
    refuses(tutti, ["verify", "--algorithm", "wave"], "'wave'", "ring", "binomial")
    refuses(tutti, ["verify", "--seed", "-3"], "'-3'", "from 0")


def test_bad_drawings():
    out = ["-o", os.path.join(folder, "x.svg")]
    ring = ["draw", "allgather", "--algorithm", "ring"]
    refuses(tutti, ["draw", "allgather", "--ranks", "6", *out], "--algorithm")
    refuses(tutti, [*ring, "--ranks", "6"], "--output")
    refuses(tutti, [*ring, "--ranks", "65", *out], "1 to 64")
    refuses(tutti, [*ring, "--ranks", "0", *out], "1 to 1000000")
    refuses(tutti, ["draw", "--algorithm", "ring", "--ranks", "6", *out], *collectives)
    refuses(tutti, ["draw", "allreduce", "--algorithm", "swing", "--ranks", "6", *out],
            "p a power of two")
    refuses(tutti, ["draw", "allgather", "--algorithm", "neighbour_exchange", "--ranks", "5", *out],
            "p even")
    refuses(tutti, ["draw", "allgather", "--algorithm", "wave", "--ranks", "6", *out], "ring, ")
    tree = ["draw", "bcast", "--algorithm", "binomial", "--ranks", "6"]
    refuses(tutti, [*tree, "--root", "6", *out], "a rank outside the communicator")
    check(not os.path.exists(out[1]), "nothing is written after bad input")
    refuses(tutti, [*ring, "--ranks", "6", "-o", "/no/folder/x.svg"], "'/no/folder/x.svg'")
    refuses(tutti, [*ring, "--ranks", "6", "-o", folder], "directory")


def test_bad_maps():
    refuses(tutti, ["map"], *collectives)
    refuses(tutti, ["map", "allsing"], "'allsing'", *collectives)
    for ranks in ["0", "0:4", "5:4", "1:x", ":", "1:2:3", "1:9999999"]:
        refuses(tutti, ["map", "bcast", "--ranks", ranks], "P and LO:HI")
    for size in ["x", "8:", "8:1X", "-1", "8:16:32"]:
        refuses(tutti, ["map", "bcast", "--bytes", size], "no size", "64K, 1M")
    for size in ["1000", "100:120", "16:8", "0"]:
        refuses(tutti, ["map", "bcast", "--bytes", size], f"'{size}'", "power of two", "8:16M")
    refuses(tutti, ["map", "bcast", "--ranks", "4:8", "--root", "4"], "0 to 3")
    refuses(tutti, ["map", "allreduce", "--root", "1"], "no root", "bcast")
    refuses(tutti, ["map", "bcast", "--non-commutative"], "no operator", "allreduce")
    refuses(tutti, ["map", "bcast", "--machine", "/no/file"], "'/no/file'", "alpha")
    refuses(tutti, ["map", "bcast", "--policy", "x"], "'x'", "mpich2005")
    refuses(tutti, ["map", "bcast", "--loud"], "--loud", "--bytes")
    for name in ["x.pdf", "x", ".svg/"]:
        refuses(tutti, ["map", "bcast", "-o", name], f"'{name}'", ".svg, .png or .csv")
    small = ["map", "bcast", "--ranks", "2:4", "--bytes", "8"]
    for ending in ["svg", "csv"]:
        path = f"/no/folder/x.{ending}"
        refuses(tutti, [*small, "-o", path], f"'{path}'", "cannot be written")
    path = os.path.join(folder, "without_gnuplot.svg")
    refuses(tutti, [*small, "-o", path], "gnuplot is needed", "apt-get install gnuplot-nox",
            PATH="/no/folder")
    check(not os.path.exists(path), "nothing is written without gnuplot")


def test_bad_plots():
    accepted = ["tutti bench --csv", "tutti bench --json", "tutti simulate --json"]
    refuses(tutti, ["plot"], "FILES")
    refuses(tutti, ["plot", "/no/file.csv"], "'/no/file.csv'", *accepted)
    refuses(tutti, ["plot", folder], f"'{folder}'", *accepted)
    header = "collective,p,bytes,algorithm,seconds,result\n"
    row = "allreduce,2,8,ring,1e-6,\n"
    simulation = example("simulate-allreduce.json")
    for text, what in [("", "empty"), ("x", "something else"), ("{", "other JSON"),
                       ("{}", "other JSON"), ('{"rows": [1]}', "other JSON"),
                       (simulation[:-20], "other JSON"), (header, "no times"),
                       (header + "allreduce,2,8,ring,,needs a, b\n", "no times"),
                       (header + "allreduce,2,8\n", "a line 2"), (header + row + "x\n", "a line 3"),
                       (header + row.replace("1e-6", "soon"), "a line 2"),
                       (header + row.replace("1e-6", "nan"), "no time"),
                       (header + row.replace(",8,", ",0,"), "logarithmic"),
                       (header + row + row, "a second time"),
                       (header + row + row.replace(",2,", ",3,"), "only sizes may differ"),
                       (simulation + simulation, "a second time"),
                       ("ranks,bytes,algorithm,parameter,predicted_seconds\n", "something else")]:
        path = copied("bad", text)
        refuses(tutti, ["plot", path], f"'{path}'", what, *accepted)
    check(not os.path.exists(os.path.join(folder, "bad.svg")), "nothing is drawn of bad input")
    lone = copied("lone.csv", header + row)
    refuses(tutti, ["plot", lone, "--ratio"], "native", "--ratio")
    svg = prints(tutti, ["plot", copied("point.csv", header + row.replace("1e-6", "3.2e-6"))])
    check({"8", "3 µs", "ring"} <= set(words_in(svg.strip())), "a single point has its axes")
    other = copied("other.json", simulation)
    refuses(tutti, ["plot", lone, other], "only sizes may differ", *accepted)
    refuses(tutti, ["plot", lone, "-o", "x.pdf"], "'x.pdf'", ".svg, .png or .csv")
    refuses(tutti, ["plot", lone], "gnuplot is needed", PATH="/no/folder")


def test_bad_machines():
    path = os.path.join(folder, "bad.json")
    for text in ["", "{", "[1]", '{"delta": 1}', '{"alpha": -1}', '{"alpha": "x"}']:
        with open(path, "w") as file:
            file.write(text)
        refuses(tutti, ["simulate", "bcast", "--ranks", "8", "--bytes", "1", "--machine", path],
                path, "alpha")


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
sys.exit(report())
