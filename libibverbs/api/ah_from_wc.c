/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Addresses the sender of a datagram: ibv_init_ah_from_wc(3) and
 * ibv_create_ah_from_wc(3). In front of a received datagram are 40 bytes from
 * the network: an IPv6 header or GRH, or, for RoCE v2 over IPv4, 20 undefined
 * bytes and an IPv4 header. No flag says which, and the content is untrusted.
 * Therefore the code works on copies, validates them, and uses only the local
 * address for a look-up.
 */
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <stdbool.h>
#include <string.h>

#include "api/api_check.h"
#include "api/api_err.h"

/* IBTA 1, 8.3.1: the header behind a GRH is a base transport header. */
#define NEXT_HEADER_BTH 0x1b

/* An IPv4 header without options fits behind the first 20 bytes. */
#define IPV4_OFFSET (sizeof(struct ibv_grh) - sizeof(struct iphdr))

/* ibv_global_route.sgid_index has eight bits. */
#define MAX_SGID_INDEX 255

/* The relevant fields of either kind of header. */
struct ah_origin {
	union ibv_gid local;
	union ibv_gid remote;
	bool roce_v2;
	uint32_t flow_label;
	uint8_t hop_limit;
	uint8_t traffic_class;
};

/* RFC 791: the ones' complement sum of a valid header is all ones. */
static bool ipv4_checksum_ok(const struct iphdr *ip)
{
	uint16_t words[sizeof(*ip) / sizeof(uint16_t)];
	uint32_t sum = 0;

	memcpy(words, ip, sizeof(words));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		sum += words[i];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff;
}

static union ibv_gid gid_from_ipv4(uint32_t ipv4_be)
{
	union ibv_gid gid = {};

	gid.raw[10] = 0xff;
	gid.raw[11] = 0xff;
	memcpy(&gid.raw[12], &ipv4_be, sizeof(ipv4_be));
	return gid;
}

static int ah_origin_from_ipv4(const struct iphdr *ip,
			       struct ah_origin *ret_origin)
{
	if (IN_MULTICAST(ntohl(ip->daddr)))
		return -EINVAL;

	*ret_origin = (struct ah_origin){
		.local = gid_from_ipv4(ip->daddr),
		.remote = gid_from_ipv4(ip->saddr),
		.roce_v2 = true,
		.hop_limit = ip->ttl,
		.traffic_class = ip->tos,
	};
	return 0;
}

static int ah_origin_from_ipv6(const struct ibv_grh *grh,
			       struct ah_origin *ret_origin)
{
	uint32_t first = ntohl(grh->version_tclass_flow);

	if (grh->dgid.raw[0] == 0xff)
		return -EINVAL;
	if (grh->next_hdr != IPPROTO_UDP && grh->next_hdr != NEXT_HEADER_BTH)
		return -EPROTONOSUPPORT;

	*ret_origin = (struct ah_origin){
		.local = grh->dgid,
		.remote = grh->sgid,
		.roce_v2 = grh->next_hdr == IPPROTO_UDP,
		.flow_label = first & 0xfffff,
		.hop_limit = grh->hop_limit,
		.traffic_class = (uint8_t)(first >> 20),
	};
	return 0;
}

/*
 * The first nibble of an IPv6 header is 6. The bytes in front of an IPv4
 * header may have the same nibble, so a valid IPv4 checksum decides. The
 * probability that an IPv6 address looks like such a header is 2^-24.
 */
static int ah_origin_from_grh(const struct ibv_grh *untrusted,
			      struct ah_origin *ret_origin)
{
	struct ibv_grh grh;
	struct iphdr ip;
	bool maybe_ipv6;

	memcpy(&grh, untrusted, sizeof(grh));
	memcpy(&ip, (const char *)untrusted + IPV4_OFFSET, sizeof(ip));
	maybe_ipv6 = ntohl(grh.version_tclass_flow) >> 28 == 6;

	if (ip.version == 4 &&
	    (!maybe_ipv6 || (ip.ihl == 5 && ipv4_checksum_ok(&ip))))
		return ah_origin_from_ipv4(&ip, ret_origin);
	if (maybe_ipv6)
		return ah_origin_from_ipv6(&grh, ret_origin);
	return -EPROTONOSUPPORT;
}

static bool gid_entry_is_local_of(const struct ibv_gid_entry *entry,
				  const struct ah_origin *origin)
{
	bool roce_v2 = entry->gid_type == IBV_GID_TYPE_ROCE_V2;

	return roce_v2 == origin->roce_v2 &&
	       memcmp(&entry->gid, &origin->local, sizeof(entry->gid)) == 0;
}

/*
 * The used entries are at the start of the table, so single queries end early.
 */
static int ah_find_sgid_index(struct ibv_context *ctx, uint8_t port_num,
			      const struct ah_origin *origin,
			      uint8_t *ret_index)
{
	struct ibv_port_attr port;
	int err;

	err = ibv_query_port(ctx, port_num, &port);
	if (err)
		return err > 0 ? -err : -errno;

	for (int i = 0; i < port.gid_tbl_len && i <= MAX_SGID_INDEX; i++) {
		struct ibv_gid_entry entry;

		err = ibv_query_gid_ex(ctx, port_num, (uint32_t)i, &entry, 0);
		if (err == ENODATA)
			continue; /* an empty slot */
		if (err)
			return -err;
		if (gid_entry_is_local_of(&entry, origin)) {
			*ret_index = (uint8_t)i;
			return 0;
		}
	}
	return -ENOENT;
}

static int ah_attr_init_from_wc(struct ibv_context *ctx, uint8_t port_num,
				const struct ibv_wc *wc,
				const struct ibv_grh *grh,
				struct ibv_ah_attr *ret_attr)
{
	struct ibv_ah_attr attr = { .port_num = port_num };
	struct ah_origin origin;
	int ret;

	if (!ctx || !wc || !ret_attr)
		return -EINVAL;
	attr.dlid = wc->slid;
	attr.sl = wc->sl;
	attr.src_path_bits = wc->dlid_path_bits;
	if (wc->wc_flags & IBV_WC_GRH) {
		if (!grh)
			return -EINVAL;
		ret = ah_origin_from_grh(grh, &origin);
		if (ret)
			return ret;
		ret = ah_find_sgid_index(ctx, port_num, &origin,
					 &attr.grh.sgid_index);
		if (ret)
			return ret;
		attr.is_global = 1;
		attr.grh.dgid = origin.remote;
		attr.grh.flow_label = origin.flow_label;
		attr.grh.hop_limit = origin.hop_limit;
		attr.grh.traffic_class = origin.traffic_class;
	}
	*ret_attr = attr;
	return 0;
}

int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port_num,
			struct ibv_wc *wc, struct ibv_grh *grh,
			struct ibv_ah_attr *ah_attr)
{
	return api_ret_minus1(
		ah_attr_init_from_wc(context, port_num, wc, grh, ah_attr));
}

struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc,
				     struct ibv_grh *grh, uint8_t port_num)
{
	struct ibv_ah_attr attr;
	int ret;

	if (!API_EXISTS(pd))
		return api_ret_null(-EINVAL);
	ret = ah_attr_init_from_wc(pd->context, port_num, wc, grh, &attr);
	return ret ? api_ret_null(ret) : ibv_create_ah(pd, &attr);
}
