/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A netlink scan against the fake kernel: the number of system calls, repeated
 * queries, and errors that end the scan.
 */
#include "discover/discover_netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "discover/netlink_parse.h"
#include "support/fake_netlink.h"

static struct verbs_netlink_cache memory;
static struct verbs_device_records records;

static int setup(void **state)
{
	fake_netlink_reset();
	memory = (struct verbs_netlink_cache){};
	records = (struct verbs_device_records){};
	return 0;
}

static int teardown(void **state)
{
	fake_netlink_check_closed();
	verbs_device_records_free(&records);
	verbs_netlink_cache_free(&memory);
	return 0;
}

static void add_devices(unsigned int from, unsigned int count)
{
	for (unsigned int i = from; i < from + count; i++)
		(void)fake_netlink_add(i); /* with default values */
}

static int scan(void)
{
	verbs_device_records_free(&records);
	fake_calls = 0;
	fake_netlink.nr_queries = 0;
	return verbs_discover_netlink(&memory, &records);
}

/* Compares the records with the devices of the fake kernel. */
static void check_all(void)
{
	assert_int_equal(records.count, fake_netlink.nr_devices);
	for (size_t i = 0; i < records.count; i++) {
		const struct fake_netlink_device *device =
			&fake_netlink.devices[i];
		const struct verbs_kernel_device *record = &records.devices[i];

		assert_string_equal(record->ibdev_name, device->name);
		assert_string_equal(record->uverbs_name, device->uverbs_name);
		assert_int_equal(record->ibdev_index, device->index);
		assert_int_equal(record->driver_id, device->driver_id);
		assert_int_equal(record->abi_version, device->abi);
		assert_int_equal(record->cdev & 0xff, device->chardev & 0xff);
	}
}

static void scan_ok(void)
{
	assert_int_equal(scan(), 0);
	check_all();
}

/* Netlink is unusable; there are no records. */
static void scan_fails(int error)
{
	assert_int_equal(scan(), error);
	assert_int_equal(records.count, 0);
	assert_null(records.devices);
	assert_int_equal(memory.nr_known, 0);
}

static void netlink_scan_no_device_returns_0(void **state)
{
	scan_ok();
	assert_int_equal(fake_calls, 4); /* socket, send, receive, close */
}

static void netlink_scan_1_device_makes_6_then_4_calls(void **state)
{
	add_devices(0, 1);
	scan_ok();
	assert_int_equal(fake_calls, 6);
	scan_ok();
	assert_int_equal(fake_calls, 4);
}

static void netlink_scan_calls_grow_by_at_most_1_per_16_devices(void **state)
{
	static const struct {
		unsigned int devices, first, again;
	} limits[] = {
		{ 1, 6, 4 },
		{ 64, 6 + 64 / 16, 4 + 64 / 16 },
		{ 200, 6 + 200 / 16, 4 + 200 / 16 },
		{ 1000, 6 + 1000 / 16, 4 + 1000 / 16 },
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		(void)teardown(state);
		(void)setup(state);
		add_devices(0, limits[i].devices);
		scan_ok();
		assert_in_range(fake_calls, 6, limits[i].first);
		scan_ok();
		assert_in_range(fake_calls, 4, limits[i].again);
	}
}

static void netlink_scan_queries_in_flight_are_bounded(void **state)
{
	add_devices(0, 300);
	scan_ok();
	assert_in_range(fake_netlink.max_queued, 1, 64);
	scan_ok();
	/* the responses of a window, and one part of the dump */
	assert_in_range(fake_netlink.max_queued, 1, 65);
}

static void netlink_scan_queries_each_device_once(void **state)
{
	add_devices(0, 150);
	scan_ok();
	assert_int_equal(fake_netlink.nr_queries, 150);
	scan_ok();
	assert_int_equal(fake_netlink.nr_queries, 150);
	assert_int_equal(fake_netlink.nr_sockets, 2);
}

static void netlink_scan_removed_device_is_not_queried_again(void **state)
{
	add_devices(0, 3);
	scan_ok();
	fake_netlink_remove(1);
	scan_ok();
	assert_int_equal(fake_netlink.nr_queries, 3);
	scan_ok();
	assert_int_equal(fake_netlink.nr_queries, 2);
}

