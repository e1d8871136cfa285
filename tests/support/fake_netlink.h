/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces the RDMA netlink interface of the kernel, as far as discovery uses
 * it. It replaces socket, send, recvmmsg, poll and close by --wrap
 * (FAKE_NETLINK_WRAP in CMake); calls on other descriptors and families reach
 * the real functions.
 *
 * It behaves as Linux does. Requests are handled inside send. A dump queues one
 * device in a datagram, the next device when a datagram is received, and the
 * end in a datagram of its own. A full receive buffer loses responses and
 * reports ENOBUFS once. A test changes this behaviour by the members of struct
 * fake_netlink and reads the counters there.
 */
#ifndef SUPPORT_FAKE_NETLINK_H
#define SUPPORT_FAKE_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The descriptor that socket() returns; no real descriptor is that high. */
#define FAKE_NETLINK_FD 0x7fe00000

#define FAKE_NETLINK_DATAGRAM 4096

struct fake_netlink_device {
	uint32_t index;
	const char *name; /* NULL: the attribute is missing */
	uint8_t node_type;
	uint64_t guid; /* host order */
	uint32_t nr_ports;
	const char *uverbs_name; /* NULL: the kernel refuses the query */
	uint32_t chardev;	 /* device number as the kernel encodes it */
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

	/* errno of a call; 0: the call works */
	int socket_errno;
	int send_errno;
	int send_errno_from; /* first send that fails, counted from 0 */
	int recv_errno;
	int recv_errno_from;
	int poll_errno;

	int dump_error;		  /* errno of the response to a dump request */
	int nr_dump_interrupted;  /* dumps that report NLM_F_DUMP_INTR */
	int nr_dump_refused_busy; /* dump requests that fail with EBUSY */
	bool done_without_code;
	bool never_done;
	size_t devices_per_datagram; /* 1 in Linux */
	size_t queue_limit;	     /* datagrams in the receive buffer */
	bool late;		     /* poll must precede the first receive */
	bool silent;		     /* queries receive no response */
	bool reports_copy_on_fork;   /* the system query reports copy-on-fork */
	uint8_t copy_on_fork;
	int system_error; /* errno of the response to the system query */
	/*
	 * May change each datagram before it is queued; @nr counts the
	 * datagrams.
	 */
	void (*edit)(struct fake_netlink_datagram *datagram, unsigned int nr);
	/* Called after each send has been handled. */
	void (*after_send)(void);

	/* Counters. */
	unsigned int nr_sockets, nr_sends, nr_recvs, nr_polls, nr_closes;
	unsigned int nr_queries; /* queries of character devices */
	unsigned int nr_system_queries;
	unsigned int nr_datagrams;
	size_t max_queued;
};

extern struct fake_netlink fake_netlink;

/*
 * Calls of all replaced functions, and of functions that a test counts itself.
 */
extern _Atomic unsigned int fake_calls;

/* Removes devices, settings and counters. */
void fake_netlink_reset(void);

/*
 * fake_netlink_add() - add rxe<n>/uverbs<n>, index n
 *
 * Return: the device, which the test may change; valid until the next reset.
 */
struct fake_netlink_device *fake_netlink_add(unsigned int n);

/* Removes the device at @position of the array. */
void fake_netlink_remove(size_t position);

/* Fails the test if a socket was left open. */
void fake_netlink_check_closed(void);

/* Functions that build datagrams; tests of the parser use them directly. */
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

/* Append a message, and an attribute to the last message. */
void fake_netlink_put_msg(struct fake_netlink_datagram *datagram, uint16_t type,
			  uint16_t flags, uint32_t number);
void fake_netlink_put_attr(struct fake_netlink_datagram *datagram,
			   uint16_t type, const void *data, size_t len);

#endif
