/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The worker: the interface between verbs/ and the code that sends and receives
 * packets. A process has one worker, with one engine, one slot of port 4791 and
 * one helper thread. The worker exists while a device is attached.
 *
 * Application threads make progress in uroce_worker_post() and
 * uroce_worker_poll(). The helper thread makes progress when they have not
 * polled for a millisecond, or when they wait for an event. Either thread holds
 * the engine lock.
 *
 * QPNs, keys and PD numbers are unique in the process, across all devices and
 * all contexts of a device.
 *
 * After fork() the child has no worker. Its instances are dead: they can be
 * locked and detached, but make no progress, and uroce_worker_dead() returns
 * true. A device that the child attaches gets a new worker.
 */
#ifndef UROCE_WORKER_H
#define UROCE_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/engine/uroce_engine.h"
#include "uroce/shm/uroce_shm.h"
#include "uroce/udp/uroce_netdev.h"
#include "uroce/udp/uroce_port.h"

/* An attached device; each context has one. */
struct uroce_instance;

/* A change of the network interface: uroce_worker_ops.netdev_event. */
enum uroce_netdev_event {
	UROCE_NETDEV_UP,
	UROCE_NETDEV_DOWN,
	UROCE_NETDEV_GIDS, /* an address was added or removed */
};

/*
 * Callbacks from the worker to verbs/. Any thread calls them, with the engine
 * lock held: they must not block, and not call functions of this header. The
 * objects exist, because their removal from the engine needs the same lock.
 */
struct uroce_worker_ops {
	/*
	 * cq_event() - @wake: generate a completion event, the CQ is no longer
	 * armed; @overrun: a completion was lost (IBV_EVENT_CQ_ERR)
	 */
	void (*cq_event)(struct uroce_cq *cq, bool wake, bool overrun);
	/* rq_event() - an SRQ has reached its limit */
	void (*rq_event)(struct uroce_rq *rq);
	/* qp_event() - @events: mask of 1 << enum ibv_event_type */
	void (*qp_event)(struct uroce_qp *qp, uint32_t events);
	/* netdev_event() - @owner: argument of uroce_worker_attach() */
	void (*netdev_event)(void *owner, enum uroce_netdev_event event);
};

/**
 * uroce_worker_attach() - begin to use a device
 * @dev: its interface; the worker accepts packets for its GIDs
 * @ops: callbacks; must live until the detach and be the same in all calls
 * @owner: argument of netdev_event()
 * @ret_instance: receives the instance, which uroce_worker_detach() frees
 *
 * Succeeds also if UDP port 4791 is not available because another user or the
 * kernel's rdma_rxe owns it: see uroce_worker_port_error(). Then only processes
 * of this host can be reached.
 *
 * Return: 0, -ENOMEM, -EMFILE, -EAGAIN if no thread can be created.
 */
int uroce_worker_attach(const struct uroce_netdev *dev,
			const struct uroce_worker_ops *ops, void *owner,
			struct uroce_instance **ret_instance);

/**
 * uroce_worker_detach() - end the use of a device
 *
 * All objects of the instance must be destroyed. The last detach joins the
 * helper thread.
 *
 * Context: any thread, without the engine lock; not from a callback.
 */
void uroce_worker_detach(struct uroce_instance *instance);

/** uroce_worker_engine() - return the engine; does not change until the detach
 */
struct uroce_engine *uroce_worker_engine(struct uroce_instance *instance);

/** uroce_worker_dead() - check for a child of the process that attached */
bool uroce_worker_dead(const struct uroce_instance *instance);

/**
 * uroce_worker_port_error() - return the reason why the UDP port is not in use
 *
 * Return: 0 if it is in use, or -errno: -EADDRINUSE if another user or the
 * kernel owns port 4791. With an error the port state must be DOWN.
 */
int uroce_worker_port_error(const struct uroce_instance *instance);

/**
 * uroce_worker_netdev() - copy the current state of the interface
 *
 * Context: any thread, without the engine lock.
 */
void uroce_worker_netdev(struct uroce_instance *instance,
			 struct uroce_netdev *ret_dev);

/** uroce_worker_now() - return the time for all functions of the engine, in ns
 */
uint64_t uroce_worker_now(void);

/** uroce_worker_new_pd() - allocate a PD number, unique in the process; > 0 */
uint32_t uroce_worker_new_pd(struct uroce_instance *instance);

/**
 * uroce_worker_sport() - return the UDP source port for packets to a QP
 * @instance: the device
 * @qpn: the local QP; 0 if it is not known, as in an address handle
 * @dest_qpn: the destination QP
 *
 * For uroce_path.sport, which may contain no other port.
 */
uint16_t uroce_worker_sport(const struct uroce_instance *instance, uint32_t qpn,
			    uint32_t dest_qpn);

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
int uroce_worker_connect(struct uroce_instance *instance,
			 const struct uroce_path *path, uint32_t dest_qpn,
			 struct uroce_channel **ret_channel);

/**
 * uroce_worker_disconnect() - release a channel, to which the QP is not bound
 *
 * Context: with the engine lock.
 */
void uroce_worker_disconnect(struct uroce_instance *instance,
			     struct uroce_channel *channel);

/**
 * uroce_worker_is_here() - check whether an address belongs to this host
 *
 * For uroce_path.here. False also if shared memory is disabled.
 *
 * Context: any thread, without the engine lock.
 */
bool uroce_worker_is_here(struct uroce_instance *instance, const uint8_t *gid);

