/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What remains, the verdict, and both forms of the report. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/doctor/doctor_lab.h"
#include "tools/doctor/doctor_report.h"

static void each_kind_is_described(void **state)
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

static void texts_are_cut_and_made_ascii(void **state)
{
	struct doctor_lab *lab = *state;
	struct doctor_finding *finding;
	char text[3000];

	memset(text, 0xc3, sizeof(text));
	text[sizeof(text) - 1] = '\0';
	finding = doctor_add(&lab->doctor.findings, DOCTOR_UNEXPLAINED, text, 0,
			     "%s", text);
	assert_int_equal(strlen(finding->text), sizeof(finding->text) - 1);
	assert_int_equal(finding->text[5], '?');
	for (int i = 0; i < DOCTOR_MAX_CURES + 2; i++)
		doctor_cure(finding, "%d %s", i, text);
	assert_int_equal(finding->nr_cures, DOCTOR_MAX_CURES);
	assert_int_equal(finding->cures[3][0], '3');
	doctor_reason(finding, "one\ntwo");
	assert_string_equal(finding->reason, "one?two");
}

static void the_worst_comes_first(void **state)
{
	struct doctor_lab *lab = *state;
	struct doctor_findings *findings = &lab->doctor.findings;
	static const enum doctor_id ids[] = {
		DOCTOR_GID_HOLES, DOCTOR_NODE_MISSING, DOCTOR_NOFILE_LOW,
		DOCTOR_GID_INDEX, DOCTOR_NODE_WRONG,
	};
	static const enum doctor_id sorted[] = {
		DOCTOR_NODE_MISSING, DOCTOR_NODE_WRONG, DOCTOR_NOFILE_LOW,
		DOCTOR_GID_HOLES,    DOCTOR_GID_INDEX,
	};

	for (size_t i = 0; i < 5; i++)
		doctor_add(findings, ids[i], NULL, 0, "x");
	doctor_sort(findings);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(findings->list[i].id, sorted[i]);
}

static void the_verdict(void **state)
{
	struct doctor_lab *lab = *state;
	struct doctor_findings *findings = &lab->doctor.findings;

	assert_int_equal(doctor_verdict(&lab->doctor), DOCTOR_UNUSABLE);
	doctor_lab_device(lab, 0)->usable = true;
	assert_int_equal(doctor_verdict(&lab->doctor), DOCTOR_USABLE);
	doctor_add(findings, DOCTOR_GID_HOLES, NULL, 0, "a note");
	assert_int_equal(doctor_verdict(&lab->doctor), DOCTOR_USABLE);
	doctor_add(findings, DOCTOR_NOFILE_LOW, NULL, 0, "a warning");
	assert_int_equal(doctor_verdict(&lab->doctor), DOCTOR_LIMPING);
	findings->count = 1;
	doctor_add(findings, DOCTOR_NODE_MISSING, "rxe1", 0, "an error");
	assert_int_equal(doctor_verdict(&lab->doctor), DOCTOR_LIMPING);
	lab->doctor.devices[0].selected = false;
	assert_int_equal(doctor_verdict(&lab->doctor), DOCTOR_UNUSABLE);
}

/* ------------------------------------------------------------------------ */

static void a_list_that_fails(void **state)
{
	struct doctor_lab *lab = *state;
	const struct doctor_finding *finding;

	lab->doctor.library.list_error = EPERM;
	doctor_check_rest(&lab->doctor);
	finding = doctor_lab_found(lab, DOCTOR_LIST_FAILED, NULL);
	assert_has_text(finding, "Operation not permitted");
	assert_has_cure(finding, "Seccomp");
	assert_int_equal(lab->doctor.findings.count, 1);
}

static void a_list_that_fails_for_a_known_reason(void **state)
{
	struct doctor_lab *lab = *state;

	lab->doctor.library.list_error = ENOSYS;
	doctor_add(&lab->doctor.findings, DOCTOR_KERNEL_NO_RDMA, NULL, 0, "x");
	doctor_check_rest(&lab->doctor);
	assert_int_equal(lab->doctor.findings.count, 1);
}

static void a_name_that_no_device_has(void **state)
{
	struct doctor_lab *lab = *state;

	lab->doctor.only_device = "mlx5_0";
	fake_sysfs_class(&lab->fake, "6\n");
	fake_sysfs_device(&lab->fake, 0);
	fake_sysfs_device(&lab->fake, 1);
	doctor_read_devices(&lab->doctor);
	doctor_check_rest(&lab->doctor);
	assert_has_text(doctor_lab_found(lab, DOCTOR_DEVICE_UNKNOWN, "mlx5_0"),
			"There are: rxe0, rxe1.");
	assert_int_equal(lab->doctor.findings.count, 1);
}

static void many_names(void **state)
{
	struct doctor_lab *lab = *state;
	char name[64];

	lab->doctor.only_device = "mlx5_0";
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "a_long_name_of_a_device_%d", i);
		doctor_device_get(&lab->doctor, name);
	}
	doctor_check_rest(&lab->doctor);
	assert_has_text(doctor_lab_found(lab, DOCTOR_DEVICE_UNKNOWN, "mlx5_0"),
			"a_long_name_of_a_device_9");
}

static void something_nobody_foresaw(void **state)
{
	struct doctor_lab *lab = *state;
	const struct doctor_finding *finding;

	(void)doctor_lab_device(lab, 0);
	strcpy(lab->doctor.library.said, "strange");
	doctor_check_rest(&lab->doctor);
	finding = doctor_lab_found(lab, DOCTOR_UNEXPLAINED, "rxe0");
	assert_string_equal(finding->reason, "strange");
	assert_has_cure(finding, "VERBS_LOG_LEVEL=4");
}

