/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The yardsticks of local_bench: P, a cache line that two processes write in
 * turn, and V, process_vm_writev(2) between the memory of all measurements.
 */
#include <errno.h>
#include <sched.h>
#include <sys/uio.h>

#include "local_bench.h"

#define TRIPS	 2000
#define WRITE_NS 3000000 /* duration of a measurement */

void local_set_class(const struct local_bench *bench, bool realtime)
{
	struct sched_param param = { .sched_priority = realtime };

	if (bench->realtime)
		(void)sched_setscheduler(0, realtime ? SCHED_FIFO : SCHED_OTHER,
					 &param);
}

static void wait_for(const struct local_word *word, uint64_t value)
{
	while (__atomic_load_n(&word->value, __ATOMIC_ACQUIRE) != value)
		local_pause();
}

double local_lines(struct local_bench *bench)
{
	const bool client = bench->end->client;
	struct local_word *ours = &bench->shared->line[client];
	const struct local_word *theirs = &bench->shared->line[!client];
	uint64_t start_ns;

	ours->value = 0;
	wire_meet(bench->end);
	start_ns = wire_now_ns();
	for (uint64_t i = 1; i <= TRIPS; i++) {
		if (!client)
			wait_for(theirs, i);
		__atomic_store_n(&ours->value, i, __ATOMIC_RELEASE);
		if (client)
			wait_for(theirs, i);
	}
	start_ns = wire_now_ns() - start_ns;
	wire_meet(bench->end);
	return (double)start_ns / TRIPS / 2;
}

void local_compute(struct local_bench *bench)
{
	uint64_t x = 1;

	local_set_class(bench, false);
	while (!__atomic_load_n(&bench->shared->done.value, __ATOMIC_ACQUIRE)) {
		for (int i = 0; i < 1000; i++)
			x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : : "r"(x));
	}
	local_set_class(bench, true);
}

static double write_all(struct local_bench *bench, uint32_t bytes)
{
	struct iovec from = { bench->device.memory, bytes };
	struct iovec to = { (void *)(uintptr_t)bench->link.peer.va, bytes };
	uint64_t start_ns = wire_now_ns(), now_ns;
	unsigned int nr = 0;

	do {
		for (int i = 0; i < 8; i++, nr++)
			if (process_vm_writev(bench->shared->server_pid, &from,
					      1, &to, 1, 0) != (ssize_t)bytes)
				wire_die(bench->end, "process_vm_writev");
		now_ns = wire_now_ns();
	} while (now_ns - start_ns < WRITE_NS);
	return (double)(now_ns - start_ns) / nr;
}

double local_writev_ns(struct local_bench *bench, uint32_t bytes)
{
	double ns = 0;

	bench->shared->done.value = 0;
	wire_meet(bench->end);
	if (bench->end->client) {
		ns = write_all(bench, bytes);
		__atomic_store_n(&bench->shared->done.value, 1,
				 __ATOMIC_RELEASE);
	} else {
		local_compute(bench);
	}
	wire_meet(bench->end);
	return ns;
}
