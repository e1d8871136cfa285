/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Translates the filters and actions of a flow rule from <infiniband/verbs.h>
 * into the kernel's structs, for cmd_flow.c. Makes no system call.
 *
 * A filter is a value and a mask of the same length. Their fields have the same
 * order in the application's and in the kernel's struct, so one table row
 * describes a filter. Specifications are not aligned, so everything is copied.
 */
#include "kernel/flow_spec.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/objects.h>
#include <rdma/ib_user_verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Start of every specification; sizeof may include padding. */
struct spec_header {
	uint32_t type;
	uint16_t size; /* bytes of the whole specification */
};

#define SPEC_HEADER_LEN (offsetof(struct spec_header, size) + sizeof(uint16_t))

struct filter_kind {
	uint32_t type;	      /* without IBV_FLOW_SPEC_INNER */
	uint32_t kernel_type; /* same */
	uint8_t val;	      /* offset of the value */
	uint8_t len;	    /* bytes of the value in the application's struct */
	uint8_t known;	    /* same, without padding at the end */
	uint8_t kernel_len; /* bytes of the value in the kernel's struct */
	/*
	 * Not 0: the length of the filter depends on the size of the
	 * specification, because the struct has grown or may grow. The filter
	 * has at least this many bytes.
	 */
	uint8_t min_len;
};

/* clang-format would break the columns of the table. */
/* clang-format off */
#define FILTER(spec, filter, kernel_filter) \
	.val = offsetof(struct spec, val), \
	.len = sizeof(struct filter), .known = sizeof(struct filter), \
	.kernel_len = sizeof(struct kernel_filter)

static const struct filter_kind filter_kinds[] = {
	{ IBV_FLOW_SPEC_ETH, IBV_FLOW_SPEC_ETH,
	  FILTER(ibv_flow_spec_eth, ibv_flow_eth_filter,
		 ib_uverbs_flow_eth_filter) },
	/* the two addresses; the kernel's struct is longer */
	{ IBV_FLOW_SPEC_IPV4, IBV_FLOW_SPEC_IPV4,
	  FILTER(ibv_flow_spec_ipv4, ibv_flow_ipv4_filter,
		 ib_uverbs_flow_ipv4_filter) },
	{ IBV_FLOW_SPEC_IPV4_EXT, IBV_FLOW_SPEC_IPV4,
	  FILTER(ibv_flow_spec_ipv4_ext, ibv_flow_ipv4_ext_filter,
		 ib_uverbs_flow_ipv4_filter),
	  .min_len = offsetof(struct ibv_flow_ipv4_ext_filter, proto) },
	{ IBV_FLOW_SPEC_IPV6, IBV_FLOW_SPEC_IPV6,
	  .val = offsetof(struct ibv_flow_spec_ipv6, val),
	  .len = sizeof(struct ibv_flow_ipv6_filter),
	  .known = offsetof(struct ibv_flow_ipv6_filter, hop_limit) + 1,
	  .kernel_len = sizeof(struct ib_uverbs_flow_ipv6_filter),
	  .min_len = offsetof(struct ibv_flow_ipv6_filter, flow_label) },
	{ IBV_FLOW_SPEC_ESP, IBV_FLOW_SPEC_ESP,
	  FILTER(ibv_flow_spec_esp, ibv_flow_esp_filter,
		 ib_uverbs_flow_spec_esp_filter) },
	{ IBV_FLOW_SPEC_TCP, IBV_FLOW_SPEC_TCP,
	  FILTER(ibv_flow_spec_tcp_udp, ibv_flow_tcp_udp_filter,
		 ib_uverbs_flow_tcp_udp_filter) },
	{ IBV_FLOW_SPEC_UDP, IBV_FLOW_SPEC_UDP,
	  FILTER(ibv_flow_spec_tcp_udp, ibv_flow_tcp_udp_filter,
		 ib_uverbs_flow_tcp_udp_filter) },
	{ IBV_FLOW_SPEC_VXLAN_TUNNEL, IBV_FLOW_SPEC_VXLAN_TUNNEL,
	  FILTER(ibv_flow_spec_tunnel, ibv_flow_tunnel_filter,
		 ib_uverbs_flow_tunnel_filter),
	  .min_len = sizeof(struct ibv_flow_tunnel_filter) },
	{ IBV_FLOW_SPEC_GRE, IBV_FLOW_SPEC_GRE,
	  FILTER(ibv_flow_spec_gre, ibv_flow_gre_filter,
		 ib_uverbs_flow_gre_filter) },
	{ IBV_FLOW_SPEC_MPLS, IBV_FLOW_SPEC_MPLS,
	  FILTER(ibv_flow_spec_mpls, ibv_flow_mpls_filter,
		 ib_uverbs_flow_mpls_filter) },
};
/* clang-format on */

