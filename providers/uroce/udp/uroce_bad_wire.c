/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * See uroce_bad_wire.h. The thread of the port decides on each datagram, and
 * sends it or puts it into the list of those that are late. A thread of the
 * wire sends the latter when their time has come.
 */
#include "uroce/udp/uroce_bad_wire.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "uroce/udp/uroce_bad_wire_rules.h"
#include "uroce/udp/uroce_socket.h"
#include "uroce/wire/uroce_wire.h"
#include "util/clock.h"
#include "util/lock.h"
#include "util/nocancel.h"
#include "util/thread.h"

/* A packet that is to be overtaken does not wait longer for others. */
#define REORDER_NS (20 * VERBS_NS_PER_MS)

/* The packets to one QP, and for each rule those that match it. */
struct wire_flow {
	struct wire_flow *next;
	uint32_t dest_qpn;
	uint64_t serial; /* from 1, in the order of their first packets */
	struct fault_count counts[UROCE_MAX_WIRE_RULES];
};

/* A packet; in the list, it is late. */
struct wire_packet {
	struct wire_packet *next;
	uint64_t due_ns;
	uint64_t due_nr; /* or when this number of packets was sent */
	struct uroce_route route;
	size_t len;
	uint8_t bytes[];
};

struct uroce_bad_wire {
	struct uroce_wire_rules rules;
	uint64_t start_ns;
	struct wire_flow *flows;
	bool has_acted[UROCE_MAX_WIRE_RULES];
	pid_t pid; /* that opened it, and has the thread */
	bool has_thread;
	pthread_t thread;
	int wake_fd; /* eventfd */

	struct verbs_mutex mutex; /* protects the rest */
	struct wire_packet *late; /* in order of @due_ns */
	uint64_t nr_sent;
	bool ends;
};

/* ------------------------------------------------------------------------ */
/* Lines on standard error                                                   */
/* ------------------------------------------------------------------------ */

/* Prints a line. fprintf() would be a cancellation point. */
__attribute__((format(printf, 1, 2))) static void wire_say(const char *fmt, ...)
{
	char line[512];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	if (len >= (int)sizeof(line))
		len = (int)sizeof(line) - 1;
	if (len > 0)
		(void)write(STDERR_FILENO, line, (size_t)len);
}

static int wire_text_len(struct fault_text text)
{
	return text.len < 200 ? (int)text.len : 200;
}

/* A process that is killed prints no other line. */
static void wire_print_first(struct uroce_bad_wire *wire, unsigned int index)
{
	struct fault_text text = wire->rules.rules[index].text;

	wire->has_acted[index] = true;
	wire_say("uroce-wire: rule %u acts: %.*s\n", index + 1,
		 wire_text_len(text), text.start);
}

/* ------------------------------------------------------------------------ */
/* Sending                                                                   */
/* ------------------------------------------------------------------------ */

static void wire_send_now(struct uroce_route *route, uint8_t *bytes, size_t len)
{
	struct iovec iov = { bytes, len };
	struct msghdr msg;

	uroce_route_address(route, &msg);
	msg.msg_iov = &iov;
	msg.msg_iovlen = 1;
	while (sendmsg(route->sender_fd, &msg, MSG_DONTWAIT) < 0 &&
	       uroce_socket_await_retry(route->sender_fd, errno))
		;
}

static void wire_add_late_locked(struct uroce_bad_wire *wire,
				 struct wire_packet *added)
{
	struct wire_packet **link = &wire->late;

	while (*link && (*link)->due_ns <= added->due_ns)
		link = &(*link)->next;
	added->next = *link;
	*link = added;
}

/* Sends the packets whose time has come, or that enough have overtaken. */
static void wire_send_due_locked(struct uroce_bad_wire *wire)
{
	struct wire_packet **link = &wire->late;
	uint64_t now_ns = wire->late ? verbs_now_ns() : 0;

	while (*link) {
		struct wire_packet *late = *link;

		if (late->due_ns > now_ns && late->due_nr > wire->nr_sent) {
			link = &late->next;
			continue;
		}
		*link = late->next;
		wire_send_now(&late->route, late->bytes, late->len);
		free(late);
	}
}

static int wire_wait_ms_locked(const struct uroce_bad_wire *wire)
{
	uint64_t now_ns = verbs_now_ns();

	if (!wire->late)
		return -1;
	return wire->late->due_ns <= now_ns
		       ? 0
		       : (int)((wire->late->due_ns - now_ns) /
			       VERBS_NS_PER_MS) +
				 1;
}

