/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * provider_walk [DEVICE] - runs every operation of a provider that needs no
 * peer, and prints a line with the result of every step. The output contains no
 * values that differ from run to run, so the output with two libraries can be
 * compared.
 *
 * Uses public verbs only and is compiled once, with the oldest headers. Walks
 * over every device of the list, or the named one. Exits with 0 when the walk
 * over all devices is complete, with any results.
 */
#include "provider_walk.h"

#include <errno.h>
#include <string.h>

static void query_device(struct walk *w)
{
	struct ibv_device_attr attr = {};
	struct ibv_device_attr_ex ex = {};

	errno = 0;
	if (walk_done("query_device", ibv_query_device(w->context, &attr)))
		walk_say("device_attr", "%s %#x %#x %d %d %d %d %d %d %d",
			 attr.fw_ver, attr.vendor_id, attr.device_cap_flags,
			 attr.max_qp, attr.max_qp_wr, attr.max_sge, attr.max_cq,
			 attr.max_cqe, attr.max_srq, attr.phys_port_cnt);
	errno = 0;
	if (walk_done("query_device_ex",
		      ibv_query_device_ex(w->context, NULL, &ex)))
		walk_say("device_attr_ex", "%#llx %llu %#x %u %#x %u",
			 (unsigned long long)ex.completion_timestamp_mask,
			 (unsigned long long)ex.hca_core_clock,
			 ex.rss_caps.supported_qpts, ex.max_wq_type_rq,
			 ex.raw_packet_caps, ex.phys_port_cnt_ex);
}

static void query_port(struct walk *w)
{
	struct ibv_port_attr attr = {};
	struct ibv_gid_entry entries[4];
	union ibv_gid gid;
	__be16 pkey = 0;

	errno = 0;
	if (walk_done("query_port", ibv_query_port(w->context, 1, &attr))) {
		walk_say("port_attr", "%d %d %d %u %d %u %u %u %u", attr.state,
			 attr.max_mtu, attr.active_mtu, attr.max_msg_sz,
			 attr.gid_tbl_len, attr.pkey_tbl_len, attr.active_speed,
			 attr.link_layer, attr.flags);
		w->is_ethernet = attr.link_layer == IBV_LINK_LAYER_ETHERNET;
	}
	errno = 0;
	(void)walk_done("query_port_0", ibv_query_port(w->context, 0, &attr));
	errno = 0;
	(void)walk_done("query_gid", ibv_query_gid(w->context, 1, 0, &gid));
	errno = 0;
	(void)walk_done("query_gid_7", ibv_query_gid(w->context, 1, 7, &gid));
	errno = 0;
	(void)walk_done("query_gid_99", ibv_query_gid(w->context, 1, 99, &gid));
	walk_say("query_gid_table", "%d",
		 (int)ibv_query_gid_table(w->context, entries, 4, 0));
	errno = 0;
	if (walk_done("query_pkey", ibv_query_pkey(w->context, 1, 0, &pkey)))
		walk_say("pkey", "%#x", pkey);
}

static void walk_device(struct ibv_device *device)
{
	struct walk w = {};

	walk_set_device(ibv_get_device_name(device));
	walk_say("device", "%s %s %#llx %d",
		 ibv_node_type_str(device->node_type), device->dev_name,
		 (unsigned long long)be64toh(ibv_get_device_guid(device)),
		 device->transport_type);
	errno = 0;
	w.context = ibv_open_device(device);
	if (!walk_made("open", w.context))
		return;
	walk_say("context", "%d %d %d", w.context->num_comp_vectors,
		 w.context->cmd_fd >= 0, w.context->async_fd >= 0);
	query_device(&w);
	query_port(&w);

	walk_make_memory(&w);
	walk_make_cqs(&w);
	walk_make_qps(&w);
	walk_make_wqs(&w);
	walk_drop_wqs(&w);
	walk_drop_qps(&w);
	walk_drop_cqs(&w);
	walk_drop_memory(&w);

	errno = 0;
	(void)walk_done("close", ibv_close_device(w.context));
}

int main(int argc, char **argv)
{
	struct ibv_device **list;
	int nr = -1;

	errno = 0;
	list = ibv_get_device_list(&nr);
	if (!walk_made("list", list))
		return 1;
	walk_say("devices", "%d", nr);
	for (int i = 0; i < nr; i++)
		if (argc < 2 || !strcmp(argv[1], ibv_get_device_name(list[i])))
			walk_device(list[i]);
	walk_set_device("-");
	ibv_free_device_list(list);
	walk_say("end", "ok");
	return 0;
}
