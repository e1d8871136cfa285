/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The coordinator: what verbs/ sees of everything that moves packets. There is
 * one loop in a process, with one engine, one slot of port 4791 and one helper
 * thread; it exists as long as a device is attached.
 *
 * Who moves packets: the application's threads, in uroce_loop_post() and
 * uroce_loop_poll(), and the helper thread whenever they have not polled for a
 * millisecond or wait for an event. Whoever it is holds the engine lock.
 *
 * QPNs, keys and PD numbers are those of the process: two devices, or two
 * contexts of one device, never have the same ones.
 *
 * After fork() the child has no loop: its instances are dead. They can be
 * locked, and detached, but nothing moves any more and uroce_loop_dead() says
 * so. A device that the child attaches gets a new loop.
 */
#ifndef UROCE_LOOP_H
#define UROCE_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/engine/uroce_engine.h"
#include "uroce/local/uroce_local.h"
#include "uroce/port/uroce_netdev.h"
#include "uroce/port/uroce_port.h"

/* A device that is in use: one for each context. */
struct uroce_instance;

/* What has become of the interface: uroce_loop_ops.netdev_event. */
enum uroce_netdev_event {
	UROCE_NETDEV_UP,
	UROCE_NETDEV_DOWN,
	UROCE_NETDEV_GIDS, /* an address came or went */
};

/*
 * What the loop tells verbs/. All are called with the engine lock held, by any
 * thread: they must not block, and not call back into this header. The objects
 * are alive, because taking one out of the engine needs the same lock.
 */
struct uroce_loop_ops {
	/*
	 * cq_event() - @wake: a completion event is due, the CQ is no longer
	 * armed; @overrun: a completion was lost (IBV_EVENT_CQ_ERR)
	 */
	void (*cq_event)(struct uroce_cq *cq, bool wake, bool overrun);
	/* rq_event() - an SRQ has reached its limit */
	void (*rq_event)(struct uroce_rq *rq);
	/* qp_event() - @events: mask of 1 << enum ibv_event_type */
	void (*qp_event)(struct uroce_qp *qp, uint32_t events);
	/* netdev_event() - @owner: as given to uroce_loop_attach() */
	void (*netdev_event)(void *owner, enum uroce_netdev_event event);
};

/**
 * uroce_loop_attach() - begin to use a device
 * @dev: its interface; its GIDs become addresses that packets may come to
 * @ops: what to call; must live until the detach, and be the same for all
 * @owner: for netdev_event()
 * @ret_instance: receives it; to be given back to uroce_loop_detach()
 *
 * Works also when UDP port 4791 cannot be had, because another user or the
 * kernel's rdma_rxe owns it: see uroce_loop_port_error(). Then processes of
 * this host can be reached, and nobody else.
 *
 * Return: 0, -ENOMEM, -EMFILE, -EAGAIN if there can be no thread.
 */
int uroce_loop_attach(const struct uroce_netdev *dev,
		      const struct uroce_loop_ops *ops, void *owner,
		      struct uroce_instance **ret_instance);

/**
 * uroce_loop_detach() - no longer use it
 *
 * All its objects must be gone. The last one ends the helper thread, so it must
 * not be called from a callback, nor with the engine lock held.
 */
void uroce_loop_detach(struct uroce_instance *instance);

/** uroce_loop_engine() - the engine; stays the same until the detach */
struct uroce_engine *uroce_loop_engine(struct uroce_instance *instance);

/** uroce_loop_dead() - whether this is a child of the process that attached */
bool uroce_loop_dead(const struct uroce_instance *instance);

/**
 * uroce_loop_port_error() - why no packets come and go
 *
 * Return: 0 if they do, or -errno: -EADDRINUSE if port 4791 is another user's
 * or the kernel's. Then the port's state is to be DOWN.
 */
int uroce_loop_port_error(const struct uroce_instance *instance);

/**
 * uroce_loop_netdev() - the interface as it is now
 *
 * Context: any thread, without the engine lock.
 */
