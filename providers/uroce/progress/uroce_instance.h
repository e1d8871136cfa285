/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An instance: a device that is attached; each context has one. The first
 * attach of a process creates its first worker, and the last detach frees all
 * workers.
 *
 * QPNs, keys and PD numbers are unique in the process, across all devices and
 * all contexts of a device.
 *
 * After fork() the child has no worker. Its instances are dead: they can be
 * locked and detached, but make no progress, and uroce_instance_dead() returns
 * true. A device that the child attaches gets a new worker.
 */
#ifndef UROCE_INSTANCE_H
#define UROCE_INSTANCE_H

#include "uroce/gsi/uroce_gsi.h"
#include "uroce/progress/uroce_worker.h"
#include "uroce/qp/uroce_odp.h"
#include "uroce/shm/uroce_shm.h"
#include "uroce/udp/uroce_netdev.h"
#include "uroce/udp/uroce_port.h"

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
	/* netdev_event() - @owner: argument of uroce_instance_attach() */
	void (*netdev_event)(void *owner, enum uroce_netdev_event event);
};

/**
 * uroce_instance_attach() - begin to use a device
 * @dev: its interface; the worker accepts packets for its GIDs
 * @ops: callbacks; must live until the detach and be the same in all calls
 * @owner: argument of netdev_event()
 * @ret_instance: receives the instance, which uroce_instance_detach() frees
 *
 * Succeeds also if UDP port 4791 is not available because another user or the
 * kernel's rdma_rxe owns it: see uroce_instance_port_error(). Then only
 * processes of this host can be reached.
 *
 * Return: 0, -ENOMEM, -EMFILE, -EAGAIN if no thread can be created.
 */
int uroce_instance_attach(const struct uroce_netdev *dev,
			  const struct uroce_worker_ops *ops, void *owner,
			  struct uroce_instance **ret_instance);

/**
 * uroce_instance_detach() - end the use of a device
 *
 * All objects of the instance must be destroyed. The last detach joins the
 * helper thread.
 *
 * Context: any thread, without the engine lock; not from a callback.
 */
void uroce_instance_detach(struct uroce_instance *instance);

/**
 * uroce_instance_memory() - return the MR table, with which all workers check
 * keys; changes need uroce_instance_lock()
 */
struct uroce_memory *uroce_instance_memory(struct uroce_instance *instance);

/**
 * uroce_instance_first_worker() - the worker of all XRC targets and their SRQs
 *
 * They have no queue in common before a request names an SRQ.
 */
struct uroce_worker *
uroce_instance_first_worker(struct uroce_instance *instance);

/**
 * uroce_instance_next_worker() - select the worker of a new group of queues
 *
 * The workers take turns. Starts a worker if there are fewer of them than
 * processors, see UROCE_WORKERS in uroce(7).
 *
 * Context: control path, without locks; may take some ms.
 */
struct uroce_worker *
uroce_instance_next_worker(struct uroce_instance *instance);

/**
 * uroce_instance_lock() - take the engine locks of all workers
 *
 * Protects the MR table, and objects that QPs of several workers may use.
 */
void uroce_instance_lock(struct uroce_instance *instance);

/**
 * uroce_instance_unlock() - send all packets, deliver events, and release the
 * engine locks
 */
void uroce_instance_unlock(struct uroce_instance *instance);

/**
 * uroce_instance_share_cq() - let QPs of several workers use a CQ
 * @worker: the worker to which it was bound
 *
 * From now on only one worker at a time makes progress.
 *
 * Context: with uroce_instance_lock().
 */
void uroce_instance_share_cq(struct uroce_instance *instance,
			     struct uroce_worker *worker, struct uroce_cq *cq);

/** uroce_instance_poll() - uroce_worker_poll() for all workers */
enum uroce_pass uroce_instance_poll(struct uroce_instance *instance);

/** uroce_instance_arm_cq() - uroce_worker_arm_cq() for a CQ of no worker */
int uroce_instance_arm_cq(struct uroce_instance *instance, struct uroce_cq *cq,
			  bool solicited_only);

/**
 * uroce_instance_forget_cq() - drop the events of a CQ before it is freed
 * @worker: the worker to which it is bound, or NULL
 *
 * Use this instead of uroce_core_forget_cq().
 *
 * Context: with uroce_instance_lock().
 */
void uroce_instance_forget_cq(struct uroce_instance *instance,
			      struct uroce_worker *worker, struct uroce_cq *cq);

