/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The language of VERBS_FAULT: correct plans, and the places of mistakes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "layers/fault/fault_rules.h"

/* last: needs the headers above */
#include <cmocka.h>

static struct fault_plan plan;
static struct fault_mistake mistake;

static const struct fault_rule *parse(const char *text)
{
	if (!fault_plan_parse(text, &plan, &mistake))
		fail_msg("\"%s\": column %u: %s", text, mistake.column,
			 mistake.message);
	return plan.rules;
}

static void plan_empty_has_no_rules(void **state)
{
	parse("");
	assert_int_equal(plan.nr_rules, 0);
	parse(" ;; \n ; # nothing");
	assert_int_equal(plan.nr_rules, 0);
	assert_int_equal(plan.seed, 0);
}

static void plan_settings_are_read(void **state)
{
	parse("seed = 18446744073709551615; log=/tmp/faults.%p");
	assert_true(plan.seed == UINT64_MAX);
	assert_string_equal(plan.log, "/tmp/faults.%p");
}

static void plan_lines_and_comments_separate_rules(void **state)
{
	const struct fault_rule *rules =
		parse("# two rules; no third\n"
		      "short=1 @ call=poll_cq # of one\r\n"
		      "\n"
		      "disarm@call=ibv_req_notify_cq;seed=3");

	assert_int_equal(plan.nr_rules, 2);
	assert_int_equal(plan.seed, 3);
	assert_int_equal(rules[0].action, FAULT_SHORT);
	assert_int_equal(rules[0].number, 1);
	assert_int_equal(rules[1].action, FAULT_DISARM);
	assert_int_equal(rules[1].call, FAULT_REQ_NOTIFY_CQ);
	assert_int_equal(strncmp(rules[0].text.start, "short=1 @ call=poll_cq",
				 rules[0].text.len),
			 0);
}

static void action_errno_has_value(void **state)
{
	const struct fault_rule *rule = parse("errno=ENOMEM @ call=reg_mr");

	assert_int_equal(rule->action, FAULT_ERRNO);
	assert_int_equal(rule->error, ENOMEM);
	assert_int_equal(rule->call, FAULT_REG_MR);
}

static void action_delay_has_range(void **state)
{
	const struct fault_rule *rule = parse("delay=50us..2ms @ call=poll_cq");

	assert_int_equal(rule->action, FAULT_DELAY);
	assert_int_equal(rule->min_ns, 50000);
	assert_int_equal(rule->max_ns, 2000000);
	rule = parse("delay=3s @ call=poll_cq");
	assert_true(rule->min_ns == 3000000000);
	assert_true(rule->max_ns == 3000000000);
}

static void action_hold_has_time(void **state)
{
	const struct fault_rule *rule = parse("hold=recv, 200ms @ qp=2");

	assert_int_equal(rule->action, FAULT_HOLD);
	assert_int_equal(rule->call, FAULT_POST_RECV);
	assert_int_equal(rule->min_ns, 200000000);
	assert_int_equal(rule->max_ns, 200000000);
}

static void action_implies_call(void **state)
{
	const struct fault_rule *rules =
		parse("short=2 @ cq=1; disarm @ cq=2; cqe=1 @ dev=a; "
		      "wc=LOC_PROT_ERR @ qp=1");

	assert_int_equal(rules[0].call, FAULT_POLL_CQ);
	assert_int_equal(rules[1].call, FAULT_REQ_NOTIFY_CQ);
	assert_int_equal(rules[2].call, FAULT_CREATE_CQ);
	assert_int_equal(rules[3].call, FAULT_POST_SEND);
	assert_int_equal(rules[3].status, IBV_WC_LOC_PROT_ERR);
}

static void selectors_are_read(void **state)
{
	const struct fault_rule *rule = parse(
		"errno=EAGAIN @ call=post_send , op=RDMA_WRITE, qp=5, "
		"dev=mlx5_0,bytes=1-4096,nth=3,every=2,p=12.5%,after=10ms,"
		"limit=7");

	assert_int_equal(rule->op, IBV_WR_RDMA_WRITE);
	assert_int_equal(rule->qp, 5);
	assert_string_equal(rule->dev, "mlx5_0");
	assert_int_equal(rule->min_bytes, 1);
	assert_int_equal(rule->max_bytes, 4096);
	assert_int_equal(rule->choice.nth, 3);
	assert_int_equal(rule->choice.every, 2);
	assert_true(rule->choice.p == 0.125);
	assert_int_equal(rule->choice.after_ns, 10000000);
	assert_int_equal(rule->choice.limit, 7);
	assert_false(rule->selectors & (FAULT_HAS_CQ | FAULT_HAS_STATUS));
	rule = parse("delay=1ms @ call=poll_cq,cq=2,status=WR_FLUSH_ERR");
	assert_int_equal(rule->cq, 2);
	assert_int_equal(rule->selected_status, IBV_WC_WR_FLUSH_ERR);
}