#define SAME_FIELD(a, b, field)                                        \
	_Static_assert(offsetof(struct a, field) ==                    \
				       offsetof(struct b, field) &&    \
			       sizeof(((struct a *)0)->field) ==       \
				       sizeof(((struct b *)0)->field), \
		       "filter layout")
SAME_FIELD(ibv_flow_eth_filter, ib_uverbs_flow_eth_filter, vlan_tag);
SAME_FIELD(ibv_flow_ipv4_filter, ib_uverbs_flow_ipv4_filter, dst_ip);
SAME_FIELD(ibv_flow_ipv4_ext_filter, ib_uverbs_flow_ipv4_filter, flags);
SAME_FIELD(ibv_flow_ipv6_filter, ib_uverbs_flow_ipv6_filter, hop_limit);
SAME_FIELD(ibv_flow_esp_filter, ib_uverbs_flow_spec_esp_filter, seq);
SAME_FIELD(ibv_flow_tcp_udp_filter, ib_uverbs_flow_tcp_udp_filter, src_port);
SAME_FIELD(ibv_flow_tunnel_filter, ib_uverbs_flow_tunnel_filter, tunnel_id);
SAME_FIELD(ibv_flow_gre_filter, ib_uverbs_flow_gre_filter, key);
SAME_FIELD(ibv_flow_mpls_filter, ib_uverbs_flow_mpls_filter, label);

_Static_assert(sizeof(struct ib_uverbs_flow_spec_ipv6) == FLOW_SPEC_MAX_LEN,
	       "longest specification");

static void flow_spec_put_header(void *to, uint32_t type, size_t len)
{
	const struct ib_uverbs_flow_spec_hdr hdr = {
		.type = type,
		.size = (uint16_t)len,
	};

	memcpy(to, &hdr, sizeof(hdr));
}

static bool flow_spec_is_zero(const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (bytes[i])
			return false;
	return true;
}

static int flow_spec_put_filter(const struct filter_kind *kind,
				const struct spec_header *header,
				const char *spec, char *to, size_t *ret_len)
{
	const size_t hdr_len = sizeof(struct ib_uverbs_flow_spec_hdr);
	const char *val = spec + kind->val, *mask;
	size_t len = kind->len, copied;

	if (header->size < kind->val)
		return -EINVAL;
	if (kind->min_len) {
		len = (header->size - kind->val) / 2u;
		if (len < kind->min_len)
			return -EINVAL;
	} else if (header->size < kind->val + 2 * len) {
		return -EINVAL;
	}
	mask = val + len;
	if (len > kind->len &&
	    !flow_spec_is_zero(mask + kind->len, len - kind->len))
		return -EOPNOTSUPP;

	copied = len < kind->known ? len : kind->known;
	*ret_len = hdr_len + 2u * kind->kernel_len;
	flow_spec_put_header(
		to, kind->kernel_type | (header->type & IBV_FLOW_SPEC_INNER),
		*ret_len);
	memcpy(to + hdr_len, val, copied);
	memcpy(to + hdr_len + kind->kernel_len, mask, copied);
	return 0;
}

