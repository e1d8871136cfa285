/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The scenarios of net_scenarios.h with their default options, as regression
 * tests: every flow ends, and no value is above its bound. All values are of
 * simulated time. README.md explains them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "net_scenarios.h"

struct bounds {
	const char *scenario;
	double p50, most; /* slowdown of the flows */
	double jain;	  /* at least */
	double span;
	double beside; /* slowdown of each flow beside them, if there are any */
	uint64_t timeouts;
};

static struct net_result sim_run_scenario(const char *name, uint64_t ecn,
					  uint64_t selective)
{
	const struct net_scenario *scenario = net_scenario_find(name);
	struct net_options options = net_scenario_defaults(scenario);
	struct net_result result;

	options.ecn = ecn;
	options.selective = selective;
	result = net_scenario_run(scenario, &options);
	net_result_print(NULL, NULL);
	net_result_print(name, &result);
	return result;
}

static void sim_expect(const struct bounds *b)
{
	struct net_result result = sim_run_scenario(b->scenario, 1, 1);

	assert_int_equal(result.group[0].nr_unfinished, 0);
	assert_int_equal(result.group[1].nr_unfinished, 0);
	assert_true(result.group[0].p50 >= 1);
	assert_true(result.group[0].p50 <= b->p50);
	assert_true(result.group[0].most <= b->most);
	assert_true(result.group[0].jain >= b->jain);
	assert_true(result.group[0].span <= b->span);
	assert_true(result.group[1].most <= b->beside);
	assert_true(result.timeouts <= b->timeouts);
}

/* A QP whose first window is lost does not wait for the timeout of 67 ms. */
static void incast_of_64_ends_without_timeout(void **state)
{
	sim_expect(&(struct bounds){
		.scenario = "incast",
		.p50 = 50,
		.most = 90,
		.jain = 0.85,
		.span = 1.5,
	});
}

static void permutation_uses_most_of_network(void **state)
{
	sim_expect(&(struct bounds){
		.scenario = "permutation",
		.p50 = 1.3,
		.most = 1.5,
		.jain = 0.95,
		.span = 1.5,
	});
}

static void alltoall_shares_network_fairly(void **state)
{
	sim_expect(&(struct bounds){
		.scenario = "alltoall",
		.p50 = 18,
		.most = 23,
		.jain = 0.95,
		.span = 1.6,
	});
}

static void allreduce_steps_have_equal_duration(void **state)
{
	sim_expect(&(struct bounds){
		.scenario = "allreduce",
		.p50 = 1.2,
		.most = 1.5,
		.jain = 0.95,
		.span = 1.3,
	});
}

static void linkfail_flows_take_remaining_paths(void **state)
{
	sim_expect(&(struct bounds){
		.scenario = "linkfail",
		.p50 = 1.4,
		.most = 2.4,
		.jain = 0.9,
		.span = 2.4,
	});
}

static void slow_receiver_delays_no_flow_to_fast_host(void **state)
{
	sim_expect(&(struct bounds){
		.scenario = "slow",
		.p50 = 8.5,
		.most = 10,
		.jain = 0.9,
		.span = 1.3,
		.beside = 1.3,
	});
}

static void victim_of_incast_keeps_rate(void **state)
{
	sim_expect(&(struct bounds){
		.scenario = "victim",
		.p50 = 36,
		.most = 40,
		.jain = 0.9,
		.span = 1.3,
		.beside = 1.5,
	});
}

static void lossy_link_spares_flows_elsewhere(void **state)
{
	sim_expect(&(struct bounds){
		.scenario = "lossy",
		.p50 = 2,
		.most = 4,
		.jain = 0.7,
		.span = 4,
		.beside = 1.5,
	});
}

static void incast_without_marks_ends(void **state)
{
	struct net_result result = sim_run_scenario("incast", 0, 1);

	assert_int_equal(result.group[0].nr_unfinished, 0);
	assert_int_equal(result.marked, 0);
	assert_int_equal(result.timeouts, 0);
}

/*
 * Devices without selective retransmission report a gap once. If the NAK or the
 * retransmission is lost, too, the requester must not wait for the timeout.
 */
static void incast_of_go_back_n_ends(void **state)
{
	struct net_result result = sim_run_scenario("incast", 1, 0);

	assert_int_equal(result.group[0].nr_unfinished, 0);
	assert_true(result.group[0].p50 <= 80);
	assert_true(result.group[0].most <= 90);
	assert_int_equal(result.timeouts, 0);
}

static void go_back_n_over_lossy_link_ends(void **state)
{
	struct net_result result = sim_run_scenario("lossy", 1, 0);

	assert_int_equal(result.group[0].nr_unfinished, 0);
	assert_true(result.group[0].most <= 150);
	assert_true(result.group[1].most <= 1.5);
	assert_int_equal(result.timeouts, 0);
}

static void same_seed_gives_same_result(void **state)
{
	struct net_result first = sim_run_scenario("incast", 1, 1);
	struct net_result second = sim_run_scenario("incast", 1, 1);

	assert_int_equal(first.packets, second.packets);
	assert_int_equal(first.hops, second.hops);
	assert_true(first.ms == second.ms);
	assert_true(first.group[0].p99 == second.group[0].p99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(incast_of_64_ends_without_timeout),
		cmocka_unit_test(permutation_uses_most_of_network),
		cmocka_unit_test(alltoall_shares_network_fairly),
		cmocka_unit_test(allreduce_steps_have_equal_duration),
		cmocka_unit_test(linkfail_flows_take_remaining_paths),
		cmocka_unit_test(slow_receiver_delays_no_flow_to_fast_host),
		cmocka_unit_test(victim_of_incast_keeps_rate),
		cmocka_unit_test(lossy_link_spares_flows_elsewhere),
		cmocka_unit_test(incast_without_marks_ends),
		cmocka_unit_test(incast_of_go_back_n_ends),
		cmocka_unit_test(go_back_n_over_lossy_link_ends),
		cmocka_unit_test(same_seed_gives_same_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
