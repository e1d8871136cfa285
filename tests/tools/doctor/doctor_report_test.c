/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tests of doctor_unexplained.c, the status, and both reports. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doctor/doctor_fixture.h"
#include "tools/doctor/doctor_report.h"

static void doctor_kinds_have_unique_id_and_summary(void **state)
{
	for (size_t i = 0; i < DOCTOR_NR_IDS; i++) {
		const char *id = doctor_kinds[i].id;

		assert_non_null(id);
		assert_int_equal(
			strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-"),
			strlen(id));
		assert_in_range(strlen(doctor_kinds[i].summary), 10, 60);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(id, doctor_kinds[k].id);
	}
}

static void doctor_finding_texts_are_truncated_to_ascii(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_finding *finding;
	char text[3000];

	memset(text, 0xc3, sizeof(text));
	text[sizeof(text) - 1] = '\0';
	finding = doctor_finding_add(&fixture->doctor.findings,
				     DOCTOR_UNEXPLAINED, text, 0, "%s", text);
	assert_int_equal(strlen(finding->text), sizeof(finding->text) - 1);
	assert_int_equal(finding->text[5], '?');
	for (int i = 0; i < DOCTOR_MAX_FIXES + 2; i++)
		doctor_finding_add_fix(finding, "%d %s", i, text);
	assert_int_equal(finding->nr_fixes, DOCTOR_MAX_FIXES);
	assert_int_equal(finding->fixes[3][0], '3');
	doctor_finding_set_reason(finding, "one\ntwo");
	assert_string_equal(finding->reason, "one?two");
}

static void doctor_findings_sort_puts_errors_first(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_findings *findings = &fixture->doctor.findings;
	static const enum doctor_id ids[] = {
		DOCTOR_GID_HOLES, DOCTOR_NODE_MISSING, DOCTOR_NOFILE_LOW,
		DOCTOR_GID_INDEX, DOCTOR_NODE_WRONG,
	};
	static const enum doctor_id sorted[] = {
		DOCTOR_NODE_MISSING, DOCTOR_NODE_WRONG, DOCTOR_NOFILE_LOW,
		DOCTOR_GID_HOLES,    DOCTOR_GID_INDEX,
	};

	for (size_t i = 0; i < 5; i++)
		doctor_finding_add(findings, ids[i], NULL, 0, "x");
	doctor_findings_sort(findings);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(findings->list[i].id, sorted[i]);
}

static void doctor_status_depends_on_devices_and_findings(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_findings *findings = &fixture->doctor.findings;

	assert_int_equal(doctor_status(&fixture->doctor), DOCTOR_UNUSABLE);
	doctor_fixture_add_device(fixture, 0)->usable = true;
	assert_int_equal(doctor_status(&fixture->doctor), DOCTOR_USABLE);
	doctor_finding_add(findings, DOCTOR_GID_HOLES, NULL, 0, "a note");
	assert_int_equal(doctor_status(&fixture->doctor), DOCTOR_USABLE);
	doctor_finding_add(findings, DOCTOR_NOFILE_LOW, NULL, 0, "a warning");
	assert_int_equal(doctor_status(&fixture->doctor), DOCTOR_DEGRADED);
	findings->count = 1;
	doctor_finding_add(findings, DOCTOR_NODE_MISSING, "rxe1", 0,
			   "an error");
	assert_int_equal(doctor_status(&fixture->doctor), DOCTOR_DEGRADED);
	fixture->doctor.devices[0].selected = false;
	assert_int_equal(doctor_status(&fixture->doctor), DOCTOR_UNUSABLE);
}

/* ------------------------------------------------------------------------ */

static void doctor_unexplained_list_error_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	fixture->doctor.library.list_error = EPERM;
	doctor_check_unexplained(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_LIST_FAILED, NULL);
	assert_has_text(finding, "Operation not permitted");
	assert_has_fix(finding, "Seccomp");
	assert_int_equal(fixture->doctor.findings.count, 1);
}

static void
doctor_unexplained_list_error_with_cause_has_no_finding(void **state)
{
	struct doctor_fixture *fixture = *state;

	fixture->doctor.library.list_error = ENOSYS;
	doctor_finding_add(&fixture->doctor.findings, DOCTOR_KERNEL_NO_RDMA,
			   NULL, 0, "x");
	doctor_check_unexplained(&fixture->doctor);
	assert_int_equal(fixture->doctor.findings.count, 1);
}

