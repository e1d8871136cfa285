/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Contexts that share objects: the file of a cmd_fd, and the import verbs. The
 * op table and the open of a context use them (../uroce_provider.c).
 */
#ifndef UROCE_IMPORT_H
#define UROCE_IMPORT_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "uroce/progress/uroce_instance.h"

struct uroce_context;
struct uroce_exporter;
struct uroce_pd;

/* The file of a cmd_fd. Contexts with the same file share their objects. */
struct uroce_cmd {
	dev_t device;
	ino_t inode; /* 0: the descriptor has no file of its own */
	struct uroce_origin origin;
};

/**
 * uroce_cmd_file_new() - make the file of the cmd_fd of a new context
 * @origin: of the context
 *
 * Return: a descriptor, which the caller owns; or -errno.
 */
int uroce_cmd_file_new(const struct ibv_device *device,
		       const struct uroce_origin *origin);
bool uroce_is_cmd_file(const struct ibv_device *device, int fd);

/** uroce_context_set_cmd_file() - note the file of the cmd_fd of a context */
void uroce_context_set_cmd_file(struct uroce_context *ctx);

/**
 * uroce_context_import() - connect an imported context to the one that it
 * shares its objects with, in this process or in another one
 *
 * Return: 0; -EOPNOTSUPP if there is none, or an import from its process is not
 * possible; -ENOMEM, -EMFILE.
 */
int uroce_context_import(struct uroce_context *ctx);

/**
 * uroce_import_end_locked() - end the connection of a context to another
 * process, and its imported regions; with uroce_instance_lock()
 */
void uroce_import_end_locked(struct uroce_context *ctx);

/**
 * uroce_pd_publish_locked() - make a PD known to other processes, or not any
 * more; with uroce_instance_lock()
 */
void uroce_pd_publish_locked(const struct uroce_pd *pd, bool exists);

int uroce_import_pd(struct ibv_context *ctx, uint32_t handle,
		    struct ibv_pd **ret_pd);
void uroce_unimport_pd(struct ibv_pd *pd);
int uroce_import_mr(struct ibv_pd *pd, uint32_t handle, struct ibv_mr **ret_mr);
void uroce_unimport_mr(struct ibv_mr *mr);
int uroce_import_dm(struct ibv_context *ctx, uint32_t handle,
		    struct ibv_dm **ret_dm);
void uroce_unimport_dm(struct ibv_dm *dm);

#endif
