/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Log of the counters, and of the reason why the port is down. */
#include "uroce/progress/uroce_report.h"

#include <errno.h>
#include <inttypes.h>
#include <provider/log.h>
#include <stddef.h>
#include <string.h>

struct row {
	const char *name;
	size_t offset; /* in struct uroce_instance_counters */
};

#define ROW(name, member)                                              \
	{                                                              \
		name, offsetof(struct uroce_instance_counters, member) \
	}

static const struct row rows[] = {
	ROW("rx_datagrams", port.rx_datagrams),
	ROW("rx_calls", port.rx_calls),
	ROW("rx_bad", port.rx_bad),
	ROW("rx_foreign", port.rx_foreign),
	ROW("rx_ip_id_refused", port.rx_ip_id_refused),
	ROW("rx_ip_id_unordered", port.rx_ip_id_unordered),
	ROW("rx_overflow", port.rx_overflow),
	ROW("tx_datagrams", port.tx_datagrams),
	ROW("tx_calls", port.tx_calls),
	ROW("tx_failed", port.tx_failed),
	ROW("helper_wakes", helper_wakes),
	ROW("gsi_received", gsi.received),
	ROW("gsi_overflow", gsi.overflow),
	ROW("gsi_forwarded", gsi.forwarded),
	ROW("gsi_lost", gsi.lost),
	ROW("gsi_replies", gsi.replies),
	ROW("gsi_no_owner", gsi.no_owner),
	ROW("gsi_delivered", gsi.delivered),
	ROW("gsi_bad", gsi.bad),
	ROW("shm_rx_packets", shm.rx_packets),
	ROW("shm_tx_packets", shm.tx_packets),
	ROW("shm_rx_bad", shm.rx_bad),
	ROW("shm_bells", shm.tx_bells),
	ROW("shm_pushed_bytes", shm.pushed_bytes),
	ROW("shm_pulled_bytes", shm.pulled_bytes),
	ROW("shm_copies_vm", shm.copies_vm),
	ROW("shm_copies_mem", shm.copies_mem),
	ROW("shm_copied_bytes", shm.copied_bytes),
	ROW("shm_mapped", shm.mapped),
	ROW("shm_pairs", shm.pairs),
	ROW("shm_pairs_lost", shm.pairs_lost),
};

static void report_report(const struct ibv_context *ctx, const char *name,
			  uint64_t value)
{
	if (value)
		verbs_log(ctx, VERBS_LOG_INFO, "uroce: %s %" PRIu64, name,
			  value);
}

void uroce_report_counters(const struct ibv_context *ctx,
			   struct uroce_instance *instance)
{
	struct uroce_instance_counters below;

	uroce_instance_counters(instance, &below);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t value;

		memcpy(&value, (const char *)&below + rows[i].offset,
		       sizeof(value));
		report_report(ctx, rows[i].name, value);
	}
	for (int i = 0; i < UROCE_NR_COUNTERS; i++)
		report_report(
			ctx, uroce_counter_name((enum uroce_counter)i),
			uroce_instance_count(instance, (enum uroce_counter)i));
}

void uroce_report_port(const struct ibv_context *ctx,
		       const struct uroce_instance *instance)
{
	int err = uroce_instance_port_error(instance);

	if (err == -EADDRINUSE)
		verbs_log(ctx, VERBS_LOG_WARN,
			  "uroce: UDP port 4791 is another user's or the "
			  "kernel's (rdma_rxe): the port is down");
	else if (err)
		verbs_log(ctx, VERBS_LOG_WARN, "uroce: the port is down: %s",
			  strerror(-err));
}