static void action_event_has_call_or_time(void **state)
{
	const struct fault_rule *rules =
		parse("event=SRQ_ERR @ call=post_srq_recv,srq=2,before=1s;"
		      "event=PORT_ERR @ after=5s,port=2,dev=a;"
		      "event=QP_FATAL @ after=1s,qp=3;"
		      "event=DEVICE_FATAL @ call=poll_cq,cq=1,nth=5000");

	assert_int_equal(rules[0].action, FAULT_EVENT);
	assert_int_equal(rules[0].event_type, IBV_EVENT_SRQ_ERR);
	assert_int_equal(rules[0].srq, 2);
	assert_int_equal(rules[0].choice.before_ns, 1000000000);
	assert_int_equal(rules[1].call, FAULT_NO_CALL);
	assert_int_equal(rules[1].port, 2);
	assert_int_equal(rules[2].qp, 3);
	assert_int_equal(rules[3].event_type, IBV_EVENT_DEVICE_FATAL);
}

static void action_wc_late_and_shuffle_are_read(void **state)
{
	const struct fault_rule *rules =
		parse("wc=REM_OP_ERR , late @ qp=any; wc=REM_OP_ERR @ qp=1;"
		      "shuffle @ cq=any");

	assert_true(rules[0].is_late);
	assert_int_equal(rules[0].status, IBV_WC_REM_OP_ERR);
	assert_int_equal(rules[0].qp, FAULT_ANY);
	assert_false(rules[1].is_late);
	assert_int_equal(rules[2].action, FAULT_SHUFFLE);
	assert_int_equal(rules[2].call, FAULT_POLL_CQ);
	assert_int_equal(rules[2].cq, FAULT_ANY);
}

static void selector_bytes_single_is_both_limits(void **state)
{
	const struct fault_rule *rule =
		parse("errno=EIO @ call=reg_mr,bytes=0");

	assert_int_equal(rule->min_bytes, 0);
	assert_int_equal(rule->max_bytes, 0);
	assert_true(rule->selectors & FAULT_HAS_BYTES);
}

static void selector_p_has_limits(void **state)
{
	assert_true(parse("short=1 @ p=1")->choice.p == 1);
	assert_true(parse("short=1 @ p=0")->choice.p == 0);
	assert_true(parse("short=1 @ p=100%")->choice.p == 1);
	assert_true(parse("short=1 @ p=0.000000001")->choice.p == 1e-9);
}