void uroce_loop_netdev(struct uroce_instance *instance,
		       struct uroce_netdev *ret_dev);

/** uroce_loop_now() - the time for all functions of the engine, in ns */
uint64_t uroce_loop_now(void);

/** uroce_loop_new_pd() - a PD number that nobody else has; > 0 */
uint32_t uroce_loop_new_pd(struct uroce_instance *instance);

/**
 * uroce_loop_sport() - the source port for packets to a QP
 * @instance: the device
 * @qpn: from which QP; 0 if that is not known, as in an address handle
 * @dest_qpn: to which
 *
 * For uroce_path.sport: other ports than these cannot be used.
 */
uint16_t uroce_loop_sport(const struct uroce_instance *instance, uint32_t qpn,
			  uint32_t dest_qpn);

/**
 * uroce_loop_connect() - whether a QP's peer is on this host
 * @instance: the device
 * @path: to the peer
 * @dest_qpn: its QP
 * @ret_channel: receives the channel for the QP, to be given back to
 *	uroce_loop_disconnect()
 *
 * Asks the other process, if there is one, and waits for it.
 *
 * Context: any thread, without the engine lock.
 * Return: 0; -ENOENT if the way is the network; -ENOMEM, -EMFILE.
 */
int uroce_loop_connect(struct uroce_instance *instance,
		       const struct uroce_path *path, uint32_t dest_qpn,
		       struct uroce_channel **ret_channel);

/** uroce_loop_disconnect() - no QP is bound to it for this; with the lock */
void uroce_loop_disconnect(struct uroce_instance *instance,
			   struct uroce_channel *channel);

/**
 * uroce_loop_is_here() - whether datagrams to an address stay on this host
 *
 * For uroce_path.here. False if processes share no memory.
 *
 * Context: any thread, without the engine lock.
 */
bool uroce_loop_is_here(struct uroce_instance *instance, const uint8_t *gid);

/**
 * uroce_loop_has_met() - nothing would change if uroce_loop_meet() was called
 *
 * Context: any thread.
 */
bool uroce_loop_has_met(const struct uroce_instance *instance, uint32_t qpn);

/**
 * uroce_loop_meet() - let datagrams to a process of this host go through memory
 * @instance: the device
 * @path: to it; it is here
 * @qpn: any QP of it
 *
 * Waits for the other process, once, if it has memory to share. Until it was
 * met, and if it cannot be, datagrams to it use the network.
 *
 * Context: any thread, without the engine lock.
 */
void uroce_loop_meet(struct uroce_instance *instance,
		     const struct uroce_path *path, uint32_t qpn);

/**
 * uroce_loop_hide_region() - before a region changes or goes
 *
 * Other processes do not find it any more, and when this returns none of them
 * copies to or from it. The engine shows it again if it is changed.
 *
 * Context: any thread, without the engine lock.
 * Return: 0, or -EBUSY if a process was stopped while it copied.
 */
int uroce_loop_hide_region(struct uroce_instance *instance, uint32_t key);

/**
 * uroce_loop_get_share() - whether other processes could map a region as well
 * @memory: of the region
 * @bytes: of the region
 * @ret_share: receives a number for the engine's row of the region, which is to
 *	be given back to uroce_loop_put_share(); 0, or as it is: they cannot
 * @ret_offset: likewise, for the row alone
 *
 * Context: any thread, without the engine lock; some system calls.
 */
void uroce_loop_get_share(struct uroce_instance *instance, const void *memory,
			  uint64_t bytes, uint64_t *ret_share,
			  uint64_t *ret_offset);

/** uroce_loop_put_share() - the region is gone, or hidden; likewise */
void uroce_loop_put_share(struct uroce_instance *instance, uint64_t share);

/**
 * uroce_loop_await_copies() - after a QP has failed, or is gone
 *
 * When this returns no other process copies to or from our memory for it.
 *
 * Context: any thread, without the engine lock.
 * Return: 0, or -EBUSY: see uroce_loop_hide_region().
 */
