/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the parts of wire_bench and wire_scale. A benchmark has two ends,
 * which are processes on separate cores: the parent, which measures, and a
 * child, which may be in another network namespace. They coordinate through
 * memory that both map, so that a measurement has no network traffic but its
 * own.
 */
#ifndef WIRE_RIG_H
#define WIRE_RIG_H

#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define WIRE_MAX_QPS	  10000
#define WIRE_NR_PROCESSES 200
#define WIRE_MESSAGE	  (1u << 20) /* bytes of a large message */
#define WIRE_SMALL	  8	     /* bytes of a small message */
#define WIRE_MAX_TRIPS	  20000
#define WIRE_TIMEOUT_NS	  20000000000 /* without progress */

/* Address of a queue pair. */
struct wire_address {
	uint8_t gid[16];
	uint32_t qpn;
	uint32_t rkey;
	uint64_t va;
};

/* Memory that both ends map. */
struct wire_shared {
	pthread_barrier_t barrier;
	bool failed; /* atomic: one end has given up */
	/* for wire_scale.c, with many servers */
	sem_t turn[WIRE_NR_PROCESSES];
	sem_t ready; /* a server is ready */
	int server_pid;
	double server_value; /* value measured by a server */
	/* G: bytes that have arrived, on a cache line of their own */
	uint64_t arrived __attribute__((aligned(128)));
	struct wire_address address[2][WIRE_MAX_QPS]
		__attribute__((aligned(128)));
};

/* One end of a benchmark. */
struct wire_end {
	struct wire_shared *shared;
	bool client;			/* the measuring end */
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

/**
 * wire_die() - print what failed and errno, and end both ends
 */
__attribute__((noreturn)) void wire_die(const struct wire_end *end,
					const char *what);

/**
 * wire_must() - return @status; end both ends if it is negative
 */
int wire_must(const struct wire_end *end, int status, const char *what);

/**
 * wire_need() - return @object; end both ends if it is NULL
 */
void *wire_need(const struct wire_end *end, void *object, const char *what);

/**
 * wire_meet() - wait for the other end
 */
void wire_meet(const struct wire_end *end);

/**
 * wire_now_ns() - return CLOCK_MONOTONIC in ns
 */
uint64_t wire_now_ns(void);

/**
 * wire_spin() - pause inside a loop that waits
 * @spins: iterations so far
 *
 * After a while the loop yields the core, as the device does: on a busy machine
 * each turn would take a time slice otherwise.
 */
void wire_spin(unsigned int *spins);

/**
 * wire_check_time() - give up if @since_ns is too long ago
 */
void wire_check_time(const struct wire_end *end, uint64_t since_ns,
		     const char *what);

/**
 * wire_median() - return the median of @nr values and sort them; 0 without
 * values
 */
double wire_median(double *values, unsigned int nr);

/**
 * wire_start() - fork, and move each end to its core and namespace
 * @end: with interfaces and addresses; the function sets the rest
 * @netns: file of the server's namespace, or NULL for the same one
 *
 * Returns in both processes. The client is on the first core that this process
 * may use, the server on the last.
 */
void wire_start(struct wire_end *end, const char *netns);

/**
 * wire_finish() - end the benchmark: the client waits for the server
 */
int wire_finish(const struct wire_end *end);

/**
 * wire_sum_lines() - sum numbers that the kernel reports on a process or thread
 * @file: below /proc
 * @key: beginning of the lines whose numbers are added
 *
 * Return: the sum; 0 if the file does not exist, since a thread may have ended.
 */
double wire_sum_lines(const char *file, const char *key);

/*
 * Measurements. Both ends call each function at the same time, and the client
 * gets the result. Latencies are half round trips in us, medians of @nr. Rates
 * are GB/s of payload, of @nr messages. A message has @bytes, at most
 * WIRE_MESSAGE, or else WIRE_MESSAGE bytes.
 */

/* wire_udp.c */
double wire_udp_latency(struct wire_end *end, bool connected, unsigned int nr);
double wire_udp_rate(struct wire_end *end, uint32_t payload, unsigned int nr);

/**
 * wire_gso_latency() - measure a ping-pong of messages over plain UDP with GSO
 * @payload: payload of a datagram, as RoCEv2 cuts a message
 */
double wire_gso_latency(struct wire_end *end, uint32_t bytes, uint32_t payload,
			unsigned int nr);

/**
 * wire_floor_latency() - measure the same with the least work of RoCEv2
 * @payload: payload of a datagram
 *
 * In addition to wire_gso_latency() the destination of each call is given, its
 * source and the IP header's fields are received, and a CRC is computed while
 * the payload is copied, at both ends.
 */
double wire_floor_latency(struct wire_end *end, uint32_t bytes,
			  uint32_t payload, unsigned int nr);

/** wire_floor_rate() - measure a stream of messages with this work */
double wire_floor_rate(struct wire_end *end, uint32_t bytes, uint32_t payload,
		       unsigned int nr);

/* wire_tcp.c */
double wire_tcp_latency(struct wire_end *end, uint32_t bytes, unsigned int nr);
double wire_tcp_rate(struct wire_end *end, uint32_t bytes, unsigned int nr);

#endif