/* A plan with one mistake. */
static const struct {
	const char *text;
	unsigned int line, column;
	const char *wrong, *message;
} mistakes[] = {
	{ "seed=", 1, 1, "seed=", "seed= needs" },
	{ "seed=-1", 1, 1, "seed=-1", "seed= needs" },
	{ "seed=18446744073709551616", 1, 1, "seed=18446744073709551616",
	  "seed= needs" },
	{ "log=", 1, 1, "log=", "log= needs" },
	{ "hello", 1, 1, "hello", "unknown action" },
	{ "errno=ENOMEM", 1, 1, "errno=ENOMEM", "needs \"@\"" },
	{ "errno=ENOMEM @", 1, 15, "", "unknown selector" },
	{ "errno=12 @ call=reg_mr", 1, 1, "errno=12", "errno= needs" },
	{ "errno @ call=reg_mr", 1, 1, "errno", "errno= needs" },
	{ "seed=1;  errno=ENOMEM @ call=reg_mrs", 1, 25, "call=reg_mrs",
	  "call= needs" },
	{ "short=1 @ nth=1\n\n  short=1 @ nth=0", 3, 13, "nth=0",
	  "nth= needs" },
	{ "short=1 @ nth=1,", 1, 17, "", "unknown selector" },
	{ "short=1 @ nth=1,,every=1", 1, 17, "", "unknown selector" },
	{ "short=1 @ nth=1,nth=2", 1, 17, "nth=2", "twice" },
	{ "short=0 @ nth=1", 1, 1, "short=0", "short= needs" },
	{ "short=99999999999 @ nth=1", 1, 1, "short=99999999999",
	  "short= needs" },
	{ "cqe=x @ nth=1", 1, 1, "cqe=x", "cqe= needs" },
	{ "disarm=1 @ nth=1", 1, 1, "disarm=1", "unknown action" },
	{ "wc=SUCCESS @ nth=1", 1, 1, "wc=SUCCESS", "wc= needs" },
	{ "wc=12 @ nth=1", 1, 1, "wc=12", "wc= needs" },
	{ "delay=1 @ call=poll_cq", 1, 1, "delay=1", "delay= needs" },
	{ "delay=2ms..1ms @ call=poll_cq", 1, 1, "delay=2ms..1ms",
	  "delay= needs" },
	{ "delay=99999999999999s @ call=poll_cq", 1, 1, "delay=99999999999999s",
	  "delay= needs" },
	{ "short=1 @ p=2", 1, 11, "p=2", "p= needs" },
	{ "short=1 @ p=0.", 1, 11, "p=0.", "p= needs" },
	{ "short=1 @ p=0.1.1", 1, 11, "p=0.1.1", "p= needs" },
	{ "short=1 @ p=101%", 1, 11, "p=101%", "p= needs" },
	{ "short=1 @ p=.5", 1, 11, "p=.5", "p= needs" },
	{ "short=1 @ after=2", 1, 11, "after=2", "after= needs" },
	{ "short=1 @ every=0", 1, 11, "every=0", "every= needs" },
	{ "short=1 @ limit=0", 1, 11, "limit=0", "limit= needs" },
	{ "short=1 @ cq=0", 1, 11, "cq=0", "cq= needs" },
	{ "wc=FATAL_ERR @ qp=first", 1, 16, "qp=first", "qp= needs" },
	{ "wc=FATAL_ERR @ op=WRITE", 1, 16, "op=WRITE", "op= needs" },
	{ "wc=FATAL_ERR @ bytes=2-1", 1, 16, "bytes=2-1", "bytes= needs" },
	{ "wc=FATAL_ERR @ dev=", 1, 16, "dev=", "dev= needs" },
	{ "delay=1s @ call=poll_cq,status=OK", 1, 25, "status=OK",
	  "status= needs" },
	{ "wc=FATAL_ERR,early @ nth=1", 1, 1, "wc=FATAL_ERR,early",
	  "wc= needs" },
	{ "wc=SUCCESS,late @ nth=1", 1, 1, "wc=SUCCESS,late", "wc= needs" },
	{ "wire.drop=1% @ nth=1", 1, 1, "wire.drop=1%", "UROCE_WIRE_FAULTS" },
	{ "shuffle=1 @ nth=1", 1, 1, "shuffle=1", "unknown action" },
	{ "shuffle @ call=post_send", 1, 1, "shuffle @ call=post_send",
	  "not possible with this call" },
	{ "event=PORT_DOWN @ after=1s", 1, 1, "event=PORT_DOWN",
	  "event= needs" },
	{ "event=WQ_FATAL @ after=1s", 1, 1, "event=WQ_FATAL", "event= needs" },
	{ "event=PORT_ERR @ nth=1", 1, 1, "event=PORT_ERR @ nth=1",
	  "needs call= or after=" },
	{ "event=PORT_ERR @ after=1s,nth=1", 1, 1,
	  "event=PORT_ERR @ after=1s,nth=1", "without call=" },
	{ "event=QP_FATAL @ after=1s", 1, 1, "event=QP_FATAL @ after=1s",
	  "needs the number" },
	{ "event=QP_FATAL @ after=1s,cq=1", 1, 1,
	  "event=QP_FATAL @ after=1s,cq=1", "without call=" },
	{ "event=QP_FATAL @ call=poll_cq", 1, 1,
	  "event=QP_FATAL @ call=poll_cq", "no object" },
	{ "event=DEVICE_FATAL @ after=1s,port=1", 1, 1,
	  "event=DEVICE_FATAL @ after=1s,port=1", "events of ports only" },
	{ "event=PORT_ERR @ after=1s,port=256", 1, 27, "port=256",
	  "port= needs" },
	{ "short=1 @ port=1", 1, 1, "short=1 @ port=1", "event= only" },
	{ "short=1 @ srq=1", 1, 1, "short=1 @ srq=1", "srq= is not" },
	{ "short=1 @ srq=0", 1, 11, "srq=0", "srq= needs" },
	{ "short=1 @ before=1", 1, 11, "before=1", "before= needs" },
	{ "short=1 @ after=2s,before=2s", 1, 1, "short=1 @ after=2s,before=2s",
	  "later than" },
	{ "hold=send,1s @ nth=1", 1, 1, "hold=send,1s", "hold= needs" },
	{ "hold=recv @ nth=1", 1, 1, "hold=recv", "hold= needs" },
	{ "delay=1s @ nth=1", 1, 1, "delay=1s @ nth=1", "needs call=" },
	{ "short=1 @ call=post_send", 1, 1, "short=1 @ call=post_send",
	  "not possible with this call" },
	{ "errno=EIO @ call=poll_cq", 1, 1, "errno=EIO @ call=poll_cq",
	  "not possible with this call" },
	{ "errno=EIO @ call=reg_mr,op=SEND", 1, 1,
	  "errno=EIO @ call=reg_mr,op=SEND", "op= is not" },
	{ "errno=EIO @ call=reg_mr,qp=1", 1, 1, "errno=EIO @ call=reg_mr,qp=1",
	  "qp= is not" },
	{ "errno=EIO @ call=reg_mr,cq=1", 1, 1, "errno=EIO @ call=reg_mr,cq=1",
	  "cq= is not" },
	{ "short=1 @ bytes=1", 1, 1, "short=1 @ bytes=1", "bytes= is not" },
	{ "short=1 @ status=SUCCESS", 1, 1, "short=1 @ status=SUCCESS",
	  "status= is" },
};

