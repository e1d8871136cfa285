/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads list, open, query, close and free devices, while another thread
 * removes and adds devices, and while the first thread loads the provider. The
 * number of rounds is fixed. The test is intended for ThreadSanitizer and is
 * linked with WRAP verbs_open_node.
 */
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <provider/provider.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/provider_load.h"
#include "core/provider_registry.h"
#include "support/fake_discover.h"
#include "util/lock.h"

/* last: cmocka.h needs the headers above */
#include <cmocka.h>

#define NR_THREADS 8
#define NR_ROUNDS  500
#define NR_DEVICES 6

/* A driver that no provider matches. */
#define ORPHAN_DRIVER_ID 4711

static atomic_uint nr_contexts; /* currently open */
static atomic_uint nr_opens;
static atomic_uint nr_failures; /* the asserts of cmocka are not thread-safe */
static atomic_uint nr_running;
static pthread_barrier_t start_barrier;

/* ------------------------------------------------------------------------ */
/* A provider without state                                                  */
/* ------------------------------------------------------------------------ */

int __wrap_verbs_open_node(const struct verbs_kernel_device *dev, int *ret_fd);

int __wrap_verbs_open_node(const struct verbs_kernel_device *dev, int *ret_fd)
{
	*ret_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	return *ret_fd < 0 ? -EMFILE : 0;
}

static int stress_alloc_async_fd(struct ibv_context *ctx, int *ret_fd)
{
	*ret_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	return *ret_fd < 0 ? -EMFILE : 0;
}

static int stress_query_port(struct ibv_context *ctx, uint8_t port_num,
			     struct ibv_port_attr *attr)
{
	attr->lid = port_num;
	return 0;
}

static const struct verbs_context_ops stress_ops = {
	.alloc_async_fd = stress_alloc_async_fd,
	.query_port = stress_query_port,
};

static int stress_open_context(struct verbs_device *dev,
			       struct verbs_cmd_file cmd_file,
			       struct verbs_context **ret_vctx)
{
	struct verbs_context *vctx =
		verbs_context_new(dev, cmd_file, sizeof(*vctx));

	if (!vctx)
		return -ENOMEM;
	verbs_context_set_ops(vctx, &stress_ops);
	(void)atomic_fetch_add(&nr_contexts, 1);
	(void)atomic_fetch_add(&nr_opens, 1);
	*ret_vctx = vctx;
	return 0;
}

static void stress_close_context(struct verbs_context *vctx)
{
	verbs_context_free(vctx);
	(void)atomic_fetch_sub(&nr_contexts, 1);
}

static int stress_list_devices(int (*add_device)(void *arg, const char *name,
						 int node_type,
						 __be64 node_guid),
			       void *arg)
{
	return add_device(arg, "soft0", IBV_NODE_UNSPECIFIED, htobe64(99));
}

static const struct verbs_match stress_match[] = {
	{ .kind = VERBS_MATCH_DRIVER_ID, .driver_id = FAKE_DRIVER_ID },
	{ .kind = VERBS_MATCH_END },
};

static const struct verbs_device_ops stress_provider = {
	.provider_abi = VERBS_PROVIDER_ABI,
	.name = "stress",
	.min_abi_version = FAKE_ABI_VERSION,
	.max_abi_version = FAKE_ABI_VERSION,
	.match = stress_match,
	.list_devices = stress_list_devices,
	.open_context = stress_open_context,
	.close_context = stress_close_context,
};

/* Replaces core/provider_load.c. Like there, one thread loads at a time. */
static struct verbs_mutex load_mutex = VERBS_MUTEX_INIT;

static bool load_provider(void)
{
	bool found;

	verbs_mutex_lock(&load_mutex);
	found = verbs_provider_register(&stress_provider) == 0;
	verbs_mutex_unlock(&load_mutex);
	return found;
}

bool verbs_provider_load_opt_in(void)
{
	return false;
}

bool verbs_provider_load_for(uint32_t driver_id)
{
	return driver_id == FAKE_DRIVER_ID && load_provider();
}

bool verbs_provider_load_all(void)
{
	return load_provider();
}

/* ------------------------------------------------------------------------ */
/* Threads                                                                   */
/* ------------------------------------------------------------------------ */