static void netlink_scan_new_device_is_found(void **state)
{
	add_devices(0, 2);
	scan_ok();
	add_devices(2, 1);
	scan_ok();
	assert_int_equal(fake_netlink.nr_queries, 3);
}

static void netlink_scan_same_name_with_new_index_is_new_device(void **state)
{
	add_devices(0, 2);
	scan_ok();
	fake_netlink.devices[0].index = 17;
	fake_netlink.devices[0].uverbs_name = "uverbs9";
	fake_netlink.devices[0].chardev = 0xe7c9;
	scan_ok();
	assert_int_equal(records.devices[0].ibdev_index, 17);
}

static void netlink_scan_renamed_device_keeps_index(void **state)
{
	add_devices(0, 2);
	scan_ok();
	fake_netlink.devices[1].name = "roce1";
	scan_ok();
	assert_string_equal(records.devices[1].ibdev_name, "roce1");
	assert_int_equal(fake_netlink.nr_queries, 2);
}

/* The dump skips devices with an invalid name. */
static void netlink_scan_response_for_skipped_device_is_dropped(void **state)
{
	add_devices(0, 3);
	scan_ok();
	for (size_t i = 0; i < 3; i++)
		fake_netlink.devices[i].name = "a/b";
	assert_int_equal(scan(), 0);
	assert_int_equal(fake_netlink.nr_queries, 3);
	assert_int_equal(records.count, 0);
}

/* Inserts a response to the first query of the scan before each response. */
static void insert_stale_response(struct fake_netlink_datagram *datagram,
				  unsigned int nr)
{
	static const struct fake_netlink_device old = { .uverbs_name = "old" };
	static struct fake_netlink_datagram copy;
	const struct nlmsghdr *hdr = (const void *)datagram->bytes;

	if (hdr->nlmsg_seq == VERBS_NETLINK_DUMP_NUMBER ||
	    hdr->nlmsg_type == NLMSG_ERROR)
		return;
	copy = *datagram;
	datagram->len = 0;
	fake_netlink_put_chardev(datagram, VERBS_NETLINK_DUMP_NUMBER + 1, &old);
	memcpy(datagram->bytes + datagram->len, copy.bytes, copy.len);
	datagram->len += copy.len;
}

/* A scan uses each sequence number once. */
static void netlink_scan_stale_response_is_ignored(void **state)
{
	add_devices(0, 1);
	scan_ok();
	fake_netlink_remove(0);
	add_devices(1, 1);
	fake_netlink.edit = insert_stale_response;
	scan_ok();
	assert_int_equal(fake_netlink.nr_queries, 2);
}

static void netlink_scan_refused_query_leaves_uverbs_name_empty(void **state)
{
	add_devices(0, 3);
	fake_netlink.devices[1].uverbs_name = NULL;
	assert_int_equal(scan(), 0);
	assert_int_equal(records.count, 3);
	assert_string_equal(records.devices[0].uverbs_name, "uverbs0");
	assert_string_equal(records.devices[1].uverbs_name, "");
	assert_int_equal(records.devices[1].driver_id, 0);
	assert_string_equal(records.devices[2].uverbs_name, "uverbs2");
}

/* The character device may have appeared after the first query. */
static void netlink_scan_query_failed_during_dump_is_repeated(void **state)
{
	add_devices(0, 2);
	scan_ok();
	fake_netlink.devices[0].uverbs_name = NULL;
	assert_int_equal(scan(), 0);
	assert_int_equal(fake_netlink.nr_queries, 3);
	assert_string_equal(records.devices[0].uverbs_name, "");
	assert_int_equal(scan(), 0);
	assert_int_equal(fake_netlink.nr_queries, 2);
}

static void netlink_scan_socket_error_is_returned(void **state)
{
	const int errors[] = { EPROTONOSUPPORT, EPERM, EACCES, EMFILE };

	add_devices(0, 1);
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		fake_netlink.socket_errno = errors[i];
		scan_fails(-errors[i]);
		assert_int_equal(fake_calls, 1);
	}
}

static void netlink_scan_send_error_is_returned(void **state)
{
	add_devices(0, 1);
	fake_netlink.send_errno = EPERM;
	scan_fails(-EPERM);
}

static void netlink_scan_receive_error_during_dump_is_returned(void **state)
{
	add_devices(0, 1);
	fake_netlink.recv_errno = ENOSYS;
	scan_fails(-ENOSYS);
	fake_netlink.recv_errno = 0;
	fake_netlink.socket_errno = 0;
	scan_ok();
}

