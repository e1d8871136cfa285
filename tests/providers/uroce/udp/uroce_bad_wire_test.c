/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of UROCE_WIRE_FAULTS, on the port that sends. Packets have their
 * position as PSN. Links have a clock that the test moves.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/wire/uroce_icrc.h"
#include "uroce_members.h"
#include "uroce_netns.h"
#include "uroce_port_pair.h"

#define LEN 200
/* A packet of LEN takes 1 ms: headers of IPv4, UDP and BTH, and the ICRC. */
#define RATE "1952kbit"
#define MS   1000000
/* A packet that shows that the clock has moved */
#define TICK_PSN 4000
/* Selects the others */
#define DATA "bytes=100-2000"

/* Calls of sendmsg() that a signal interrupts */
static atomic_uint nr_interrupts;

/* CLOCK_MONOTONIC in ns; 0: the real one */
static atomic_ullong clock_ns;

/* The first line on standard error since the start */
static char log_line[1000];

static struct port_pair *pair;
static struct uroce_path path;

ssize_t __real_nocancel_sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t __wrap_nocancel_sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t __wrap_nocancel_sendmsg(int fd, const struct msghdr *msg, int flags)
{
	if (nr_interrupts) {
		nr_interrupts--;
		errno = EINTR;
		return -1;
	}
	return __real_nocancel_sendmsg(fd, msg, flags);
}

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	unsigned long long ns = clock_ns;

	if (!ns || clock != CLOCK_MONOTONIC)
		return __real_clock_gettime(clock, now);
	now->tv_sec = (time_t)(ns / 1000000000);
	now->tv_nsec = (long)(ns % 1000000000);
	return 0;
}

ssize_t __real_nocancel_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_nocancel_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_nocancel_write(int fd, const void *bytes, size_t size)
{
	if (fd == STDERR_FILENO && !log_line[0] && size < sizeof(log_line))
		memcpy(log_line, bytes, size);
	return __real_nocancel_write(fd, bytes, size);
}

static void wire_start(const char *settings)
{
	void *state;

	memset(log_line, 0, sizeof(log_line));
	assert_int_equal(setenv("UROCE_WIRE_FAULTS", settings, 1), 0);
	assert_int_equal(port_pair_setup(&state), 0);
	pair = state;
	path = path_between("127.0.0.1", "127.0.0.1");
}

static void wire_stop(void)
{
	void *state = pair;

	assert_int_equal(port_pair_teardown(&state), 0);
	clock_ns = 0;
}

static uint32_t peer(uint32_t index)
{
	return qpn_of(pair->port[1], index);
}

static void put_packets(uint32_t qpn, uint32_t nr)
{
	for (uint32_t psn = 1; psn <= nr; psn++)
		put(pair, &path, qpn, UROCE_SEND_ONLY, psn, LEN);
}

/* Checks the PSNs that have arrived; the list ends with 0. */
static void assert_seen(const uint32_t *psns)
{
	uint32_t nr = 0;

	for (; psns[nr]; nr++) {
		assert_true(nr < pair->seen.nr);
		assert_int_equal(pair->seen.packets[nr].psn, psns[nr]);
	}
	assert_int_equal(pair->seen.nr, nr);
}

#define assert_seen_psns(...) assert_seen((const uint32_t[]){ __VA_ARGS__, 0 })

/* Waits until @nr packets have arrived. */
static void receive_until(uint32_t nr)
{
	struct pollfd wait = { .fd = uroce_port_fd(pair->port[1]),
			       .events = POLLIN };

	while (pair->seen.nr < nr) {
		assert_int_equal(poll(&wait, 1, 10000), 1);
		receive(pair, 1);
	}
}

static void wire_drop_loses_packets(void **state)
{
	wire_start("drop @ every=3");
	put_packets(peer(5), 7);
	flush(pair);
	assert_seen_psns(1, 2, 4, 5, 7);
	wire_stop();
}

