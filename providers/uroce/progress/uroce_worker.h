/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A worker: the interface between the queues of verbs/ and the code that sends
 * and receives packets. It has an engine with a lock, one slot of port 4791 and
 * one helper thread.
 *
 * Application threads make progress in uroce_worker_post() and
 * uroce_worker_poll(). The helper thread makes progress when they have not
 * polled for a millisecond, or when they wait for an event. Either thread holds
 * the engine lock.
 */
#ifndef UROCE_WORKER_H
#define UROCE_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/roce/uroce_engine.h"

struct uroce_instance;
struct uroce_worker;

/** uroce_worker_engine() - return the engine; does not change until the detach
 */
struct uroce_engine *uroce_worker_engine(struct uroce_worker *worker);

/** uroce_worker_now() - return the time for all functions of the engine, in ns
 */
uint64_t uroce_worker_now(void);

/**
 * uroce_worker_connect() - get shared memory with the peer of a QP
 * @instance: the device
 * @path: to the peer
 * @dest_qpn: the QP of the peer
 * @ret_channel: receives the channel, the shared memory connection to the peer
 *	process; uroce_worker_disconnect() releases it
 *
 * If the peer is on this host, connects to its process and waits for it.
 *
 * Context: any thread, without the engine lock.
 * Return: 0; -ENOENT if the QP has to use the network; -ENOMEM, -EMFILE.
 */
int uroce_worker_connect(struct uroce_worker *worker,
			 const struct uroce_instance *instance,
			 const struct uroce_path *path, uint32_t dest_qpn,
			 struct uroce_channel **ret_channel);

/**
 * uroce_worker_disconnect() - release a channel, to which the QP is not bound
 *
 * Context: with the engine lock.
 */
void uroce_worker_disconnect(struct uroce_worker *worker,
			     struct uroce_channel *channel);

/**
 * uroce_worker_has_ud_peer() - check whether uroce_worker_resolve_ud_peer()
 * would have no effect
 *
 * Context: any thread.
 */
bool uroce_worker_has_ud_peer(struct uroce_worker *worker, uint32_t qpn);

/**
 * uroce_worker_resolve_ud_peer() - get shared memory for datagrams to a process
 * of this host
 * @instance: the device
 * @path: to the process, on this host
 * @qpn: any QP of the process
 *
 * Waits for the process once, if it uses shared memory. Before this call, and
 * if it fails, datagrams to the process use the network.
 *
 * Context: any thread, without the engine lock.
 */
void uroce_worker_resolve_ud_peer(struct uroce_worker *worker,
				  const struct uroce_path *path, uint32_t qpn);

/**
 * uroce_worker_flush_qp() - flush the ACKs and responses of a QP before it is
 * freed
 *
 * Acknowledges all messages that arrived. Waits for room for this at most a
 * second, and only once for a peer that makes no progress.
 *
 * Context: any thread, without the engine lock.
 */
void uroce_worker_flush_qp(struct uroce_worker *worker, struct uroce_qp *qp);

/**
 * uroce_worker_lock() - take the engine lock, and process what has arrived
 *
 * Needed for all functions of the engine that are not marked "any thread". An
 * adapter processes packets when they arrive, so a QP that goes to ERR or is
 * destroyed must not flush requests whose ACK waits in the socket.
 */
void uroce_worker_lock(struct uroce_worker *worker);

/**
 * uroce_worker_unlock() - send all packets of the engine, deliver events, and
 * release the engine lock
 */
void uroce_worker_unlock(struct uroce_worker *worker);

/**
 * uroce_worker_post() - process work requests that were added to a queue of @qp
 *
 * Includes uroce_engine_kick(). Sends, unless another thread has the engine
 * lock; then that thread sends.
 *
 * Context: any thread, without the engine lock.
 */
void uroce_worker_post(struct uroce_worker *worker, struct uroce_qp *qp);

/* Result of a poll. */
enum uroce_pass {
	UROCE_PASS_QUICK, /* nothing; a quick poll, of shared memory only */
	UROCE_PASS_FULL,  /* nothing; a full pass, about half a microsecond */
	UROCE_PASS_FOUND, /* packets were received */
};

/**
 * uroce_worker_poll() - receive, send, expire timers; never waits
 *
 * For ibv_poll_cq() on an empty CQ. While this is called at least once in a
 * millisecond, the helper thread leaves the progress to the caller.
 *
 * Context: any thread, without the engine lock.
 */
enum uroce_pass uroce_worker_poll(struct uroce_worker *worker);

/**
 * uroce_worker_poll_other() - after a poll in vain, poll another worker, unless
 * another thread polls that one
 *
 * A peer may wait for an ACK or a response of the other worker before it sends
 * what the caller waits for. Each call takes the next worker.
 *
 * Context: as uroce_worker_poll().
 */
void uroce_worker_poll_other(struct uroce_worker *worker);

/**
 * uroce_worker_bind_cq() - serve a CQ that no QP has used yet
 *
 * Context: with uroce_instance_lock().
 */
void uroce_worker_bind_cq(struct uroce_worker *worker, struct uroce_cq *cq);

/**
 * uroce_worker_arm_cq() - arm a CQ, and make the helper thread watch for
 * packets
 * @cq: bound to this worker
 *
 * Use this instead of uroce_cq_arm().
 *
 * Context: any thread.
 * Return: 0, or -EBUSY in a signal handler that has interrupted a thread with
 * the engine lock.
 */
int uroce_worker_arm_cq(struct uroce_worker *worker, struct uroce_cq *cq,
			bool solicited_only);

/**
 * uroce_worker_join() - join a multicast group
 * @worker: the worker of a QP
 * @instance: the device whose interface joins
 * @gid: an IPv4 (::ffff:a.b.c.d) or IPv6 multicast address
 *
 * Counts the calls. uroce_engine_attach() attaches the QP itself.
 *
 * Context: with the engine lock.
 * Return: 0, -EINVAL if @gid is no multicast address, -ENOMEM, -EIO if the
 * instance is dead, or -errno of the socket or of uroce_instance_port_error().
 */
int uroce_worker_join(struct uroce_worker *worker,
		      const struct uroce_instance *instance,
		      const uint8_t *gid);

/** uroce_worker_leave() - undo one uroce_worker_join() */
void uroce_worker_leave(struct uroce_worker *worker,
			const struct uroce_instance *instance,
			const uint8_t *gid);

#endif
