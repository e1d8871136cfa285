/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internal interface of uverbs_shim.so, which replaces a kernel with RDMA
 * devices of any driver for an unmodified program. The call graph:
 *
 *   shim_files.c, shim_io.c, shim_netlink.c	replace functions of libc
 *   shim_write.c, shim_methods.c		parse commands
 *   shim_cmd_*.c				execute commands
 *   responses_*.c				add a driver's part
 *   shim_objects.c, shim_log.c, shim_config.c	keep the state
 *
 * Functions return 0 or -errno. All state except the constant configuration is
 * used under shim_lock().
 */
#ifndef UVERBS_SHIM_SHIM_H
#define UVERBS_SHIM_SHIM_H

#include <rdma/ib_user_ioctl_verbs.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/*
 * The commands that ioctl() accepts; all devices of a process have the same
 * mode.
 */
enum shim_mode {
	SHIM_MODE_IOCTL,  /* all methods */
	SHIM_MODE_INVOKE, /* only INVOKE_WRITE */
	SHIM_MODE_WRITE,  /* none: ENOTTY */
};

struct shim_driver;

struct shim_device {
	char name[64];	 /* for example mlx5_0 */
	char uverbs[64]; /* for example uverbs0 */
	const struct shim_driver *driver;
	uint32_t index; /* netlink device index */
	uint32_t driver_id;
	uint32_t minor_number;
	uint32_t abi;
	uint32_t node_type;
	uint64_t guid;
	bool is_ethernet;
};

struct shim_config {
	bool is_there; /* the kernel has RDMA, perhaps without devices */
	enum shim_mode mode;
	bool no_netlink;
	char nodes[256]; /* folder that replaces /dev/infiniband */
	char log[256];
	struct shim_device devices[8];
	size_t nr_devices;
};

/* One context: an open uverbs device node. */
struct shim_file;

enum shim_type {
	SHIM_NONE,
	SHIM_PD,
	SHIM_MR,
	SHIM_MW,
	SHIM_CQ,
	SHIM_QP,
	SHIM_SRQ,
	SHIM_AH,
	SHIM_XRCD,
	SHIM_WQ,
	SHIM_IND_TABLE,
	SHIM_FLOW,
	SHIM_DM,
	SHIM_COUNTERS,
	SHIM_NR_TYPES,
};

#define SHIM_MAX_PARENTS 6

struct shim_object {
	enum shim_type type; /* SHIM_NONE: free */
	uint32_t handle;
	uint32_t number; /* QP number, key, ...: small and not 0 */
	uint32_t users;	 /* objects that depend on this one */
	uint32_t parents[SHIM_MAX_PARENTS];
	struct ib_uverbs_qp_cap cap;
	uint32_t qp_state, qp_type;
	uint32_t depth, sge, limit;
};

/*
 * Parameters of a command, independent of the protocol that carried it. A
 * handle of 0 means no object: handles of the shim are never 0.
 */
struct shim_request {
	uint32_t pd, cq, recv_cq, srq, xrcd, ind_table, qp, dm;
	bool has_user_handle, has_channel, sig_all;
	uint32_t type, flags, vector, source_qpn;
	uint32_t depth, sge, limit, tags;
	struct ib_uverbs_qp_cap cap;
	uint64_t length;
	uint32_t access;
};

/* A command during its execution. */
struct shim_call {
	struct shim_file *file;
	const char *transport; /* ioctl, invoke or write */
	const char *name;      /* for example CREATE_QP, in either protocol */
	const char *uhw_in;
	size_t uhw_in_len;
	char *uhw_out;
	size_t uhw_out_len;

	/* write protocol: the structures of ib_user_verbs.h */
	const void *in;
	size_t in_len;
	void *out;
	size_t out_len;

	struct shim_request request;
	const struct shim_object *object; /* created, changed or queried */

	char notes[600];
	size_t notes_len;
};

/* The part that a driver adds to the response of one command. */
struct shim_response {
	const char *name; /* of the command */
	/* @buf is zeroed. Return: 0, or -errno if the driver refuses. */
	int (*fill)(const struct shim_call *call, void *buf, size_t room);
};

/*
 * Bytes that differ from run to run: reserved ones that contain old stack data.
 */
struct shim_noise {
	const char *name; /* of the command */
	size_t offset, len;
};