/** uroce_instance_forget_rq() - the same for an SRQ */
void uroce_instance_forget_rq(struct uroce_instance *instance,
			      struct uroce_rq *rq);

/**
 * uroce_instance_find_owner() - search the attached devices of the process
 * @is_wanted: called with the argument @owner of uroce_instance_attach()
 * @arg: passed to it
 *
 * Context: with uroce_instance_lock().
 * Return: whether @is_wanted returned true for a device.
 */
bool uroce_instance_find_owner(const struct uroce_instance *instance,
			       bool (*is_wanted)(void *owner, void *arg),
			       void *arg);

/** uroce_instance_dead() - check for a child of the process that attached */
bool uroce_instance_dead(const struct uroce_instance *instance);

/**
 * uroce_instance_port_error() - return the reason why the UDP port is not in
 * use
 *
 * Return: 0 if it is in use, or -errno: -EADDRINUSE if another user or the
 * kernel owns port 4791. With an error the port state must be DOWN.
 */
int uroce_instance_port_error(const struct uroce_instance *instance);

/**
 * uroce_instance_netdev() - copy the current state of the interface
 *
 * Context: any thread, without the engine lock.
 */
void uroce_instance_netdev(struct uroce_instance *instance,
			   struct uroce_netdev *ret_dev);

/** uroce_instance_new_pd() - allocate a PD number, unique in the process; > 0
 */
uint32_t uroce_instance_new_pd(struct uroce_instance *instance);

/**
 * uroce_instance_sport() - return the UDP source port for packets to a QP
 * @instance: the device
 * @qpn: the local QP; 0 if it is not known, as in an address handle
 * @dest_qpn: the destination QP
 *
 * For uroce_path.sport, which may contain no other port.
 */
uint16_t uroce_instance_sport(const struct uroce_instance *instance,
			      uint32_t qpn, uint32_t dest_qpn);

/** uroce_instance_other_sport() - return another port, for a second path */
uint16_t uroce_instance_other_sport(const struct uroce_instance *instance,
				    uint32_t qpn, uint32_t dest_qpn);

/**
 * uroce_instance_is_here() - check whether an address belongs to this host
 *
 * For uroce_path.here. False also if shared memory is disabled.
 *
 * Context: any thread, without the engine lock.
 */
bool uroce_instance_is_here(struct uroce_instance *instance,
			    const uint8_t *gid);

/**
 * uroce_instance_withdraw_region() - withdraw a region before it changes or is
 * freed
 *
 * Removes the region from the MR directory that peers read, and waits until no
 * peer accesses it. The engine publishes the region again when it changes.
 *
 * Context: any thread, without the engine lock.
 * Return: 0, or -EBUSY if a process was stopped while it accessed the region.
 */
int uroce_instance_withdraw_region(struct uroce_instance *instance,
				   uint32_t key);

/**
 * uroce_instance_new_file() - create a file for memory that peers may map
 * @bytes: size of the file
 *
 * Return: a descriptor, which the caller owns; or -errno: the caller uses
 * memory without a file.
 */
int uroce_instance_new_file(size_t bytes);

/**
 * uroce_instance_get_share() - make a region available for mapping by peers
 * @memory: of the region
 * @bytes: of the region
 * @ret_share: receives a number for the region's entry in the MR directory,
 *	which uroce_instance_put_share() releases; 0 or unchanged: peers
 *	cannot map the region
 * @ret_offset: likewise receives the offset, for that entry only
 *
 * Context: any thread, without the engine lock; some system calls.
 */
void uroce_instance_get_share(struct uroce_instance *instance,
			      const void *memory, uint64_t bytes,
			      uint64_t *ret_share, uint64_t *ret_offset);

/**
 * uroce_instance_put_share() - release a share; the region is freed or
 * withdrawn
 *
 * Context: as uroce_instance_get_share().
 */
void uroce_instance_put_share(struct uroce_instance *instance, uint64_t share);

/**
 * uroce_instance_await_copies() - quiesce peers after a QP has failed or is
 * freed
 *
 * When this returns 0, no peer accesses local memory on behalf of the QP.
 *
 * Context: any thread, without the engine lock.
 * Return: 0, or -EBUSY: see uroce_instance_withdraw_region().
 */
int uroce_instance_await_copies(struct uroce_instance *instance);

/*
 * Where the objects of a context are: what another process needs to import
 * them. In a file, so without padding.
 */
