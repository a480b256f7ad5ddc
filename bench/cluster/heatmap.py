"""Heat maps by gnuplot, as SVG: a ratio for each row and column, blue above one and red below."""
import math

import gnuplot

# Blue to white to red stays apart for colour-blind readers; grey: no value.
PALETTE = "defined (-1 '#B2182B', -0.3 '#F4A582', 0 '#FFFFFF', 0.3 '#92C5DE', 1 '#2166AC')"
CELL_WIDTH, CELL_HEIGHT = 62, 26


def draw(path, title, cells, row_label, column_label):
    """cells: (row, column) -> ratio, in the order of rows and of columns."""
    rows = list(dict.fromkeys(row for row, _ in cells))
    columns = list(dict.fromkeys(column for _, column in cells))
    places = [(columns.index(column), len(rows) - 1 - rows.index(row), ratio)
              for (row, column), ratio in cells.items()]
    block = "".join(f"{x} {y} {math.log2(ratio):.4f} {ratio:.2f}\n" for x, y, ratio in places)
    x_ticks = ", ".join(f"'{column}' {i}" for i, column in enumerate(columns))
    y_ticks = ", ".join(f"'{row}' {len(rows) - 1 - i}" for i, row in enumerate(rows))
    width, height = 240 + CELL_WIDTH * len(columns), 110 + CELL_HEIGHT * len(rows)
    gnuplot.draw(path, f"svg noenhanced size {width},{height} font 'DejaVu Sans,12' "
                 "background rgb 'white'", f"""$cells << EOD
{block}EOD
set title '{title}'
set palette {PALETTE}
set cbrange [-2:2]
set cblabel 'ratio'
set cbtics ('1/4' -2, '1/2' -1, '1' 0, '2' 1, '4' 2)
set xrange [-0.5:{len(columns) - 0.5}]
set yrange [-0.5:{len(rows) - 0.5}]
set xtics ({x_ticks}) scale 0
set ytics ({y_ticks}) scale 0
set xlabel '{column_label}'
set ylabel '{row_label}'
set object rectangle from graph 0,0 to graph 1,1 behind fc rgb '#DDDDDD' fs solid
unset key
plot $cells using 1:2:(0.5):(0.5):3 with boxxyerror fs solid lc palette, \\
     $cells using 1:2:4 with labels font 'DejaVu Sans,10'
""")