struct shim_driver {
	const char *name;
	const struct shim_response
		*responses; /* terminated by an entry without a name */
	struct shim_noise noise;
	/* Initial content of memory that the kernel shares, or NULL. */
	void (*fill_map)(void *memory, size_t len, uint64_t offset);
};

#define SHIM_MAX_UHW 1024

/* shim_config.c */
const struct shim_config *shim_config(void);
const struct shim_device *shim_device_of_node(const char *uverbs);
const struct shim_device *shim_device_of_minor(uint32_t minor_number);

/*
 * On 64-bit machines a function with file offsets has two names, such as
 * open and open64. On 32-bit machines these are two functions: programs that
 * are built for 64-bit offsets call the second function by the first one's
 * name. The shim is built the same way.
 */
#define SHIM_HAS_TWO_NAMES (__SIZEOF_POINTER__ == 8)

/* The fstatat() system call of the kernel. */
int shim_real_stat(int dirfd, const char *path, struct stat *st, int flags);

/* shim_files.c */
void shim_lock(void);
void shim_unlock(void);
/**
 * shim_file_of_fd() - find the context of a descriptor
 *
 * Return: NULL if the descriptor does not belong to the shim.
 */
struct shim_file *shim_file_of_fd(int fd);
const struct shim_device *shim_file_device(const struct shim_file *file);
struct shim_objects *shim_file_objects(struct shim_file *file);
/**
 * shim_quiet_fd() - make a descriptor that never becomes readable
 */
int shim_quiet_fd(void);

/* shim_objects.c */
struct shim_objects {
	struct shim_object slots[256];
	uint32_t nr_made[SHIM_NR_TYPES];
};
struct shim_object *shim_find(struct shim_file *file, enum shim_type type,
			      uint32_t handle);
/**
 * shim_make() - make an object of call->request, log it, fill the driver's
 * response
 */
int shim_make(struct shim_call *call, enum shim_type type);
/**
 * shim_destroy() - log and destroy an object
 *
 * Return: 0, -ENOENT, or -EBUSY if the object is in use.
 */
int shim_destroy(struct shim_call *call, enum shim_type type, uint32_t handle);
size_t shim_nr_objects(struct shim_file *file);

/* shim_log.c */
void shim_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void shim_note(struct shim_call *call, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/**
 * shim_note_object() - log " key=QP1"; nothing if the handle is 0
 */
void shim_note_object(struct shim_call *call, const char *key, uint32_t handle);
/**
 * shim_note_bytes() - log " key=0123..."
 */
void shim_note_bytes(struct shim_call *call, const char *key, const void *bytes,
		     size_t len);
/**
 * shim_call_end() - write the log line of a command
 *
 * Return: @ret.
 */
int shim_call_end(struct shim_call *call, int ret);

/* responses.c */
const struct shim_driver *shim_driver_find(const char *name);
/**
 * shim_fill_response() - fill call->uhw_out as the driver does
 *
 * Return: 0 or the driver's -errno.
 */
int shim_fill_response(struct shim_call *call);

/* shim_write.c */
/**
 * shim_write() - execute a write(2)
 *
 * Return: 0 or -errno.
 */
int shim_write(struct shim_file *file, const void *buf, size_t len);
/**
 * shim_invoke_write() - execute an INVOKE_WRITE
 *
 * The caller has set all members of @call except the name.
 */
int shim_invoke_write(struct shim_call *call, uint32_t command);

/* shim_methods.c */
int shim_ioctl(struct shim_file *file, void *hdr);

/* shim_cmd_device.c, shim_cmd_memory.c, shim_cmd_queues.c: write commands */
#define SHIM_EXTENDED 0x80000000u
struct shim_command {
	uint32_t number; /* with SHIM_EXTENDED */
	const char *name;
	size_t in_len, out_len; /* of the core, without the driver's data */
	int (*run)(struct shim_call *call);
};
extern const struct shim_command shim_device_commands[], shim_memory_commands[],
	shim_queue_commands[]; /* terminated by an entry without a name */

/* shim_cmd_device.c: used by both protocols */
struct ib_uverbs_query_port_resp;
void shim_fill_port(const struct shim_device *device,
		    struct ib_uverbs_query_port_resp *resp);
bool shim_fill_gid(const struct shim_device *device, uint32_t index,
		   struct ib_uverbs_gid_entry *entry);
#define SHIM_NR_GIDS	      2
#define SHIM_GID_TABLE_LEN    16
#define SHIM_NR_VECTORS	      4
#define SHIM_MAX_RESPONSE_LEN 0xffff

#endif