static void count_failure_unless(bool condition)
{
	if (!condition)
		(void)atomic_fetch_add(&nr_failures, 1);
}

static bool name_is_known(const char *name)
{
	return strncmp(name, "fake", 4) == 0 || strcmp(name, "soft0") == 0;
}

static void use_context(struct ibv_context *ctx)
{
	struct ibv_port_attr attr;

	count_failure_unless(name_is_known(ibv_get_device_name(ctx->device)));
	count_failure_unless(ibv_query_port(ctx, 3, &attr) == 0);
	count_failure_unless(attr.lid == 3);
	count_failure_unless(ibv_close_device(ctx) == 0);
}

/* Open the first device and use it after the list was freed. */
static void list_and_open_once(void)
{
	struct ibv_context *first = NULL;
	struct ibv_device **list;
	int count;

	list = ibv_get_device_list(&count);
	count_failure_unless(list);
	if (!list)
		return;
	count_failure_unless(!list[count]);
	for (int i = 0; i < count; i++) {
		count_failure_unless(
			name_is_known(ibv_get_device_name(list[i])));
		count_failure_unless(ibv_get_device_guid(list[i]) != 0);
		count_failure_unless(ibv_get_device_index(list[i]) >= -1);
		if (i == 0)
			first = ibv_open_device(list[i]);
		else
			use_context(ibv_open_device(list[i]));
	}
	ibv_free_device_list(list);
	if (first)
		use_context(first);
}

static void *list_and_open_thread(void *arg)
{
	(void)pthread_barrier_wait(&start_barrier);
	for (int i = 0; i < NR_ROUNDS; i++)
		list_and_open_once();
	(void)atomic_fetch_sub(&nr_running, 1);
	return NULL;
}

static void add_device(unsigned int n, int index)
{
	struct verbs_kernel_device record = fake_discover_record(n);

	record.ibdev_index = index;
	fake_discover_add(&record);
}

static void add_orphan(void)
{
	struct verbs_kernel_device record = fake_discover_record(77);

	record.driver_id = ORPHAN_DRIVER_ID;
	fake_discover_add(&record);
}

/* Replace each device by one with the same name and a new index. */
static void *change_devices_thread(void *arg)
{
	int index = 1000;
	unsigned int n = 0;

	(void)pthread_barrier_wait(&start_barrier);
	while (atomic_load(&nr_running)) {
		struct verbs_kernel_device record = fake_discover_record(n);

		count_failure_unless(fake_discover_remove(record.ibdev_name));
		add_device(n, index++);
		n = (n + 1) % NR_DEVICES;
	}
	return NULL;
}

static void run_threads(void)
{
	pthread_t threads[NR_THREADS], changer;

	assert_int_equal(
		pthread_barrier_init(&start_barrier, NULL, NR_THREADS + 1), 0);
	atomic_store(&nr_running, NR_THREADS);
	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						list_and_open_thread, NULL),
				 0);
	assert_int_equal(
		pthread_create(&changer, NULL, change_devices_thread, NULL), 0);
	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(pthread_join(changer, NULL), 0);
	assert_int_equal(pthread_barrier_destroy(&start_barrier), 0);
}

/*
 * The orphan device matches no provider, so that each thread loads the
 * providers at its first list.
 */
static void device_list_threads_open_while_devices_change_succeeds(void **state)
{
	struct ibv_device **list;
	int count;

	fake_discover_reset();
	for (unsigned int n = 0; n < NR_DEVICES; n++)
		add_device(n, (int)n);
	add_orphan();
	run_threads();
	assert_int_equal(atomic_load(&nr_failures), 0);
	assert_int_equal(atomic_load(&nr_contexts), 0);
	assert_true(atomic_load(&nr_opens) >= NR_THREADS * NR_ROUNDS);

	list = ibv_get_device_list(&count);
	assert_non_null(list);
	assert_int_equal(count, NR_DEVICES + 1);
	ibv_free_device_list(list);

	/* Empty the device list, whose memory would be reported as a leak. */
	fake_discover_reset();
	list = ibv_get_device_list(&count);
	assert_non_null(list);
	assert_int_equal(count, 1);
	ibv_free_device_list(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			device_list_threads_open_while_devices_change_succeeds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
