/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The connection between the worker and the rings of shared memory (shm/).
 * All functions need the engine lock unless their comment says otherwise.
 */
#ifndef UROCE_WORKER_SHM_H
#define UROCE_WORKER_SHM_H

#include "uroce/progress/uroce_worker_state.h"

/**
 * uroce_worker_open_shm() - accept peers of this host, unless disabled by the
 * user
 * @worker: is being created; without the engine lock
 * @slot: of its port
 *
 * If this fails, all QPs use the network.
 *
 * Return: 0; -EADDRINUSE if the name of the bootstrap socket is taken; or
 * another -errno, which is logged.
 */
int uroce_worker_open_shm(struct uroce_worker *worker, uint32_t slot);

/**
 * uroce_worker_is_ours() - whether a GID is of an interface of this process
 * @arg: the worker
 *
 * Context: without locks.
 */
bool uroce_worker_is_ours(void *arg, const uint8_t *gid);

/**
 * uroce_worker_publish_shm() - publish all MRs, and the QPs of the new engine,
 * to peers
 */
void uroce_worker_publish_shm(struct uroce_worker *worker);

/**
 * uroce_process_publish_region() - publish a change of a region to the peers of
 * all workers; @arg: the process
 */
void uroce_process_publish_region(void *arg, const struct uroce_region *region);

/** uroce_worker_receive_shm() - receive from all rings; true: any packets */
bool uroce_worker_receive_shm(struct uroce_worker *worker);

/** uroce_worker_resume_shm() - resume QPs of channels that have room again */
void uroce_worker_resume_shm(struct uroce_worker *worker);

/**
 * uroce_worker_put_shm() - put a packet into a ring
 *
 * If its QP has a channel, the channel must have room.
 *
 * Return: false if the packet has to use the network.
 */
bool uroce_worker_put_shm(struct uroce_worker *worker,
			  const struct uroce_out *out);

/** uroce_worker_send_eager() - send the eager packets of uroce_fast_next() */
void uroce_worker_send_eager(struct uroce_worker *worker, struct uroce_qp *qp);

/** uroce_worker_owes_shm() - check for ACKs and responses without room */
bool uroce_worker_owes_shm(const struct uroce_worker *worker);

/**
 * uroce_worker_watch_shm() - arm the doorbell before the helper thread sleeps
 * @watch: whether a packet wakes it
 *
 * Return: whether a packet is there; then the helper thread must not sleep.
 */
bool uroce_worker_watch_shm(struct uroce_worker *worker, bool watch);

#endif
