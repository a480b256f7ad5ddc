"""Runs gnuplot; a picture is complete or absent."""
import subprocess

import files


def draw(path, terminal, script):
    with files.replacing(path) as temporary:
        head = f"set terminal {terminal}\nset output '{temporary}'\n"
        subprocess.run(["gnuplot", "-"], input=head + script, text=True, check=True)
