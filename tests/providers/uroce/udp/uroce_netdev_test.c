/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Interfaces: which ones are listed, the order of GIDs, and their stability. */
#include "uroce/udp/uroce_netdev.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/udp/uroce_link.h"
#include "uroce_netns.h"

/* Skips the test where addresses cannot be changed. */
static void needs_netns(void)
{
	if (uroce_netns_entered())
		return;
	print_message("skipped: needs a network namespace\n");
	skip();
}

static void assert_gid(const struct uroce_netdev *dev, uint32_t index,
		       const char *address)
{
	uint8_t gid[UROCE_GID_LEN] = {};

	if (address)
		uroce_netns_gid(address, gid);
	assert_true(index < dev->nr_gids);
	assert_memory_equal(dev->gids[index], gid, sizeof(gid));
}

static void netdev_payload_is_largest_mtu_that_fits(void **state)
{
	assert_int_equal(uroce_netdev_payload(65536), 4096);
	assert_int_equal(uroce_netdev_payload(9000), 4096);
	assert_int_equal(uroce_netdev_payload(4300), 4096);
	assert_int_equal(uroce_netdev_payload(4176), 4096);
	assert_int_equal(uroce_netdev_payload(4175), 2048);
	assert_int_equal(uroce_netdev_payload(1500), 1024);
	assert_int_equal(uroce_netdev_payload(1280), 1024);
	assert_int_equal(uroce_netdev_payload(336), 256);
	assert_int_equal(uroce_netdev_payload(335), 0);
	assert_int_equal(uroce_netdev_payload(0), 0);
}

static void netdev_loopback_lists_ipv6_address_first(void **state)
{
	struct uroce_netdev dev;

	assert_int_equal(uroce_netdev_read("lo", &dev), 0);
	assert_string_equal(dev.name, "lo");
	assert_true(dev.up);
	assert_true(dev.loopback);
	assert_true(dev.ifindex > 0);
	assert_gid(&dev, 1, "127.0.0.1");
	/*
	 * no MAC address: locally administered, with the middle of every EUI-64
	 */
	assert_int_equal(dev.node_guid[0] & 2, 2);
	assert_int_equal(dev.node_guid[3], 0xff);
	assert_int_equal(dev.node_guid[4], 0xfe);
	needs_netns();
	assert_gid(&dev, 0, "::1");
	assert_int_equal(dev.nr_gids, 2);
}

static void netdev_unknown_name_returns_enodev(void **state)
{
	struct uroce_netdev dev = { .mtu = 7 };

	assert_int_equal(uroce_netdev_read("nosuch0", &dev), -ENODEV);
	assert_int_equal(uroce_netdev_read("a-name-that-is-too-long", &dev),
			 -ENODEV);
	assert_int_equal(dev.mtu, 7);
}

static void netdev_list_contains_interfaces_that_are_up(void **state)
{
	struct uroce_netdev *devs = NULL;
	bool found = false;
	int nr = uroce_netdev_list(&devs);

	for (int i = 0; i < nr; i++) {
		assert_true(devs[i].up);
		assert_true(devs[i].nr_gids > 0);
		found |= strcmp(devs[i].name, "lo") == 0;
	}
	assert_true(found);
	free(devs);

	needs_netns();
	uroce_netns_set_up("lo", false);
	devs = NULL;
	assert_int_equal(uroce_netdev_list(&devs), 0);
	free(devs);
	uroce_netns_set_up("lo", true);
}

static void netdev_label_address_belongs_to_interface(void **state)
{
	struct uroce_netdev *devs = NULL;
	struct uroce_netdev dev;

	needs_netns();
	uroce_netns_set_address("lo:1", "10.1.2.3");
	assert_int_equal(uroce_netdev_read("lo", &dev), 0);
	assert_gid(&dev, 1, "127.0.0.1");
	assert_gid(&dev, 2, "10.1.2.3");
	assert_int_equal(uroce_netdev_list(&devs), 1);
	assert_int_equal(devs[0].nr_gids, 3);
	free(devs);
	uroce_netns_set_up("lo:1", false); /* removes the address */
}

static void netdev_addresses_keep_gid_index(void **state)
{
	struct uroce_netdev dev;

	needs_netns();
	uroce_netns_set_address("lo:1", "192.168.1.1");
	uroce_netns_set_address("lo:2", "192.168.2.1");
	assert_int_equal(uroce_netdev_read("lo", &dev), 0);
	assert_gid(&dev, 2, "192.168.1.1");
	assert_gid(&dev, 3, "192.168.2.1");

	uroce_netns_set_up("lo:1", false);
	assert_int_equal(uroce_netdev_refresh(&dev), 0);
	assert_int_equal(dev.nr_gids, 4);
	assert_gid(&dev, 2, NULL);
	assert_gid(&dev, 3, "192.168.2.1");

	uroce_netns_set_address("lo:1", "192.168.3.1");
	assert_int_equal(uroce_netdev_refresh(&dev), 0);
	assert_int_equal(dev.nr_gids, 4);
	assert_gid(&dev, 0, "::1");
	assert_gid(&dev, 1, "127.0.0.1");
	assert_gid(&dev, 2, "192.168.3.1");
	assert_gid(&dev, 3, "192.168.2.1");
	uroce_netns_set_up("lo:1", false);
	uroce_netns_set_up("lo:2", false);
}

static void netdev_link_change_is_reported(void **state)
{
	int fd = uroce_link_open();
	char byte;

	assert_true(fd >= 0);
	needs_netns();
	uroce_netns_set_address("lo:1", "192.168.1.1");
	assert_true(recv(fd, &byte, 1, MSG_PEEK) > 0);
	uroce_link_drain(fd);
	assert_int_equal(recv(fd, &byte, 1, 0), -1);
	uroce_netns_set_up("lo:1", false);
	assert_true(recv(fd, &byte, 1, MSG_PEEK) > 0);
	(void)close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(netdev_payload_is_largest_mtu_that_fits),
		cmocka_unit_test(netdev_loopback_lists_ipv6_address_first),
		cmocka_unit_test(netdev_unknown_name_returns_enodev),
		cmocka_unit_test(netdev_list_contains_interfaces_that_are_up),
		cmocka_unit_test(netdev_label_address_belongs_to_interface),
		cmocka_unit_test(netdev_addresses_keep_gid_index),
		cmocka_unit_test(netdev_link_change_is_reported),
	};

	(void)uroce_netns_enter();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