static void netlink_scan_send_error_of_queries_leaves_names_empty(void **state)
{
	add_devices(0, 100);
	fake_netlink.send_errno = ENOMEM;
	fake_netlink.send_errno_from = 2;
	/* -ENOMEM of the kernel is treated like a failed allocation. */
	assert_int_equal(scan(), -ENOMEM);

	fake_netlink.send_errno = ECONNREFUSED;
	fake_netlink.nr_sends = 0;
	assert_int_equal(scan(), 0);
	assert_int_equal(records.count, 100);
	assert_string_equal(records.devices[63].uverbs_name, "uverbs63");
	assert_string_equal(records.devices[64].uverbs_name, "");
	assert_string_equal(records.devices[99].uverbs_name, "");
}

static void
netlink_scan_receive_error_of_queries_leaves_names_empty(void **state)
{
	add_devices(0, 2);
	fake_netlink.recv_errno = EIO;
	fake_netlink.recv_errno_from = 1;
	assert_int_equal(scan(), 0);
	assert_int_equal(records.count, 2);
	assert_string_equal(records.devices[0].uverbs_name, "");
	assert_string_equal(records.devices[1].uverbs_name, "");
}

static void netlink_scan_refused_dump_returns_eio(void **state)
{
	const int errors[] = { EPERM, EINVAL, EOPNOTSUPP, ENOMEM };

	add_devices(0, 1);
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		fake_netlink.dump_error = errors[i];
		scan_fails(-EIO);
	}
}

static void netlink_scan_interrupted_dump_is_repeated(void **state)
{
	add_devices(0, 3);
	fake_netlink.nr_dump_interrupted = 2;
	scan_ok();
	assert_int_equal(fake_netlink.nr_sockets, 3);
}

static void netlink_scan_busy_dump_is_repeated(void **state)
{
	add_devices(0, 3);
	fake_netlink.nr_dump_refused_busy = 1;
	scan_ok();
	assert_int_equal(fake_netlink.nr_sockets, 2);
}

static void netlink_scan_always_interrupted_dump_returns_estale(void **state)
{
	add_devices(0, 3);
	fake_netlink.nr_dump_interrupted = INT32_MAX;
	scan_fails(-ESTALE);
	assert_in_range(fake_netlink.nr_sockets, 2, 5);
}

static void netlink_scan_duplicate_device_restarts_dump(void **state)
{
	add_devices(0, 3);
	fake_netlink.devices[2].index = 1;
	scan_fails(-ESTALE);
	fake_netlink.devices[2].index = 2;
	scan_ok();
}

static void netlink_scan_done_without_code_ends_dump(void **state)
{
	add_devices(0, 2);
	fake_netlink.done_without_code = true;
	scan_ok();
}

static void netlink_scan_datagrams_with_many_devices_are_parsed(void **state)
{
	add_devices(0, 100);
	fake_netlink.devices_per_datagram = 30;
	scan_ok();
	assert_true(memory.wide);
	fake_netlink.nr_sockets = fake_netlink.nr_closes = 0;
	scan_ok();
	assert_int_equal(fake_netlink.nr_sockets, 1); /* @wide is kept */
	assert_in_range(fake_calls, 4, 12); /* many responses per call */
}

/* Makes responses to queries longer than their slot. */
static void pad_responses(struct fake_netlink_datagram *datagram,
			  unsigned int nr)
{
	static const char padding[2000];
	const struct nlmsghdr *hdr = (const void *)datagram->bytes;

	if (hdr->nlmsg_seq > VERBS_NETLINK_DUMP_NUMBER)
		fake_netlink_put_attr(datagram, 4000, padding, sizeof(padding));
}

static void netlink_scan_oversized_response_returns_emsgsize(void **state)
{
	add_devices(0, 2);
	fake_netlink.edit = pad_responses;
	scan_fails(-EMSGSIZE);
}

