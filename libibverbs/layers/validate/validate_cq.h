/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the layer validate knows of the events of a CQ, as a part of its record
 * (layers/layers_record.h).
 */
#ifndef LAYERS_VALIDATE_CQ_H
#define LAYERS_VALIDATE_CQ_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What the next polls of a CQ show. */
enum validate_watch {
	VALIDATE_WATCH_NOTHING,
	VALIDATE_WATCH_ARMED,	/* whether it was polled after it was armed */
	VALIDATE_WATCH_SUSPECT, /* whether an event still comes */
	VALIDATE_WATCH_TAKEN,	/* whether it is used without events */
};

struct validate_cq {
	atomic_uint watch; /* enum validate_watch */
	atomic_uint nr_arms;
	atomic_flag lock; /* protects the other members */

	bool is_solicited;  /* armed for solicited completions only */
	bool was_empty;	    /* at a poll after the event was taken */
	uint32_t nr_late;   /* polls that found messages too late */
	uint32_t nr_events; /* taken before it was armed */
	uint64_t since_ms;  /* the watch began, or the last poll */
};

#endif
