/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * See uroce_bad_wire.h. The thread of the port decides on each datagram, and
 * sends it, puts it into the list of those that are late, or into the queue of
 * a link. A thread of the wire takes packets from the list and from the queues
 * when their time has come. A packet that leaves the list may enter a queue.
 */
#include "uroce/udp/uroce_bad_wire.h"

#include <errno.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "uroce/udp/uroce_bad_wire_rules.h"
#include "uroce/udp/uroce_socket.h"
#include "uroce/wire/uroce_icrc.h"
#include "uroce/wire/uroce_wire.h"
#include "util/clock.h"
#include "util/lock.h"
#include "util/nocancel.h"
#include "util/thread.h"

/* A packet that is to be overtaken does not wait longer for others. */
#define REORDER_NS (20 * VERBS_NS_PER_MS)
/* A link queues the data of its round trip, and that of 100 packets. */
#define LINK_QUEUE_BYTES (100 * 1500)
/* Memory of the packets on all links. */
#define MAX_LINK_BYTES (256U << 20)

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
	uint64_t due_nr;	/* or when this number of packets was sent */
	struct wire_link *link; /* NULL: the packet takes none */
	uint32_t dest_qpn;
	struct uroce_route route;
	size_t len;
	uint8_t bytes[];
};

/* Of a rule with link=: its packets have a common queue. */
struct wire_link {
	const struct uroce_wire_rule *rule;
	uint64_t free_ns; /* when the last bit of the last packet leaves, ... */
	uint64_t rest;	  /* ... and this fraction of a ns later: / rate */
	uint64_t nr_dropped;
	struct wire_packet *first, *last; /* in order of @due_ns */
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
	struct wire_link links[UROCE_MAX_WIRE_RULES];
	size_t link_bytes; /* memory of the packets on links */
	uint64_t nr_sent;
	bool ends;
};

/* ------------------------------------------------------------------------ */
/* Lines on standard error                                                   */
/* ------------------------------------------------------------------------ */

