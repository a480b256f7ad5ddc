"""Collectives in Python's atexit. mpi4py loads MPI late, with RTLD_LOCAL, and finalizes it last."""
import array
import atexit

from mpi4py import MPI

world = MPI.COMM_WORLD


def sums(comm, size):
    result = array.array("i", [0] * size)
    comm.Allreduce(array.array("i", [1] * size), result)
    return list(result)


def at_exit():
    other = world.Dup()
    is_right = all(sums(other, size) == [world.size] * size for size in (1, 2, 3000))
    other.Free()
    world.Barrier()
    print("right" if is_right else "WRONG", flush=True)


atexit.register(at_exit)
assert sums(world, 1) == [world.size]
