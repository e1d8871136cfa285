/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Match rules of foreign providers: libibverbs/foreign/foreign_match.c, with a
 * folder in the place of sysfs.
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

/* last: it needs those above */
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

static int start(void **state)
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

static int stop(void **state)
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

static bool claims(enum verbs_match_kind kind)
{
	free(candidate.claim);
	candidate.claim = NULL;
	return foreign_match_device(&provider.ops, kind, &candidate);
}

static const struct foreign_sysfs_dev *claim(void)
{
	assert_true(claims(VERBS_MATCH_NAME));
	assert_non_null(candidate.claim);
	return candidate.claim;
}

static void assert_no_claim(void)
{
	assert_false(claims(VERBS_MATCH_NAME));
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

static void driver_matches_in_both_rounds(void **state)
{
	static const struct foreign_match_ent table[] = {
		DRIVER(RDMA_DRIVER_EFA), DRIVER(RDMA_DRIVER_MLX5), END
	};

	module_ops.match_table = table;
	assert_true(claims(VERBS_MATCH_DRIVER_ID));
	assert_ptr_equal(claim()->match, &table[1]);
	record.driver_id = RDMA_DRIVER_EFA;
	assert_ptr_equal(claim()->match, &table[0]);
	record.driver_id = RDMA_DRIVER_RXE;
	assert_no_claim();
}

static void unknown_driver_matches_nothing(void **state)
{
	static const struct foreign_match_ent table[] = {
		DRIVER(RDMA_DRIVER_UNKNOWN), END
	};

	module_ops.match_table = table;
	record.driver_id = RDMA_DRIVER_UNKNOWN;
	assert_false(claims(VERBS_MATCH_DRIVER_ID));
	assert_no_claim();
}

static void entry_behind_the_end_does_not_match(void **state)
{
	static const struct foreign_match_ent table[] = {
		END, DRIVER(RDMA_DRIVER_MLX5), PATTERN("*"), END
	};

	module_ops.match_table = table;
	assert_false(claims(VERBS_MATCH_DRIVER_ID));
	assert_no_claim();
}

static void name_matches_a_pattern(void **state)
{
	static const struct foreign_match_ent table[] = {
		PATTERN("rdma_device:*Nrx*"), PATTERN("rdma_device:*Nhw*"), END
	};

	module_ops.match_table = table;
	assert_ptr_equal(claim()->match, &table[1]);
	strcpy(record.ibdev_name, "rxe0");
	assert_ptr_equal(claim()->match, &table[0]);
	strcpy(record.ibdev_name, "xrxe0");
	assert_no_claim();
}

static void bus_matches_vendor_and_device(void **state)
{
	static const struct foreign_match_ent table[] = { PCI(0x15b3, 0x1016),
							  PCI(0x15b3, 0x1017),
							  END };

	module_ops.match_table = table;
	set_modalias(MLX5_MODALIAS "\n");
	assert_ptr_equal(claim()->match, &table[1]);
	assert_string_equal(claim()->modalias, MLX5_MODALIAS);
	assert_true(claim()->flags & FOREIGN_SYSFS_READ_MODALIAS);
}

static void other_bus_address_does_not_match(void **state)
{
	static const struct foreign_match_ent table[] = { PCI(0x15b3, 0x1018),
							  END };

	module_ops.match_table = table;
	set_modalias(MLX5_MODALIAS);
	assert_no_claim();
}

static void bus_matches_a_pattern(void **state)
{
	static const struct foreign_match_ent table[] = { PATTERN("acpi*HISI*"),
							  END };

	module_ops.match_table = table;
	set_modalias("acpi:HISI00D1:");
	assert_ptr_equal(claim()->match, &table[0]);
}

static void entry_without_a_pattern_matches_nothing(void **state)
{
	static const struct foreign_match_ent table[] = {
		PATTERN(NULL), PATTERN("rdma_device:*Nhw*"), END
	};

	module_ops.match_table = table;
	assert_ptr_equal(claim()->match, &table[1]);
	strcpy(record.ibdev_name, "rxe0");
	assert_no_claim();
}

static void device_without_a_bus_matches_no_bus(void **state)
{
	static const struct foreign_match_ent table[] = { PCI(0x15b3, 0x1017),
							  PATTERN("pci:*"),
							  PATTERN(""), END };

	module_ops.match_table = table;
	assert_no_claim();
}

static void modalias_that_is_too_long_is_none(void **state)
{
	static const struct foreign_match_ent table[] = { PATTERN("aa*"), END };
	char text[600];

	module_ops.match_table = table;
	memset(text, 'a', sizeof(text));
	text[511] = '\0';
	set_modalias(text);
	assert_non_null(claim());
	text[511] = 'a';
	text[512] = '\0';
	set_modalias(text);
	candidate.has_modalias = false;
	assert_no_claim();
}

/* Every provider is asked, and the file is the same. */
static void modalias_is_read_once(void **state)
{
	static const struct foreign_match_ent table[] = { PCI(0x15b3, 0x1017),
							  END };

	module_ops.match_table = table;
	assert_no_claim();
	set_modalias(MLX5_MODALIAS);
	assert_no_claim();
}

static void driver_goes_before_name_and_name_before_bus(void **state)
{
	static const struct foreign_match_ent table[] = {
		PCI(0x15b3, 0x1017), PATTERN("rdma_device:*Nhw*"),
		DRIVER(RDMA_DRIVER_MLX5), END
	};

	module_ops.match_table = table;
	set_modalias(MLX5_MODALIAS);
	assert_ptr_equal(claim()->match, &table[2]);
	record.driver_id = RDMA_DRIVER_UNKNOWN;
	assert_ptr_equal(claim()->match, &table[1]);
	strcpy(record.ibdev_name, "ib0");
	fake_sysfs_write(&tree, "sys/class/infiniband/ib0/device/modalias",
			 MLX5_MODALIAS);
	assert_ptr_equal(claim()->match, &table[0]);
}

static void first_round_is_for_drivers_only(void **state)
{
	static const struct foreign_match_ent table[] = {
		PATTERN("rdma_device:*Nhw*"), END
	};

	module_ops.match_table = table;
	assert_false(claims(VERBS_MATCH_DRIVER_ID));
	assert_null(candidate.claim);
	assert_true(claims(VERBS_MATCH_NAME));
}

/* ------------------------------------------------------------------------ */
/* A provider that decides by itself                                         */
/* ------------------------------------------------------------------------ */

static const struct foreign_match_ent *seen_match;
static bool decision;

static bool match_device(struct foreign_sysfs_dev *sysfs_dev)
{
	assert_string_equal(sysfs_dev->ibdev_name, "hw0");
	seen_match = sysfs_dev->match;
	sysfs_dev->provider_data = &decision;
	return decision;
}

static void provider_decides_alone(void **state)
{
	static const struct foreign_match_ent table[] = {
		DRIVER(RDMA_DRIVER_MLX5), END
	};

	module_ops.match_device = match_device;
	decision = true;
	assert_null(claim()->match);
	assert_null(seen_match);
	module_ops.match_table = table;
	assert_ptr_equal(claim()->provider_data, &decision);
	assert_ptr_equal(seen_match, &table[0]);
	decision = false;
	assert_no_claim();
	assert_false(claims(VERBS_MATCH_DRIVER_ID));
}

/* ------------------------------------------------------------------------ */
/* Versions of the driver's ABI                                              */
/* ------------------------------------------------------------------------ */

static void versions_outside_the_range_do_not_match(void **state)
{
	static const struct foreign_match_ent table[] = {
		DRIVER(RDMA_DRIVER_MLX5), END
	};

	module_ops.match_table = table;
	record.abi_version = 1;
	(void)claim();
	record.abi_version = 3;
	(void)claim();
	assert_int_equal(nr_warnings, 0);
	record.abi_version = 4;
	assert_no_claim();
	assert_string_equal(warning,
			    "provider foreign: supports versions 1 to 3 of its "
			    "kernel driver's ABI, but hw0 has version 4");
	record.abi_version = 0;
	assert_no_claim();
	assert_int_equal(nr_warnings, 1);
}

static void version_of_a_device_of_others_is_no_matter(void **state)
{
	static const struct foreign_match_ent table[] = {
		DRIVER(RDMA_DRIVER_EFA), END
	};

	module_ops.match_table = table;
	record.abi_version = 9;
	assert_no_claim();
	assert_int_equal(nr_warnings, 0);
}

/* ------------------------------------------------------------------------ */

static void record_has_what_discovery_knows(void **state)
{
	static const struct foreign_match_ent table[] = {
		DRIVER(RDMA_DRIVER_MLX5), END
	};
	const struct foreign_sysfs_dev *sysfs;
	char path[512];

	module_ops.match_table = table;
	sysfs = claim();
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

static void record_without_a_guid_says_so(void **state)
{
	static const struct foreign_match_ent table[] = {
		DRIVER(RDMA_DRIVER_MLX5), END
	};

	module_ops.match_table = table;
	record.has_node_guid = false;
	assert_int_equal(claim()->flags, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(driver_matches_in_both_rounds),
		TEST(unknown_driver_matches_nothing),
		TEST(entry_behind_the_end_does_not_match),
		TEST(name_matches_a_pattern),
		TEST(bus_matches_vendor_and_device),
		TEST(other_bus_address_does_not_match),
		TEST(bus_matches_a_pattern),
		TEST(entry_without_a_pattern_matches_nothing),
		TEST(device_without_a_bus_matches_no_bus),
		TEST(modalias_that_is_too_long_is_none),
		TEST(modalias_is_read_once),
		TEST(driver_goes_before_name_and_name_before_bus),
		TEST(first_round_is_for_drivers_only),
		TEST(provider_decides_alone),
		TEST(versions_outside_the_range_do_not_match),
		TEST(version_of_a_device_of_others_is_no_matter),
		TEST(record_has_what_discovery_knows),
		TEST(record_without_a_guid_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