/* Prints a line. fprintf() would be a cancellation point. */
__attribute__((format(printf, 1, 2))) static void wire_say(const char *fmt, ...)
{
	char line[768];
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

/* Sends a packet to the network, and frees it. */
static void wire_send_now(struct wire_packet *packet)
{
	struct uroce_route *route = &packet->route;
	struct iovec iov = { packet->bytes, packet->len };
	struct msghdr msg;

	uroce_route_address(route, &msg);
	msg.msg_iov = &iov;
	msg.msg_iovlen = 1;
	while (sendmsg(route->sender_fd, &msg, MSG_DONTWAIT) < 0 &&
	       uroce_socket_await_retry(route->sender_fd, errno))
		;
	free(packet);
}

/* ------------------------------------------------------------------------ */
/* Links                                                                     */
/* ------------------------------------------------------------------------ */

/* Return: the link whose first packet arrives first, or NULL. */
static struct wire_link *wire_first_link_locked(struct uroce_bad_wire *wire)
{
	struct wire_link *first = NULL;

	for (unsigned int i = 0; wire->link_bytes && i < wire->rules.nr; i++) {
		struct wire_link *link = &wire->links[i];

		if (link->first &&
		    (!first || link->first->due_ns < first->first->due_ns))
			first = link;
	}
	return first;
}

/* Return: when the thread has work; UINT64_MAX: not before it is woken up. */
static uint64_t wire_next_due_locked(struct uroce_bad_wire *wire)
{
	const struct wire_link *link = wire_first_link_locked(wire);
	uint64_t due_ns = wire->late ? wire->late->due_ns : UINT64_MAX;

	return link && link->first->due_ns < due_ns ? link->first->due_ns
						    : due_ns;
}

/* Call it before a packet that is due at @due_ns is added. */
static void wire_wake_for_locked(struct uroce_bad_wire *wire, uint64_t due_ns)
{
	const eventfd_t one = 1;

	if (due_ns < wire_next_due_locked(wire))
		(void)write(wire->wake_fd, &one, sizeof(one)); /* has room */
}

static size_t wire_packet_memory(const struct wire_packet *packet)
{
	return sizeof(*packet) + packet->len;
}

/* Return: the length of the IP packet. */
static uint64_t wire_packet_ip_len(const struct wire_packet *packet)
{
	return packet->len + sizeof(struct udphdr) +
	       (uroce_path_is_ipv4(&packet->route.path)
			? sizeof(struct iphdr)
			: sizeof(struct ip6_hdr));
}

/*
 * Lets a packet leave behind those before it. The limits of rates, times and
 * lengths rule out overflows.
 *
 * Return: whether the queue has room; then sets packet->due_ns.
 */
static bool wire_link_leave(struct wire_link *link, struct wire_packet *packet,
			    uint64_t now_ns)
{
	const struct uroce_wire_rule *rule = link->rule;

	if (link->free_ns < now_ns) {
		link->free_ns = now_ns;
		link->rest = 0;
	}
	if (rule->rate) {
		uint64_t bits = 8 * wire_packet_ip_len(packet);
		uint64_t work = bits * VERBS_NS_PER_S + link->rest;

		if (link->free_ns - now_ns >
		    2 * rule->link_ns +
			    8 * LINK_QUEUE_BYTES * VERBS_NS_PER_S / rule->rate)
			return false;
		link->free_ns += work / rule->rate;
		link->rest = work % rule->rate;
	}
	packet->due_ns = link->free_ns + rule->link_ns;
	return true;
}

static void wire_link_add_locked(struct uroce_bad_wire *wire,
				 struct wire_packet *packet)
{
	struct wire_link *link = packet->link;

	if (wire->link_bytes + wire_packet_memory(packet) > MAX_LINK_BYTES ||
	    !wire_link_leave(link, packet, verbs_now_ns())) {
		link->nr_dropped++;
		free(packet);
		return;
	}
	wire_wake_for_locked(wire, packet->due_ns);
	wire->link_bytes += wire_packet_memory(packet);
	packet->next = NULL;
	if (link->first)
		link->last->next = packet;
	else
		link->first = packet;
	link->last = packet;
}

static void wire_link_take_locked(struct uroce_bad_wire *wire,
				  struct wire_link *link)
{
	struct wire_packet *packet = link->first;

	link->first = packet->next;
	wire->link_bytes -= wire_packet_memory(packet);
	wire_send_now(packet);
}

/* Sends a packet, over its link if it has one. */
static void wire_emit_locked(struct uroce_bad_wire *wire,
			     struct wire_packet *packet)
{
	if (packet->link)
		wire_link_add_locked(wire, packet);
	else
		wire_send_now(packet);
}

/* ------------------------------------------------------------------------ */
/* The list, and the thread                                                  */
/* ------------------------------------------------------------------------ */

static void wire_add_late_locked(struct uroce_bad_wire *wire,
				 struct wire_packet *added)
{
	struct wire_packet **link = &wire->late;

	wire_wake_for_locked(wire, added->due_ns);
	while (*link && (*link)->due_ns <= added->due_ns)
		link = &(*link)->next;
	added->next = *link;
	*link = added;
}

/* Sends the packets whose time has come, or that enough have overtaken. */
static void wire_send_due_locked(struct uroce_bad_wire *wire)
{
	struct wire_packet **next = &wire->late;
	uint64_t now_ns = verbs_now_ns();
	struct wire_link *link;

	while (*next) {
		struct wire_packet *late = *next;

		if (late->due_ns > now_ns && late->due_nr > wire->nr_sent) {
			next = &late->next;
			continue;
		}
		*next = late->next;
		wire_emit_locked(wire, late);
	}
	while ((link = wire_first_link_locked(wire)) &&
	       link->first->due_ns <= now_ns)
		wire_link_take_locked(wire, link);
}

/* Return: @ret_wait, or NULL to wait until the thread is woken up. */
static const struct timespec *wire_wait_locked(struct uroce_bad_wire *wire,
					       struct timespec *ret_wait)
{
	uint64_t due_ns = wire_next_due_locked(wire);
	uint64_t now_ns = verbs_now_ns();

	*ret_wait = verbs_timespec(due_ns > now_ns ? due_ns - now_ns : 0);
	return due_ns == UINT64_MAX ? NULL : ret_wait;
}

static void *wire_run(void *arg)
{
	struct uroce_bad_wire *wire = arg;
	struct pollfd wake = { .fd = wire->wake_fd, .events = POLLIN };
	const struct timespec *wait = NULL;
	struct timespec time;
	bool ends = false;

	while (!ends) {
		eventfd_t unused;

		(void)ppoll(&wake, 1, wait, NULL);
		(void)read(wire->wake_fd, &unused, sizeof(unused));
		verbs_mutex_lock(&wire->mutex);
		wire_send_due_locked(wire);
		wait = wire_wait_locked(wire, &time);
		ends = wire->ends;
		verbs_mutex_unlock(&wire->mutex);
	}
	return NULL;
}

/* Without a thread, packets that are late or on a link are lost. */
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
			      const struct wire_packet *packet)
{
	const struct uroce_path *path = &packet->route.path;

	return (!rule->has_qpn || rule->qpn == packet->dest_qpn) &&
	       (!rule->has_bytes || (packet->len >= rule->min_bytes &&
				     packet->len <= rule->max_bytes)) &&
	       uroce_wire_prefix_has(&rule->from, path->sgid) &&
	       uroce_wire_prefix_has(&rule->to, path->dgid) &&
	       fault_choice_is_now(&rule->choice,
				   verbs_now_ns() - wire->start_ns);
}

/*
 * Return: the first rule that acts on a packet, or NULL; @is_link: of those
 * with link=, or of the others.
 */
