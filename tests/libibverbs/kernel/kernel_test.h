/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Test fixture for kernel/: a context whose descriptor belongs to the fake
 * kernel, and functions that force one of the three forms of a command.
 */
#ifndef KERNEL_TEST_H
#define KERNEL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Must follow the four headers above. */
#include <cmocka.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>

#include "kernel/kernel_caps.h"
#include "kernel/kernel_state.h"
#include "support/fake_kernel.h"

#define TEST_DRIVER_ID	14
#define TEST_ASYNC_FD	33
#define TEST_ERRNO	77 /* errno before a command; it must not change */
#define TEST_CHANNEL_FD 44

struct kernel_test {
	struct ibv_device device;
	struct verbs_kernel_state state;
	struct verbs_context vctx;
	struct ibv_context *ctx;
	struct ibv_pd pd; /* handle 7 */
	/* driver input and output of a command */
	uint8_t driver_in[16], driver_out[16];
	struct verbs_udata udata;
	/* driver-specific attributes: a number and an output handle */
	struct ib_uverbs_attr driver_attrs[2];
	struct verbs_udata attrs_only;
};

/* The same attributes as expected by the kernel, with its output. */
#define TEST_DRIVER_NUM	   0x1002
#define TEST_DRIVER_OBJ	   0x1003
#define TEST_DRIVER_HANDLE 555
#define TEST_DRIVER_ATTRS                                                      \
	FAKE_U64_IN(TEST_DRIVER_NUM, 0x0d0e0a0d),                              \
	{                                                                      \
		.id = TEST_DRIVER_OBJ, .kind = FAKE_OUT_NUM, .optional = true, \
		.num = TEST_DRIVER_HANDLE,                                     \
	}

/* Returns whether the kernel's output was copied back to the driver. */
bool kernel_test_driver_attrs_updated(const struct kernel_test *t);

/* Form of a command. kernel_test_force() refuses the forms before it. */
enum test_form { FORM_IOCTL, FORM_INVOKE_WRITE, FORM_WRITE };

/* Setup and teardown of cmocka. The teardown checks errno and the script. */
int kernel_test_setup(void **state);
int kernel_test_teardown(void **state);

#define KERNEL_TEST(name)                                        \
	cmocka_unit_test_setup_teardown(name, kernel_test_setup, \
					kernel_test_teardown)

void kernel_test_force(struct kernel_test *t, enum test_form form);
void kernel_test_refuse(struct kernel_test *t, enum verbs_kernel_cap cap);
bool kernel_test_refused(const struct kernel_test *t,
			 enum verbs_kernel_cap cap);

/* @form: FORM_INVOKE_WRITE or FORM_WRITE */
void kernel_test_expect(enum test_form form, const struct fake_write *cmd);

/* The 16 bytes of driver output in responses. */
extern const uint8_t kernel_test_driver_resp[16];

/* Errors that are results of a command and cause no fallback. */
extern const int kernel_test_errors[];
#define KERNEL_TEST_NR_ERRORS 8

/*
 * An object type whose destroy command has the handle as its only input. run()
 * calls the command with an object that has this handle.
 */
struct destroy_case {
	enum verbs_kernel_cap cap;
	uint16_t handle_attr;
	uint32_t write_command; /* with the flag if extended */
	bool ioctl_only;	/* there is no write command */
	uint32_t handle;
	int (*run)(struct kernel_test *t);
};

void check_destroy_ioctl(struct kernel_test *t, const struct destroy_case *c);
/*
 * Checks that the ioctl is refused once and not tried again.
 * @form: FORM_INVOKE_WRITE or FORM_WRITE
 */
void check_destroy_falls_back(struct kernel_test *t,
			      const struct destroy_case *c,
			      enum test_form form);
void check_destroy_errors_are_final(struct kernel_test *t,
				    const struct destroy_case *c);
/* For ioctl_only: checks that a refusal returns EOPNOTSUPP, without a retry. */
void check_destroy_does_not_fall_back(struct kernel_test *t,
				      const struct destroy_case *c);
/* Checks in each form that EIO is an error unless the setting allows it. */
void check_destroy_device_gone(struct kernel_test *t,
			       const struct destroy_case *c);

/* Defines the five tests of struct destroy_case @name##_case. */
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

/* Defines the four tests of a struct destroy_case with ioctl_only. */
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
 * An object type with events: the response contains the number of events.
 * destroy() calls the command with an object of which @acked events are
 * acknowledged; @count is its output.
 */
struct destroy_events_case {
	void (*expect)(enum test_form form, int err);
	int (*destroy)(struct kernel_test *t, struct verbs_event_count *count);
	struct verbs_event_count raised; /* in the response of expect() */
	struct verbs_event_count acked;
};

void check_destroy_reports_events(struct kernel_test *t,
				  const struct destroy_events_case *c);
/* Checks the fallback through all forms in one call. */
void check_destroy_events_falls_back(struct kernel_test *t,
				     const struct destroy_events_case *c);
void check_destroy_keeps_count_on_error(struct kernel_test *t,
					const struct destroy_events_case *c);
/* Checks that an allowed EIO reports the acknowledged events as raised. */
void check_destroy_events_device_gone(struct kernel_test *t,
				      const struct destroy_events_case *c);

/* Defines the four tests of struct destroy_events_case @name##_case. */
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
