/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the tests of kernel/ share: a context whose descriptor leads to the
 * fake kernel, and the three forms in which a command can be forced to travel.
 */
#ifndef KERNEL_TEST_H
#define KERNEL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* last: it needs the four above */
#include <cmocka.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>

#include "kernel/kernel_caps.h"
#include "kernel/kernel_state.h"
#include "support/fake_kernel.h"

#define TEST_DRIVER_ID	14
#define TEST_ASYNC_FD	33
#define TEST_ERRNO	77 /* what errno holds while a command runs */
#define TEST_CHANNEL_FD 44

struct kernel_test {
	struct ibv_device device;
	struct verbs_kernel_state state;
	struct verbs_context vctx;
	struct ibv_context *ctx;
	struct ibv_pd pd; /* handle 7 */
	/* what a driver sends and receives with a command */
	uint8_t driver_in[16], driver_out[16];
	struct verbs_udata udata;
	/* the same with attributes of its own: a number, and an object's */
	struct ib_uverbs_attr driver_attrs[2];
	struct verbs_udata attrs_only;
};

/* Those attributes as the kernel sees them, and what it makes of the second. */
#define TEST_DRIVER_NUM	   0x1002
#define TEST_DRIVER_OBJ	   0x1003
#define TEST_DRIVER_HANDLE 555
#define TEST_DRIVER_ATTRS                                                      \
	FAKE_U64_IN(TEST_DRIVER_NUM, 0x0d0e0a0d),                              \
	{                                                                      \
		.id = TEST_DRIVER_OBJ, .kind = FAKE_OUT_NUM, .optional = true, \
		.num = TEST_DRIVER_HANDLE,                                     \
	}

/* Whether the kernel's answer was copied back: after success it must be. */
bool kernel_test_driver_attrs_updated(const struct kernel_test *t);

/* How a command is to travel: everything before it is refused already. */
enum test_form { FORM_IOCTL, FORM_INVOKE_WRITE, FORM_WRITE };

/* cmocka's setup and teardown; the teardown checks errno and the script. */
int kernel_test_setup(void **state);
int kernel_test_teardown(void **state);

#define KERNEL_TEST(name)                                        \
	cmocka_unit_test_setup_teardown(name, kernel_test_setup, \
					kernel_test_teardown)

void kernel_test_force(struct kernel_test *t, enum test_form form);
void kernel_test_refuse(struct kernel_test *t, enum verbs_kernel_cap cap);
bool kernel_test_refused(const struct kernel_test *t,
			 enum verbs_kernel_cap cap);

/* @form WRAPPED or WRITE */
void kernel_test_expect(enum test_form form, const struct fake_write *cmd);

/* What a driver's 16 answered bytes look like. */
extern const uint8_t kernel_test_driver_resp[16];

/* Errors that are a result and never a reason to try another form. */
extern const int kernel_test_errors[];
#define KERNEL_TEST_NR_ERRORS 8

/*
 * Objects that are destroyed by their handle alone. run() calls the command
 * with an object whose handle is the one given here.
 */
struct destroy_case {
	enum verbs_kernel_cap cap;
	uint16_t handle_attr;
	uint32_t write_command; /* with the flag, if it is extended */
	bool ioctl_only;	/* there is no write command */
	uint32_t handle;
	int (*run)(struct kernel_test *t);
};

void check_destroy_ioctl(struct kernel_test *t, const struct destroy_case *c);
/* refused once, not tried a second time; @form WRAPPED or WRITE */
void check_destroy_falls_back(struct kernel_test *t,
			      const struct destroy_case *c,
			      enum test_form form);
void check_destroy_errors_are_final(struct kernel_test *t,
				    const struct destroy_case *c);
/* native_only: refused once, tried no more, and not supported then */
void check_destroy_does_not_fall_back(struct kernel_test *t,
				      const struct destroy_case *c);
/* EIO is an error unless it is allowed, in each form */
void check_destroy_device_gone(struct kernel_test *t,
			       const struct destroy_case *c);