static void wire_dup_sends_packet_twice(void **state)
{
	wire_start("dup @ nth=2; drop @ nth=3");
	put_packets(peer(5), 4);
	flush(pair);
	/* the first rule acts on the second packet alone */
	assert_seen_psns(1, 2, 2, 3);
	wire_stop();
}

static void wire_signals_lose_no_packet(void **state)
{
	wire_start("drop @ nth=1");
	put_packets(peer(5), 1);
	uroce_port_flush(pair->port[0]);
	nr_interrupts = 100;
	put(pair, &path, peer(5), UROCE_SEND_ONLY, 2, LEN);
	flush(pair);
	assert_int_equal(nr_interrupts, 0);
	assert_seen_psns(2);
	wire_stop();
}

static void on_damaged(void *arg, struct uroce_packet *packet)
{
	uint32_t *nr_damaged = arg;

	*nr_damaged += packet->icrc_check->finish(packet->icrc_check) != 0;
}

static void wire_corrupt_breaks_icrc(void **state)
{
	uint32_t nr_damaged = 0;

	wire_start("corrupt @ p=100%,limit=20");
	put_packets(peer(5), 30);
	uroce_port_flush(pair->port[0]);
	while (uroce_port_receive(pair->port[1], on_damaged, &nr_damaged))
		;
	nr_damaged += (uint32_t)counters(pair, 1).rx_bad;
	assert_int_equal(nr_damaged, 20);
	wire_stop();
}

static void wire_reorder_lets_packets_overtake(void **state)
{
	wire_start("reorder=2 @ nth=1");
	put_packets(peer(5), 5);
	flush(pair);
	assert_seen_psns(2, 3, 1, 4, 5);
	wire_stop();
}

static void wire_reorder_of_last_packet_arrives(void **state)
{
	wire_start("reorder=2 @ nth=3");
	put_packets(peer(5), 3);
	uroce_port_flush(pair->port[0]);
	receive_until(3);
	assert_seen_psns(1, 2, 3);
	wire_stop();
}

static void wire_delay_sends_packet_later(void **state)
{
	wire_start("delay=5ms..10ms @ nth=2");
	put_packets(peer(5), 3);
	uroce_port_flush(pair->port[0]);
	receive_until(3);
	assert_seen_psns(1, 3, 2);
	wire_stop();
}

static void wire_delayed_packet_is_lost_at_end(void **state)
{
	wire_start("delay=1000s @ nth=1");
	put_packets(peer(5), 1);
	flush(pair);
	assert_int_equal(pair->seen.nr, 0);
	wire_stop();
}

static void wire_time_selects_packets(void **state)
{
	wire_start("drop @ before=1000s,bytes=1-100;"
		   "drop @ after=1000s; dup @ bytes=200-300,nth=1");
	put(pair, &path, peer(5), UROCE_SEND_ONLY, 1, 20);
	put(pair, &path, peer(5), UROCE_SEND_ONLY, 2, LEN);
	flush(pair);
	assert_seen_psns(2, 2);
	wire_stop();
}

static void wire_qpn_selects_flow_and_flows_count_alone(void **state)
{
	char settings[100];

	wire_start("drop @ nth=2");
	for (uint32_t psn = 1; psn <= 3; psn++) {
		put(pair, &path, peer(5), UROCE_SEND_ONLY, psn, LEN);
		put(pair, &path, peer(6), UROCE_SEND_ONLY, psn + 10, LEN);
	}
	flush(pair);
	assert_seen_psns(1, 11, 3, 13);
	(void)snprintf(settings, sizeof(settings), "drop @ qpn=%u", peer(6));
	wire_stop();
	wire_start(settings);
	put_packets(peer(5), 2);
	put_packets(peer(6), 2);
	flush(pair);
	assert_seen_psns(1, 2);
	wire_stop();
}

