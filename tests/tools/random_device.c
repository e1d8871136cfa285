// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloaded into a program, this library makes the queries of the opened device
 * return random attributes, including values that no real device has. The
 * variable DEVICE_SEED determines all values. Two programs with the same seed
 * see the same device, so their output can be compared (same_text_test.py). The
 * opened device itself is the user-space device.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

/* Programs that were built with the first releases call this function. */
int ibv_query_gid_type(struct ibv_context *context, uint8_t port_num,
		       unsigned int index, unsigned int *type);

static void *next_symbol(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		abort();
	return function;
}

/*
 * Returns a number that depends only on the seed and on @id, so that the order
 * of queries does not matter (finalizer of splitmix64).
 */
static uint64_t random_value(unsigned int id)
{
	const char *seed = getenv("DEVICE_SEED");
	uint64_t z =
		(seed ? strtoull(seed, NULL, 10) : 0) * 0x9e3779b97f4a7c15ULL +
		id * 0xd1342543de82ef95ULL + 1;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* Fills a struct with random words; some are 0, some small. */
static void fill_random(void *memory, size_t size, unsigned int id)
{
	unsigned char *bytes = memory;

	for (size_t i = 0; i < size; i++) {
		uint64_t value = random_value(id * 100000 + i / 4);

		/* words of 0, small words, and full words */
		if (value % 3 == 0 || (value % 3 == 1 && i % 4))
			bytes[i] = 0;
		else
			bytes[i] = random_value(id * 100000 + 50000 + i);
	}
}

static unsigned int random_below(unsigned int id, unsigned int below)
{
	return random_value(id) % below;
}

static int query_device_ex(struct ibv_context *context,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t size)
{
	struct ibv_device_attr_ex full = {};

	fill_random(&full, sizeof(full), 1);
	memset(full.orig_attr.fw_ver, 0, sizeof(full.orig_attr.fw_ver));
	if (random_below(2, 2))
		strcpy(full.orig_attr.fw_ver, "22.31.1014");
	full.orig_attr.phys_port_cnt = 1 + random_below(3, 3);
	full.orig_attr.atomic_cap = random_below(4, 4);
	full.phys_port_cnt_ex =
		random_below(5, 2) ? full.orig_attr.phys_port_cnt : 0;
	if (random_below(6, 2))
		full.odp_caps.general_caps = random_below(7, 5);
	if (random_below(8, 2))
		full.odp_caps.per_transport_caps.rc_odp_caps =
			random_below(9, 300);
	if (random_below(10, 2))
		full.odp_caps.per_transport_caps.ud_odp_caps =
			random_below(11, 64);
	if (random_below(12, 2))
		full.tso_caps.supported_qpts = 1U << random_below(13, 10);
	full.cq_mod_caps.max_cq_count = random_below(14, 2) * random_value(15);
	full.cq_mod_caps.max_cq_period = random_below(16, 2) * random_value(17);
	memcpy(attr, &full, size < sizeof(full) ? size : sizeof(full));
	return 0;
}

static int query_port(struct ibv_context *context, uint8_t port_num,
		      struct ibv_port_attr *attr, size_t size)
{
	static const uint8_t widths[] = { 1, 2, 4, 8, 16, 3, 0 };
	static const uint8_t speeds[] = {
		1, 2, 4, 8, 16, 32, 64, 128, 0, 5, 255
	};
	struct ibv_port_attr full = {};
	unsigned int id = 1000 * port_num;

	fill_random(&full, sizeof(full), 100 + port_num);
	full.state = random_below(id + 1, 8);
	full.max_mtu = random_below(id + 2, 7);
	full.active_mtu = random_below(id + 3, 7);
	full.gid_tbl_len = random_below(id + 4, 12);
	full.link_layer = random_below(id + 5, 4);
	full.max_vl_num = random_below(id + 6, 7);
	full.active_width = widths[random_below(id + 7, sizeof(widths))];
	full.active_speed = speeds[random_below(id + 8, sizeof(speeds))];
	full.phys_state = random_below(id + 9, 10);
	/* newer releases read this member, older ones do not */
	full.active_speed_ex = 0;
	memcpy(attr, &full, size < sizeof(full) ? size : sizeof(full));
	return 0;
}

/* Returns entry @index of the GID table; false if the entry is empty. */
static bool random_gid(uint32_t port_num, uint32_t index,
		       struct ibv_gid_entry *entry)
{
	unsigned int id = 1000 * port_num + 100 + 10 * index;
	unsigned int kind = random_below(id, 6);

	*entry = (struct ibv_gid_entry){ .gid_index = index,
					 .port_num = port_num };
	if (kind == 0)
		return false;
	for (int i = 0; i < 16; i++)
		entry->gid.raw[i] = random_value(id + 1) >> (i % 8 * 8);
	if (kind == 1 || kind == 2) {
		static const uint8_t mapped[] = { [10] = 0xff, [11] = 0xff };

		memcpy(entry->gid.raw, mapped, sizeof(mapped));
	}
	if (kind == 3)
		entry->gid.global.subnet_prefix = htobe64(0xfe80ULL << 48);
	if (random_below(id + 2, 4) ==
	    0) /* like the MAC address entry of an iWARP port */
		entry->gid.global.interface_id = 0;
	entry->gid_type = kind % 2 ? IBV_GID_TYPE_ROCE_V1
				   : IBV_GID_TYPE_ROCE_V2;
	if (kind == 5)
		entry->gid_type = IBV_GID_TYPE_IB;
	entry->ndev_ifindex = 1;
	return true;
}

int ibv_query_gid(struct ibv_context *context, uint8_t port_num, int index,
		  union ibv_gid *gid)
{
	struct ibv_gid_entry entry;

	random_gid(port_num, index, &entry);
	*gid = entry.gid;
	return 0;
}

int ibv_query_gid_type(struct ibv_context *context, uint8_t port_num,
		       unsigned int index, unsigned int *type)
{
	struct ibv_gid_entry entry;

	random_gid(port_num, index, &entry);
	*type = entry.gid_type == IBV_GID_TYPE_ROCE_V2;
	return 0;
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num,
		      uint32_t gid_index, struct ibv_gid_entry *entry,
		      uint32_t flags, size_t entry_size)
{
	return random_gid(port_num, gid_index, entry) ? 0 : ENODATA;
}

ssize_t _ibv_query_gid_table(struct ibv_context *context,
			     struct ibv_gid_entry *entries, size_t max_entries,
			     uint32_t flags, size_t entry_size)
{
	struct ibv_device_attr_ex device;
	size_t count = 0;

	query_device_ex(context, NULL, &device, sizeof(device));
	for (int port = 1; port <= device.orig_attr.phys_port_cnt; port++) {
		struct ibv_port_attr attr;

		query_port(context, port, &attr, sizeof(attr));
		for (int i = 0; i < attr.gid_tbl_len; i++) {
			struct ibv_gid_entry entry;

			if (!random_gid(port, i, &entry))
				continue;
			if (count == max_entries)
				return -EINVAL;
			entries[count++] = entry;
		}
	}
	return count;
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *(*open)(struct ibv_device *) =
		(struct ibv_context * (*)(struct ibv_device *))
			next_symbol("ibv_open_device");
	struct ibv_context *context = open(device);
	struct verbs_context *table;

	if (!context)
		return NULL;
	table = verbs_get_ctx(context);
	table->query_device_ex = query_device_ex;
	table->query_port = query_port;
	device->transport_type = (int)random_below(20, 8) - 1;
	return context;
}
