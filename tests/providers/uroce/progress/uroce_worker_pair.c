/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opening and connecting the pairs. */
#include "uroce_worker_pair.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "uroce/progress/uroce_worker_state.h"
#include "uroce_fake_port.h"

static void connect_pair(struct pair *pair, uint8_t timeout)
{
	for (int i = 0; i < 2; i++)
		pair->address[i] = side_address(&pair->side[i], 1);
	for (int i = 0; i < 2; i++)
		side_connect(&pair->side[i], &pair->address[i],
			     &pair->address[!i], IBV_MTU_1024, timeout);
}

void open_pair(struct pair *pair, uint8_t timeout)
{
	struct uroce_netdev dev = fake_netdev();

	side_open(&pair->side[0], &dev);
	side_open(&pair->side[1], &dev);
	connect_pair(pair, timeout);
}

void quiesce_pair(const struct pair *pair)
{
	struct uroce_worker *worker = pair->side[0].worker;

	while (__atomic_load_n(&worker->helper.until_ns, __ATOMIC_RELAXED) !=
	       UROCE_NEVER)
		(void)sched_yield();
	/* the helper has reported it before it releases the lock */
	uroce_worker_acquire(worker);
	uroce_worker_release(worker);
}

void close_pair(struct pair *pair)
{
	side_close(&pair->side[0]);
	side_close(&pair->side[1]);
	assert_int_equal(fake.nr_open, 0);
	assert_int_equal(fake.nr_addresses, 0);
}

int worker_pair_setup(void **state)
{
	if (fake.nr_open)
		return -1; /* a failed test left the pair open; closing would
			      block */
	fake_reset();
	return 0;
}