struct uroce_origin {
	uint64_t token; /* of the process; 0: no import by other processes */
	uint32_t slot;
	uint32_t context; /* in the process; > 0 */
};

/* Rights of an imported region; no atomics, since the kernel has none. */
#define UROCE_IMPORT_RIGHTS                                                \
	((unsigned int)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			IBV_ACCESS_REMOTE_READ | IBV_ACCESS_FLUSH_GLOBAL))

/* A region of another process. */
struct uroce_import {
	struct uroce_odp_range range;
	struct uroce_channel *channel; /* to the exporter */
	struct uroce_published_region region;
	uint32_t key; /* in this process */
};

/** uroce_instance_new_origin() - get the origin of a new context */
struct uroce_origin uroce_instance_new_origin(struct uroce_instance *instance);

/** uroce_instance_is_origin() - whether an origin is in this process */
bool uroce_instance_is_origin(const struct uroce_instance *instance,
			      const struct uroce_origin *origin);

/**
 * uroce_instance_publish_pd() - publish or withdraw a PD of this process
 * @origin: of its context
 *
 * Context: with uroce_instance_lock().
 */
void uroce_instance_publish_pd(struct uroce_instance *instance,
			       const struct uroce_origin *origin, uint32_t pd,
			       bool exists);

/**
 * uroce_instance_connect_exporter() - connect to the process of an origin
 * @ret_channel: receives the channel; uroce_instance_put_exporter() drops it
 *
 * Context: control path, without locks; may wait some seconds.
 * Return: 0; -EOPNOTSUPP if no import from there is possible; -ENOMEM, -EMFILE.
 */
int uroce_instance_connect_exporter(struct uroce_instance *instance,
				    const struct uroce_origin *origin,
				    struct uroce_channel **ret_channel);

/** uroce_instance_put_exporter() - with uroce_instance_lock() */
void uroce_instance_put_exporter(struct uroce_instance *instance,
				 struct uroce_channel *channel);

/** uroce_instance_exports_pd() - whether the exporter has a PD */
bool uroce_instance_exports_pd(struct uroce_channel *channel,
			       const struct uroce_origin *origin, uint32_t pd);

/**
 * uroce_instance_import_region() - find a region of another process
 * @channel: from uroce_instance_connect_exporter()
 * @pd: of the exporter
 * @ret_import: receives the region and an address range that stands for it, for
 *	uroce_odp_add_range(); uroce_instance_unimport_region() frees it
 * @ret_region: receives kind, base, iova, bytes and access for
 *	uroce_memory_add()
 *
 * Return: 0; -ENOENT if the PD has no such region; -ENOMEM.
 */
int uroce_instance_import_region(struct uroce_channel *channel, uint32_t pd,
				 uint32_t key, struct uroce_import **ret_import,
				 struct uroce_region *ret_region);

/**
 * uroce_instance_unimport_region() - free an imported region, which is neither
 * in the MR table nor among the ranges
 */
void uroce_instance_unimport_region(struct uroce_import *import);

/** uroce_instance_gsi() - return the GSI of the process, or NULL */
struct uroce_gsi *uroce_instance_gsi(const struct uroce_instance *instance);

/**
 * uroce_instance_is_own_address() - whether a device of the process has a GID
 *
 * Context: any thread, without the engine lock.
 */
bool uroce_instance_is_own_address(const struct uroce_instance *instance,
				   const uint8_t *gid);

/**
 * uroce_instance_send_mad() - send a MAD from QP 1 to QP 1, and from local_gid,
 * which is an address of the device
 *
 * Context: any thread, without the engine lock.
 * Return: 0; -EADDRNOTAVAIL, -ENETDOWN without UDP port, -EIO in a child of
 * fork().
 */
int uroce_instance_send_mad(struct uroce_instance *instance,
			    const struct uroce_gsi_mad *mad);

/** uroce_instance_count() - read a counter of all engines */
uint64_t uroce_instance_count(struct uroce_instance *instance,
			      enum uroce_counter counter);

/* Counters of the code below the engine. */
struct uroce_instance_counters {
	struct uroce_port_counters port;
	struct uroce_shm_counters shm;
	struct uroce_gsi_counters gsi;
	uint64_t helper_wakes; /* of the helper thread */
};

/** uroce_instance_counters() - read the counters since the first attach */
void uroce_instance_counters(struct uroce_instance *instance,
			     struct uroce_instance_counters *ret_counters);

#endif
