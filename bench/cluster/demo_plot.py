"""The plot of the cluster demo: allreduce time against size, drawn by gnuplot as SVG and PNG."""
import os

import gnuplot
import runner
from demo_table import LABELS

# Colours that stay apart for colour-blind readers and in grey (Okabe and Ito 2008).
# Peers often agree: those drawn first are broader, so that each of two equal curves is seen.
STYLES = {
    "tutti": "lc rgb '#D55E00' lw 3 pt 7 ps 0.6",
    "mpich": "lc rgb '#0072B2' lw 1.5 pt 5 ps 0.4",
    "ompi": "lc rgb '#009E73' lw 2.5 pt 9 ps 0.5",
    "mvapich2": "lc rgb '#CC79A7' lw 4.5 pt 11 ps 0.7",
    "impi": "lc rgb '#8FD0F5' lw 6.5 pt 13 ps 0.8",
}
BOUND_STYLE = "lc rgb '#000000' lw 2 dt 2"
TERMINALS = {
    "svg": "svg size 900,600 font 'DejaVu Sans,15' background rgb 'white'",
    "png": "pngcairo size 1350,900 font 'DejaVu Sans,15' fontscale 1.4 linewidth 1.5"
           " pointscale 1.5 background rgb 'white'",
}
TICKS = [8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 2 << 20, 16 << 20]


def byte_label(n):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if n >= unit:
            return f"{n // unit} {name}"
    return f"{n} B"


def data_block(name, points):
    return f"${name} << EOD\n" + "".join(f"{n} {us}\n" for n, us in points) + "EOD\n"


def curves(rows, platform, p):
    """Contender -> [(n, us)], and the same for the bound. NaN, which breaks the curve, for a result
    that does not count."""
    wanted = (platform, "allreduce", p)
    mine = [row for row in rows if (row.platform, row.collective, row.p) == wanted]
    bad = runner.untrusted(mine)
    by_contender = {name: [] for name in LABELS}
    bound = {}
    for row in sorted(mine, key=lambda row: row.n):
        if row.bound_bandwidth_us is not None:
            bound[row.n] = row.bound_us
        time = row.t_us if runner.counts(row, bad) else "NaN"
        by_contender[row.contender].append((row.n, time))
    drawable = {name: points for name, points in by_contender.items()
                if any(time != "NaN" for _, time in points)}
    return drawable, sorted(bound.items())


def script(rows, platform, p):
    lines, bound = curves(rows, platform, p)
    ticks = ", ".join(f"'{byte_label(n)}' {n}" for n in TICKS)
    plots = [f"$bound title 'lower bound' with lines {BOUND_STYLE}"]
    plots += [f"${name} title '{LABELS[name]}' with linespoints {STYLES[name]}"
              for name in reversed(lines)]  # Tutti last, on top
    blocks = [data_block(name, points) for name, points in [*lines.items(), ("bound", bound)]]
    return "".join(blocks) + f"""
set title 'Allreduce of doubles, {p} nodes, 10 Gbit/s Ethernet (simulated, alpha 20 µs)'
set logscale x 2
set logscale y 10
set xrange [6:22369622]
set xtics ({ticks})
set xlabel 'message size n (bytes)'
set ylabel 'time of one call (µs)'
set format y '%.0f'
set grid xtics ytics mytics lw 0.6, lw 0.3
set key top left reverse Left invert
set rmargin 6
plot {", ".join(plots)}
"""


def draw_allreduce(rows, platform, p, directory):
    for kind, terminal in TERMINALS.items():
        gnuplot.draw(os.path.join(directory, f"cluster.{kind}"), terminal,
                     script(rows, platform, p))
