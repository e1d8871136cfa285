/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Match rules of foreign providers: libibverbs/foreign/foreign_match.c, with a
 * fake sysfs tree.
 *
 * Linked with WRAP verbs_warn sysfs_root.
 */
#include "foreign/foreign_match.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "foreign/foreign_provider.h"
#include "support/fake_sysfs.h"

/* last: requires the headers above */
#include <cmocka.h>

static struct fake_sysfs tree;
static unsigned int nr_warnings;
static char warning[512];

const char *__wrap_sysfs_root(void);
void __wrap_verbs_warn(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

const char *__wrap_sysfs_root(void)
{
	return tree.sysfs;
}

void __wrap_verbs_warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(warning, sizeof(warning), fmt, args);
	va_end(args);
	nr_warnings++;
}

static struct foreign_device_ops module_ops;
static struct foreign_provider provider;
static struct verbs_kernel_device record;
static struct verbs_candidate candidate;

static int setup_match(void **state)
{
	fake_sysfs_init(&tree);
	nr_warnings = 0;
	module_ops = (struct foreign_device_ops){
		.name = "foreign",
		.match_min_abi_version = 1,
		.match_max_abi_version = 3,
	};
	provider = (struct foreign_provider){
		.ops.name = "foreign",
		.module_ops = &module_ops,
	};
	record = (struct verbs_kernel_device){
		.ibdev_name = "hw0",
		.uverbs_name = "uverbs4",
		.cdev = 0xe7c4,
		.ibdev_index = 9,
		.driver_id = RDMA_DRIVER_MLX5,
		.abi_version = 2,
		.nr_ports = 2,
		.has_node_guid = true,
		.node_guid = htobe64(0x1122334455667788),
		.node_type = IBV_NODE_CA,
		.created = { 11, 12 },
	};
	candidate = (struct verbs_candidate){ .kernel = &record };
	return 0;
}

static int teardown_match(void **state)
{
	free(candidate.claim);
	fake_sysfs_fini(&tree);
	return 0;
}

static void set_modalias(const char *text)
{
	fake_sysfs_write(&tree, "sys/class/infiniband/hw0/device/modalias",
			 text);
}

static bool match_device_by(enum verbs_match_kind kind)
{
	free(candidate.claim);
	candidate.claim = NULL;
	return foreign_match_device(&provider.ops, kind, &candidate);
}

static const struct foreign_sysfs_dev *match_and_get_claim(void)
{
	assert_true(match_device_by(VERBS_MATCH_NAME));
	assert_non_null(candidate.claim);
	return candidate.claim;
}

static void assert_no_match(void)
{
	assert_false(match_device_by(VERBS_MATCH_NAME));
	assert_null(candidate.claim);
}

/* ------------------------------------------------------------------------ */
/* Kinds of entries                                                          */
/* ------------------------------------------------------------------------ */

#define DRIVER(id)                                                    \
	{                                                             \
		.kind = FOREIGN_MATCH_DRIVER_ID, .u.driver_id = (id), \
		.driver_data = (void *)"driver"                       \
	}
#define PATTERN(text)                                                 \
	{                                                             \
		.kind = FOREIGN_MATCH_MODALIAS, .u.modalias = (text), \
		.driver_data = (void *)"pattern"                      \
	}
#define PCI(v, d)                                                        \
	{                                                                \
		.kind = FOREIGN_MATCH_PCI, .vendor = (v), .device = (d), \
		.driver_data = (void *)"pci"                             \
	}
#define END                                    \
	{                                      \
		.kind = FOREIGN_MATCH_SENTINEL \
	}

#define MLX5_MODALIAS "pci:v000015B3d00001017sv000015B3sd00000007bc02sc00i00"

static void foreign_match_driver_entry_matches_in_both_passes(void **state)
{
	static const struct foreign_match_ent table[] = {
		DRIVER(RDMA_DRIVER_EFA), DRIVER(RDMA_DRIVER_MLX5), END
	};

	module_ops.match_table = table;
	assert_true(match_device_by(VERBS_MATCH_DRIVER_ID));
	assert_ptr_equal(match_and_get_claim()->match, &table[1]);
	record.driver_id = RDMA_DRIVER_EFA;
	assert_ptr_equal(match_and_get_claim()->match, &table[0]);
	record.driver_id = RDMA_DRIVER_RXE;
	assert_no_match();
}

static void foreign_match_unknown_driver_id_does_not_match(void **state)
{
	static const struct foreign_match_ent table[] = {
		DRIVER(RDMA_DRIVER_UNKNOWN), END
	};

	module_ops.match_table = table;
	record.driver_id = RDMA_DRIVER_UNKNOWN;
	assert_false(match_device_by(VERBS_MATCH_DRIVER_ID));
	assert_no_match();
}

static void foreign_match_entry_behind_sentinel_does_not_match(void **state)
{
	static const struct foreign_match_ent table[] = {
		END, DRIVER(RDMA_DRIVER_MLX5), PATTERN("*"), END
	};

	module_ops.match_table = table;
	assert_false(match_device_by(VERBS_MATCH_DRIVER_ID));
	assert_no_match();
}