/* The five tests that a struct destroy_case called @name wants. */
#define DESTROY_TESTS(name)                                                 \
	static void name##_sends_ioctl(void **state)                        \
	{                                                                   \
		check_destroy_ioctl(*state, &name##_case);                  \
	}                                                                   \
	static void name##_ioctl_refused_falls_back_to_invoke_write(        \
		void **state)                                               \
	{                                                                   \
		check_destroy_falls_back(*state, &name##_case,              \
					 FORM_INVOKE_WRITE);                \
	}                                                                   \
	static void name##_without_ioctl_falls_back_to_write(void **state)  \
	{                                                                   \
		check_destroy_falls_back(*state, &name##_case, FORM_WRITE); \
	}                                                                   \
	static void name##_error_does_not_fall_back(void **state)           \
	{                                                                   \
		check_destroy_errors_are_final(*state, &name##_case);       \
	}                                                                   \
	static void name##_device_gone_succeeds_if_allowed(void **state)    \
	{                                                                   \
		check_destroy_device_gone(*state, &name##_case);            \
	}

/* The four tests of one that is native_only. */
#define DESTROY_IOCTL_ONLY_TESTS(name)                                    \
	static void name##_sends_ioctl(void **state)                      \
	{                                                                 \
		check_destroy_ioctl(*state, &name##_case);                \
	}                                                                 \
	static void name##_ioctl_refused_returns_eopnotsupp(void **state) \
	{                                                                 \
		check_destroy_does_not_fall_back(*state, &name##_case);   \
	}                                                                 \
	static void name##_returns_kernel_error(void **state)             \
	{                                                                 \
		check_destroy_errors_are_final(*state, &name##_case);     \
	}                                                                 \
	static void name##_device_gone_succeeds_if_allowed(void **state)  \
	{                                                                 \
		check_destroy_device_gone(*state, &name##_case);          \
	}

#define DESTROY_IOCTL_ONLY_TEST_LIST(name)                            \
	KERNEL_TEST(name##_sends_ioctl),                              \
		KERNEL_TEST(name##_ioctl_refused_returns_eopnotsupp), \
		KERNEL_TEST(name##_returns_kernel_error),             \
		KERNEL_TEST(name##_device_gone_succeeds_if_allowed)

#define DESTROY_TEST_LIST(name)                                               \
	KERNEL_TEST(name##_sends_ioctl),                                      \
		KERNEL_TEST(name##_ioctl_refused_falls_back_to_invoke_write), \
		KERNEL_TEST(name##_without_ioctl_falls_back_to_write),        \
		KERNEL_TEST(name##_error_does_not_fall_back),                 \
		KERNEL_TEST(name##_device_gone_succeeds_if_allowed)

/*
 * Objects that have events: the kernel tells how many it raised. destroy()
 * calls the command with an object that has got @acked acknowledgements, and
 * hands in the count as it is.
 */
struct destroy_events_case {
	void (*expect)(enum test_form form, int err);
	int (*destroy)(struct kernel_test *t, struct verbs_event_count *count);
	struct verbs_event_count raised; /* as the kernel tells in expect() */
	struct verbs_event_count acked;
};

void check_destroy_reports_events(struct kernel_test *t,
				  const struct destroy_events_case *c);
/* through all forms in one call */
void check_destroy_events_falls_back(struct kernel_test *t,
				     const struct destroy_events_case *c);
void check_destroy_keeps_count_on_error(struct kernel_test *t,
					const struct destroy_events_case *c);
/* allowed to fail with EIO: what was acknowledged is what was raised */
void check_destroy_events_device_gone(struct kernel_test *t,
				      const struct destroy_events_case *c);

/* The four tests that a struct destroy_events_case called @name wants. */
#define DESTROY_EVENTS_TESTS(name)                                         \
	static void name##_reports_event_counts_in_each_form(void **state) \
	{                                                                  \
		check_destroy_reports_events(*state, &name##_case);        \
	}                                                                  \
	static void name##_refused_form_falls_back(void **state)           \
	{                                                                  \
		check_destroy_events_falls_back(*state, &name##_case);     \
	}                                                                  \
	static void name##_error_leaves_counts_unchanged(void **state)     \
	{                                                                  \
		check_destroy_keeps_count_on_error(*state, &name##_case);  \
	}                                                                  \
	static void name##_device_gone_reports_acked_events(void **state)  \
	{                                                                  \
		check_destroy_events_device_gone(*state, &name##_case);    \
	}

#define DESTROY_EVENTS_TEST_LIST(name)                             \
	KERNEL_TEST(name##_reports_event_counts_in_each_form),     \
		KERNEL_TEST(name##_refused_form_falls_back),       \
		KERNEL_TEST(name##_error_leaves_counts_unchanged), \
		KERNEL_TEST(name##_device_gone_reports_acked_events)

#endif
