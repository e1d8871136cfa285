/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A queue of packets with copies of their payload, and eventfds to wake up. */
#include "uroce_fake_port.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/udp/uroce_link.h"
#include "uroce/udp/uroce_port.h"
#include "uroce/wire/uroce_wire.h"
#include "util/list.h"

struct datagram {
	struct list_node entry;
	struct uroce_packet packet;
	struct uroce_path path;
	uint8_t payload[UROCE_MAX_MTU];
};

struct uroce_port {
	struct list_node put;	/* not flushed */
	struct list_node queue; /* to be received */
	int fd, member_fd, inbox_fd;
	void *refused;
};

struct fake_port fake;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct uroce_port *current;
static int link_fd = -1;
static bool holding;	   /* protected by the mutex */
static sem_t came, may_go; /* for the helper while it is held */

void fake_lock(void)
{
	(void)pthread_mutex_lock(&mutex);
}

void fake_unlock(void)
{
	(void)pthread_mutex_unlock(&mutex);
}

void fake_reset(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.dev = fake_netdev();
	holding = false;
	(void)sem_init(&came, 0, 0);
	(void)sem_init(&may_go, 0, 0);
}

struct uroce_netdev fake_netdev(void)
{
	struct uroce_netdev dev = {
		.name = "lo",
		.ifindex = 1,
		.mtu = 65536,
		.up = true,
		.nr_gids = 2,
	};

	dev.gids[0][15] = 1;
	memcpy(dev.gids[1], "\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\0\0\1",
	       UROCE_GID_LEN);
	return dev;
}

static void ring(int fd)
{
	uint64_t one = 1;

	assert_int_equal(write(fd, &one, sizeof(one)), sizeof(one));
}

static void silence(int fd)
{
	uint64_t rings;

	(void)!read(fd, &rings, sizeof(rings));
}