/**
 * uroce_worker_has_ud_peer() - check whether uroce_worker_resolve_ud_peer()
 * would have no effect
 *
 * Context: any thread.
 */
bool uroce_worker_has_ud_peer(const struct uroce_instance *instance,
			      uint32_t qpn);

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
void uroce_worker_resolve_ud_peer(struct uroce_instance *instance,
				  const struct uroce_path *path, uint32_t qpn);

/**
 * uroce_worker_withdraw_region() - withdraw a region before it changes or is
 * freed
 *
 * Removes the region from the MR directory that peers read, and waits until no
 * peer accesses it. The engine publishes the region again when it changes.
 *
 * Context: any thread, without the engine lock.
 * Return: 0, or -EBUSY if a process was stopped while it accessed the region.
 */
int uroce_worker_withdraw_region(struct uroce_instance *instance, uint32_t key);

/**
 * uroce_worker_get_share() - make a region available for mapping by peers
 * @memory: of the region
 * @bytes: of the region
 * @ret_share: receives a number for the region's entry in the MR directory,
 *	which uroce_worker_put_share() releases; 0 or unchanged: peers
 *	cannot map the region
 * @ret_offset: likewise receives the offset, for that entry only
 *
 * Context: any thread, without the engine lock; some system calls.
 */
void uroce_worker_get_share(struct uroce_instance *instance, const void *memory,
			    uint64_t bytes, uint64_t *ret_share,
			    uint64_t *ret_offset);

/**
 * uroce_worker_put_share() - release a share; the region is freed or withdrawn
 *
 * Context: as uroce_worker_get_share().
 */
void uroce_worker_put_share(struct uroce_instance *instance, uint64_t share);

/**
 * uroce_worker_await_copies() - quiesce peers after a QP has failed or is freed
 *
 * When this returns 0, no peer accesses local memory on behalf of the QP.
 *
 * Context: any thread, without the engine lock.
 * Return: 0, or -EBUSY: see uroce_worker_withdraw_region().
 */
int uroce_worker_await_copies(struct uroce_instance *instance);

/**
 * uroce_worker_flush_qp() - flush the ACKs and responses of a QP before it is
 * freed
 *
 * Acknowledges all messages that arrived. Waits for room for this at most a
 * second, and only once for a peer that makes no progress.
 *
 * Context: any thread, without the engine lock.
 */
void uroce_worker_flush_qp(struct uroce_instance *instance,
			   struct uroce_qp *qp);

/**
 * uroce_worker_lock() - take the engine lock
 *
 * Needed for all functions of the engine that are not marked "any thread".
 */
void uroce_worker_lock(struct uroce_instance *instance);

/**
 * uroce_worker_unlock() - send all packets of the engine, deliver events, and
 * release the engine lock
 */
void uroce_worker_unlock(struct uroce_instance *instance);

/**
 * uroce_worker_post() - process work requests that were added to a queue of @qp
 *
 * Includes uroce_engine_kick(). Sends, unless another thread has the engine
 * lock; then that thread sends.
 *
 * Context: any thread, without the engine lock.
 */
void uroce_worker_post(struct uroce_instance *instance, struct uroce_qp *qp);

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
enum uroce_pass uroce_worker_poll(struct uroce_instance *instance);

/**
 * uroce_worker_arm_cq() - arm a CQ, and make the helper thread watch for
 * packets
 *
 * Use this instead of uroce_cq_arm().
 *
 * Context: any thread.
 * Return: 0, or -EBUSY in a signal handler that has interrupted a thread with
 * the engine lock.
 */
int uroce_worker_arm_cq(struct uroce_instance *instance, struct uroce_cq *cq,
			bool solicited_only);

/**
 * uroce_worker_moderate_cq() - set the moderation of completion events
 * @count: completions for one event; 0 or 1: no moderation
 * @period_us: the longest delay of an event; 0: no moderation
 *
 * Context: any thread.
 */
void uroce_worker_moderate_cq(struct uroce_instance *instance,
			      struct uroce_cq *cq, uint32_t count,
			      uint32_t period_us);

/**
 * uroce_worker_forget_cq() - drop the events of a CQ before it is freed
 *
 * Use this instead of uroce_engine_forget_cq().
 *
 * Context: with the engine lock.
 */
void uroce_worker_forget_cq(struct uroce_instance *instance,
			    struct uroce_cq *cq);

/**
 * uroce_worker_join() - join a multicast group
 * @instance: the device whose interface joins
 * @gid: an IPv4 (::ffff:a.b.c.d) or IPv6 multicast address
 *
 * Counts the calls. uroce_engine_attach() attaches the QP itself.
 *
 * Context: with the engine lock.
 * Return: 0, -EINVAL if @gid is no multicast address, -ENOMEM, -EIO if the
 * instance is dead, or -errno of the socket or of uroce_worker_port_error().
 */
int uroce_worker_join(struct uroce_instance *instance, const uint8_t *gid);

/** uroce_worker_leave() - undo one uroce_worker_join() */
void uroce_worker_leave(struct uroce_instance *instance, const uint8_t *gid);

/* Counters of the code below the engine. */
struct uroce_worker_counters {
	struct uroce_port_counters port;
	struct uroce_shm_counters shm;
	uint64_t helper_wakes; /* of the helper thread */
};

/** uroce_worker_counters() - read the counters since the first attach */
void uroce_worker_counters(struct uroce_instance *instance,
			   struct uroce_worker_counters *ret_counters);

#endif