int uroce_loop_await_copies(struct uroce_instance *instance);

/**
 * uroce_loop_settle() - before a QP goes: let the peer have what it is owed
 *
 * What has arrived was acknowledged, or is now, even if there is no room at the
 * moment. Waits for that for a second at most, and only once for a peer that
 * does not get on.
 *
 * Context: any thread, without the engine lock.
 */
void uroce_loop_settle(struct uroce_instance *instance, struct uroce_qp *qp);

/**
 * uroce_loop_lock() - take the engine lock
 *
 * Needed for all of the engine that is not marked "any thread".
 */
void uroce_loop_lock(struct uroce_instance *instance);

/**
 * uroce_loop_unlock() - send what the engine has to send, deliver events, and
 * give the engine lock back
 */
void uroce_loop_unlock(struct uroce_instance *instance);

/**
 * uroce_loop_post() - something was put into a queue of @qp
 *
 * Does what uroce_engine_kick() is for, and sends, unless another thread is at
 * it; then that one sends.
 *
 * Context: any thread, without the engine lock.
 */
void uroce_loop_post(struct uroce_instance *instance, struct uroce_qp *qp);

/* What a poll was good for. */
enum uroce_look {
	UROCE_LOOK_GLANCE, /* at the memory shared with others; in vain */
	UROCE_LOOK_ALL,	   /* at everything, for half a microsecond; in vain */
	UROCE_LOOK_FOUND,  /* packets have come */
};

/**
 * uroce_loop_poll() - receive, send, let timers expire; never waits
 *
 * For ibv_poll_cq() that has found nothing. As long as this is called at least
 * once in a millisecond the helper thread leaves the work to the caller.
 *
 * Context: any thread, without the engine lock.
 */
enum uroce_look uroce_loop_poll(struct uroce_instance *instance);

/**
 * uroce_loop_arm_cq() - uroce_cq_arm(), and let the helper thread watch
 *
 * To be used instead of uroce_cq_arm().
 *
 * Context: any thread.
 * Return: 0, or -EBUSY in a signal handler that has interrupted a thread with
 * the engine lock.
 */
int uroce_loop_arm_cq(struct uroce_instance *instance, struct uroce_cq *cq,
		      bool solicited_only);

/**
 * uroce_loop_moderate_cq() - let completion events wait
 * @count: for so many completions; 0 or 1: not at all
 * @period_us: but for so long at most; 0: not at all
 *
 * Context: any thread.
 */
void uroce_loop_moderate_cq(struct uroce_instance *instance,
			    struct uroce_cq *cq, uint32_t count,
			    uint32_t period_us);

/**
 * uroce_loop_forget_cq() - uroce_engine_forget_cq() for a CQ of this loop
 *
 * To be used instead, before a CQ is freed.
 *
 * Context: with the engine lock.
 */
void uroce_loop_forget_cq(struct uroce_instance *instance, struct uroce_cq *cq);

/**
 * uroce_loop_join() - receive what is sent to a multicast group
 * @instance: on its interface
 * @gid: an IPv4 (::ffff:a.b.c.d) or IPv6 multicast address
 *
 * Counts; the QP itself is attached with uroce_engine_attach().
 *
 * Context: with the engine lock.
 * Return: 0, -EINVAL if it is no multicast address, or -errno of the socket.
 */
int uroce_loop_join(struct uroce_instance *instance, const uint8_t *gid);

/** uroce_loop_leave() - undo one uroce_loop_join() */
void uroce_loop_leave(struct uroce_instance *instance, const uint8_t *gid);

/* Counters of what happens below the engine. */
struct uroce_loop_counters {
	struct uroce_port_counters port;
	struct uroce_local_counters local;
	uint64_t helper_wakes; /* of the helper thread */
};

/** uroce_loop_counters() - what was counted since the first attach */
void uroce_loop_counters(struct uroce_instance *instance,
			 struct uroce_loop_counters *ret_counters);

#endif
