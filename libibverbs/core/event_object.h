/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kind of object that an asynchronous event is about, which selects the
 * member of its union. Inline, since the module of the layers uses it, too.
 */
#ifndef CORE_EVENT_OBJECT_H
#define CORE_EVENT_OBJECT_H

#include <infiniband/verbs.h>

enum verbs_event_object {
	EVENT_OF_DEVICE, /* or a port; also types that are unknown */
	EVENT_OF_CQ,
	EVENT_OF_QP,
	EVENT_OF_SRQ,
	EVENT_OF_WQ,
};

static inline enum verbs_event_object
verbs_event_object(enum ibv_event_type type)
{
	switch (type) {
	case IBV_EVENT_CQ_ERR:
		return EVENT_OF_CQ;
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return EVENT_OF_QP;
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		return EVENT_OF_SRQ;
	case IBV_EVENT_WQ_FATAL:
		return EVENT_OF_WQ;
	default:
		return EVENT_OF_DEVICE;
	}
}

#endif
