/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads trace files (layers/trace/trace_format.h). All numbers of the file are
 * checked, since it may come from anywhere and may still be written.
 */
#ifndef TOOLS_TRACE_FILE_READ_H
#define TOOLS_TRACE_FILE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layers/trace/trace_format.h"

/* The requests of a queue that have no completion. */
struct trace_in_flight {
	uint32_t nr;
	bool has_oldest;	   /* otherwise it is not in the file */
	struct trace_entry oldest; /* the first that was posted */
};

struct trace_queues {
	struct trace_in_flight send, recv;
};

struct trace_data {
	struct trace_header header;
	struct trace_srq_stats srqs[TRACE_NR_SRQS];
	struct trace_in_flight srq_queues[TRACE_NR_SRQS]; /* of the SRQs */
	size_t nr_srqs;
	struct trace_qp_stats *qps;
	struct trace_queues *queues; /* of the QPs */
	size_t nr_qps;
	struct trace_call_stats calls[TRACE_NR_OPS]; /* of all threads */
	struct trace_record *records;		     /* in the order of time */
	size_t nr_records;
	uint64_t nr_lost; /* records that newer ones have replaced */
	uint64_t nr_torn; /* records that were being written */
	/* No record after this time is lost; 0: none at all. */
	uint64_t complete_ns;
};

/**
 * trace_file_read() - read a file
 * @ret: free it with trace_file_free()
 * @ret_problem: set on failure: what is wrong
 *
 * Return: 0, or -errno; -EINVAL: it is not a usable trace file.
 */
int trace_file_read(const char *path, struct trace_data *ret,
		    const char **ret_problem);

/** trace_file_read_state() - read a file without its records */
int trace_file_read_state(int fd, struct trace_data *ret,
			  const char **ret_problem);

/** trace_file_free() - free the memory of a trace */
void trace_file_free(struct trace_data *data);

#endif