static void foreign_match_pattern_entry_matches_device_name(void **state)
{
	static const struct foreign_match_ent table[] = {
		PATTERN("rdma_device:*Nrx*"), PATTERN("rdma_device:*Nhw*"), END
	};

	module_ops.match_table = table;
	assert_ptr_equal(match_and_get_claim()->match, &table[1]);
	strcpy(record.ibdev_name, "rxe0");
	assert_ptr_equal(match_and_get_claim()->match, &table[0]);
	strcpy(record.ibdev_name, "xrxe0");
	assert_no_match();
}

static void foreign_match_pci_entry_matches_vendor_and_device(void **state)
{
	static const struct foreign_match_ent table[] = { PCI(0x15b3, 0x1016),
							  PCI(0x15b3, 0x1017),
							  END };

	module_ops.match_table = table;
	set_modalias(MLX5_MODALIAS "\n");
	assert_ptr_equal(match_and_get_claim()->match, &table[1]);
	assert_string_equal(match_and_get_claim()->modalias, MLX5_MODALIAS);
	assert_true(match_and_get_claim()->flags & FOREIGN_SYSFS_READ_MODALIAS);
}

static void
foreign_match_pci_entry_different_device_does_not_match(void **state)
{
	static const struct foreign_match_ent table[] = { PCI(0x15b3, 0x1018),
							  END };

	module_ops.match_table = table;
	set_modalias(MLX5_MODALIAS);
	assert_no_match();
}

static void foreign_match_pattern_entry_matches_modalias(void **state)
{
	static const struct foreign_match_ent table[] = { PATTERN("acpi*HISI*"),
							  END };

	module_ops.match_table = table;
	set_modalias("acpi:HISI00D1:");
	assert_ptr_equal(match_and_get_claim()->match, &table[0]);
}

static void foreign_match_pattern_entry_null_does_not_match(void **state)
{
	static const struct foreign_match_ent table[] = {
		PATTERN(NULL), PATTERN("rdma_device:*Nhw*"), END
	};

	module_ops.match_table = table;
	assert_ptr_equal(match_and_get_claim()->match, &table[1]);
	strcpy(record.ibdev_name, "rxe0");
	assert_no_match();
}

static void foreign_match_device_without_modalias_does_not_match(void **state)
{
	static const struct foreign_match_ent table[] = { PCI(0x15b3, 0x1017),
							  PATTERN("pci:*"),
							  PATTERN(""), END };

	module_ops.match_table = table;
	assert_no_match();
}

static void foreign_match_modalias_too_long_does_not_match(void **state)
{
	static const struct foreign_match_ent table[] = { PATTERN("aa*"), END };
	char text[600];

	module_ops.match_table = table;
	memset(text, 'a', sizeof(text));
	text[511] = '\0';
	set_modalias(text);
	assert_non_null(match_and_get_claim());
	text[511] = 'a';
	text[512] = '\0';
	set_modalias(text);
	candidate.has_modalias = false;
	assert_no_match();
}

/* The file is the same for all providers. */
static void foreign_match_modalias_is_read_once(void **state)
{
	static const struct foreign_match_ent table[] = { PCI(0x15b3, 0x1017),
							  END };

	module_ops.match_table = table;
	assert_no_match();
	set_modalias(MLX5_MODALIAS);
	assert_no_match();
}

static void
foreign_match_driver_precedes_name_and_name_precedes_modalias(void **state)
{
	static const struct foreign_match_ent table[] = {
		PCI(0x15b3, 0x1017), PATTERN("rdma_device:*Nhw*"),
		DRIVER(RDMA_DRIVER_MLX5), END
	};

	module_ops.match_table = table;
	set_modalias(MLX5_MODALIAS);
	assert_ptr_equal(match_and_get_claim()->match, &table[2]);
	record.driver_id = RDMA_DRIVER_UNKNOWN;
	assert_ptr_equal(match_and_get_claim()->match, &table[1]);
	strcpy(record.ibdev_name, "ib0");
	fake_sysfs_write(&tree, "sys/class/infiniband/ib0/device/modalias",
			 MLX5_MODALIAS);
	assert_ptr_equal(match_and_get_claim()->match, &table[0]);
}

static void foreign_match_first_pass_uses_driver_entries_only(void **state)
{
	static const struct foreign_match_ent table[] = {
		PATTERN("rdma_device:*Nhw*"), END
	};

	module_ops.match_table = table;
	assert_false(match_device_by(VERBS_MATCH_DRIVER_ID));
	assert_null(candidate.claim);
	assert_true(match_device_by(VERBS_MATCH_NAME));
}

/* ------------------------------------------------------------------------ */
/* match_device() of a provider                                              */
/* ------------------------------------------------------------------------ */

static const struct foreign_match_ent *last_match;
static bool decision;

static bool fake_match_device(struct foreign_sysfs_dev *sysfs_dev)
{
	assert_string_equal(sysfs_dev->ibdev_name, "hw0");
	last_match = sysfs_dev->match;
	sysfs_dev->provider_data = &decision;
	return decision;
}

