/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Texts of messages: names of constants, and the output. A message is one
 * write(2), so that messages of several threads and processes do not mix.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "layers/explain.h"
#include "layers/fault/fault.h"
#include "util/cancel.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

bool explain_is_on;
static atomic_uint nr_printed[EXPLAIN_NR_KINDS];

void explain_add(struct explain_text *text, const char *fmt, ...)
{
	size_t room = sizeof(text->buf) - text->len;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(text->buf + text->len, room, fmt, args);
	va_end(args);
	if (len > 0)
		text->len += (size_t)len < room ? (size_t)len : room - 1;
}

void explain_mute(void)
{
	for (size_t i = 0; i < EXPLAIN_NR_KINDS; i++)
		atomic_store(&nr_printed[i], EXPLAIN_LIMIT);
}

bool explain_is_muted(enum explain_kind kind)
{
	return atomic_load_explicit(&nr_printed[kind], memory_order_relaxed) >=
	       EXPLAIN_LIMIT;
}

/* Messages of these kinds follow a call that has failed in the thread. */
static bool explain_is_call(enum explain_kind kind)
{
	return kind != EXPLAIN_OPEN && kind != EXPLAIN_COMPLETION &&
	       kind != EXPLAIN_FLUSH;
}

void explain_print(enum explain_kind kind, const struct explain_text *text)
{
	struct explain_text line = {};
	unsigned int count;
	int saved = errno;
	int state;

	if (explain_is_call(kind) && fault_was_injected())
		return;
	count = atomic_fetch_add(&nr_printed[kind], 1);
	if (count >= EXPLAIN_LIMIT) {
		/* keeps the counter from wrapping around */
		atomic_store(&nr_printed[kind], EXPLAIN_LIMIT);
		return;
	}
	explain_add(&line, "verbs-explain: %s%s", text->buf,
		    count + 1 == EXPLAIN_LIMIT
			    ? " (This was the last message of this kind.)"
			    : "");
	if (line.len == sizeof(line.buf) - 1)
		line.len--;
	line.buf[line.len++] = '\n';
	state = cancel_disable();
	/* There is no other place for an error of standard error. */
	if (write(STDERR_FILENO, line.buf, line.len) < 0)
		errno = 0;
	cancel_restore(state);
	errno = saved;
}

struct explain_name {
	int value;
	const char *name;
};

static const char *explain_find_name(const struct explain_name *names,
				     size_t nr, int value)
{
	for (size_t i = 0; i < nr; i++)
		if (names[i].value == value)
			return names[i].name;
	return NULL;
}

#define ERRNO(name)         \
	{                   \
		name, #name \
	}

void explain_add_errno(struct explain_text *text, int error)
{
	static const struct explain_name names[] = {
		ERRNO(EPERM),		ERRNO(ENOENT),	     ERRNO(EIO),
		ERRNO(ENXIO),		ERRNO(EAGAIN),	     ERRNO(ENOMEM),
		ERRNO(EACCES),		ERRNO(EFAULT),	     ERRNO(EBUSY),
		ERRNO(EEXIST),		ERRNO(ENODEV),	     ERRNO(EINVAL),
		ERRNO(ENFILE),		ERRNO(EMFILE),	     ERRNO(ENOSPC),
		ERRNO(ERANGE),		ERRNO(ENOSYS),	     ERRNO(ENODATA),
		ERRNO(EMSGSIZE),	ERRNO(EOPNOTSUPP),   ERRNO(EADDRINUSE),
		ERRNO(EADDRNOTAVAIL),	ERRNO(ENETUNREACH),  ERRNO(ETIMEDOUT),
		ERRNO(EHOSTUNREACH),	ERRNO(ECONNREFUSED), ERRNO(ENETDOWN),
		ERRNO(EPROTONOSUPPORT),
	};
	const char *name = explain_find_name(names, NR(names), error);

	if (name)
		explain_add(text, "%s", name);
	else
		explain_add(text, "errno %d", error);
}

const char *explain_state_name(enum ibv_qp_state state)
{
	static const struct explain_name names[] = {
		{ IBV_QPS_RESET, "RESET" }, { IBV_QPS_INIT, "INIT" },
		{ IBV_QPS_RTR, "RTR" },	    { IBV_QPS_RTS, "RTS" },
		{ IBV_QPS_SQD, "SQD" },	    { IBV_QPS_SQE, "SQE" },
		{ IBV_QPS_ERR, "ERR" },
	};
	const char *name = explain_find_name(names, NR(names), (int)state);

	return name ? name : "an unknown state";
}

const char *explain_qp_type_name(enum ibv_qp_type type)
{
	static const struct explain_name names[] = {
		{ IBV_QPT_RC, "RC" },
		{ IBV_QPT_UC, "UC" },
		{ IBV_QPT_UD, "UD" },
		{ IBV_QPT_RAW_PACKET, "RAW_PACKET" },
		{ IBV_QPT_XRC_SEND, "XRC_SEND" },
		{ IBV_QPT_XRC_RECV, "XRC_RECV" },
		{ IBV_QPT_DRIVER, "DRIVER" },
	};
	const char *name = explain_find_name(names, NR(names), (int)type);

	return name ? name : "unknown type";
}

const char *explain_opcode_name(enum ibv_wr_opcode opcode)
{
	static const struct explain_name names[] = {
		{ IBV_WR_RDMA_WRITE, "RDMA_WRITE" },
		{ IBV_WR_RDMA_WRITE_WITH_IMM, "RDMA_WRITE_WITH_IMM" },
		{ IBV_WR_SEND, "SEND" },
		{ IBV_WR_SEND_WITH_IMM, "SEND_WITH_IMM" },
		{ IBV_WR_RDMA_READ, "RDMA_READ" },
		{ IBV_WR_ATOMIC_CMP_AND_SWP, "ATOMIC_CMP_AND_SWP" },
		{ IBV_WR_ATOMIC_FETCH_AND_ADD, "ATOMIC_FETCH_AND_ADD" },
		{ IBV_WR_LOCAL_INV, "LOCAL_INV" },
		{ IBV_WR_BIND_MW, "BIND_MW" },
		{ IBV_WR_SEND_WITH_INV, "SEND_WITH_INV" },
		{ IBV_WR_TSO, "TSO" },
		{ IBV_WR_FLUSH, "FLUSH" },
		{ IBV_WR_ATOMIC_WRITE, "ATOMIC_WRITE" },
	};
	const char *name = explain_find_name(names, NR(names), (int)opcode);

	return name ? name : "unknown opcode";
}

void explain_add_qp(struct explain_text *text, const struct ibv_context *ctx,
		    uint32_t number, enum ibv_qp_type type)
{
	explain_add(text, "QP 0x%x (%s, %s)", number,
		    explain_qp_type_name(type), ctx->device->name);
}

void explain_add_gid(struct explain_text *text, const union ibv_gid *gid)
{
	char buf[INET6_ADDRSTRLEN];

	if (inet_ntop(AF_INET6, gid->raw, buf, sizeof(buf)))
		explain_add(text, "%s", buf);
}

bool explain_unreachable(struct explain_text *text, int error)
{
	switch (error) {
	case ETIMEDOUT:
	case EHOSTUNREACH:
	case ENETUNREACH:
	case ENETDOWN:
		explain_add(text,
			    "there is no route to the GID of the peer, or its "
			    "host does not respond; check the address, the "
			    "GID index and the link (ping, ip route get)");
		return true;
	default:
		return false;
	}
}
