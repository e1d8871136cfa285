/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the parts of local_bench: two processes of one host on separate
 * cores (wire_rig.h), with one queue pair between them, and memory that both
 * map for coordination.
 */
#ifndef LOCAL_BENCH_H
#define LOCAL_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "wire_verbs.h"

#define LOCAL_RECEIVES 512	   /* posted at most */
#define LOCAL_SENDS    128	   /* outstanding at most */
#define LOCAL_BATCH    32	   /* posted or polled at once */
#define LOCAL_MEMORY   (16u << 20) /* bytes of the longest message */

/* A word on a pair of cache lines of its own. */
struct local_word {
	uint64_t value; /* atomic */
	uint8_t pad[120];
};

/* Memory that both processes map. */
struct local_shared {
	struct local_word line[2]; /* of the raw ping-pong */
	struct local_word done;	   /* the client has finished a measurement */
	int server_pid;
};

/* A page that both sides may map: a memory file that cannot shrink. */
struct local_mapped {
	struct ibv_mr *mr;
	uint64_t *memory;
	struct wire_address peer; /* of the other side's page */
};

struct local_bench {
	struct wire_end *end;
	struct wire_device device;
	struct ibv_mr *mr; /* the own memory, with all access rights */
	/* the device's, or those of a thread domain */
	struct ibv_td *td; /* NULL: none */
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct wire_link link;
	unsigned int number;	    /* of the link */
	struct local_bench *single; /* the variant with a thread domain */
	struct local_shared *shared;
	struct local_mapped mapped;
	unsigned int receives_to_post; /* completed, not replaced */
	unsigned int sent;	       /* completions of own work requests */
	unsigned int received;	       /* messages */
	bool realtime; /* the program was started in that class */
};

/* Activity of the server while the client measures. */
enum local_server {
	LOCAL_POLLS,
	LOCAL_COMPUTES, /* computes, makes no verbs calls */
};

/**
 * local_pause() - pause inside a spin loop
 */
static inline void local_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/**
 * local_set_class() - enter or leave the real-time class
 *
 * Has an effect only if the program was started in that class. A computing
 * process leaves the class, so that its helper thread can run. All others stay:
 * a process that holds a lock and gets no core would stop all of them.
 */
void local_set_class(const struct local_bench *bench, bool realtime);

/*
 * Both processes call each measurement at the same time; the client gets the
 * result. Times are in ns, rates in GB/s.
 */

/* local_raw.c */

/**
 * local_lines() - measure a cache line, one way, between two spinning processes
 */
double local_lines(struct local_bench *bench);

/**
 * local_writev_ns() - measure process_vm_writev() while the server computes
 */
double local_writev_ns(struct local_bench *bench, uint32_t bytes);

/**
 * local_compute() - compute without verbs calls until the client is done
 */
void local_compute(struct local_bench *bench);

/* local_mapped.c */

/**
 * local_mapped_open() - exchange pages over an open queue pair
 */
void local_mapped_open(struct local_bench *bench);
void local_mapped_close(struct local_bench *bench);

/* local_verbs.c */

/**
 * local_write_word() - write a word to the peer's page and wait for completion
 */
void local_write_word(struct local_bench *bench, uint64_t word);

/**
 * local_open() - open device and queue pair
 * @single_threaded: with a thread domain
 */
void local_open(struct local_bench *bench, bool single_threaded);
void local_close(struct local_bench *bench);

/* Operation of a ping-pong. */
enum local_trip {
	LOCAL_SEND,
	LOCAL_WRITE,
	LOCAL_MAPPED, /* a WRITE to shared memory that the target polls */
};

/**
 * local_trip_ns() - measure 8 bytes one way
 *
 * Both processes poll; with LOCAL_MAPPED only for completions of their own
 * WRITEs.
 */
double local_trip_ns(struct local_bench *bench, enum local_trip kind);

/**
 * local_rate() - measure SENDs of 8 bytes per us
 */
double local_rate(struct local_bench *bench);

/**
 * local_fetch_add_ns() - measure a fetch-and-add round trip
 * @mapped: in shared memory while the server computes; else the server polls
 */
double local_fetch_add_ns(struct local_bench *bench, bool mapped);

/**
 * local_one_sided_ns() - measure one WRITE or READ at a time, with completion
 */
double local_one_sided_ns(struct local_bench *bench, enum ibv_wr_opcode opcode,
			  uint32_t bytes, enum local_server server);

/**
 * local_send_ns() - measure a SEND in a stream of them, both polling
 */
double local_send_ns(struct local_bench *bench, uint32_t bytes);

#endif
