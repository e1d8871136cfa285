/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of ibv_trace(1). */
#ifndef TOOLS_TRACE_TOOL_H
#define TOOLS_TRACE_TOOL_H

#include <stdio.h>
#include <sys/types.h>

#include "tools/json_out.h"
#include "tools/trace/trace_file_read.h"

/* ------------------------------------------------------------------------ */
/* trace_names.c                                                             */
/* ------------------------------------------------------------------------ */

/** trace_op_name() - return "ibv_post_send" */
const char *trace_op_name(unsigned int op);

/** trace_opcode_name() - return "RDMA_WRITE" for a work request */
const char *trace_opcode_name(unsigned int opcode);

/** trace_record_opcode() - return the opcode of a request or completion */
const char *trace_record_opcode(const struct trace_record *record);

/** trace_event_name() - return "QP_FATAL" for an asynchronous event */
const char *trace_event_name(unsigned int type);

/** trace_status_name() - return "RETRY_EXC_ERR" */
const char *trace_status_name(unsigned int status);

/** trace_qp_type() - return "RC" */
const char *trace_qp_type(unsigned int type);

/** trace_qp_state() - return "RTS" */
const char *trace_qp_state(unsigned int state);

/** trace_time_text() - write a time with three digits: "812 ns", "3.25 us" */
const char *trace_time_text(uint64_t ns, char *buf, size_t size);

/** trace_gid_text() - write a GID as an IPv6 address, or "" if it is zero */
const char *trace_gid_text(const uint8_t *gid, char *buf, size_t size);

/** trace_record_qpn() - return the number of the QP of a record, or 0 */
uint32_t trace_record_qpn(const struct trace_data *data,
			  const struct trace_record *record);

/** trace_record_is_ud() - whether the QP of a record is known as UD */
bool trace_record_is_ud(const struct trace_data *data,
			const struct trace_record *record);

/* ------------------------------------------------------------------------ */
/* Output                                                                    */
/* ------------------------------------------------------------------------ */

/** trace_percentile() - return a time of a histogram; @part: 0 to 1 */
uint64_t trace_percentile(const uint64_t *buckets, double part);

/* What can be printed of a trace. */
struct trace_view {
	void (*text)(FILE *out, const struct trace_data *data);
	void (*json)(struct json_out *out, const struct trace_data *data);
};

extern const struct trace_view trace_summary; /* trace_summary.c */
extern const struct trace_view trace_dump;    /* trace_dump.c */

/**
 * trace_match_run() - print what several files have in common
 *
 * Return: 0, or -errno after a message on standard error.
 */
int trace_match_run(char **paths, size_t nr, bool json);

/** trace_perfetto_run() - write files as one Perfetto trace; 0, or -errno */
int trace_perfetto_run(char **paths, size_t nr, const char *output);

/* Options of "ibv_trace PROGRAM". */
struct trace_run {
	const char *file; /* or NULL: a temporary one */
	bool json;
	char **program; /* with its arguments */
};

/**
 * trace_run() - run a program with the layer, and print the summary
 *
 * Return: the exit code.
 */
int trace_run(const struct trace_run *run);

/* ------------------------------------------------------------------------ */
/* Running programs                                                          */
/* ------------------------------------------------------------------------ */

/**
 * trace_process_open() - open the trace of a running process
 *
 * Return: a descriptor, or -errno after a message on standard error.
 */
int trace_process_open(pid_t pid);

/** trace_process_find_writer() - return the process that writes a trace, or 0
 */
pid_t trace_process_find_writer(int fd);

/* A process or a file that is read. */
struct trace_target {
	const char *name;
	int fd;	   /* of the trace */
	pid_t pid; /* of its process; 0: it has ended */
	int pidfd; /* or -1 */
};

/**
 * trace_target_open() - open a trace for trace_target_read()
 * @name: number of a process, or a file; stays valid until the close
 *
 * Return: 0, or -errno after a message on standard error.
 */
int trace_target_open(const char *name, struct trace_target *target);
void trace_target_close(const struct trace_target *target);

/** trace_target_read() - read the present state, as trace_target_open() */
int trace_target_read(const struct trace_target *target,
		      struct trace_data *data);

/** trace_target_has_ended() - wait; return whether the process has ended */
bool trace_target_has_ended(const struct trace_target *target, int wait_ms);

struct trace_top_options {
	int delay_ms;
	unsigned int count; /* 0: until the process ends */
	bool json;
};

/**
 * trace_top() - print the state of a program at intervals
 * @name: number of a process, or a file
 *
 * Return: 0, or -errno after a message on standard error.
 */
int trace_top(const char *name, const struct trace_top_options *options);

/** trace_metrics_print() - print the counters as OpenMetrics text */
void trace_metrics_print(FILE *out, const struct trace_data *data,
			 bool has_ended);

/* ------------------------------------------------------------------------ */

/** trace_load() - trace_file_read() with a message on standard error */
int trace_load(const char *path, struct trace_data *ret_data);

/** trace_print_file() - print a view of a file; 0, or -errno */
int trace_print_file(FILE *out, const char *path, const struct trace_view *view,
		     bool json);

#endif
