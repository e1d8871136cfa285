// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A device of any kind, for tools that print what it is: preloaded, this
 * answers the queries of a program with values that ODD_SEED decides, among
 * them such as no device has. Two programs with the same seed see the same
 * device, so what they print can be compared (compare_devinfo.py). The device
 * that is opened is the user-space one.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

/* What a program built with the first release calls; see query_device_ex(). */
int ibv_query_gid_type(struct ibv_context *context, uint8_t port_num,
		       unsigned int index, unsigned int *type);

static void *next(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		abort();
	return function;
}

/*
 * A number that depends on the seed and on @what alone, and so not on the order
 * in which a program asks (the finalizer of splitmix64).
 */
static uint64_t odd(unsigned int what)
{
	const char *seed = getenv("ODD_SEED");
	uint64_t z =
		(seed ? strtoull(seed, NULL, 10) : 0) * 0x9e3779b97f4a7c15ULL +
		what * 0xd1342543de82ef95ULL + 1;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* Fills a struct; every other seed leaves most of its bytes 0. */
static void fill(void *memory, size_t size, unsigned int what)
{
	unsigned char *bytes = memory;

	for (size_t i = 0; i < size; i++) {
		uint64_t value = odd(what * 100000 + i / 4);

		/* words of 0, small words, and full ones */
		if (value % 3 == 0 || (value % 3 == 1 && i % 4))
			bytes[i] = 0;
		else
			bytes[i] = odd(what * 100000 + 50000 + i);
	}
}

static unsigned int pick(unsigned int what, unsigned int below)
{
	return odd(what) % below;
}

static int query_device_ex(struct ibv_context *context,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t size)
{
	struct ibv_device_attr_ex whole = {};

	fill(&whole, sizeof(whole), 1);
	memset(whole.orig_attr.fw_ver, 0, sizeof(whole.orig_attr.fw_ver));
	if (pick(2, 2))
		strcpy(whole.orig_attr.fw_ver, "22.31.1014");
	whole.orig_attr.phys_port_cnt = 1 + pick(3, 3);
	whole.orig_attr.atomic_cap = pick(4, 4);
	whole.phys_port_cnt_ex = pick(5, 2) ? whole.orig_attr.phys_port_cnt : 0;
	if (pick(6, 2))
		whole.odp_caps.general_caps = pick(7, 5);
	if (pick(8, 2))
		whole.odp_caps.per_transport_caps.rc_odp_caps = pick(9, 300);
	if (pick(10, 2))
		whole.odp_caps.per_transport_caps.ud_odp_caps = pick(11, 64);
	if (pick(12, 2))
		whole.tso_caps.supported_qpts = 1U << pick(13, 10);
	whole.cq_mod_caps.max_cq_count = pick(14, 2) * odd(15);
	whole.cq_mod_caps.max_cq_period = pick(16, 2) * odd(17);
	memcpy(attr, &whole, size < sizeof(whole) ? size : sizeof(whole));
	return 0;
}

static int query_port(struct ibv_context *context, uint8_t port_num,
		      struct ibv_port_attr *attr, size_t size)
{
	static const uint8_t widths[] = { 1, 2, 4, 8, 16, 3, 0 };
	static const uint8_t speeds[] = {
		1, 2, 4, 8, 16, 32, 64, 128, 0, 5, 255
	};
	struct ibv_port_attr whole = {};
	unsigned int what = 1000 * port_num;

	fill(&whole, sizeof(whole), 100 + port_num);
	whole.state = pick(what + 1, 8);
	whole.max_mtu = pick(what + 2, 7);
	whole.active_mtu = pick(what + 3, 7);
	whole.gid_tbl_len = pick(what + 4, 12);
	whole.link_layer = pick(what + 5, 4);
	whole.max_vl_num = pick(what + 6, 7);
	whole.active_width = widths[pick(what + 7, sizeof(widths))];
	whole.active_speed = speeds[pick(what + 8, sizeof(speeds))];
	whole.phys_state = pick(what + 9, 10);
	/* newer releases read more than older ones here */
	whole.active_speed_ex = 0;
	memcpy(attr, &whole, size < sizeof(whole) ? size : sizeof(whole));
	return 0;
}

/* Slot @index of the table: false when it is empty. */
static bool odd_gid(uint32_t port_num, uint32_t index,
		    struct ibv_gid_entry *entry)
{
	unsigned int what = 1000 * port_num + 100 + 10 * index;
	unsigned int kind = pick(what, 6);

	*entry = (struct ibv_gid_entry){ .gid_index = index,
					 .port_num = port_num };
	if (kind == 0)
		return false;
	for (int i = 0; i < 16; i++)
		entry->gid.raw[i] = odd(what + 1) >> (i % 8 * 8);
	if (kind == 1 || kind == 2) {
		static const uint8_t mapped[] = { [10] = 0xff, [11] = 0xff };

		memcpy(entry->gid.raw, mapped, sizeof(mapped));
	}
	if (kind == 3)
		entry->gid.global.subnet_prefix = htobe64(0xfe80ULL << 48);
	if (pick(what + 2, 4) == 0) /* as iWARP ports have it */
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

	odd_gid(port_num, index, &entry);
	*gid = entry.gid;
	return 0;
}

int ibv_query_gid_type(struct ibv_context *context, uint8_t port_num,
		       unsigned int index, unsigned int *type)
{
	struct ibv_gid_entry entry;

	odd_gid(port_num, index, &entry);
	*type = entry.gid_type == IBV_GID_TYPE_ROCE_V2;
	return 0;
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num,
		      uint32_t gid_index, struct ibv_gid_entry *entry,
		      uint32_t flags, size_t entry_size)
{
	return odd_gid(port_num, gid_index, entry) ? 0 : ENODATA;
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

			if (!odd_gid(port, i, &entry))
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
			next("ibv_open_device");
	struct ibv_context *context = open(device);
	struct verbs_context *table;

	if (!context)
		return NULL;
	table = verbs_get_ctx(context);
	table->query_device_ex = query_device_ex;
	table->query_port = query_port;
	device->transport_type = (int)pick(20, 8) - 1;
	return context;
}
