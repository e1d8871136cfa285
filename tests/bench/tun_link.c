/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tun_link PID MBIT_S DELAY_US QUEUE LOSS_PPM EARLY_PPM - a network link
 * between two TUN interfaces of MTU 1500, for kernels without netem(8): "link0"
 * in the network namespace of this process, "link1" in that of the process PID.
 * Runs until it is killed.
 *
 * Each direction transfers MBIT_S on Ethernet, and a packet arrives DELAY_US
 * after its last bit was sent. QUEUE packets wait for that; others are lost. Of
 * a million packets from link0 to link1, LOSS_PPM are lost, and EARLY_PPM
 * arrive at once, so that they overtake others. The choice is the same in each
 * run.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define MTU 1500

/* Packets of a direction: in the queue or in flight. A power of two. */
#define SLOTS (1u << 15)
/* Packets that are read in a row. */
#define BURST	       32
#define ETHERNET_BYTES 38 /* of each packet: header, FCS, preamble and gap */
#define S_NS	       UINT64_C(1000000000)

struct packet {
	uint64_t sent_ns; /* its last bit */
	uint64_t arrives_ns;
	uint32_t length;
	uint8_t data[MTU];
};

struct direction {
	int from, to;
	uint32_t loss_ppm, early_ppm;
	uint64_t idle_ns;	    /* the last packet is sent */
	uint32_t begin, end, queue; /* packets; queue: the first one in it */
	struct packet *packet;
};

static uint64_t ns_per_kbyte, delay_ns;
static uint32_t max_queue;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * S_NS + (uint64_t)now.tv_nsec;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int open_tun(const char *name)
{
	struct ifreq request = { .ifr_flags = IFF_TUN | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		fail("/dev/net/tun");
	strcpy(request.ifr_name, name);
	if (ioctl(fd, TUNSETIFF, &request))
		fail("TUNSETIFF");
	return fd;
}

static bool happens(uint32_t ppm)
{
	return (uint32_t)(random() % 1000000) < ppm;
}

static struct packet *packet_at(struct direction *d, uint32_t at)
{
	return &d->packet[at % SLOTS];
}

/* Reads a packet into the queue. Returns whether there was one. */
static bool receive(struct direction *d, uint64_t now)
{
	struct packet *packet = packet_at(d, d->end);
	ssize_t length = read(d->from, packet->data, MTU);

	if (length <= 0)
		return false;
	while (d->queue != d->end && packet_at(d, d->queue)->sent_ns <= now)
		d->queue++;
	if (happens(d->loss_ppm) || d->end - d->queue >= max_queue ||
	    d->end - d->begin == SLOTS - 1)
		return true;
	packet->length = (uint32_t)length;
	if (happens(d->early_ppm)) {
		(void)!write(d->to, packet->data, packet->length);
		return true;
	}
	if (d->idle_ns < now)
		d->idle_ns = now;
	d->idle_ns += (packet->length + ETHERNET_BYTES) * ns_per_kbyte / 1000;
	packet->sent_ns = d->idle_ns;
	packet->arrives_ns = d->idle_ns + delay_ns;
	d->end++;
	return true;
}

static void deliver(struct direction *d, uint64_t now)
{
	for (; d->begin != d->end && packet_at(d, d->begin)->arrives_ns <= now;
	     d->begin++) {
		struct packet *packet = packet_at(d, d->begin);

		(void)!write(d->to, packet->data, packet->length);
	}
	if ((int32_t)(d->queue - d->begin) < 0)
		d->queue = d->begin;
}

static void run(struct direction *d)
{
	struct pollfd polls[] = { { .fd = d[0].from, .events = POLLIN },
				  { .fd = d[1].from, .events = POLLIN } };

	for (;;) {
		uint64_t now = now_ns(), next = now + S_NS - 1;
		struct timespec wait = {};

		for (unsigned int i = 0; i < 2; i++) {
			for (int nr = 0; nr < BURST && receive(&d[i], now);
			     nr++)
				;
			deliver(&d[i], now_ns());
			if (d[i].begin != d[i].end &&
			    packet_at(&d[i], d[i].begin)->arrives_ns < next)
				next = packet_at(&d[i], d[i].begin)->arrives_ns;
		}
		now = now_ns();
		if (next > now)
			wait.tv_nsec = (long)(next - now);
		if (ppoll(polls, 2, &wait, NULL) < 0 && errno != EINTR)
			fail("ppoll");
	}
}

static unsigned long number_of(const char *text)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (end == text || *end || number > UINT32_MAX) {
		fprintf(stderr, "tun_link: %s is not a number\n", text);
		exit(2);
	}
	return number;
}

int main(int argc, char **argv)
{
	struct direction d[2] = {};
	char path[64];
	int ns;

	if (argc != 7) {
		fprintf(stderr,
			"usage: %s PID MBIT_S DELAY_US QUEUE LOSS_PPM "
			"EARLY_PPM\n",
			argv[0]);
		return 2;
	}
	if (!number_of(argv[2])) {
		fprintf(stderr, "tun_link: a rate of 0\n");
		return 2;
	}
	ns_per_kbyte = 8000000 / number_of(argv[2]);
	delay_ns = number_of(argv[3]) * 1000;
	max_queue = (uint32_t)number_of(argv[4]);
	d[0].loss_ppm = (uint32_t)number_of(argv[5]);
	d[0].early_ppm = (uint32_t)number_of(argv[6]);
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	d[0].from = d[1].to = open_tun("link0");
	snprintf(path, sizeof(path), "/proc/%s/ns/net", argv[1]);
	ns = open(path, O_RDONLY | O_CLOEXEC);
	if (ns < 0 || setns(ns, CLONE_NEWNET))
		fail(path);
	d[1].from = d[0].to = open_tun("link1");
	for (int i = 0; i < 2; i++) {
		d[i].packet = calloc(SLOTS, sizeof(*d[i].packet));
		if (!d[i].packet)
			fail("calloc");
	}
	run(d);
}
