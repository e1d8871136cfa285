/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Converts RDMA netlink responses to records. Called by netlink_io.c for each
 * datagram, and by the fuzz target. libnl parses attributes and checks their
 * lengths against the policy below; this file checks everything else.
 *
 * A datagram contains messages of two kinds, distinguished by their sequence
 * number: parts of the dump of all devices, and responses to queries for one
 * character device. They arrive in any order.
 */
#include "discover/netlink_parse.h"

#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <rdma/rdma_netlink.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "discover/records.h"

/* The highest attribute used; the parser skips higher ones. */
#define LAST_ATTR RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID

/* Strings are not listed: an invalid name must not invalidate the message. */
static const struct nla_policy nldev_policy[LAST_ATTR + 1] = {
	[RDMA_NLDEV_ATTR_DEV_INDEX] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_PORT_INDEX] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_NODE_GUID] = { .type = NLA_U64 },
	[RDMA_NLDEV_ATTR_DEV_NODE_TYPE] = { .type = NLA_U8 },
	[RDMA_NLDEV_ATTR_CHARDEV_ABI] = { .type = NLA_U64 },
	[RDMA_NLDEV_ATTR_CHARDEV] = { .type = NLA_U64 },
	[RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID] = { .type = NLA_U32 },
};

/* The last byte of the attribute must be the terminating NUL. */
static bool nldev_parse_name(struct nlattr *attr, char *ret_name)
{
	const char *text = nla_data(attr);
	int len = nla_len(attr);

	if (len < 1 || text[len - 1] != '\0')
		return false;
	return verbs_record_name(text, (size_t)len - 1, ret_name);
}

/*
 * The names of records are padded with zeros. Every device is compared with all
 * others, and most names differ in their first 8 bytes.
 */
static bool nldev_same_name(const char *a, const char *b)
{
	uint64_t first_a, first_b;

	memcpy(&first_a, a, sizeof(first_a));
	memcpy(&first_b, b, sizeof(first_b));
	return first_a == first_b && memcmp(a, b, VERBS_DEVICE_NAME_LEN) == 0;
}

static bool nldev_is_duplicate(const struct verbs_device_records *devices,
			       const struct verbs_kernel_device *device)
{
	for (size_t i = 0; i < devices->count; i++) {
		const struct verbs_kernel_device *other = &devices->devices[i];

		if (other->ibdev_index == device->ibdev_index ||
		    nldev_same_name(other->ibdev_name, device->ibdev_name))
			return true;
	}
	return false;
}

static int nldev_parse_device(struct verbs_netlink_scan *scan,
			      struct nlmsghdr *hdr)
{
	struct verbs_kernel_device device = { .has_node_guid = true };
	struct nlattr *attrs[LAST_ATTR + 1];
	uint32_t ibdev_index;

	if (nlmsg_parse(hdr, 0, attrs, LAST_ATTR, nldev_policy) < 0)
		return -EBADMSG;
	if (!attrs[RDMA_NLDEV_ATTR_DEV_INDEX] ||
	    !attrs[RDMA_NLDEV_ATTR_DEV_NAME] ||
	    !attrs[RDMA_NLDEV_ATTR_PORT_INDEX] ||
	    !attrs[RDMA_NLDEV_ATTR_NODE_GUID] ||
	    !attrs[RDMA_NLDEV_ATTR_DEV_NODE_TYPE])
		return -EBADMSG;

	ibdev_index = nla_get_u32(attrs[RDMA_NLDEV_ATTR_DEV_INDEX]);
	if (ibdev_index > INT_MAX)
		return -EBADMSG;
	if (!nldev_parse_name(attrs[RDMA_NLDEV_ATTR_DEV_NAME],
			      device.ibdev_name))
		return 0;

	device.ibdev_index = (int)ibdev_index;
	device.nr_ports = nla_get_u32(attrs[RDMA_NLDEV_ATTR_PORT_INDEX]);
	device.node_guid =
		htobe64(nla_get_u64(attrs[RDMA_NLDEV_ATTR_NODE_GUID]));
	device.node_type = verbs_record_node_type(
		nla_get_u8(attrs[RDMA_NLDEV_ATTR_DEV_NODE_TYPE]));

	/*
	 * The kernel resumes a dump by position. If devices are added or
	 * removed meanwhile, a device can appear twice, or a new device with
	 * the name of a removed one.
	 */
	if (nldev_is_duplicate(&scan->devices, &device))
		return -ESTALE;
	if (scan->devices.count == VERBS_NETLINK_MAX_DEVICES)
		return -EBADMSG;
	return verbs_records_add(&scan->devices, &device);
}

/* Reads the error code at the start of NLMSG_ERROR and NLMSG_DONE. */
static bool nldev_parse_error(const struct nlmsghdr *hdr, int *ret_error)
{
	if (!nlmsg_valid_hdr(hdr, sizeof(*ret_error)))
		return false;
	memcpy(ret_error, nlmsg_data(hdr), sizeof(*ret_error));
	return true;
}

static int nldev_dump_error(int error)
{
	if (error == -EAGAIN || error == -EINTR || error == -EBUSY)
		return -ESTALE;
	return -EIO;
}