static void no_device_for_no_reason(void **state)
{
	struct doctor_lab *lab = *state;

	doctor_check_rest(&lab->doctor);
	(void)doctor_lab_found(lab, DOCTOR_UNEXPLAINED, NULL);
}

static void a_port_that_does_not_exist(void **state)
{
	struct doctor_lab *lab = *state;
	struct doctor_device *device = doctor_lab_open_device(lab, 0);

	lab->doctor.only_port = 2;
	doctor_check_ports(&lab->doctor);
	doctor_check_rest(&lab->doctor);
	assert_false(device->usable);
	assert_has_text(doctor_lab_found(lab, DOCTOR_UNEXPLAINED, "rxe0"),
			"no such port; the last one is 1");
}

static void a_device_in_user_space_is_offered(void **state)
{
	struct doctor_lab *lab = *state;
	const struct doctor_finding *finding;

	doctor_add(&lab->doctor.findings, DOCTOR_KERNEL_NO_RDMA, NULL, 0, "x");
	lab->doctor.library.uroce_works = true;
	doctor_check_rest(&lab->doctor);
	finding = doctor_lab_found(lab, DOCTOR_UROCE_AVAILABLE, NULL);
	assert_has_cure(finding, "UROCE_DEVICES=auto");
	assert_int_equal(finding->severity, DOCTOR_NOTE);
}

/* ------------------------------------------------------------------------ */

static char *printed(const struct doctor *doctor,
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

static void fill(struct doctor_lab *lab)
{
	struct doctor_device *device = doctor_lab_open_device(lab, 0);
	struct doctor_finding *finding;

	doctor_lab_gid(device, 3, "::ffff:10.0.0.1", IBV_GID_TYPE_ROCE_V2);
	device->ports[0].best_gid = &device->ports[0].gids[0];
	device->ports[0].usable = true;
	device->usable = true;
	lab->doctor.limits.memlock = 65536;
	finding = doctor_add(&lab->doctor.findings, DOCTOR_GID_HOLES, "rxe0", 1,
			     "This sentence is longer than the eighty columns "
			     "that a line of text has, and so it is folded.");
	doctor_cure(finding, "first command");
	doctor_cure(finding, "second command");
	doctor_reason(finding, "I say \"so\"");
}

static void the_text(void **state)
{
	struct doctor_lab *lab = *state;
	char *text;

	fill(lab);
	text = printed(&lab->doctor, doctor_print_text);
	assert_string_equal(
		text,
		"rxe0: can be used\n"
		"  port 1: active, GID index 3 is ::ffff:10.0.0.1\n"
		"\n"
		"note: gid-holes: rxe0 port 1\n"
		"  This sentence is longer than the eighty columns that a line "
		"of text has, and\n"
		"  so it is folded.\n"
		"  The library says:\n"
		"    I say \"so\"\n"
		"  cure: first command\n"
		"        second command\n"
		"\n"
		"1 of 1 device can be used.\n");
	free(text);
}

static void the_text_of_nothing(void **state)
{
	struct doctor_lab *lab = *state;
	char *text = printed(&lab->doctor, doctor_print_text);

	assert_string_equal(text, "There is no RDMA device.\n\n"
				  "0 of 0 devices can be used.\n");
	free(text);
}

/* Blanks and line breaks are json_out.c's business. */
static void squeeze(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (*text != ' ' && *text != '\n')
			*to++ = *text;
	*to = '\0';
}

static void the_json(void **state)
{
	struct doctor_lab *lab = *state;
	char *text;

	fill(lab);
	text = printed(&lab->doctor, print_json);
	squeeze(text);
	assert_non_null(strstr(
		text, "{\"schema\":1,\"verdict\":\"usable\",\"exit_status\":0,"
		      "\"library\":{\"path\":\"/opt/lib/libibverbs.so.1\","
		      "\"anyverbs\":true},"));
	assert_non_null(strstr(text, "\"limits\":{\"memlock\":65536,"
				     "\"memlock_applies\":true,"
				     "\"nofile\":null}"));
	assert_non_null(strstr(
		text,
		"\"devices\":[{\"name\":\"rxe0\",\"usable\":true,"
		"\"user_space\":false,\"listed\":true,\"ports\":[{\"port\":1,"
		"\"usable\":true,\"state\":\"active\",\"gids\":1,"
		"\"gid_index\":3,\"gid\":\"::ffff:10.0.0.1\"}]}]"));
	assert_non_null(strstr(
		text, "\"findings\":[{\"id\":\"gid-holes\",\"severity\":"
		      "\"note\",\"device\":\"rxe0\",\"port\":1,\"text\":"));
	assert_non_null(strstr(text, "\"reason\":\"Isay\\\"so\\\"\",\"cures\":["
				     "\"firstcommand\",\"secondcommand\"]}]}"));
	free(text);
}

static void a_full_disk(void **state)
{
	struct doctor_lab *lab = *state;
	FILE *file = fopen("/dev/full", "we");

	assert_non_null(file);
	assert_int_equal(doctor_print_json(&lab->doctor, file), -EIO);
	(void)fclose(file); /* fails, too */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		doctor_test(each_kind_is_described),
		doctor_test(texts_are_cut_and_made_ascii),
		doctor_test(the_worst_comes_first),
		doctor_test(the_verdict),
		doctor_test(a_list_that_fails),
		doctor_test(a_list_that_fails_for_a_known_reason),
		doctor_test(a_name_that_no_device_has),
		doctor_test(many_names),
		doctor_test(something_nobody_foresaw),
		doctor_test(no_device_for_no_reason),
		doctor_test(a_port_that_does_not_exist),
		doctor_test(a_device_in_user_space_is_offered),
		doctor_test(the_text),
		doctor_test(the_text_of_nothing),
		doctor_test(the_json),
		doctor_test(a_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