static void doctor_unexplained_unknown_device_name_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;

	fixture->doctor.only_device = "mlx5_0";
	fake_sysfs_class(&fixture->fake, "6\n");
	fake_sysfs_device(&fixture->fake, 0);
	fake_sysfs_device(&fixture->fake, 1);
	doctor_read_devices(&fixture->doctor);
	doctor_check_unexplained(&fixture->doctor);
	assert_has_text(
		doctor_fixture_find(fixture, DOCTOR_DEVICE_UNKNOWN, "mlx5_0"),
		"Available devices: rxe0, rxe1.");
	assert_int_equal(fixture->doctor.findings.count, 1);
}

static void doctor_unexplained_many_device_names_are_truncated(void **state)
{
	struct doctor_fixture *fixture = *state;
	char name[64];

	fixture->doctor.only_device = "mlx5_0";
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "a_long_name_of_a_device_%d", i);
		doctor_device_get(&fixture->doctor, name);
	}
	doctor_check_unexplained(&fixture->doctor);
	assert_has_text(
		doctor_fixture_find(fixture, DOCTOR_DEVICE_UNKNOWN, "mlx5_0"),
		"a_long_name_of_a_device_9");
}

static void doctor_unexplained_unusable_device_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	(void)doctor_fixture_add_device(fixture, 0);
	strcpy(fixture->doctor.library.messages, "strange");
	doctor_check_unexplained(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_UNEXPLAINED, "rxe0");
	assert_string_equal(finding->reason, "strange");
	assert_has_fix(finding, "VERBS_LOG_LEVEL=4");
}

static void doctor_unexplained_no_device_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;

	doctor_check_unexplained(&fixture->doctor);
	(void)doctor_fixture_find(fixture, DOCTOR_UNEXPLAINED, NULL);
}

static void doctor_unexplained_unknown_port_is_found(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_device *device =
		doctor_fixture_add_open_device(fixture, 0);

	fixture->doctor.only_port = 2;
	doctor_check_ports(&fixture->doctor);
	doctor_check_unexplained(&fixture->doctor);
	assert_false(device->usable);
	assert_has_text(
		doctor_fixture_find(fixture, DOCTOR_UNEXPLAINED, "rxe0"),
		"no such port; its last port is 1");
}

static void doctor_unexplained_uroce_device_is_offered(void **state)
{
	struct doctor_fixture *fixture = *state;
	const struct doctor_finding *finding;

	doctor_finding_add(&fixture->doctor.findings, DOCTOR_KERNEL_NO_RDMA,
			   NULL, 0, "x");
	fixture->doctor.library.uroce_works = true;
	doctor_check_unexplained(&fixture->doctor);
	finding = doctor_fixture_find(fixture, DOCTOR_UROCE_AVAILABLE, NULL);
	assert_has_fix(finding, "UROCE_DEVICES=auto");
	assert_int_equal(finding->severity, DOCTOR_NOTE);
}

/* ------------------------------------------------------------------------ */

static char *print_to_string(const struct doctor *doctor,
			     void (*print)(const struct doctor *, FILE *))
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	print(doctor, file);
	assert_int_equal(fclose(file), 0);
	return text;
}

static void print_json(const struct doctor *doctor, FILE *file)
{
	assert_int_equal(doctor_print_json(doctor, file), 0);
}

static void add_device_and_finding(struct doctor_fixture *fixture)
{
	struct doctor_device *device =
		doctor_fixture_add_open_device(fixture, 0);
	struct doctor_finding *finding;

	doctor_fixture_add_gid(device, 3, "::ffff:10.0.0.1",
			       IBV_GID_TYPE_ROCE_V2);
	device->ports[0].best_gid = &device->ports[0].gids[0];
	device->ports[0].usable = true;
	device->usable = true;
	fixture->doctor.limits.memlock = 65536;
	finding = doctor_finding_add(
		&fixture->doctor.findings, DOCTOR_GID_HOLES, "rxe0", 1,
		"This sentence is longer than the eighty columns "
		"that a line of text has, and so it is folded.");
	doctor_finding_add_fix(finding, "first command");
	doctor_finding_add_fix(finding, "second command");
	doctor_finding_set_reason(finding, "I say \"so\"");
}

