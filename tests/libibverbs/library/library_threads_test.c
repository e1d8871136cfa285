/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads on the whole library, from the exported functions to the system
 * calls: eight threads list, open, query, close and free, while each scan
 * returns other devices. Kernel and nodes are fakes; rxe is the real provider.
 * Meant for ThreadSanitizer, but useful without it.
 */
#include <infiniband/verbs.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/provider_registry.h"
#include "support/fake_netlink.h"
#include "support/fake_uverbs.h"

#define NR_THREADS 8
#define NR_ROUNDS  10000
#define NR_NODES   6

extern const struct verbs_device_ops verbs_provider_rxe;

/* Failures are counted: cmocka's assertions may be used by one thread only. */
static atomic_uint nr_failures;
static atomic_uint nr_opened;

static void assert_counted(bool good)
{
	if (!good)
		atomic_fetch_add(&nr_failures, 1);
}

static void add_device(unsigned int n, unsigned int incarnation)
{
	struct fake_netlink_device *dev = fake_netlink_add(n);

	dev->index = n + NR_NODES * incarnation;
	dev->chardev = fake_uverbs_chardev(n);
	dev->driver_id = RDMA_DRIVER_RXE;
	dev->abi = 2;
}

/*
 * Called under the list mutex, between the netlink requests and the responses.
 */
static void change_devices(void)
{
	static unsigned int turn;

	turn++;
	if (turn % 3 == 0 && fake_netlink.nr_devices > 2)
		fake_netlink_remove(0);
	else if (turn % 7 == 0) {
		fake_netlink_reset();
		fake_netlink.after_send = change_devices;
		for (unsigned int n = 0; n < NR_NODES; n++)
			add_device(n, turn);
	}
}

static void device_use(struct ibv_context *ctx)
{
	struct ibv_device_attr device_attr;
	struct ibv_port_attr port_attr;
	struct ibv_gid_entry entry;

	assert_counted(ibv_query_device(ctx, &device_attr) == 0);
	assert_counted(ibv_query_port(ctx, 1, &port_attr) == 0);
	assert_counted(port_attr.gid_tbl_len == FAKE_UVERBS_GID_TABLE_LEN);
	assert_counted(ibv_query_gid_ex(ctx, 1, 1, &entry, 0) == 0);
	assert_counted(ibv_query_gid_ex(ctx, 1, 2, &entry, 0) == ENODATA);
}

static void threads_run_round(void)
{
	struct ibv_context *ctx;
	struct ibv_device **list;
	int count;

	list = ibv_get_device_list(&count);
	assert_counted(list != NULL);
	if (!list)
		return;
	for (int i = 0; i < count; i++) {
		assert_counted(list[i]->name[0] == 'r');
		assert_counted(ibv_get_device_index(list[i]) >= 0);
		(void)ibv_get_device_guid(list[i]);
	}
	ctx = count ? ibv_open_device(list[count - 1]) : NULL;
	ibv_free_device_list(list);
	if (!ctx)
		return; /* the fake kernel removed its last device */
	atomic_fetch_add(&nr_opened, 1);
	device_use(ctx);
	assert_counted(ibv_close_device(ctx) == 0);
}

static void *thread_run(void *arg)
{
	for (int i = 0; i < NR_ROUNDS; i++)
		threads_run_round();
	return NULL;
}

static void library_eight_threads_share_devices(void **state)
{
	pthread_t threads[NR_THREADS];

	assert_int_equal(verbs_provider_register(&verbs_provider_rxe), 0);
	fake_netlink_reset();
	fake_netlink.after_send = change_devices;
	for (unsigned int n = 0; n < NR_NODES; n++)
		add_device(n, 0);

	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, thread_run, NULL), 0);
	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);

	assert_int_equal(atomic_load(&nr_failures), 0);
	assert_in_range(atomic_load(&nr_opened), NR_THREADS * NR_ROUNDS / 2,
			NR_THREADS * NR_ROUNDS);
}

static int threads_setup(void **state)
{
	fake_uverbs_start(NR_NODES);
	return 0;
}

static int threads_teardown(void **state)
{
	fake_uverbs_stop();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			library_eight_threads_share_devices, threads_setup,
			threads_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