/* Replaces the first datagram by one of another process. */
static void forge_sender(struct fake_netlink_datagram *datagram,
			 unsigned int nr)
{
	static struct fake_netlink_device device = {
		.index = 77,
		.name = "forged",
		.uverbs_name = "forged",
	};

	if (fake_netlink.devices[0].index != 0 || nr != 0)
		return;
	datagram->len = 0;
	datagram->sender = 1234;
	fake_netlink_put_device(datagram, VERBS_NETLINK_DUMP_NUMBER, &device);
	for (uint32_t i = 2; i < 10; i++)
		fake_netlink_put_chardev(datagram, i, &device);
}

static void netlink_scan_datagram_of_foreign_sender_is_dropped(void **state)
{
	add_devices(0, 3);
	fake_netlink.edit = forge_sender;
	assert_int_equal(scan(), 0);
	/* The forged datagram replaced that of the first device. */
	assert_int_equal(records.count, 2);
	assert_string_equal(records.devices[0].ibdev_name, "rxe1");
	assert_string_equal(records.devices[0].uverbs_name, "uverbs1");
}

static void truncate_second(struct fake_netlink_datagram *datagram,
			    unsigned int nr)
{
	if (nr == 1)
		datagram->len -= 4;
}

static void netlink_scan_malformed_dump_returns_ebadmsg(void **state)
{
	add_devices(0, 3);
	fake_netlink.edit = truncate_second;
	scan_fails(-EBADMSG);
}

static void truncate_responses(struct fake_netlink_datagram *datagram,
			       unsigned int nr)
{
	const struct nlmsghdr *hdr = (const void *)datagram->bytes;

	if (hdr->nlmsg_seq > VERBS_NETLINK_DUMP_NUMBER)
		datagram->len = 8;
}

static void netlink_scan_malformed_response_returns_ebadmsg(void **state)
{
	add_devices(0, 3);
	fake_netlink.edit = truncate_responses;
	scan_fails(-EBADMSG);
}

static void netlink_scan_late_responses_are_received(void **state)
{
	add_devices(0, 3);
	fake_netlink.late = true;
	scan_ok();
	assert_true(fake_netlink.nr_polls > 0);
}

static void netlink_scan_complete_responses_cause_no_poll(void **state)
{
	add_devices(0, 200);
	scan_ok();
	scan_ok();
	assert_int_equal(fake_netlink.nr_polls, 0);
}

static void netlink_scan_endless_dump_returns_etimedout(void **state)
{
	add_devices(0, 3);
	fake_netlink.never_done = true;
	scan_fails(-ETIMEDOUT);
	assert_int_equal(fake_netlink.nr_polls, 1);
}

static void netlink_scan_always_interrupted_poll_returns_etimedout(void **state)
{
	add_devices(0, 3);
	fake_netlink.never_done = true;
	fake_netlink.poll_errno = EINTR;
	scan_fails(-ETIMEDOUT);
	fake_netlink.poll_errno = EINVAL;
	scan_fails(-EINVAL);
}

static void netlink_scan_missing_responses_cause_1_poll(void **state)
{
	add_devices(0, 200);
	fake_netlink.silent = true;
	assert_int_equal(scan(), 0);
	assert_int_equal(records.count, 200);
	assert_string_equal(records.devices[199].uverbs_name, "");
	assert_int_equal(fake_netlink.nr_polls, 1);

	fake_netlink.silent = false;
	scan_ok(); /* The failure does not affect the next scan. */
}

static void
netlink_scan_missing_responses_of_known_devices_cause_1_poll(void **state)
{
	add_devices(0, 3);
	scan_ok();
	fake_netlink.silent = true;
	assert_int_equal(scan(), 0);
	assert_int_equal(records.count, 3);
	assert_string_equal(records.devices[0].uverbs_name, "");
	assert_int_equal(fake_netlink.nr_polls, 1);
}

static void netlink_scan_small_receive_buffer_shrinks_window(void **state)
{
	for (size_t limit = 2; limit < 80; limit += 7) {
		(void)teardown(state);
		(void)setup(state);
		add_devices(0, 100);
		fake_netlink.queue_limit = limit;
		scan_ok();
		scan_ok();
		scan_ok();
		assert_in_range(fake_netlink.max_queued, 1, limit);
		assert_int_equal(fake_netlink.nr_polls, 0);
	}
}

static void netlink_scan_window_size_is_kept_for_next_scan(void **state)
{
	add_devices(0, 200);
	fake_netlink.queue_limit = 20;
	scan_ok();
	fake_netlink.nr_sockets = fake_netlink.nr_closes = 0;
	scan_ok();
	assert_int_equal(fake_netlink.nr_sockets, 1);
	assert_int_equal(fake_netlink.nr_queries,
			 200); /* no query is repeated */
}