static uint32_t lose_some(const char *settings, uint32_t *psns)
{
	uint32_t nr;

	wire_start(settings);
	put_packets(peer(5), 300);
	flush(pair);
	nr = pair->seen.nr;
	for (uint32_t i = 0; i < nr; i++)
		psns[i] = pair->seen.packets[i].psn;
	wire_stop();
	return nr;
}

static void wire_seed_repeats_faults(void **state)
{
	uint32_t first[300] = {}, again[300] = {}, other[300] = {};
	uint32_t nr = lose_some("seed=7; drop @ p=20%", first);

	assert_in_range(nr, 180, 290);
	assert_int_equal(lose_some("seed=7; drop @ p=20%", again), nr);
	assert_memory_equal(first, again, sizeof(first));
	(void)lose_some("seed=8; drop @ p=20%", other);
	assert_memory_not_equal(first, other, sizeof(first));
}

/* The kernel would split it; with rules, each packet is a datagram. */
static void wire_packets_of_long_message_have_faults(void **state)
{
	wire_start("drop @ nth=3");
	put_run(pair, &path, peer(5), 6, 1024);
	uroce_port_flush(pair->port[0]);
	receive(pair, 1);
	assert_int_equal(pair->seen.nr, 6);
	assert_int_equal(pair->seen.packets[1].psn, 1);
	assert_int_equal(pair->seen.packets[2].psn, 3);
	wire_stop();
}

/* -- links -- */

static void link_start(const char *settings)
{
	clock_ns = UINT64_C(1000000000000);
	wire_start(settings);
}

/* Packets that are due arrive. */
static void receive_due(void)
{
	uint32_t nr = 0;

	put(pair, &path, peer(5), UROCE_SEND_ONLY, TICK_PSN, 4);
	flush(pair);
	for (uint32_t i = 0; i < pair->seen.nr; i++)
		if (pair->seen.packets[i].psn != TICK_PSN)
			pair->seen.packets[nr++] = pair->seen.packets[i];
	assert_int_equal(pair->seen.nr, nr + 1);
	pair->seen.nr = nr;
}

static void elapse(uint64_t ns)
{
	uroce_port_flush(pair->port[0]);
	clock_ns += ns;
	receive_due();
}

static void assert_seen_in_order(uint32_t nr)
{
	assert_int_equal(pair->seen.nr, nr);
	for (uint32_t i = 0; i < nr; i++)
		assert_int_equal(pair->seen.packets[i].psn, i + 1);
}

static void link_with_rate_spaces_packets(void **state)
{
	link_start("link=" RATE " @ " DATA);
	put_packets(peer(5), 5);
	elapse(MS - 1);
	assert_seen_in_order(0);
	elapse(1);
	assert_seen_in_order(1);
	elapse(MS - 1);
	assert_seen_in_order(1);
	elapse(3 * MS + 1);
	assert_seen_in_order(5);
	/* time of an idle link is not saved */
	elapse(100 * MS);
	put(pair, &path, peer(5), UROCE_SEND_ONLY, 6, LEN);
	put(pair, &path, peer(5), UROCE_SEND_ONLY, 7, LEN);
	elapse(MS);
	assert_seen_in_order(6);
	elapse(MS);
	assert_seen_in_order(7);
	wire_stop();
}

/* 650 2/3 ns for a packet */
static void link_with_high_rate_adds_fractions(void **state)
{
	link_start("link=3gbit @ " DATA);
	put_packets(peer(5), 300);
	elapse(195200 - 1);
	assert_seen_in_order(299);
	elapse(1);
	assert_seen_in_order(300);
	wire_stop();
}

static void link_rate_covers_ipv6_header(void **state)
{
	link_start("link=" RATE " @ " DATA);
	path = path_between("::1", "::1");
	put_packets(peer(5), 61);
	/* 20 bytes of 244 more */
	elapse(66 * MS - 1);
	assert_seen_in_order(60);
	elapse(1);
	assert_seen_in_order(61);
	wire_stop();
}

