/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * State of the worker: devices, addresses, groups, and fork(). The fake port
 * returns sent packets.
 */
#include "uroce/progress/uroce_worker.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce_fake_port.h"
#include "uroce_worker_pair.h"

static void worker_is_shared_by_devices(void **state)
{
	struct uroce_netdev dev = fake_netdev();
	struct side a, b;

	side_open(&a, &dev);
	assert_int_equal(fake.nr_open, 1);
	assert_int_equal(fake.nr_addresses, 2);
	side_open(&b, &dev);
	assert_int_equal(fake.nr_open, 1);
	assert_int_equal(fake.nr_addresses, 4);
	assert_ptr_equal(uroce_worker_engine(a.worker),
			 uroce_worker_engine(b.worker));
	assert_int_not_equal(a.pd, b.pd);
	assert_int_not_equal(a.qp->qpn, b.qp->qpn);
	assert_int_equal(a.qp->qpn >> 16, FAKE_SLOT);
	assert_int_equal(uroce_worker_engine(a.worker)->room_bytes,
			 FAKE_ROOM_BYTES);
	assert_false(uroce_instance_dead(a.instance));
	assert_int_equal(uroce_instance_port_error(a.instance), 0);
	side_close(&a);
	assert_int_equal(fake.nr_open, 1);
	assert_int_equal(fake.nr_addresses, 2);
	side_close(&b);
	assert_int_equal(fake.nr_open, 0);
	assert_int_equal(fake.nr_addresses, 0);
}

static void worker_empty_gid_adds_no_address(void **state)
{
	struct uroce_netdev dev = fake_netdev();
	struct side side;

	memset(dev.gids[0], 0, UROCE_GID_LEN);
	side_open(&side, &dev);
	assert_int_equal(fake.nr_addresses, 1);
	side_close(&side);
}

static void worker_without_port_works_locally(void **state)
{
	struct uroce_netdev dev = fake_netdev();
	uint8_t group[UROCE_GID_LEN] = { 0xff, 0x1e };
	struct uroce_instance_counters counters;
	struct uroce_cqe cqe;
	struct pair pair;

	fake.open_error = -EADDRINUSE;
	open_pair(&pair, 1);
	assert_int_equal(uroce_instance_port_error(pair.side[0].instance),
			 -EADDRINUSE);
	assert_int_equal(uroce_worker_join(pair.side[0].worker,
					   pair.side[0].instance, group),
			 -EADDRINUSE);
	uroce_instance_counters(pair.side[0].instance, &counters);
	assert_int_equal(counters.port.tx_datagrams, 0);
	side_send(&pair.side[0], IBV_WR_SEND, 8, &pair.address[1]);
	side_poll(&pair.side[0], &cqe);
	assert_int_equal(cqe.status, IBV_WC_RETRY_EXC_ERR);
	assert_int_equal(dev.nr_gids, 2);
	close_pair(&pair);
}

static void worker_failed_attach_leaves_nothing(void **state)
{
	struct uroce_netdev dev = fake_netdev();
	struct uroce_instance *instance = NULL;

	fake.add_error = -ENOMEM;
	assert_int_equal(
		uroce_instance_attach(&dev, &side_ops, NULL, &instance),
		-ENOMEM);
	assert_null(instance);
	assert_int_equal(fake.nr_open, 0);
}

/* A CQ that is freed while it is armed must not stay counted as armed. */
static void worker_freed_cq_is_not_armed(void **state)
{
	struct uroce_netdev dev = fake_netdev();
	struct side side, other;

	side_open(&side, &dev);
	side_open(&other, &dev);
	for (int i = 0; i < 3; i++)
		(void)uroce_worker_arm_cq(other.worker, &other.cq, i % 2);
	assert_int_equal(other.cq.armed, UROCE_CQ_NEXT);
	side_close(&other);
	side_close(&side);
}

/* The GRH contains the traffic class and the hop limit. */
static void worker_ip_header_is_reported_for_ud(void **state)
{
	struct uroce_netdev dev = fake_netdev();
	struct side connected, datagrams;

	side_open(&connected, &dev);
	assert_false(fake.reports_header);
	side_open_datagrams(&datagrams, &dev);
	assert_true(fake.reports_header);
	side_close(&datagrams);
	assert_false(fake.reports_header);
	side_close(&connected);
}

/* The traffic class has the ECN mark. Short messages do not pay for it. */
static void worker_ip_header_is_reported_for_long_messages(void **state)
{
	struct uroce_cqe cqe;
	struct pair pair;

	open_pair(&pair, LONG);
	side_send(&pair.side[0], IBV_WR_RDMA_WRITE, 8, &pair.address[1]);
	side_poll(&pair.side[0], &cqe);
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	assert_false(fake.reports_header);
	side_send(&pair.side[0], IBV_WR_RDMA_WRITE, SIDE_MEMORY,
		  &pair.address[1]);
	side_poll(&pair.side[0], &cqe);
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	assert_true(fake.reports_header);
	close_pair(&pair);
}