static int new_bell(void)
{
	return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void fake_knock(void)
{
	ring(current->member_fd);
}

static void set_holding(bool hold)
{
	fake_lock();
	holding = hold;
	fake_unlock();
}

void fake_hold_helper(void)
{
	set_holding(true);
	fake_knock();
	(void)sem_wait(&came);
}

void fake_free_helper(void)
{
	set_holding(false);
	(void)sem_post(&may_go);
}

void fake_change_link(void)
{
	ring(link_fd);
}

int uroce_link_open(void)
{
	return link_fd = new_bell();
}

void uroce_link_drain(int fd)
{
	silence(fd);
}

bool uroce_netdev_is_here(const uint8_t *gid, unsigned int ifindex)
{
	return false;
}

int uroce_netdev_list(struct uroce_netdev **ret_devs)
{
	*ret_devs = NULL;
	return 0;
}

int uroce_netdev_refresh(struct uroce_netdev *dev)
{
	int ret;

	fake_lock();
	ret = fake.refresh_error;
	if (!ret)
		*dev = fake.dev;
	fake_unlock();
	return ret;
}

int uroce_port_open(struct uroce_port **ret_port)
{
	struct uroce_port *port = calloc(1, sizeof(*port));

	assert_non_null(port);
	list_init(&port->put);
	list_init(&port->queue);
	port->fd = new_bell();
	port->member_fd = new_bell();
	port->inbox_fd = new_bell();
	current = port;
	fake.nr_open++;
	*ret_port = port;
	return 0;
}

int uroce_port_claim(struct uroce_port *port, uint32_t from)
{
	return 0;
}

int uroce_port_acquire_sockets(struct uroce_port *port, int stop_fd)
{
	return fake.open_error;
}

void uroce_port_lock_fds(struct uroce_port *port)
{
}

void uroce_port_unlock_fds(struct uroce_port *port)
{
}

static void drop_all(struct list_node *list)
{
	struct list_node *pos, *tmp;

	list_for_each_safe (pos, tmp, list)
		free(list_entry(pos, struct datagram, entry));
	list_init(list);
}

void uroce_port_close(struct uroce_port *port)
{
	drop_all(&port->put);
	drop_all(&port->queue);
	(void)close(port->fd);
	(void)close(port->member_fd);
	(void)close(port->inbox_fd);
	free(port);
	fake.nr_open--;
}

int uroce_port_capture_error(const struct uroce_port *port)
{
	return 0;
}

uint32_t uroce_port_slot(const struct uroce_port *port)
{
	return FAKE_SLOT;
}

uint32_t uroce_port_room_bytes(const struct uroce_port *port)
{
	return FAKE_ROOM_BYTES;
}

int uroce_port_fd(const struct uroce_port *port)
{
	return port->fd;
}

int uroce_port_member_fd(const struct uroce_port *port)
{
	return port->member_fd;
}

int uroce_port_inbox_fd(const struct uroce_port *port)
{
	return port->inbox_fd;
}

int uroce_port_gsi_fd(const struct uroce_port *port)
{
	return -1;
}

uint32_t uroce_port_receive_gsi(struct uroce_port *port,
				uroce_port_receive_fn *fn, void *arg)
{
	return 0;
}

bool uroce_port_serve(struct uroce_port *port)
{
	bool hold;

	silence(port->member_fd);
	fake_lock();
	fake.nr_served++;
	hold = holding;
	fake_unlock();
	if (!hold)
		return false;
	(void)sem_post(&came);
	(void)sem_wait(&may_go);
	return false;
}

int uroce_port_add_address(struct uroce_port *port, const uint8_t *gid,
			   unsigned int ifindex)
{
	if (fake.add_error)
		return fake.add_error;
	fake.nr_addresses++;
	return 0;
}

void uroce_port_remove_address(struct uroce_port *port, const uint8_t *gid,
			       unsigned int ifindex)
{
	fake.nr_addresses--;
}

int uroce_port_join(struct uroce_port *port, const uint8_t *gid,
		    unsigned int ifindex, bool join)
{
	fake.nr_join_calls++;
	if (fake.join_error)
		return fake.join_error;
	fake.nr_joined += join ? 1 : -1u;
	return 0;
}

uint16_t uroce_port_sport(const struct uroce_port *port, uint32_t dest_qpn)
{
	return (uint16_t)(0xc000 | (dest_qpn & 7));
}

void uroce_port_put(struct uroce_port *port, const struct uroce_packet *packet,
		    const struct iovec *iov, uint32_t nr_iov, void *owner)
{
	struct datagram *datagram = calloc(1, sizeof(*datagram));
	size_t len = 0;

	assert_non_null(datagram);
	datagram->packet = *packet;
	datagram->packet.traits = uroce_wire_traits(packet->opcode);
	datagram->path = *packet->path;
	for (uint32_t i = 0; i < nr_iov; i++) {
		memcpy(datagram->payload + len, iov[i].iov_base,
		       iov[i].iov_len);
		len += iov[i].iov_len;
	}
	assert_int_equal(len, packet->payload_len);
	fake_lock();
	if (fake.nr_put < FAKE_OPS)
		fake.op[fake.nr_put] = packet->opcode;
	fake.nr_put++;
	fake.unflushed++;
	if (fake.refuse) {
		fake.refuse--;
		port->refused = owner;
		free(datagram);
	} else if (fake.lose) {
		fake.lose--;
		free(datagram);
	} else {
		list_add_tail(&port->put, &datagram->entry);
	}
	fake_unlock();
}

void uroce_port_report_header(struct uroce_port *port, bool on)
{
	fake_lock();
	fake.reports_header = on;
	fake_unlock();
}

void uroce_port_put_run(struct uroce_port *port,
			const struct uroce_packet *first, uint8_t *payload,
			uint32_t nr, void *owner)
{
	struct uroce_packet packet = *first;

	for (; nr; nr--) {
		struct iovec iov = { payload, packet.payload_len };

		uroce_port_put(port, &packet, &iov, 1, owner);
		packet.psn++;
		payload += packet.payload_len;
	}
}

void uroce_port_flush(struct uroce_port *port)
{
	bool any = !list_empty(&port->put);
	struct list_node *pos, *tmp;

	list_for_each_safe (pos, tmp, &port->put) {
		list_del(pos);
		list_add_tail(&port->queue, pos);
	}
	fake_lock();
	fake.unflushed = 0;
	fake_unlock();
	if (any)
		ring(port->fd);
}

void *uroce_port_take_refused(struct uroce_port *port)
{
	void *refused = port->refused;

	port->refused = NULL;
	return refused;
}

bool uroce_port_has_room(struct uroce_port *port, uint64_t now_ns)
{
	bool room;

	fake_lock();
	room = !fake.full;
	if (!room)
		fake.full--;
	fake_unlock();
	return room;
}

bool uroce_port_receive(struct uroce_port *port, uroce_port_receive_fn *fn,
			void *arg)
{
	struct list_node *pos, *tmp;

	silence(port->fd);
	list_for_each_safe (pos, tmp, &port->queue) {
		struct datagram *datagram =
			list_entry(pos, struct datagram, entry);

		datagram->packet.path = &datagram->path;
		datagram->packet.payload = datagram->payload;
		fake_lock();
		assert_int_equal(fake.unflushed, 0);
		fake.nr_received++;
		fake_unlock();
		fn(arg, &datagram->packet);
		list_del(pos);
		free(datagram);
	}
	return false;
}

bool uroce_port_receive_inbox(struct uroce_port *port,
			      uroce_port_receive_fn *fn, void *arg)
{
	silence(port->inbox_fd);
	return false;
}

void uroce_port_counters(const struct uroce_port *port,
			 struct uroce_port_counters *ret_counters)
{
	*ret_counters = (struct uroce_port_counters){
		.tx_datagrams = fake.nr_put,
		.rx_datagrams = fake.nr_received,
	};
}
