# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""mpi_python.py - collectives and one-sided communication through mpi4py, with
buffers and with pickled objects. All results are checked; each process prints
how many checks were right."""

import sys
from array import array

from mpi4py import MPI

COMM = MPI.COMM_WORLD
RANK = COMM.rank
SIZE = COMM.size
COUNTS = (1, 1000, 100000)

checks = 0
right = 0


def check(what, good):
    global checks, right
    checks += 1
    right += bool(good)
    if not good:
        print(f"process {RANK}: wrong: {what}")


def values(rank, count):
    return array("q", range(rank * 1000003, rank * 1000003 + count))


def zeros(count):
    return array("q", bytes(8 * count))


def check_buffers(count):
    mine = values(RANK, count)
    total = array("q", (SIZE * i + 1000003 * SIZE * (SIZE - 1) // 2
                        for i in range(count)))
    everyone = array("q")
    for rank in range(SIZE):
        everyone.extend(values(rank, count))

    for root in range(SIZE):
        data = values(root, count) if RANK == root else zeros(count)
        COMM.Bcast(data, root)
        check("Bcast", data == values(root, count))

    result = zeros(count)
    COMM.Allreduce(mine, result, MPI.SUM)
    check("Allreduce", result == total)
    result = zeros(count)
    COMM.Reduce(mine, result, MPI.SUM, SIZE - 1)
    check("Reduce", RANK != SIZE - 1 or result == total)
    result = zeros(count)
    COMM.Scan(mine, result, MPI.MAX)
    check("Scan", result == mine)

    result = zeros(count * SIZE)
    COMM.Allgather(mine, result)
    check("Allgather", result == everyone)
    result = zeros(count * SIZE)
    COMM.Gather(mine, result, 0)
    check("Gather", RANK != 0 or result == everyone)
    result = zeros(count)
    COMM.Scatter(everyone, result, 1)
    check("Scatter", result == mine)
    result = zeros(count)
    COMM.Reduce_scatter_block(everyone, result, MPI.SUM)
    check("Reduce_scatter_block",
          result == array("q", (SIZE * v for v in mine)))

    result = zeros(count * SIZE)
    COMM.Alltoall(everyone, result)
    check("Alltoall", result == mine * SIZE)


def check_objects():
    mine = {"rank": RANK, "text": "x" * 5000 * RANK}
    everyone = [{"rank": r, "text": "x" * 5000 * r} for r in range(SIZE)]
    check("allgather", COMM.allgather(mine) == everyone)
    check("bcast", COMM.bcast(mine, SIZE - 1) == everyone[SIZE - 1])
    check("alltoall", COMM.alltoall(everyone) == [mine] * SIZE)
    check("allreduce", COMM.allreduce([RANK]) == list(range(SIZE)))
    request = COMM.isend(mine, (RANK + 1) % SIZE)
    check("recv", COMM.recv() == everyone[RANK - 1])
    request.wait()


def check_fence(count):
    right_end = (RANK + 1) % SIZE
    memory = zeros(count)
    window = MPI.Win.Create(memory, 8, comm=COMM)
    window.Fence()
    window.Put(values(RANK, count), right_end)
    window.Fence()
    check("Put", memory == values((RANK - 1) % SIZE, count))
    result = zeros(count)
    window.Get(result, right_end)
    window.Fence()
    check("Get", result == values(RANK, count))
    for rank in range(SIZE):
        window.Accumulate(values(RANK, count), rank, op=MPI.SUM)
    window.Fence()
    first = (RANK - 1) % SIZE
    check("Accumulate", memory == array("q", (
        (SIZE + 1) * i + 1000003 * (first + SIZE * (SIZE - 1) // 2)
        for i in range(count))))
    window.Free()


def check_locks():
    """Every process changes the memory of process 0."""
    window = MPI.Win.Allocate(8 * (SIZE + 3), 8, comm=COMM)
    memory = memoryview(window.tomemory()).cast("q")
    window.Lock(RANK, MPI.LOCK_EXCLUSIVE)
    for i in range(len(memory)):
        memory[i] = 0
    window.Unlock(RANK)
    COMM.Barrier()

    one, old = array("q", [1]), zeros(1)
    seen = []
    window.Lock_all()
    for _ in range(50):
        window.Fetch_and_op(one, old, 0, 0, MPI.SUM)
        window.Flush(0)
        seen.append(old[0])
    mine = array("q", [RANK + 1])
    window.Compare_and_swap(mine, zeros(1), old, 0, 1)
    window.Flush(0)
    window.Unlock_all()
    everyone = sorted(sum(COMM.allgather(seen), []))
    check("Fetch_and_op", everyone == list(range(50 * SIZE)))
    winners = sum(COMM.allgather([RANK] if old[0] == 0 else []), [])
    check("one Compare_and_swap succeeded", len(winners) == 1)

    # Read and write are not atomic together; the lock makes them so.
    for _ in range(10):
        window.Lock(0, MPI.LOCK_EXCLUSIVE)
        window.Get(old, 0, 2)
        window.Flush(0)
        window.Put(array("q", [old[0] + 1]), 0, 2)
        window.Unlock(0)
    COMM.Barrier()
    window.Lock(0, MPI.LOCK_SHARED)
    result = zeros(3)
    window.Get(result, 0)
    window.Unlock(0)
    check("memory of process 0",
          list(result) == [50 * SIZE, winners[0] + 1, 10 * SIZE])
    COMM.Barrier()
    window.Free()


for nr in COUNTS:
    check_buffers(nr)
    check_fence(nr)
check_objects()
check_locks()
print(f"process {RANK} of {SIZE}: {right} of {checks} checks right",
      flush=True)
sys.exit(right != checks)
