/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Limits the packets to a process of this host to the capacity of its socket.
 * Called by uroce_port_send.c after it sends, and by the worker before it
 * sends.
 */
#include <linux/sock_diag.h>
#include <sys/socket.h>

#include "uroce/udp/uroce_udp.h"

#define LOOK_BYTES  (64 * 1024)
#define PATIENCE_NS UINT64_C(100000000)
#define MOMENT_NS   UINT64_C(1000000)

static uint64_t *word_of(struct uroce_pressure *pressure)
{
	return &pressure->unresponsive[pressure->slot / 64];
}

static uint64_t bit_of(const struct uroce_pressure *pressure)
{
	return UINT64_C(1) << pressure->slot % 64;
}

/* Return: fill level of the slot's socket in eighths; 0: unknown. */
static uint64_t fill_of(const struct uroce_port *port, uint32_t slot)
{
	uint32_t info[SK_MEMINFO_VARS] = {};
	socklen_t len = sizeof(info);

	if (getsockopt(port->slots.fds[slot], SOL_SOCKET, SO_MEMINFO, info,
		       &len) ||
	    !info[SK_MEMINFO_RCVBUF])
		return 0;
	return UINT64_C(8) * info[SK_MEMINFO_RMEM_ALLOC] /
	       info[SK_MEMINFO_RCVBUF];
}

static void pressure_look(struct uroce_port *port)
{
	struct uroce_pressure *pressure = &port->pressure;

	pressure->unseen_bytes = 0;
	if (fill_of(port, pressure->slot) < 4) {
		*word_of(pressure) &= ~bit_of(pressure);
	} else if (!(*word_of(pressure) & bit_of(pressure))) {
		pressure->busy = true;
		pressure->asked_ns = 0;
		pressure->waited_ns = 0;
	}
}

void uroce_udp_sent(struct uroce_port *port, const struct uroce_path *path,
		    uint32_t dest_qpn, uint32_t bytes)
{
	struct uroce_pressure *pressure = &port->pressure;
	uint32_t slot = dest_qpn >> UROCE_SLOT_SHIFT;

	/* this thread cannot empty its own socket while it waits */
	if (pressure->busy || slot == port->slots.slot ||
	    slot >= port->slots.nr || !uroce_udp_find(port, path->dgid))
		return;
	if (slot != pressure->slot) {
		pressure->slot = slot;
		pressure->unseen_bytes = LOOK_BYTES;
	}
	pressure->unseen_bytes += bytes;
	if (pressure->unseen_bytes >= LOOK_BYTES)
		pressure_look(port);
}

/*
 * Whether to wait longer. The time between two calls counts as MOMENT_NS at
 * most: on an overloaded host this process may not have run.
 */
static bool is_patient(struct uroce_pressure *pressure, uint64_t now_ns)
{
	uint64_t passed_ns = 0;

	if (pressure->asked_ns)
		passed_ns = now_ns - pressure->asked_ns;
	pressure->asked_ns = now_ns;
	pressure->waited_ns += passed_ns < MOMENT_NS ? passed_ns : MOMENT_NS;
	return pressure->waited_ns < PATIENCE_NS;
}

bool uroce_port_has_room(struct uroce_port *port, uint64_t now_ns)
{
	struct uroce_pressure *pressure = &port->pressure;

	if (!pressure->busy)
		return true;
	if (fill_of(port, pressure->slot) >= 2) {
		if (is_patient(pressure, now_ns))
			return false;
		*word_of(pressure) |= bit_of(pressure);
	}
	pressure->busy = false;
	return true;
}