static void worker_interface_change_updates_addresses(void **state)
{
	struct uroce_netdev dev = fake_netdev(), found;
	struct side side;

	side_open(&side, &dev);
	fake_lock();
	fake.dev.gids[2][15] = 9;
	fake.dev.nr_gids = 3;
	memset(fake.dev.gids[0], 0, UROCE_GID_LEN);
	fake_unlock();
	fake_change_link();
	(void)sem_wait(&side.netdev_events);
	assert_int_equal(side.netdev_event, UROCE_NETDEV_GIDS);
	uroce_instance_netdev(side.instance, &found);
	assert_int_equal(found.nr_gids, 3);
	assert_int_equal(found.gids[2][15], 9);
	assert_int_equal(fake.nr_addresses, 2);

	fake_lock();
	fake.dev.up = false;
	fake_unlock();
	fake_change_link();
	(void)sem_wait(&side.netdev_events);
	assert_int_equal(side.netdev_event, UROCE_NETDEV_DOWN);
	fake_lock();
	fake.dev.up = true;
	fake_unlock();
	fake_change_link();
	(void)sem_wait(&side.netdev_events);
	assert_int_equal(side.netdev_event, UROCE_NETDEV_UP);

	fake_lock();
	fake.refresh_error = -ENODEV;
	fake_unlock();
	fake_change_link();
	(void)sem_wait(&side.netdev_events);
	assert_int_equal(side.netdev_event, UROCE_NETDEV_DOWN);
	side_close(&side);
	assert_int_equal(fake.nr_addresses, 0);
}

static void worker_multicast_group_is_joined_once(void **state)
{
	struct uroce_netdev dev = fake_netdev();
	uint8_t group[UROCE_GID_LEN] = { 0xff, 0x1e };
	struct side side;

	side_open(&side, &dev);
	uroce_worker_lock(side.worker);
	fake.join_error = -ENOBUFS;
	assert_int_equal(uroce_worker_join(side.worker, side.instance, group),
			 -ENOBUFS);
	fake.join_error = 0;
	assert_int_equal(uroce_worker_join(side.worker, side.instance, group),
			 0);
	assert_int_equal(uroce_worker_join(side.worker, side.instance, group),
			 0);
	assert_int_equal(fake.nr_joined, 1);
	assert_int_equal(fake.nr_join_calls, 2);
	uroce_worker_leave(side.worker, side.instance, group);
	assert_int_equal(fake.nr_joined, 1);
	uroce_worker_leave(side.worker, side.instance, group);
	assert_int_equal(fake.nr_joined, 0);
	uroce_worker_leave(side.worker, side.instance, group);
	assert_int_equal(fake.nr_joined, 0);
	/* a group left over at the end of the worker is freed */
	assert_int_equal(uroce_worker_join(side.worker, side.instance, group),
			 0);
	uroce_worker_unlock(side.worker);
	side_close(&side);
}

/* Runs in a child. Return: 0 on success. */
static int in_child(struct pair *pair)
{
	struct uroce_cqe cqe;

	if (!uroce_instance_dead(pair->side[0].instance) || fake.nr_open)
		return 1;
	side_send(&pair->side[0], IBV_WR_SEND, 8, &pair->address[1]);
	uroce_worker_poll(pair->side[0].worker);
	(void)uroce_worker_arm_cq(pair->side[0].worker, &pair->side[0].cq,
				  false);
	if (side_take(&pair->side[0], &cqe))
		return 2;
	side_close(&pair->side[0]);
	side_close(&pair->side[1]);
	return 0;
}

static int with_own_worker(struct pair *pair)
{
	struct uroce_netdev dev = fake_netdev();
	struct uroce_instance *own = NULL;

	if (uroce_instance_attach(&dev, &side_ops, NULL, &own) ||
	    uroce_instance_dead(own) || fake.nr_open != 1 ||
	    uroce_instance_next_worker(own) == pair->side[0].worker)
		return 1;
	/* closes the inherited worker; the new one stays */
	side_close(&pair->side[0]);
	side_close(&pair->side[1]);
	if (fake.nr_open != 1)
		return 2;
	uroce_instance_detach(own);
	return fake.nr_open ? 3 : 0;
}

static void assert_child(struct pair *pair, int (*child)(struct pair *pair))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(child(pair));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void worker_is_dead_in_child_after_fork(void **state)
{
	struct uroce_cqe cqe;
	struct pair pair;

	open_pair(&pair, LONG);
	assert_child(&pair, in_child);
	/* the parent continues */
	assert_false(uroce_instance_dead(pair.side[0].instance));
	side_receive(&pair.side[1], 64);
	side_send(&pair.side[0], IBV_WR_SEND, 8, &pair.address[1]);
	side_poll(&pair.side[1], &cqe);
	assert_int_equal(cqe.status, IBV_WC_SUCCESS);
	close_pair(&pair);
}

static void worker_can_be_opened_in_child_after_fork(void **state)
{
	struct pair pair;

	open_pair(&pair, LONG);
	assert_child(&pair, with_own_worker);
	close_pair(&pair);
}

static void worker_serves_new_members(void **state)
{
	struct uroce_netdev dev = fake_netdev();
	struct side side;
	uint32_t served = 0;

	side_open(&side, &dev);
	fake_knock();
	while (!served) {
		fake_lock();
		served = fake.nr_served;
		fake_unlock();
	}
	side_close(&side);
}

#define TEST(name) cmocka_unit_test_setup(name, worker_pair_setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(worker_is_shared_by_devices),
		TEST(worker_empty_gid_adds_no_address),
		TEST(worker_without_port_works_locally),
		TEST(worker_failed_attach_leaves_nothing),
		TEST(worker_freed_cq_is_not_armed),
		TEST(worker_ip_header_is_reported_for_ud),
		TEST(worker_ip_header_is_reported_for_long_messages),
		TEST(worker_interface_change_updates_addresses),
		TEST(worker_multicast_group_is_joined_once),
		TEST(worker_is_dead_in_child_after_fork),
		TEST(worker_can_be_opened_in_child_after_fork),
		TEST(worker_serves_new_members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