static void foreign_match_match_device_function_decides(void **state)
{
	static const struct foreign_match_ent table[] = {
		DRIVER(RDMA_DRIVER_MLX5), END
	};

	module_ops.match_device = fake_match_device;
	decision = true;
	assert_null(match_and_get_claim()->match);
	assert_null(last_match);
	module_ops.match_table = table;
	assert_ptr_equal(match_and_get_claim()->provider_data, &decision);
	assert_ptr_equal(last_match, &table[0]);
	decision = false;
	assert_no_match();
	assert_false(match_device_by(VERBS_MATCH_DRIVER_ID));
}

/* ------------------------------------------------------------------------ */
/* Versions of the driver's ABI                                              */
/* ------------------------------------------------------------------------ */

static void foreign_match_abi_version_outside_range_warns_once(void **state)
{
	static const struct foreign_match_ent table[] = {
		DRIVER(RDMA_DRIVER_MLX5), END
	};

	module_ops.match_table = table;
	record.abi_version = 1;
	(void)match_and_get_claim();
	record.abi_version = 3;
	(void)match_and_get_claim();
	assert_int_equal(nr_warnings, 0);
	record.abi_version = 4;
	assert_no_match();
	assert_string_equal(warning,
			    "provider foreign: supports versions 1 to 3 of its "
			    "kernel driver's ABI, but hw0 has version 4");
	record.abi_version = 0;
	assert_no_match();
	assert_int_equal(nr_warnings, 1);
}

static void
foreign_match_abi_version_of_unmatched_device_is_ignored(void **state)
{
	static const struct foreign_match_ent table[] = {
		DRIVER(RDMA_DRIVER_EFA), END
	};

	module_ops.match_table = table;
	record.abi_version = 9;
	assert_no_match();
	assert_int_equal(nr_warnings, 0);
}

/* ------------------------------------------------------------------------ */

static void foreign_match_sysfs_dev_has_discovery_result(void **state)
{
	static const struct foreign_match_ent table[] = {
		DRIVER(RDMA_DRIVER_MLX5), END
	};
	const struct foreign_sysfs_dev *sysfs;
	char path[512];

	module_ops.match_table = table;
	sysfs = match_and_get_claim();
	assert_string_equal(sysfs->sysfs_name, "uverbs4");
	assert_int_equal(sysfs->sysfs_cdev, 0xe7c4);
	assert_string_equal(sysfs->ibdev_name, "hw0");
	(void)snprintf(path, sizeof(path), "%s/class/infiniband/hw0",
		       tree.sysfs);
	assert_string_equal(sysfs->ibdev_path, path);
	assert_int_equal(sysfs->node_guid, 0x1122334455667788);
	assert_int_equal(sysfs->flags, FOREIGN_SYSFS_READ_NODE_GUID);
	assert_int_equal(sysfs->driver_id, RDMA_DRIVER_MLX5);
	assert_int_equal(sysfs->node_type, IBV_NODE_CA);
	assert_int_equal(sysfs->ibdev_idx, 9);
	assert_int_equal(sysfs->num_ports, 2);
	assert_int_equal(sysfs->abi_ver, 2);
	assert_int_equal(sysfs->time_created.tv_sec, 11);
	assert_int_equal(sysfs->time_created.tv_nsec, 12);
	assert_null(sysfs->provider_data);
	assert_ptr_equal(sysfs->entry.next, &sysfs->entry);
}

static void foreign_match_sysfs_dev_without_guid_has_no_guid_flag(void **state)
{
	static const struct foreign_match_ent table[] = {
		DRIVER(RDMA_DRIVER_MLX5), END
	};

	module_ops.match_table = table;
	record.has_node_guid = false;
	assert_int_equal(match_and_get_claim()->flags, 0);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, setup_match, teardown_match)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(foreign_match_driver_entry_matches_in_both_passes),
		TEST(foreign_match_unknown_driver_id_does_not_match),
		TEST(foreign_match_entry_behind_sentinel_does_not_match),
		TEST(foreign_match_pattern_entry_matches_device_name),
		TEST(foreign_match_pci_entry_matches_vendor_and_device),
		TEST(foreign_match_pci_entry_different_device_does_not_match),
		TEST(foreign_match_pattern_entry_matches_modalias),
		TEST(foreign_match_pattern_entry_null_does_not_match),
		TEST(foreign_match_device_without_modalias_does_not_match),
		TEST(foreign_match_modalias_too_long_does_not_match),
		TEST(foreign_match_modalias_is_read_once),
		TEST(foreign_match_driver_precedes_name_and_name_precedes_modalias),
		TEST(foreign_match_first_pass_uses_driver_entries_only),
		TEST(foreign_match_match_device_function_decides),
		TEST(foreign_match_abi_version_outside_range_warns_once),
		TEST(foreign_match_abi_version_of_unmatched_device_is_ignored),
		TEST(foreign_match_sysfs_dev_has_discovery_result),
		TEST(foreign_match_sysfs_dev_without_guid_has_no_guid_flag),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
