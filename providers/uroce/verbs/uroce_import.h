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

struct uroce_context;

/**
 * uroce_cmd_file_new() - make the file of the cmd_fd of a new context
 *
 * Return: a descriptor, which the caller owns; or -errno.
 */
int uroce_cmd_file_new(const struct ibv_device *device);
bool uroce_is_cmd_file(const struct ibv_device *device, int fd);

/** uroce_context_set_cmd_file() - note the file of the cmd_fd of a context */
void uroce_context_set_cmd_file(struct uroce_context *ctx);

/**
 * uroce_context_has_origin() - whether this process has opened the context that
 * an imported one shares its objects with
 */
bool uroce_context_has_origin(const struct uroce_context *ctx);

int uroce_import_pd(struct ibv_context *ctx, uint32_t handle,
		    struct ibv_pd **ret_pd);
void uroce_unimport_pd(struct ibv_pd *pd);
int uroce_import_mr(struct ibv_pd *pd, uint32_t handle, struct ibv_mr **ret_mr);
void uroce_unimport_mr(struct ibv_mr *mr);
int uroce_import_dm(struct ibv_context *ctx, uint32_t handle,
		    struct ibv_dm **ret_dm);
void uroce_unimport_dm(struct ibv_dm *dm);

#endif