/* Actions with one number: a flow tag or the handle of an object. */
static void flow_spec_put_number(char *to, uint32_t type, uint32_t number,
				 size_t *ret_len)
{
	struct ib_uverbs_flow_spec_action_tag tag = { .tag_id = number };

	_Static_assert(
		offsetof(struct ib_uverbs_flow_spec_action_tag, tag_id) ==
				offsetof(struct
					 ib_uverbs_flow_spec_action_handle,
					 handle) &&
			offsetof(struct ib_uverbs_flow_spec_action_tag,
				 tag_id) ==
				offsetof(
					struct ib_uverbs_flow_spec_action_count,
					handle),
		"one layout");
	*ret_len = sizeof(tag);
	memcpy(to, &tag, sizeof(tag));
	flow_spec_put_header(to, type, sizeof(tag));
}

static int flow_spec_put_tag(const struct spec_header *header, const void *spec,
			     char *to, size_t *ret_len)
{
	struct ibv_flow_spec_action_tag tag;

	if (header->size < sizeof(tag))
		return -EINVAL;
	memcpy(&tag, spec, sizeof(tag));
	flow_spec_put_number(to, header->type, tag.tag_id, ret_len);
	return 0;
}

static int flow_spec_put_action_handle(const struct spec_header *header,
				       const void *spec, char *to,
				       size_t *ret_len)
{
	struct ibv_flow_spec_action_handle action;

	if (header->size < sizeof(action))
		return -EINVAL;
	memcpy(&action, spec, sizeof(action));
	if (!action.action)
		return -EINVAL;
	flow_spec_put_number(to, header->type,
			     verbs_container_of(action.action,
						struct verbs_flow_action,
						action)
				     ->handle,
			     ret_len);
	return 0;
}

static int flow_spec_put_counters(const struct spec_header *header,
				  const void *spec, char *to, size_t *ret_len)
{
	struct ibv_flow_spec_counter_action count;

	if (header->size < sizeof(count))
		return -EINVAL;
	memcpy(&count, spec, sizeof(count));
	if (!count.counters)
		return -EINVAL;
	flow_spec_put_number(to, header->type,
			     verbs_container_of(count.counters,
						struct verbs_counters, counters)
				     ->handle,
			     ret_len);
	return 0;
}

static const struct filter_kind *flow_spec_find_filter(uint32_t type)
{
	type &= ~(uint32_t)IBV_FLOW_SPEC_INNER;
	for (size_t i = 0; i < sizeof(filter_kinds) / sizeof(*filter_kinds);
	     i++)
		if (filter_kinds[i].type == type)
			return &filter_kinds[i];
	return NULL;
}

static int flow_spec_put(const struct spec_header *header, const void *spec,
			 char *to, size_t *ret_len)
{
	const struct filter_kind *kind = flow_spec_find_filter(header->type);

	if (kind)
		return flow_spec_put_filter(kind, header, spec, to, ret_len);
	switch (header->type) {
	case IBV_FLOW_SPEC_ACTION_TAG:
		return flow_spec_put_tag(header, spec, to, ret_len);
	case IBV_FLOW_SPEC_ACTION_DROP:
		*ret_len = sizeof(struct ib_uverbs_flow_spec_action_drop);
		flow_spec_put_header(to, header->type, *ret_len);
		return 0;
	case IBV_FLOW_SPEC_ACTION_HANDLE:
		return flow_spec_put_action_handle(header, spec, to, ret_len);
	case IBV_FLOW_SPEC_ACTION_COUNT:
		return flow_spec_put_counters(header, spec, to, ret_len);
	default:
		return -EINVAL;
	}
}

int flow_spec_to_kernel(const void *spec, void *to, size_t *ret_from_len,
			size_t *ret_to_len)
{
	struct spec_header header = {};

	memcpy(&header, spec, SPEC_HEADER_LEN);
	if (header.size < SPEC_HEADER_LEN)
		return -EINVAL;
	*ret_from_len = header.size;
	return flow_spec_put(&header, spec, to, ret_to_len);
}