static void doctor_print_text_wraps_sentences(void **state)
{
	struct doctor_fixture *fixture = *state;
	char *text;

	add_device_and_finding(fixture);
	text = print_to_string(&fixture->doctor, doctor_print_text);
	assert_string_equal(
		text,
		"rxe0: can be used\n"
		"  port 1: active, GID index 3 is ::ffff:10.0.0.1\n"
		"\n"
		"note: gid-holes: rxe0 port 1\n"
		"  This sentence is longer than the eighty columns that a line "
		"of text has, and\n"
		"  so it is folded.\n"
		"  Messages of the library:\n"
		"    I say \"so\"\n"
		"  fix: first command\n"
		"       second command\n"
		"\n"
		"1 of 1 device can be used.\n");
	free(text);
}

static void doctor_print_text_without_device_prints_summary(void **state)
{
	struct doctor_fixture *fixture = *state;
	char *text = print_to_string(&fixture->doctor, doctor_print_text);

	assert_string_equal(text, "No RDMA device found.\n\n"
				  "0 of 0 devices can be used.\n");
	free(text);
}

/* Removes blanks and line breaks, which json_out_test checks. */
static void remove_blanks(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (*text != ' ' && *text != '\n')
			*to++ = *text;
	*to = '\0';
}

static void doctor_print_json_writes_all_members(void **state)
{
	struct doctor_fixture *fixture = *state;
	char *text;

	add_device_and_finding(fixture);
	text = print_to_string(&fixture->doctor, print_json);
	remove_blanks(text);
	assert_non_null(strstr(
		text, "{\"schema\":1,\"verdict\":\"usable\",\"exit_status\":0,"
		      "\"library\":{\"path\":\"/opt/lib/libibverbs.so.1\","
		      "\"anyverbs\":true},"));
	assert_non_null(strstr(text, "\"limits\":{\"memlock\":65536,"
				     "\"memlock_applies\":true,"
				     "\"nofile\":null}"));
	assert_non_null(strstr(
		text, "\"devices\":[{\"name\":\"rxe0\",\"usable\":true,"
		      "\"user_space\":false,\"listed\":true,"
		      "\"missing_features\":[],\"ports\":[{\"port\":1,"
		      "\"usable\":true,\"state\":\"active\",\"gids\":1,"
		      "\"gid_index\":3,\"gid\":\"::ffff:10.0.0.1\"}]}]"));
	assert_non_null(strstr(
		text, "\"findings\":[{\"id\":\"gid-holes\",\"severity\":"
		      "\"note\",\"device\":\"rxe0\",\"port\":1,\"text\":"));
	assert_non_null(strstr(text, "\"reason\":\"Isay\\\"so\\\"\",\"cures\":["
				     "\"firstcommand\",\"secondcommand\"]}]}"));
	free(text);
}

static void doctor_print_json_on_full_disk_returns_eio(void **state)
{
	struct doctor_fixture *fixture = *state;
	FILE *file = fopen("/dev/full", "we");

	assert_non_null(file);
	assert_int_equal(doctor_print_json(&fixture->doctor, file), -EIO);
	(void)fclose(file); /* closing fails as well */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		doctor_test(doctor_kinds_have_unique_id_and_summary),
		doctor_test(doctor_finding_texts_are_truncated_to_ascii),
		doctor_test(doctor_findings_sort_puts_errors_first),
		doctor_test(doctor_status_depends_on_devices_and_findings),
		doctor_test(doctor_unexplained_list_error_is_found),
		doctor_test(
			doctor_unexplained_list_error_with_cause_has_no_finding),
		doctor_test(doctor_unexplained_unknown_device_name_is_found),
		doctor_test(doctor_unexplained_many_device_names_are_truncated),
		doctor_test(doctor_unexplained_unusable_device_is_found),
		doctor_test(doctor_unexplained_no_device_is_found),
		doctor_test(doctor_unexplained_unknown_port_is_found),
		doctor_test(doctor_unexplained_uroce_device_is_offered),
		doctor_test(doctor_print_text_wraps_sentences),
		doctor_test(doctor_print_text_without_device_prints_summary),
		doctor_test(doctor_print_json_writes_all_members),
		doctor_test(doctor_print_json_on_full_disk_returns_eio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