static const struct uroce_wire_rule *
wire_decide(struct uroce_bad_wire *wire, struct wire_flow *flow,
	    const struct wire_packet *packet, bool is_link, uint64_t *ret_hash)
{
	for (unsigned int i = 0; flow && i < wire->rules.nr; i++) {
		const struct uroce_wire_rule *rule = &wire->rules.rules[i];
		struct fault_count *count = &flow->counts[i];

		if ((rule->action == UROCE_WIRE_LINK) != is_link ||
		    !wire_rule_matches(wire, rule, packet))
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
}

/* Sends a packet, its @copy or NULL, and those that it has to overtake. */
static void wire_pass(struct uroce_bad_wire *wire, struct wire_packet *packet,
		      struct wire_packet *copy)
{
	verbs_mutex_lock(&wire->mutex);
	wire_emit_locked(wire, packet);
	if (copy)
		wire_emit_locked(wire, copy);
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

static struct wire_packet *wire_packet_copy(const struct wire_packet *packet)
{
	struct wire_packet *copy = malloc(wire_packet_memory(packet));

	if (copy)
		memcpy(copy, packet, wire_packet_memory(packet));
	return copy;
}

static void wire_act(struct uroce_bad_wire *wire, struct wire_packet *packet,
		     const struct uroce_wire_rule *rule, uint64_t hash)
{
	switch (rule->action) {
	case UROCE_WIRE_DUP:
		wire_pass(wire, packet, wire_packet_copy(packet));
		break;
	case UROCE_WIRE_CORRUPT:
		wire_damage(packet, hash);
		wire_pass(wire, packet, NULL);
		break;
	case UROCE_WIRE_DELAY:
	case UROCE_WIRE_REORDER:
		wire_delay(wire, packet, rule, hash);
		break;
	case UROCE_WIRE_DROP: /* see wire_send_packet() */
	case UROCE_WIRE_LINK:
		free(packet);
		break;
	}
}

/* Return: false: the packet is lost. */
static bool wire_choose_link(struct uroce_bad_wire *wire,
			     struct wire_flow *flow, struct wire_packet *packet)
{
	uint64_t unused;
	const struct uroce_wire_rule *rule =
		wire_decide(wire, flow, packet, true, &unused);

	packet->link = rule ? &wire->links[rule - wire->rules.rules] : NULL;
	return !rule || wire_start_thread(wire);
}

static void wire_send_packet(struct uroce_bad_wire *wire,
			     struct wire_packet *packet)
{
	struct wire_flow *flow = wire_find_flow(wire, packet->dest_qpn);
	uint64_t hash;
	const struct uroce_wire_rule *rule =
		wire_decide(wire, flow, packet, false, &hash);

	/* a packet that is lost takes no time of a link */
	if ((rule && rule->action == UROCE_WIRE_DROP) ||
	    !wire_choose_link(wire, flow, packet))
		free(packet);
	else if (rule)
		wire_act(wire, packet, rule, hash);
	else
		wire_pass(wire, packet, NULL);
}

void uroce_bad_wire_send(struct uroce_bad_wire *wire,
			 const struct uroce_route *route, uint32_t dest_qpn,
			 const uint8_t *bytes, size_t len)
{
	struct wire_packet *packet = malloc(sizeof(*packet) + len);

	if (!packet)
		return; /* lost, as by a network */
	packet->route = *route;
	packet->dest_qpn = dest_qpn;
	packet->len = len;
	memcpy(packet->bytes, bytes, len);
	wire_send_packet(wire, packet);
}

/* ------------------------------------------------------------------------ */
/* Begin and end                                                             */
/* ------------------------------------------------------------------------ */

static void wire_print_mistake(const struct uroce_wire_mistake *wrong,
			       const char *message)
{
	struct fault_text item = wrong->item, file = wrong->file;

	if (file.len)
		wire_say("libibverbs: UROCE_WIRE_FAULTS: %.*s:%u: \"%.*s\": "
			 "%s; there are no faults\n",
			 wire_text_len(file), file.start, wrong->line_nr,
			 wire_text_len(item), item.start, message);
	else
		wire_say("libibverbs: UROCE_WIRE_FAULTS: \"%.*s\": %s; "
			 "there are no faults\n",
			 wire_text_len(item), item.start, message);
}

int uroce_bad_wire_open(const char *settings, struct uroce_bad_wire **ret_wire)
{
	struct uroce_bad_wire *wire = calloc(1, sizeof(*wire));
	struct uroce_wire_mistake wrong;
	const char *message;

	if (!wire)
		return -ENOMEM;
	message = uroce_wire_rules_parse(settings, &wire->rules, &wrong);
	if (message) {
		wire_print_mistake(&wrong, message);
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
	for (unsigned int i = 0; i < wire->rules.nr; i++)
		wire->links[i].rule = &wire->rules.rules[i];
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
	wire_wake_for_locked(wire, 0);
	verbs_mutex_unlock(&wire->mutex);
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
	for (unsigned int i = 0; wire->flows && i < wire->rules.nr; i++) {
		wire_print(wire, i);
		if (wire->links[i].nr_dropped)
			wire_say("uroce-wire: the queue of rule %u has "
				 "dropped %llu packets\n",
				 i + 1,
				 (unsigned long long)wire->links[i].nr_dropped);
	}
}

static void wire_free_packets(struct wire_packet *first)
{
	while (first) {
		struct wire_packet *next = first->next;

		free(first);
		first = next;
	}
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
	wire_free_packets(wire->late);
	for (unsigned int i = 0; i < wire->rules.nr; i++)
		wire_free_packets(wire->links[i].first);
	(void)close(wire->wake_fd);
	free(wire);
}