static void link_with_delay_keeps_order(void **state)
{
	link_start("link=+5ms @ " DATA);
	put_packets(peer(5), 3);
	elapse(4 * MS);
	put(pair, &path, peer(5), UROCE_SEND_ONLY, 4, LEN);
	elapse(MS - 1);
	assert_seen_in_order(0);
	elapse(1);
	assert_seen_in_order(3);
	elapse(4 * MS - 1);
	assert_seen_in_order(3);
	elapse(1);
	assert_seen_in_order(4);
	wire_stop();
}

static void link_with_rate_and_delay_adds_both(void **state)
{
	link_start("link=" RATE "+10ms @ " DATA);
	put_packets(peer(5), 3);
	elapse(11 * MS - 1);
	assert_seen_in_order(0);
	elapse(1);
	assert_seen_in_order(1);
	elapse(2 * MS);
	assert_seen_in_order(3);
	wire_stop();
}

/* Nothing but the thread sends the packet. */
static void link_without_later_packets_delivers(void **state)
{
	wire_start("link=1gbit+3ms");
	put_packets(peer(5), 3);
	uroce_port_flush(pair->port[0]);
	receive_until(3);
	assert_seen_in_order(3);
	wire_stop();
}

/*
 * A packet of 1044 bytes takes 1 ms. The queue has 20 ms, and 150000 bytes or
 * 143.7 ms.
 */
static void link_with_full_queue_drops_packets(void **state)
{
	link_start("link=8352kbit+10ms @ " DATA);
	for (uint32_t psn = 1; psn <= 200; psn++)
		put(pair, &path, peer(5), UROCE_SEND_ONLY, psn, 1000);
	elapse(1000 * MS);
	assert_seen_in_order(164);
	put(pair, &path, peer(5), UROCE_SEND_ONLY, 165, 1000);
	elapse(11 * MS);
	assert_seen_in_order(165);
	wire_stop();
}

static void link_of_each_rule_has_own_queue(void **state)
{
	link_start("link=" RATE "+10ms @ bytes=100-199;"
		   "link=" RATE " @ " DATA);
	for (uint32_t psn = 4; psn <= 6; psn++)
		put(pair, &path, peer(5), UROCE_SEND_ONLY, psn, LEN / 2);
	put_packets(peer(5), 3);
	elapse(3 * MS);
	assert_seen_in_order(3);
	elapse(10 * MS);
	assert_seen_in_order(6);
	wire_stop();
}

static void link_follows_rules_of_packets(void **state)
{
	link_start("link=" RATE " @ " DATA "; dup @ nth=1," DATA ";"
		   "drop @ nth=1," DATA "; delay=1ms @ nth=1," DATA);
	put_packets(peer(5), 4);
	elapse(MS);
	assert_seen_psns(1);
	elapse(MS);
	assert_seen_psns(1, 1);
	elapse(MS);
	assert_seen_psns(1, 1, 4);
	elapse(MS);
	assert_seen_psns(1, 1, 4, 3);
	wire_stop();
}

static void link_with_schedule_ends(void **state)
{
	link_start("link=" RATE "+1s @ " DATA ",before=2ms;"
		   "drop @ " DATA ",after=2ms,before=3ms");
	put(pair, &path, peer(5), UROCE_SEND_ONLY, 3, LEN);
	elapse(2 * MS);
	put(pair, &path, peer(5), UROCE_SEND_ONLY, 2, LEN);
	elapse(MS);
	put(pair, &path, peer(5), UROCE_SEND_ONLY, 1, LEN);
	elapse(0);
	assert_seen_psns(1);
	elapse(1000 * MS);
	assert_seen_psns(1, 3);
	wire_stop();
}

static void link_packets_are_lost_at_end(void **state)
{
	wire_start("link=1kbit+1000s");
	put_packets(peer(5), 10);
	flush(pair);
	assert_int_equal(pair->seen.nr, 0);
	wire_stop();
}

/* -- addresses -- */

