/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * shmem_check - OpenSHMEM: put, get, atomics, locks and collectives between all
 * processing elements (PEs). All results are checked. Each PE prints how many
 * checks were right. Compiled with oshcc.
 */
#include <shmem.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PES = 64, LONGEST = 1 << 16, ADDS = 200 };

static long from[LONGEST], to[LONGEST];
static long flags[MAX_PES];
static long sum, counter, locked, lock, swapped;
static long reduce_work[LONGEST / 2 + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long reduce_sync[SHMEM_REDUCE_SYNC_SIZE];
static long collect_sync[SHMEM_COLLECT_SYNC_SIZE];
static long broadcast_sync[SHMEM_BCAST_SYNC_SIZE];
static long everyone[MAX_PES * 16];
static int checks, right;

static void check(const char *what, int good)
{
	checks++;
	right += good;
	if (!good)
		printf("PE %d: wrong: %s\n", shmem_my_pe(), what);
}

static long value(int pe, int i)
{
	return pe * 1000003L + i;
}

static int holds_values_of(const long *data, int pe, int count)
{
	for (int i = 0; i < count; i++)
		if (data[i] != value(pe, i))
			return 0;
	return 1;
}

/* Writes to the next PE, and a flag after the data. */
static void check_put(int me, int size, int count)
{
	int next = (me + 1) % size, previous = (me + size - 1) % size;

	memset(to, 0, sizeof(to));
	flags[previous] = 0;
	shmem_barrier_all();
	shmem_long_put(to, from, count, next);
	shmem_fence();
	shmem_long_p(&flags[me], count, next);
	shmem_long_wait_until(&flags[previous], SHMEM_CMP_EQ, count);
	check("put", holds_values_of(to, previous, count));
	shmem_barrier_all();
}

static void check_get(int size, int count)
{
	int good = 1;

	for (int pe = 0; pe < size; pe++) {
		memset(to, 0, count * sizeof(*to));
		shmem_long_get(to, from, count, pe);
		good &= holds_values_of(to, pe, count);
	}
	check("get", good);
	shmem_barrier_all();
}

static void check_atomics(int me, int size)
{
	long old, n = 0;

	for (int i = 0; i < ADDS; i++) {
		shmem_long_atomic_inc(&counter, 0);
		n += shmem_long_atomic_fetch_add(&sum, me + 1, 0) >= 0;
	}
	check("fetch and add", n == ADDS);
	old = shmem_long_atomic_compare_swap(&swapped, 0, me + 1, 0);
	check("compare and swap", old >= 0 && old <= size);
	shmem_barrier_all();
	check("increments", shmem_long_g(&counter, 0) == (long)ADDS * size);
	check("sum of additions",
	      shmem_long_g(&sum, 0) == (long)ADDS * size * (size + 1) / 2);
	n = shmem_long_g(&swapped, 0);
	check("one swap succeeded", (old == 0) == (n == me + 1));
	shmem_barrier_all();
}

/* Read and write under a lock are not atomic themselves. */
static void check_lock(int size)
{
	for (int i = 0; i < 20; i++) {
		shmem_set_lock(&lock);
		shmem_long_p(&locked, shmem_long_g(&locked, 0) + 1, 0);
		shmem_quiet();
		shmem_clear_lock(&lock);
	}
	shmem_barrier_all();
	check("lock", shmem_long_g(&locked, 0) == 20L * size);
}

static void check_collectives(int me, int size, int count)
{
	int good = 1;

	shmem_long_sum_to_all(to, from, count, 0, 0, size, reduce_work,
			      reduce_sync);
	for (int i = 0; i < count; i++)
		good &= to[i] ==
			1000003L * size * (size - 1) / 2 + (long)i * size;
	check("sum to all", good);
	shmem_barrier_all();

	shmem_broadcast64(to, from, count, 0, 0, 0, size, broadcast_sync);
	check("broadcast", me == 0 || holds_values_of(to, 0, count));
	shmem_barrier_all();

	shmem_fcollect64(everyone, from, 16, 0, 0, size, collect_sync);
	good = 1;
	for (int pe = 0; pe < size; pe++)
		good &= holds_values_of(everyone + pe * 16, pe, 16);
	check("collect", good);
	shmem_barrier_all();
}

int main(void)
{
	int me, size;

	shmem_init();
	me = shmem_my_pe();
	size = shmem_n_pes();
	if (size > MAX_PES)
		return 2;
	for (int i = 0; i < LONGEST; i++)
		from[i] = value(me, i);
	for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
		reduce_sync[i] = SHMEM_SYNC_VALUE;
	for (int i = 0; i < SHMEM_COLLECT_SYNC_SIZE; i++)
		collect_sync[i] = SHMEM_SYNC_VALUE;
	for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; i++)
		broadcast_sync[i] = SHMEM_SYNC_VALUE;
	shmem_barrier_all();
	for (int count = 1; count <= LONGEST; count *= 16) {
		check_put(me, size, count);
		check_get(size, count);
		check_collectives(me, size, count);
	}
	check_atomics(me, size);
	check_lock(size);
	printf("PE %d of %d: %d of %d checks right\n", me, size, right, checks);
	shmem_finalize();
	return right == checks ? 0 : 1;
}
