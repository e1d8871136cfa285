/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A kernel that speaks RDMA netlink, as far as discovery asks it. Replaces
 * socket, send, recvmmsg, poll and close by --wrap (FAKE_NETLINK_WRAP in
 * CMake); other descriptors and families go to the real functions.
 *
 * It behaves as Linux does: requests are handled inside send; a dump brings one
 * device in a datagram, the next one when a datagram is received, the end in a
 * datagram of its own; a receive buffer that is full loses answers and reports
 * ENOBUFS once. A test changes that by the members below and looks at the
 * counters.
 */
#ifndef SUPPORT_FAKE_NETLINK_H
#define SUPPORT_FAKE_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The descriptor that socket() returns; no real one is that high. */
#define FAKE_NETLINK_FD 0x7fe00000

#define FAKE_NETLINK_DATAGRAM 4096

struct fake_netlink_device {
	uint32_t index;
	const char *name; /* NULL: the attribute is missing */
	uint8_t node_type;
	uint64_t guid; /* host order */
	uint32_t nr_ports;
	const char *uverbs_name; /* NULL: the query is refused */
	uint32_t chardev;	 /* as the kernel encodes it */
	uint64_t abi;
	uint32_t driver_id;
	bool no_driver_id; /* the attribute is missing */
	char name_store[16], uverbs_store[16];
};

struct fake_netlink_datagram {
	size_t len;
	uint32_t sender; /* 0: the kernel */
	union {
		char bytes[FAKE_NETLINK_DATAGRAM];
		uint32_t align;
	};
};

struct fake_netlink {
	struct fake_netlink_device *devices;
	size_t nr_devices;

	/* errno of a call, 0 to let it work */
	int socket_errno;
	int send_errno;
	int send_errno_from; /* first send that fails, counted from 0 */
	int recv_errno;
	int recv_errno_from;
	int poll_errno;

	int dump_error;		  /* errno of the answer to a dump request */
	int nr_dump_interrupted;  /* dumps that tell of a change */
	int nr_dump_refused_busy; /* dumps that are refused for now */
	bool done_without_code;
	bool never_done;
	size_t devices_per_datagram; /* 1 in Linux */
	size_t queue_limit;	     /* datagrams in the receive buffer */
	bool late;		     /* nothing is there before a poll */
	bool silent;		     /* queries are never answered */
	bool tells_copy_on_fork;     /* in the answer about the system */
	uint8_t copy_on_fork;
	int system_error; /* errno of that answer */
	/* May change each datagram before it is queued; its running number. */
	void (*edit)(struct fake_netlink_datagram *datagram, unsigned int nr);
	/* Called after each send has been handled. */
	void (*after_send)(void);

	/* counters */
	unsigned int nr_sockets, nr_sends, nr_recvs, nr_polls, nr_closes;
	unsigned int nr_queries; /* for character devices */
	unsigned int nr_system_queries;
	unsigned int nr_datagrams;
	size_t max_queued;
};

extern struct fake_netlink fake_netlink;

/* Calls of all replaced functions, and of those that a test counts itself. */
extern _Atomic unsigned int fake_calls;

/* Forgets devices, settings and counters. */
void fake_netlink_reset(void);

/*
 * fake_netlink_add() - add rxe<n>/uverbs<n>, index n
 *
 * Return: the device, for changes; valid until the next reset.
 */
struct fake_netlink_device *fake_netlink_add(unsigned int n);

/* Removes the device at @position of the array. */
void fake_netlink_remove(size_t position);

/* Fails the test if a socket was left open. */
void fake_netlink_check_closed(void);

/* Building datagrams, also for tests of the parser. */
void fake_netlink_put_device(struct fake_netlink_datagram *datagram,
			     uint32_t number,
			     const struct fake_netlink_device *device);
void fake_netlink_put_chardev(struct fake_netlink_datagram *datagram,
			      uint32_t number,
			      const struct fake_netlink_device *device);
void fake_netlink_put_system(struct fake_netlink_datagram *datagram,
			     uint32_t number);
void fake_netlink_put_error(struct fake_netlink_datagram *datagram,
			    uint32_t number, int error);
void fake_netlink_put_done(struct fake_netlink_datagram *datagram,
			   uint32_t number, const int *code);

/* A message, and attributes in the last message. */
void fake_netlink_put_msg(struct fake_netlink_datagram *datagram, uint16_t type,
			  uint16_t flags, uint32_t number);
void fake_netlink_put_attr(struct fake_netlink_datagram *datagram,
			   uint16_t type, const void *data, size_t len);

#endif