static void *wire_run(void *arg)
{
	struct uroce_bad_wire *wire = arg;
	struct pollfd wake = { .fd = wire->wake_fd, .events = POLLIN };
	int wait_ms = -1;
	bool ends = false;

	while (!ends) {
		eventfd_t unused;

		(void)poll(&wake, 1, wait_ms);
		(void)read(wire->wake_fd, &unused, sizeof(unused));
		verbs_mutex_lock(&wire->mutex);
		wire_send_due_locked(wire);
		wait_ms = wire_wait_ms_locked(wire);
		ends = wire->ends;
		verbs_mutex_unlock(&wire->mutex);
	}
	return NULL;
}

static void wire_wake(const struct uroce_bad_wire *wire)
{
	const eventfd_t one = 1;

	(void)write(wire->wake_fd, &one, sizeof(one)); /* has room */
}

/* Without a thread, late packets are lost. */
static bool wire_start_thread(struct uroce_bad_wire *wire)
{
	if (!wire->has_thread)
		wire->has_thread =
			verbs_thread_start(wire_run, wire, &wire->thread) == 0;
	return wire->has_thread;
}

/* ------------------------------------------------------------------------ */
/* Decisions                                                                 */
/* ------------------------------------------------------------------------ */

/* Return: NULL: no memory, and no rule acts. */
static struct wire_flow *wire_find_flow(struct uroce_bad_wire *wire,
					uint32_t dest_qpn)
{
	struct wire_flow *flow = wire->flows;

	while (flow && flow->dest_qpn != dest_qpn)
		flow = flow->next;
	if (flow)
		return flow;
	flow = calloc(1, sizeof(*flow));
	if (!flow)
		return NULL;
	flow->dest_qpn = dest_qpn;
	flow->serial = wire->flows ? wire->flows->serial + 1 : 1;
	flow->next = wire->flows;
	wire->flows = flow;
	return flow;
}

static bool wire_rule_matches(const struct uroce_bad_wire *wire,
			      const struct uroce_wire_rule *rule,
			      uint32_t dest_qpn, size_t len)
{
	return (!rule->has_qpn || rule->qpn == dest_qpn) &&
	       (!rule->has_bytes ||
		(len >= rule->min_bytes && len <= rule->max_bytes)) &&
	       fault_choice_is_now(&rule->choice,
				   verbs_now_ns() - wire->start_ns);
}

/* Return: the first rule that acts on a packet, or NULL. */
static const struct uroce_wire_rule *wire_decide(struct uroce_bad_wire *wire,
						 uint32_t dest_qpn, size_t len,
						 uint64_t *ret_hash)
{
	struct wire_flow *flow = wire_find_flow(wire, dest_qpn);

	for (unsigned int i = 0; flow && i < wire->rules.nr; i++) {
		const struct uroce_wire_rule *rule = &wire->rules.rules[i];
		struct fault_count *count = &flow->counts[i];

		if (!wire_rule_matches(wire, rule, dest_qpn, len))
			continue;
		*ret_hash = fault_hash(wire->rules.seed, i, 0, flow->serial,
				       count->nr_events + 1);
		if (!fault_choice_count(&rule->choice, count, *ret_hash))
			continue;
		if (!wire->has_acted[i])
			wire_print_first(wire, i);
		return rule;
	}
	return NULL;
}

static void wire_delay(struct uroce_bad_wire *wire, struct wire_packet *packet,
		       const struct uroce_wire_rule *rule, uint64_t hash)
{
	bool is_delay = rule->action == UROCE_WIRE_DELAY;

	if (!wire_start_thread(wire)) {
		free(packet);
		return;
	}
	packet->due_ns =
		verbs_now_ns() +
		(is_delay ? fault_hash_between(hash, rule->min_ns, rule->max_ns)
			  : REORDER_NS);
	verbs_mutex_lock(&wire->mutex);
	packet->due_nr = is_delay ? UINT64_MAX : wire->nr_sent + rule->nr_later;
	wire_add_late_locked(wire, packet);
	verbs_mutex_unlock(&wire->mutex);
	wire_wake(wire);
}

/* Sends a packet @nr times, and those that it has to overtake. */
static void wire_pass(struct uroce_bad_wire *wire, struct wire_packet *packet,
		      unsigned int nr)
{
	while (nr--)
		wire_send_now(&packet->route, packet->bytes, packet->len);
	free(packet);
	verbs_mutex_lock(&wire->mutex);
	wire->nr_sent++;
	wire_send_due_locked(wire);
	verbs_mutex_unlock(&wire->mutex);
}