static int nldev_parse_dump(struct verbs_netlink_scan *scan,
			    struct nlmsghdr *hdr)
{
	int error;

	if (scan->dump_done)
		return -EBADMSG;
	if (hdr->nlmsg_flags & NLM_F_DUMP_INTR)
		return -ESTALE;

	switch (hdr->nlmsg_type) {
	case RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET):
		return nldev_parse_device(scan, hdr);
	case NLMSG_NOOP:
		return 0;
	case NLMSG_OVERRUN:
		return -ESTALE;
	case NLMSG_ERROR:
		if (!nldev_parse_error(hdr, &error))
			return -EBADMSG;
		return error ? nldev_dump_error(error) : 0;
	case NLMSG_DONE:
		/* Older kernels send no error code. */
		if (nldev_parse_error(hdr, &error) && error < 0)
			return nldev_dump_error(error);
		scan->dump_done = true;
		return 0;
	default:
		return -EBADMSG;
	}
}

static bool nldev_parse_chardev(struct nlmsghdr *hdr,
				struct verbs_netlink_query *query)
{
	struct nlattr *attrs[LAST_ATTR + 1];
	struct nlattr *driver;
	uint64_t cdev;

	if (query->of_system ||
	    nlmsg_parse(hdr, 0, attrs, LAST_ATTR, nldev_policy) < 0)
		return false;
	if (!attrs[RDMA_NLDEV_ATTR_CHARDEV] ||
	    !attrs[RDMA_NLDEV_ATTR_CHARDEV_ABI] ||
	    !attrs[RDMA_NLDEV_ATTR_CHARDEV_NAME])
		return false;

	cdev = nla_get_u64(attrs[RDMA_NLDEV_ATTR_CHARDEV]);
	if (cdev > UINT32_MAX)
		return false;
	if (!nldev_parse_name(attrs[RDMA_NLDEV_ATTR_CHARDEV_NAME], query->name))
		return false;

	/* mmmMMMmm: 12 bits of major between 12 and 8 bits of minor */
	query->cdev = makedev((cdev >> 8) & 0xfff,
			      (cdev & 0xff) | ((cdev >> 12) & 0xfff00));
	query->abi_version =
		(uint32_t)nla_get_u64(attrs[RDMA_NLDEV_ATTR_CHARDEV_ABI]);
	driver = attrs[RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID];
	query->driver_id = driver ? nla_get_u32(driver) : 0;
	return true;
}

/* Kernels before 5.12 do not send the attribute. */
static bool nldev_parse_system(struct nlmsghdr *hdr,
			       struct verbs_netlink_query *query)
{
	struct nlattr *attr;

	if (!query->of_system)
		return false;
	attr = nlmsg_find_attr(hdr, 0, RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK);
	query->copy_on_fork = attr && nla_len(attr) >= 1 && nla_get_u8(attr);
	return true;
}

static void nldev_parse_response(struct verbs_netlink_query *query,
				 struct nlmsghdr *hdr)
{
	int error;

	switch (hdr->nlmsg_type) {
	case RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET_CHARDEV):
		query->state = nldev_parse_chardev(hdr, query)
				       ? VERBS_NETLINK_DONE
				       : VERBS_NETLINK_FAILED;
		break;
	case RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_SYS_GET):
		query->state = nldev_parse_system(hdr, query)
				       ? VERBS_NETLINK_DONE
				       : VERBS_NETLINK_FAILED;
		break;
	case NLMSG_ERROR:
		/* Code 0 is an unrequested acknowledgement. */
		if (!nldev_parse_error(hdr, &error) || error)
			query->state = VERBS_NETLINK_FAILED;
		break;
	case NLMSG_NOOP:
		break;
	default:
		query->state = VERBS_NETLINK_FAILED;
		break;
	}
}

static int nldev_parse_message(struct verbs_netlink_scan *scan,
			       struct nlmsghdr *hdr)
{
	struct verbs_netlink_query *query;
	uint32_t position;

	if (hdr->nlmsg_seq == VERBS_NETLINK_DUMP_NUMBER)
		return nldev_parse_dump(scan, hdr);

	position = hdr->nlmsg_seq - scan->first_number;
	if (hdr->nlmsg_seq < scan->first_number || position >= scan->nr_queries)
		return 0;
	query = &scan->queries[position];
	if (query->state != VERBS_NETLINK_PENDING)
		return 0;

	nldev_parse_response(query, hdr);
	if (query->state != VERBS_NETLINK_PENDING)
		scan->nr_pending--;
	return 0;
}

int verbs_netlink_parse(struct verbs_netlink_scan *scan, void *datagram,
			size_t len)
{
	struct nlmsghdr *hdr = datagram;
	int rest;

	if (len > INT_MAX)
		return -EBADMSG;
	rest = (int)len;

	do {
		int ret;

		if (!nlmsg_ok(hdr, rest))
			return -EBADMSG;
		ret = nldev_parse_message(scan, hdr);
		if (ret)
			return ret;
		hdr = nlmsg_next(hdr, &rest);
	} while (rest > 0);
	return 0;
}