static void netlink_scan_receive_buffer_for_1_response_suffices(void **state)
{
	add_devices(0, 20);
	fake_netlink.queue_limit = 1;
	scan_ok();
	scan_ok();
	scan_ok();
}

/* Endless datagrams without a response. */
static void replace_by_noop(struct fake_netlink_datagram *datagram,
			    unsigned int nr)
{
	datagram->len = 0;
	fake_netlink_put_msg(datagram, NLMSG_NOOP, 0, 0xffff);
}

static void netlink_scan_endless_datagrams_return_eio(void **state)
{
	add_devices(0, 1);
	fake_netlink.never_done = true;
	fake_netlink.edit = replace_by_noop;
	scan_fails(-EIO);
}

static void replace_devices(void)
{
	fake_netlink.after_send = NULL;
	fake_netlink_remove(0);
	fake_netlink_remove(0);
	add_devices(50, 2);
}

/* Removed devices stay in the records, with an empty uverbs_name. */
static void netlink_scan_devices_replaced_during_scan_are_handled(void **state)
{
	add_devices(0, 3);
	scan_ok();
	fake_netlink.after_send = replace_devices;
	assert_int_equal(scan(), 0);
	for (size_t i = 0; i < records.count; i++)
		assert_true(records.devices[i].ibdev_index >= 0);
	scan_ok();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(netlink_scan_no_device_returns_0),
		TEST(netlink_scan_1_device_makes_6_then_4_calls),
		TEST(netlink_scan_calls_grow_by_at_most_1_per_16_devices),
		TEST(netlink_scan_queries_in_flight_are_bounded),
		TEST(netlink_scan_queries_each_device_once),
		TEST(netlink_scan_removed_device_is_not_queried_again),
		TEST(netlink_scan_new_device_is_found),
		TEST(netlink_scan_same_name_with_new_index_is_new_device),
		TEST(netlink_scan_renamed_device_keeps_index),
		TEST(netlink_scan_response_for_skipped_device_is_dropped),
		TEST(netlink_scan_stale_response_is_ignored),
		TEST(netlink_scan_refused_query_leaves_uverbs_name_empty),
		TEST(netlink_scan_query_failed_during_dump_is_repeated),
		TEST(netlink_scan_socket_error_is_returned),
		TEST(netlink_scan_send_error_is_returned),
		TEST(netlink_scan_receive_error_during_dump_is_returned),
		TEST(netlink_scan_send_error_of_queries_leaves_names_empty),
		TEST(netlink_scan_receive_error_of_queries_leaves_names_empty),
		TEST(netlink_scan_refused_dump_returns_eio),
		TEST(netlink_scan_interrupted_dump_is_repeated),
		TEST(netlink_scan_busy_dump_is_repeated),
		TEST(netlink_scan_always_interrupted_dump_returns_estale),
		TEST(netlink_scan_duplicate_device_restarts_dump),
		TEST(netlink_scan_done_without_code_ends_dump),
		TEST(netlink_scan_datagrams_with_many_devices_are_parsed),
		TEST(netlink_scan_oversized_response_returns_emsgsize),
		TEST(netlink_scan_datagram_of_foreign_sender_is_dropped),
		TEST(netlink_scan_malformed_dump_returns_ebadmsg),
		TEST(netlink_scan_malformed_response_returns_ebadmsg),
		TEST(netlink_scan_late_responses_are_received),
		TEST(netlink_scan_complete_responses_cause_no_poll),
		TEST(netlink_scan_endless_dump_returns_etimedout),
		TEST(netlink_scan_always_interrupted_poll_returns_etimedout),
		TEST(netlink_scan_missing_responses_cause_1_poll),
		TEST(netlink_scan_missing_responses_of_known_devices_cause_1_poll),
		TEST(netlink_scan_small_receive_buffer_shrinks_window),
		TEST(netlink_scan_window_size_is_kept_for_next_scan),
		TEST(netlink_scan_receive_buffer_for_1_response_suffices),
		TEST(netlink_scan_endless_datagrams_return_eio),
		TEST(netlink_scan_devices_replaced_during_scan_are_handled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