/* Return: whether a packet between these addresses is lost. */
static bool address_matches(const char *selector, const char *from,
			    const char *to)
{
	char settings[200];
	bool is_lost;

	(void)snprintf(settings, sizeof(settings), "drop @ %s", selector);
	wire_start(settings);
	path = path_between(from, to);
	put_packets(peer(5), 1);
	flush(pair);
	assert_int_equal(strncmp(log_line, "libibverbs", 10) == 0, 0);
	is_lost = pair->seen.nr == 0;
	wire_stop();
	return is_lost;
}

static void wire_addresses_select_packets(void **state)
{
	static const struct {
		const char *prefix;
		bool ipv4, ipv6; /* 127.0.0.1, ::1 */
	} cases[] = {
		{ "127.0.0.1", true, false },
		{ "127.0.0.1/32", true, false },
		{ "127.0.0.2", false, false },
		{ "127.0.0.2/31", false, false },
		{ "127.0.0.2/30", true, false },
		{ "126.0.0.0/8", false, false },
		{ "126.0.0.0/7", true, false },
		{ "128.0.0.0/0", true, false },
		{ "::ffff:127.0.0.1", true, false },
		{ "::ffff:127.1.0.0/104", true, false },
		{ "::1", false, true },
		{ "::1/128", false, true },
		{ "::2", false, false },
		{ "::2/127", false, false },
		{ "::2/126", false, true },
		{ "8000::/1", false, false },
		{ "::/0", false, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char from[100], to[100];

		(void)snprintf(from, sizeof(from), "from=%s", cases[i].prefix);
		(void)snprintf(to, sizeof(to), "to=%s", cases[i].prefix);
		assert_int_equal(
			address_matches(from, "127.0.0.1", "127.0.0.1"),
			cases[i].ipv4);
		assert_int_equal(address_matches(to, "127.0.0.1", "127.0.0.1"),
				 cases[i].ipv4);
		assert_int_equal(address_matches(from, "::1", "::1"),
				 cases[i].ipv6);
		assert_int_equal(address_matches(to, "::1", "::1"),
				 cases[i].ipv6);
	}
}

static void wire_source_and_destination_differ(void **state)
{
	assert_true(
		address_matches("from=127.0.0.2", "127.0.0.2", "127.0.0.1"));
	assert_false(address_matches("to=127.0.0.2", "127.0.0.2", "127.0.0.1"));
	assert_true(address_matches("from=127.0.0.2,to=127.0.0.1", "127.0.0.2",
				    "127.0.0.1"));
	assert_false(address_matches("from=127.0.0.2,to=127.0.0.3", "127.0.0.2",
				     "127.0.0.1"));
}

/* -- files -- */

static void rules_write(const char *text, size_t len)
{
	int fd = open(RULES_FILE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		      0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	assert_int_equal(close(fd), 0);
}

static void wire_file_has_rules(void **state)
{
	static const char rules[] =
		"# the network\n\nseed=7; drop @ nth=1 # first\n"
		"drop @ nth=3;dup @ nth=4\r\n";

	rules_write(rules, strlen(rules));
	wire_start("@" RULES_FILE);
	put_packets(peer(5), 4);
	flush(pair);
	/* the first packet is no event of the rules after the first */
	assert_seen_psns(2, 3);
	wire_stop();
	wire_start("drop @ nth=2; @ " RULES_FILE " ; @" RULES_FILE);
	put_packets(peer(5), 4);
	flush(pair);
	/* the first rule loses the second packet, the files lose two */
	assert_seen_psns(4);
	wire_stop();
}

static void wire_64_rules_are_read(void **state)
{
	char settings[64 * 20 + 20];
	size_t len = 0;

	for (unsigned int i = 0; i < 63; i++)
		len += (size_t)snprintf(settings + len, sizeof(settings) - len,
					"dup @ qpn=9%u;", i);
	(void)snprintf(settings + len, sizeof(settings) - len, "drop @ nth=2");
	wire_start(settings);
	put_packets(peer(5), 3);
	flush(pair);
	assert_seen_psns(1, 3);
	wire_stop();
	(void)snprintf(settings + len, sizeof(settings) - len,
		       "drop @ nth=1;drop @ nth=2");
	wire_start(settings);
	put_packets(peer(5), 3);
	flush(pair);
	assert_seen_psns(1, 2, 3);
	assert_non_null(strstr(log_line, "too many rules"));
	wire_stop();
}

/* -- mistakes -- */

/* All packets arrive, and the message is on standard error. */
static void assert_mistake(const char *settings, const char *message)
{
	char expected[800];

	wire_start(settings);
	put_packets(peer(5), 2);
	flush(pair);
	assert_seen_psns(1, 2);
	(void)snprintf(expected, sizeof(expected),
		       "libibverbs: UROCE_WIRE_FAULTS: %s; there are no "
		       "faults\n",
		       message);
	assert_string_equal(log_line, expected);
	wire_stop();
}

static void wire_mistake_leaves_packets_alone(void **state)
{
	static const char no_selectors[] = "a rule needs \"@\" and selectors";
	static const char no_selector[] =
		"unknown selector; there are qpn=, bytes=, from=, to=, nth=, "
		"every=, p=, after=, before= and limit=";
	static const char no_action[] =
		"unknown action; there are drop, dup, corrupt, delay=, "
		"reorder= and link=";
	static const char no_delay[] = "delay= needs a time such as 100us..1ms";
	static const char no_link[] =
		"link= needs a rate up to 1000gbit, a delay up to 1000s, or "
		"both, such as 200mbit+5ms";
	static const char no_address[] =
		"from= and to= need an address such as 192.0.2.1 or "
		"2001:db8::/32";
	static const char twice[] = "the selector is there twice";
	static const struct {
		const char *rule, *message;
	} mistakes[] = {
		{ "drop", no_selectors },
		{ "drop @", no_selector },
		{ "drop=1 @ nth=1", no_action },
		{ "lose @ nth=1", no_action },
		{ "drop @ nth=0", "nth= needs a number, from 1" },
		{ "drop @ nth=1,nth=2", twice },
		{ "drop @ op=SEND", no_selector },
		{ "drop @ after=2s,before=1s",
		  "before= must be later than after=" },
		{ "delay @ nth=1", no_delay },
		{ "delay=1 @ nth=1", no_delay },
		{ "delay=2ms..1ms @ nth=1", no_delay },
		{ "reorder=0 @ nth=1",
		  "reorder= needs a number of packets, from 1" },
		{ "seed=x", "seed= needs a number" },
		{ "drop @ qpn=0", "qpn= needs the number of a queue pair" },
		{ "drop @ bytes=2-1",
		  "bytes= needs a number or a range such as 1-4096" },
		{ "link", no_link },
		{ "link=", no_link },
		{ "link=1gbit @", no_selector },
		{ "link=+", no_link },
		{ "link=+5", no_link },
		{ "link=0mbit", no_link },
		{ "link=1mbit+", no_link },
		{ "link=1mbit+5ms+5ms", no_link },
		{ "link=1.5mbit", no_link },
		{ "link=-1mbit", no_link },
		{ "link=100", no_link },
		{ "link=100Mbit", no_link },
		{ "link=5ms", no_link },
		{ "link=1001gbit", no_link },
		{ "link=18446744073709551616kbit", no_link },
		{ "link=18446744073709551gbit", no_link },
		{ "link=+1001s", no_link },
		{ "link=+99999999999999999s", no_link },
		{ "drop @ from=", no_address },
		{ "drop @ from=localhost", no_address },
		{ "drop @ to=10.0.0", no_address },
		{ "drop @ to=10.0.0.0/", no_address },
		{ "drop @ to=10.0.0.0/33", no_address },
		{ "drop @ to=10.0.0.0/-1", no_address },
		{ "drop @ to=10.0.0.0/8/8", no_address },
		{ "drop @ to=::1/129", no_address },
		{ "drop @ to=/8", no_address },
		{ "drop @ to=1111:1111:1111:1111:1111:1111:1111:1111:1111:1111",
		  no_address },
		{ "drop @ from=::1,from=::1", twice },
		{ "drop @ to=::1,to=::2", twice },
		{ "@", "@ needs the name of a file" },
		{ "@/nowhere/rules", "No such file or directory" },
		{ "@/", "Is a directory" },
		{ "@/dev/zero", "the files have more than 64 KiB" },
	};

	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		char message[300];

		(void)snprintf(message, sizeof(message), "\"%s\": %s",
			       mistakes[i].rule, mistakes[i].message);
		assert_mistake(mistakes[i].rule, message);
	}
}

static void wire_mistake_in_file_has_line(void **state)
{
	static const char rules[] = "drop @ nth=1\n\n dup @ p=1; drop @ p=2 #";
	static const char nested[] = "drop @ nth=1; @" RULES_FILE;
	static const char binary[] = "drop @ nth=1\n\0drop";

	rules_write(rules, strlen(rules));
	assert_mistake("drop @ nth=1; @" RULES_FILE,
		       RULES_FILE ":3: \"drop @ p=2\": p= needs a number "
				  "from 0 to 1 such as 0.01, or 1%");
	rules_write("drop @ p=0", 10);
	assert_mistake("@" RULES_FILE "; drop",
		       "\"drop\": a rule needs \"@\" and selectors");
	rules_write(nested, strlen(nested));
	assert_mistake("@" RULES_FILE,
		       RULES_FILE ":1: \"@" RULES_FILE
				  "\": a file of rules cannot name another "
				  "file");
	rules_write(binary, sizeof(binary) - 1);
	assert_mistake("@" RULES_FILE,
		       "\"@" RULES_FILE "\": the file is no text");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_drop_loses_packets),
		cmocka_unit_test(wire_dup_sends_packet_twice),
		cmocka_unit_test(wire_signals_lose_no_packet),
		cmocka_unit_test(wire_corrupt_breaks_icrc),
		cmocka_unit_test(wire_reorder_lets_packets_overtake),
		cmocka_unit_test(wire_reorder_of_last_packet_arrives),
		cmocka_unit_test(wire_delay_sends_packet_later),
		cmocka_unit_test(wire_delayed_packet_is_lost_at_end),
		cmocka_unit_test(wire_time_selects_packets),
		cmocka_unit_test(wire_qpn_selects_flow_and_flows_count_alone),
		cmocka_unit_test(wire_seed_repeats_faults),
		cmocka_unit_test(wire_packets_of_long_message_have_faults),
		cmocka_unit_test(link_with_rate_spaces_packets),
		cmocka_unit_test(link_with_high_rate_adds_fractions),
		cmocka_unit_test(link_rate_covers_ipv6_header),
		cmocka_unit_test(link_with_delay_keeps_order),
		cmocka_unit_test(link_with_rate_and_delay_adds_both),
		cmocka_unit_test(link_without_later_packets_delivers),
		cmocka_unit_test(link_with_full_queue_drops_packets),
		cmocka_unit_test(link_of_each_rule_has_own_queue),
		cmocka_unit_test(link_follows_rules_of_packets),
		cmocka_unit_test(link_with_schedule_ends),
		cmocka_unit_test(link_packets_are_lost_at_end),
		cmocka_unit_test(wire_addresses_select_packets),
		cmocka_unit_test(wire_source_and_destination_differ),
		cmocka_unit_test(wire_file_has_rules),
		cmocka_unit_test(wire_64_rules_are_read),
		cmocka_unit_test(wire_mistake_leaves_packets_alone),
		cmocka_unit_test(wire_mistake_in_file_has_line),
	};

	(void)uroce_netns_enter();
	return cmocka_run_group_tests(tests, uroce_members_start,
				      uroce_members_stop);
}
