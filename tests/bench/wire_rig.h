/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the parts of wire_bench and wire_scale share. A benchmark has two ends,
 * a process each, on a core each: the parent, which measures, and a child,
 * which may live in another network namespace. Memory that both map carries
 * what they tell each other outside of the network, so that no measurement has
 * a protocol but its own.
 */
#ifndef WIRE_RIG_H
#define WIRE_RIG_H

#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define WIRE_MAX_QPS	  1024
#define WIRE_NR_PROCESSES 64
#define WIRE_MESSAGE	  (1u << 20) /* bytes of a large one */
#define WIRE_SMALL	  8	     /* bytes of a small one */
#define WIRE_MAX_TRIPS	  20000
#define WIRE_PATIENCE	  20000000000 /* ns without progress: give up */

/* Address of a queue pair. */
struct wire_address {
	uint8_t gid[16];
	uint32_t qpn;
	uint32_t rkey;
	uint64_t va;
};

/* In memory of both ends. */
struct wire_shared {
	pthread_barrier_t barrier;
	bool failed; /* atomic: an end has given up */
	/* for wire_scale.c: one of many servers */
	sem_t turn[WIRE_NR_PROCESSES];
	sem_t ready; /* a server is */
	int server_pid;
	double server_value; /* what a server has measured */
	/* G: bytes that have arrived, on a cache line of their own */
	uint64_t arrived __attribute__((aligned(128)));
	struct wire_address address[2][WIRE_MAX_QPS]
		__attribute__((aligned(128)));
};

/* An end. */
struct wire_end {
	struct wire_shared *shared;
	bool client;			/* the one that measures */
	const char *interface[2];	/* of server, client */
	struct in_addr ip[2];		/* of server, client */
	double trip_us[WIRE_MAX_TRIPS]; /* scratch of the client */
};

static inline struct in_addr wire_own_ip(const struct wire_end *end)
{
	return end->ip[end->client];
}

static inline struct in_addr wire_peer_ip(const struct wire_end *end)
{
	return end->ip[!end->client];
}

/** wire_die() - say what and why, and end both ends */
__attribute__((noreturn)) void wire_die(const struct wire_end *end,
					const char *what);

/** wire_must() - @status must not be negative; returns it */
int wire_must(const struct wire_end *end, int status, const char *what);

/** wire_need() - @object must not be NULL; returns it */
void *wire_need(const struct wire_end *end, void *object, const char *what);

/** wire_meet() - wait for the other end */
void wire_meet(const struct wire_end *end);

/** wire_now_ns() - CLOCK_MONOTONIC */
uint64_t wire_now_ns(void);

/**
 * wire_spin() - what belongs into a loop that waits
 * @spins: how often in a row
 *
 * After a while others get the core, as with the device: on a machine that has
 * something else to do each turn would take a time slice otherwise.
 */
void wire_spin(unsigned int *spins);

/** wire_check_time() - give up if @since_ns is too long ago */
void wire_check_time(const struct wire_end *end, uint64_t since_ns,
		     const char *what);

/** wire_median() - of @nr values, which are sorted by it; 0 if there are none
 */
double wire_median(double *values, unsigned int nr);

/**
 * wire_start() - fork, and put each end where it belongs
 * @end: its interfaces and addresses are set; the rest is filled in
 * @netns: file of the namespace of the server, or NULL: the same
 *
 * Returns twice. The client is on the first core that this process may use, the
 * server on the last.
 */
void wire_start(struct wire_end *end, const char *netns);

/** wire_finish() - the end of the benchmark: the client waits for the server */
int wire_finish(const struct wire_end *end);

/**
 * wire_sum_lines() - what the kernel knows of a process or a thread
 * @file: of /proc
 * @key: how a line begins, of which the number behind it counts
 *
 * Return: the sum of these lines; 0 if there is no such file, since a thread
 * may have ended.
 */
double wire_sum_lines(const char *file, const char *key);

/* What is measured; each is called by both ends at the same time, and returns
 * the result to the client. Latencies are half round trips in us, medians of
 * @nr. Rates are GB/s of payload, of @nr messages of WIRE_MESSAGE bytes. */

/* wire_udp.c */
double wire_udp_latency(struct wire_end *end, bool connected, unsigned int nr);
double wire_udp_rate(struct wire_end *end, uint32_t payload, unsigned int nr);

/* wire_tcp.c */
double wire_tcp_latency(struct wire_end *end, unsigned int nr);
double wire_tcp_rate(struct wire_end *end, unsigned int nr);

#endif
