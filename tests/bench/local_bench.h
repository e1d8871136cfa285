/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the parts of local_bench share: two processes of one host, a core each
 * (wire_rig.h), with one queue pair between them, and memory that both map for
 * what they tell each other.
 */
#ifndef LOCAL_BENCH_H
#define LOCAL_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "wire_verbs.h"

#define LOCAL_RECEIVES 512 /* that are posted, at most */
#define LOCAL_SENDS    128 /* that are under way, at most */
#define LOCAL_BATCH    32  /* posted, or taken, at once */

/* A word on a pair of cache lines of its own. */
struct local_word {
	uint64_t value; /* atomic */
	uint8_t pad[120];
};

/* In memory of both. */
struct local_shared {
	struct local_word line[2]; /* of the raw ping-pong */
	struct local_word done;	   /* the client has what it wanted */
	int server_pid;
};

/* A page that both sides may map: a memory file that cannot shrink. */
struct local_mapped {
	struct ibv_mr *mr;
	uint64_t *memory;
	struct wire_address peer; /* of the other side's */
};

struct local_bench {
	struct wire_end *end;
	struct wire_device device;
	struct ibv_mr *mr; /* its memory, with all rights */
	/* the device's, or those of a thread domain */
	struct ibv_td *td; /* NULL: none */
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct wire_link link;
	unsigned int number;	    /* of the link */
	struct local_bench *single; /* the same with a thread domain */
	struct local_shared *shared;
	struct local_mapped mapped;
	unsigned int missing;  /* receives that were taken */
	unsigned int sent;     /* completions of our requests */
	unsigned int received; /* messages */
	bool realtime;	       /* we were started so */
};

/* What the server does while the client measures. */
enum local_server {
	LOCAL_POLLS,
	LOCAL_DEAF, /* computes, and never calls verbs */
};

/** local_pause() - belongs into each spin */
static inline void local_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/**
 * local_set_class() - the real-time class, if we were started in it, or not
 *
 * Who computes leaves it, so that a thread that serves him can run. All others
 * stay: one that has a lock and is not let to a core would stop all of them.
 */
void local_set_class(const struct local_bench *bench, bool realtime);

/* All measurements are called by both at the same time, and their result is
 * that of the client. Times are in ns, rates in GB/s. */

/* local_raw.c */

/** local_lines() - a cache line one way, between two who spin */
double local_lines(struct local_bench *bench);

/** local_writev() - process_vm_writev() of so much, while the server is deaf */
double local_writev_ns(struct local_bench *bench, uint32_t bytes);

/** local_compute() - to be deaf until the client is done */
void local_compute(struct local_bench *bench);

/* local_mapped.c */

/** local_mapped_open() - exchange pages; with a queue pair */
void local_mapped_open(struct local_bench *bench);
void local_mapped_close(struct local_bench *bench);

/* local_verbs.c */

/** local_write_word() - to the peer's page, with its completion */
void local_write_word(struct local_bench *bench, uint64_t word);

/** local_open() - @single_threaded: with a thread domain */
void local_open(struct local_bench *bench, bool single_threaded);
void local_close(struct local_bench *bench);

/* What goes there and back. */
enum local_trip {
	LOCAL_SEND,
	LOCAL_WRITE,
	LOCAL_MAPPED, /* a WRITE to memory of both, whose target looks there */
};

/**
 * local_trip_ns() - 8 bytes one way
 *
 * Both poll; LOCAL_MAPPED: for the completions of their own WRITEs alone.
 */
double local_trip_ns(struct local_bench *bench, enum local_trip kind);

/** local_rate() - SENDs of 8 bytes per us */
double local_rate(struct local_bench *bench);

/** local_fetch_add_ns() - there and back, the server polling; @mapped: in
 * memory of both, the server computing
 */
double local_fetch_add_ns(struct local_bench *bench, bool mapped);

/** local_one_sided_ns() - a WRITE or READ, with its completion, one by one */
double local_one_sided_ns(struct local_bench *bench, enum ibv_wr_opcode opcode,
			  uint32_t bytes, enum local_server server);

/** local_send_ns() - a SEND of a stream of them, both polling */
double local_send_ns(struct local_bench *bench, uint32_t bytes);

#endif