/* The ICRC does not cover a byte of the BTH, which stays as it is. */
static void wire_damage(struct wire_packet *packet, uint64_t hash)
{
	size_t nr_others = packet->len - UROCE_BTH_LEN;

	packet->bytes[UROCE_BTH_LEN + hash / 8 % nr_others] ^=
		(uint8_t)(1u << hash % 8);
}

static void wire_act(struct uroce_bad_wire *wire, struct wire_packet *packet,
		     const struct uroce_wire_rule *rule, uint64_t hash)
{
	switch (rule->action) {
	case UROCE_WIRE_DROP:
		free(packet);
		break;
	case UROCE_WIRE_DUP:
		wire_pass(wire, packet, 2);
		break;
	case UROCE_WIRE_CORRUPT:
		wire_damage(packet, hash);
		wire_pass(wire, packet, 1);
		break;
	case UROCE_WIRE_DELAY:
	case UROCE_WIRE_REORDER:
		wire_delay(wire, packet, rule, hash);
		break;
	}
}

void uroce_bad_wire_send(struct uroce_bad_wire *wire,
			 const struct uroce_route *route, uint32_t dest_qpn,
			 const uint8_t *bytes, size_t len)
{
	struct wire_packet *packet = malloc(sizeof(*packet) + len);
	const struct uroce_wire_rule *rule;
	uint64_t hash;

	if (!packet)
		return; /* lost, as by a network */
	packet->route = *route;
	packet->len = len;
	memcpy(packet->bytes, bytes, len);
	rule = wire_decide(wire, dest_qpn, len, &hash);
	if (rule)
		wire_act(wire, packet, rule, hash);
	else
		wire_pass(wire, packet, 1);
}

/* ------------------------------------------------------------------------ */
/* Begin and end                                                             */
/* ------------------------------------------------------------------------ */

int uroce_bad_wire_open(const char *settings, struct uroce_bad_wire **ret_wire)
{
	struct uroce_bad_wire *wire = calloc(1, sizeof(*wire));
	struct fault_text wrong;
	const char *message;

	if (!wire)
		return -ENOMEM;
	message = uroce_wire_rules_parse(settings, &wire->rules, &wrong);
	if (message) {
		wire_say("libibverbs: UROCE_WIRE_FAULTS: \"%.*s\": %s; "
			 "there are no faults\n",
			 wire_text_len(wrong), wrong.start, message);
		free(wire);
		return -EINVAL;
	}
	wire->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (wire->wake_fd < 0) {
		free(wire);
		return -ENOMEM;
	}
	(void)pthread_mutex_init(&wire->mutex.mutex, NULL);
	wire->start_ns = verbs_now_ns();
	wire->pid = getpid();
	*ret_wire = wire;
	return 0;
}

static void wire_join(struct uroce_bad_wire *wire)
{
	if (!wire->has_thread)
		return;
	verbs_mutex_lock(&wire->mutex);
	wire->ends = true;
	verbs_mutex_unlock(&wire->mutex);
	wire_wake(wire);
	verbs_thread_join(wire->thread);
}

static void wire_print(const struct uroce_bad_wire *wire, unsigned int index)
{
	const struct uroce_wire_rule *rule = &wire->rules.rules[index];
	uint64_t nr_events = 0, nr_faults = 0;

	for (const struct wire_flow *flow = wire->flows; flow;
	     flow = flow->next) {
		nr_events += flow->counts[index].nr_events;
		nr_faults += flow->counts[index].nr_faults;
	}
	wire_say("uroce-wire: rule %u has acted on %llu of %llu packets: "
		 "%.*s\n",
		 index + 1, (unsigned long long)nr_faults,
		 (unsigned long long)nr_events, wire_text_len(rule->text),
		 rule->text.start);
}

static void wire_print_rules(const struct uroce_bad_wire *wire)
{
	for (unsigned int i = 0; wire->flows && i < wire->rules.nr; i++)
		wire_print(wire, i);
}

void uroce_bad_wire_close(struct uroce_bad_wire *wire)
{
	if (!wire)
		return;
	/* A child has no thread of its parent, and the mutex may be locked. */
	if (wire->pid == getpid()) {
		wire_join(wire);
		wire_print_rules(wire);
	}
	while (wire->flows) {
		struct wire_flow *flow = wire->flows;

		wire->flows = flow->next;
		free(flow);
	}
	while (wire->late) {
		struct wire_packet *late = wire->late;

		wire->late = late->next;
		free(late);
	}
	(void)close(wire->wake_fd);
	free(wire);
}
