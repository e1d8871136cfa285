/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Another process that exports objects, for verbs_import_process_test.c: the
 * same program once more, which executes the requests of a socket.
 */
#ifndef VERBS_EXPORT_H
#define VERBS_EXPORT_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define EXPORT_BYTES (1u << 20) /* of the region @mr */

enum export_what {
	EXPORT_FILL,	/* fills both regions with @value */
	EXPORT_CHECK,	/* compares @bytes at @offset of @mr with @value */
	EXPORT_DEREG,	/* deregisters both regions */
	EXPORT_QUIET,	/* deregisters, fills with 0xee, compares later */
	EXPORT_REREG,	/* removes the rights of @mr */
	EXPORT_CONNECT, /* connects its QP to @qpn */
	EXPORT_WRITE,	/* RDMA WRITE of 8 bytes to @address with @rkey */
	EXPORT_REARM,	/* loads its path as the alternate one, and rearms */
	EXPORT_MIGRATE, /* its QP */
	EXPORT_CLOSE,	/* closes the device, keeps the memory */
	EXPORT_END,
};

struct export_request {
	enum export_what what;
	uint8_t value;
	uint32_t offset, bytes, qpn, rkey;
	uint64_t address;
};

/* The objects; @fd is the cmd_fd, and the descriptor of a second context. */
struct export_objects {
	uint32_t pd, mr, local_mr, null_mr, second_pd, dm, qpn;
	uint64_t address; /* of @mr; @local_mr begins at 0 of 4096 bytes */
};

struct exporter {
	pid_t pid;
	int socket;
	int cmd_fd;
	struct export_objects objects;
};

/* The main function of the process; @text: number of its socket. */
int export_main(const char *text);

/*
 * Starts an exporter. @setting: NULL, or an environment variable for it:
 * NAME=VALUE
 */
void exporter_start(struct exporter *exporter, char *setting);

/* Returns the result; 0 is success. */
int exporter_tell(const struct exporter *exporter,
		  const struct export_request *request);

/* Connects @qp, and moves it to RTS. */
void exporter_connect(const struct exporter *exporter, struct ibv_qp *qp);

/* Ends it, or waits for the end of a killed one. */
void exporter_stop(struct exporter *exporter);

#endif
