/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads of a program of libibverbs 1.0: they share a list, its devices, a
 * context and one of its channels, and each creates its own objects. The kernel
 * and the device nodes are fakes. The test is intended for ThreadSanitizer, but
 * also detects failures without it.
 */
#include <errno.h>
#include <provider/provider.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include <cmocka.h>

#include "compat/compat_1_0.h"
#include "core/provider_registry.h"
#include "support/fake_netlink.h"
#include "support/fake_uverbs.h"

#define NR_THREADS  8
#define NR_ROUNDS   2000
#define NR_CHANNELS 300

extern const struct verbs_device_ops verbs_provider_rxe;

/* Failures are counted: the assertions of cmocka are not thread-safe. */
static atomic_uint nr_failures;

static struct ibv_device_1_0 **list;
static struct ibv_context_1_0 *shared;
static struct ibv_comp_channel *channel;

/*
 * One barrier for each phase, so that no barrier adds more ordering than
 * necessary.
 */
enum { BEFORE, MADE, USED, NR_BARRIERS };
static pthread_barrier_t barriers[NR_BARRIERS];

static void assert_counted(bool good)
{
	if (!good)
		atomic_fetch_add(&nr_failures, 1);
}

/* Ops that the fake kernel does not support. */
static int create_comp_channel(struct ibv_context *ctx, int *ret_fd)
{
	*ret_fd = eventfd(0, EFD_CLOEXEC);
	return *ret_fd < 0 ? -errno : 0;
}

static int create_cq(struct ibv_context *ctx,
		     const struct ibv_cq_init_attr_ex *attr, bool extended,
		     struct verbs_cq **ret_vcq)
{
	*ret_vcq = calloc(1, sizeof(**ret_vcq));
	if (!*ret_vcq)
		return -ENOMEM;
	verbs_init_cq(&(*ret_vcq)->cq, ctx, attr->channel, attr->cq_context);
	return 0;
}

static int destroy_cq(struct ibv_cq *cq)
{
	verbs_fini_cq(cq);
	free(cq);
	return 0;
}

static const struct verbs_context_ops ops = {
	.create_comp_channel = create_comp_channel,
	.create_cq = create_cq,
	.destroy_cq = destroy_cq,
};

static struct ibv_context_1_0 *context_open_first(struct ibv_device_1_0 *device)
{
	struct ibv_context_1_0 *ctx = compat_ibv_open_device(device);

	if (ctx)
		verbs_context_set_ops(verbs_get_ctx(ctx->real_context), &ops);
	return ctx;
}

/* Several threads create the first CQ of a channel at the same time. */
static void channel_use(struct ibv_context_1_0 *ctx,
			struct ibv_comp_channel *of)
{
	struct ibv_cq_1_0 *cq = compat_ibv_create_cq(ctx, 1, &cq, of, 0);

	assert_counted(cq != NULL);
	if (!cq)
		return;
	assert_counted(cq->cq_context == &cq);
	assert_counted(compat_ibv_destroy_cq(cq) == 0);
}

static void objects_create_and_destroy(void)
{
	struct ibv_device_1_0 **own = compat_ibv_get_device_list(NULL);
	struct ibv_comp_channel *of;
	struct ibv_context_1_0 *ctx;

	assert_counted(own != NULL);
	if (!own)
		return;
	ctx = context_open_first(own[0]);
	compat_ibv_free_device_list(own);
	assert_counted(ctx != NULL);
	if (!ctx)
		return;
	assert_counted(strncmp(compat_ibv_get_device_name(ctx->device), "rxe",
			       3) == 0);
	of = ibv_create_comp_channel((void *)ctx);
	assert_counted(of != NULL);
	channel_use(ctx, of);
	assert_counted(ibv_destroy_comp_channel(of) == 0);
	assert_counted(compat_ibv_close_device(ctx) == 0);
}

/* One thread creates a channel, and all threads use it concurrently. */
static void channel_create_first_cq(void)
{
	bool last = pthread_barrier_wait(&barriers[BEFORE]) ==
		    PTHREAD_BARRIER_SERIAL_THREAD;

	if (last)
		channel = ibv_create_comp_channel((void *)shared);
	(void)pthread_barrier_wait(&barriers[MADE]);
	channel_use(shared, channel);
	(void)pthread_barrier_wait(&barriers[USED]);
	if (last)
		assert_counted(ibv_destroy_comp_channel(channel) == 0);
}

static void *compat_thread_run(void *arg)
{
	struct ibv_context_1_0 *ctx;

	for (int i = 0; i < NR_ROUNDS; i++) {
		ctx = context_open_first(list[0]);
		assert_counted(ctx != NULL);
		if (ctx)
			assert_counted(compat_ibv_close_device(ctx) == 0);
		objects_create_and_destroy();
	}
	for (int i = 0; i < NR_CHANNELS; i++)
		channel_create_first_cq();
	return NULL;
}

static void compat_threads_share_list_context_and_channel(void **state)
{
	pthread_t threads[NR_THREADS];
	struct fake_netlink_device *dev;

	assert_int_equal(verbs_provider_register(&verbs_provider_rxe), 0);
	fake_netlink_reset();
	dev = fake_netlink_add(0);
	dev->chardev = fake_uverbs_chardev(0);
	dev->driver_id = RDMA_DRIVER_RXE;
	dev->abi = 2;
	list = compat_ibv_get_device_list(NULL);
	assert_non_null(list);
	assert_non_null(list[0]);
	shared = context_open_first(list[0]);
	assert_non_null(shared);

	for (int i = 0; i < NR_BARRIERS; i++)
		(void)pthread_barrier_init(&barriers[i], NULL, NR_THREADS);
	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						compat_thread_run, NULL),
				 0);
	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	for (int i = 0; i < NR_BARRIERS; i++)
		(void)pthread_barrier_destroy(&barriers[i]);

	assert_int_equal(atomic_load(&nr_failures), 0);
	compat_ibv_free_device_list(list);
	assert_int_equal(compat_ibv_close_device(shared), 0);
}

static int compat_threads_start(void **state)
{
	fake_uverbs_start(1);
	return 0;
}

static int compat_threads_stop(void **state)
{
	fake_uverbs_stop();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			compat_threads_share_list_context_and_channel,
			compat_threads_start, compat_threads_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