static void plan_mistake_has_place_and_message(void **state)
{
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		print_message("%s\n", mistakes[i].text);
		assert_false(
			fault_plan_parse(mistakes[i].text, &plan, &mistake));
		assert_int_equal(mistake.line, mistakes[i].line);
		assert_int_equal(mistake.column, mistakes[i].column);
		assert_int_equal(mistake.text.len, strlen(mistakes[i].wrong));
		assert_int_equal(strncmp(mistake.text.start, mistakes[i].wrong,
					 mistake.text.len),
				 0);
		assert_non_null(strstr(mistake.message, mistakes[i].message));
	}
}

static void plan_rules_have_maximum(void **state)
{
	static const char rule[] = "short=1 @ nth=1;";
	char text[(FAULT_MAX_RULES + 1) * sizeof(rule) + 1] = "";

	for (unsigned int i = 0; i < FAULT_MAX_RULES; i++)
		strcat(text, rule);
	parse(text);
	assert_int_equal(plan.nr_rules, FAULT_MAX_RULES);
	strcat(text, rule);
	assert_false(fault_plan_parse(text, &plan, &mistake));
	assert_string_equal(mistake.message, "too many rules");
}

static void names_of_calls_are_found(void **state)
{
	for (int i = FAULT_NO_CALL + 1; i < FAULT_NR_CALLS; i++) {
		const char *name = fault_call_name((enum fault_call)i);
		const struct fault_text text = { name, strlen(name) };
		enum fault_call call;

		assert_true(fault_find_call(text, &call));
		assert_int_equal(call, i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plan_empty_has_no_rules),
		cmocka_unit_test(plan_settings_are_read),
		cmocka_unit_test(plan_lines_and_comments_separate_rules),
		cmocka_unit_test(action_errno_has_value),
		cmocka_unit_test(action_delay_has_range),
		cmocka_unit_test(action_hold_has_time),
		cmocka_unit_test(action_implies_call),
		cmocka_unit_test(selectors_are_read),
		cmocka_unit_test(action_event_has_call_or_time),
		cmocka_unit_test(action_wc_late_and_shuffle_are_read),
		cmocka_unit_test(selector_bytes_single_is_both_limits),
		cmocka_unit_test(selector_p_has_limits),
		cmocka_unit_test(plan_mistake_has_place_and_message),
		cmocka_unit_test(plan_rules_have_maximum),
		cmocka_unit_test(names_of_calls_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
