"""Numbers in a hand-written page: what stands between <!--=name--> and <!--/--> is replaced."""
import re

import files

MARKED = re.compile(r"(<!--=(\w+)-->)(.*?)(<!--/-->)")


def fill(path, numbers):
    """Names of the page that have no number; their text is left as it is."""
    with open(path, encoding="utf-8") as source:
        text = source.read()
    unknown = sorted({name for _, name, _, _ in MARKED.findall(text)} - set(numbers))
    files.write_atomically(path, MARKED.sub(
        lambda m: m[1] + numbers.get(m[2], m[3]) + m[4], text))
    return unknown
