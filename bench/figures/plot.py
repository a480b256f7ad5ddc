"""Drawings by gnuplot: curves, and a map of winners; and the CSV files beside them."""
import csv
import dataclasses
import io

import files
import gnuplot

# Colours that stay apart for colour-blind readers and in grey (Okabe and Ito 2008). What is new is
# red, what was there before blue.
BLUE, RED, GREEN, PINK, SKY, YELLOW = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
TERMINAL = "svg noenhanced size 900,{height} font 'DejaVu Sans,15' background rgb 'white'"
KEY_BELOW = ("set bmargin 9\nset key at screen 0.5,0.01 bottom center horizontal "
             "maxcols {columns} samplen 2\n")
BYTE_TICKS = [1 << k for k in range(0, 31, 2)]


@dataclasses.dataclass(frozen=True)
class Curve:
    label: str
    points: list        # (x, y); y None where there is no result
    colour: str
    dashed: bool = False
    points_only: bool = False
    mark: int = 7       # gnuplot's point type
    width: float = 2.5


def bound(points):
    return Curve("lower bound", points, "#000000", dashed=True, mark=0, width=1.5)


def byte_label(n):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if n >= unit:
            return f"{n // unit} {name}"
    return f"{n} B"


def byte_ticks(low, high):
    return ", ".join(f"'{byte_label(n)}' {n}" for n in BYTE_TICKS if low <= n <= high)


def write_csv(path, header, rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([f"{c:.6g}" if isinstance(c, float) else "" if c is None else c
                         for c in row])
    files.write_atomically(path, out.getvalue())


def run_gnuplot(script, path, height=640):
    gnuplot.draw(path, TERMINAL.format(height=height), script)


def style(curve):
    dash = " dt 2" if curve.dashed else ""
    if curve.points_only:
        return f"with points pt {curve.mark} ps 0.9 lc rgb '{curve.colour}'"
    if curve.mark == 0:
        return f"with lines lw {curve.width} lc rgb '{curve.colour}'{dash}"
    return (f"with linespoints pt {curve.mark} ps 0.5 lw {curve.width} lc rgb '{curve.colour}'"
            f"{dash}")


def data_and_plots(curves, prefix="c"):
    """Data blocks, and what follows gnuplot's command plot."""
    blocks = "".join(
        f"${prefix}{i} << EOD\n"
        + "".join(f"{x} {'NaN' if y is None else y}\n" for x, y in curve.points)
        + "EOD\n" for i, curve in enumerate(curves))
    return blocks, ", ".join(f"${prefix}{i} title '{curve.label}' {style(curve)}"
                             for i, curve in enumerate(curves))


def draw_curves(path, title, curves, x_label, y_label, bytes_on_x=True, settings=""):
    """Curves on logarithmic axes (x: bytes), as SVG; `settings` are further gnuplot lines."""
    xs = [x for curve in curves for x, _ in curve.points]
    blocks, plots = data_and_plots(curves)
    x_axis = (f"set logscale x 2\nset xrange [{min(xs) / 1.2}:{max(xs) * 1.2}]\n"
              f"set xtics ({byte_ticks(min(xs), max(xs))})\n") if bytes_on_x else ""
    run_gnuplot(f"""{blocks}
set title '{title}'
set logscale y 10
set format y '%.0f'
set grid xtics ytics mytics lw 0.6, lw 0.3
set key top left reverse Left
set rmargin 5
set xlabel '{x_label}'
set ylabel '{y_label}'
{x_axis}{settings}
plot {plots}
""", path)


def draw_panels(path, title, panels, x_label, y_label, settings=""):
    """Four drawings of curves with the same axes (x: bytes): panels are name -> curves."""
    xs = [x for curves in panels.values() for curve in curves for x, _ in curve.points]
    data, drawings = "", ""
    for i, (name, curves) in enumerate(panels.items()):
        blocks, plots = data_and_plots(curves, f"p{i}c")
        data += blocks
        drawings += f"set title '{name}'\nplot {plots}\n"
    run_gnuplot(f"""{data}
set multiplot layout 2,2 title '{title}'
set logscale x 2
set logscale y 10
set xrange [{min(xs) / 1.2}:{max(xs) * 1.2}]
set xtics ({", ".join(f"'{byte_label(n)}' {n}" for n in (8, 128, 2048, 32 << 10, 512 << 10))})
set grid xtics ytics lw 0.6
set key top left reverse Left samplen 2 maxrows 3
set xlabel '{x_label}'
set ylabel '{y_label}'
{settings}
{drawings}
unset multiplot
""", path, height=820)


def write_curves_csv(path, x_name, curves):
    """A column per curve."""
    xs = sorted({x for curve in curves for x, _ in curve.points})
    columns = [dict(curve.points) for curve in curves]
    write_csv(path, [x_name, *[curve.label for curve in curves]],
              [[x, *[column.get(x) for column in columns]] for x in xs])


def draw_map(path, title, cells, colours, ps, sizes):
    """Which name wins at (p, n): cells maps them to names, colours names to colours and labels."""
    edges = [ps[0] - 0.5, *[(a + b) / 2 for a, b in zip(ps, ps[1:])], ps[-1] + 0.5]
    blocks, plots = "", []
    for i, (name, (colour, label)) in enumerate(colours.items()):
        runs = [run for n in sizes for run in runs_of(name, n, cells, ps, edges)]
        plots.append(f"NaN title '{label}' with boxes fs solid noborder fc rgb '{colour}'")
        if runs:
            blocks += f"$c{i} << EOD\n" + "".join(f"{a} {n} {a} {b} {n / 2**.5} {n * 2**.5}\n"
                                                  for a, b, n in runs) + "EOD\n"
            plots.append(f"$c{i} notitle with boxxyerror fs solid noborder lw 0 "
                         f"fc rgb '{colour}'")
    run_gnuplot(f"""{blocks}
set title '{title}'
set logscale x 2
set logscale y 2
set xrange [{edges[0]}:{edges[-1]}]
set yrange [{sizes[0] / 2**.5}:{sizes[-1] * 2**.5}]
set xtics (2, 3, 4, 5, 6, 8, 11, 16, 23, 32, 47, 64, 96, 128, 192, 256)
set ytics ({byte_ticks(sizes[0], sizes[-1])})
set xlabel 'p, number of ranks'
set ylabel 'n, bytes of the vector'
set tics out nomirror
{KEY_BELOW.format(columns=3)}set rmargin 4
plot {", ".join(plots)}
""", path, height=680)


def runs_of(name, n, cells, ps, edges):
    """Neighbouring cells of one row as one rectangle: (left, right, n)."""
    result = []
    for i, p in enumerate(ps):
        if cells[p, n] != name:
            continue
        if result and result[-1][1] == edges[i]:
            result[-1] = (result[-1][0], edges[i + 1], n)
        else:
            result.append((edges[i], edges[i + 1], n))
    return result
