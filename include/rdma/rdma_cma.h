/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The API of the RDMA connection manager: connections between queue pairs by
 * IP address and port, and address resolution for datagrams and multicast.
 *
 * An rdma_cm_id is to a queue pair what a socket is to a TCP connection. Its
 * operations are asynchronous: they return at once, and their results are
 * events on the id's channel. An id that was created without a channel is
 * synchronous: each operation waits for its event.
 *
 * Functions that return int return 0, or -1 with errno; those that return a
 * pointer return NULL with errno.
 */
#ifndef RDMA_RDMA_CMA_H
#define RDMA_RDMA_CMA_H

/* Applications rely on the headers that this file includes. */
#include <netinet/in.h>
#include <sys/socket.h>

#include <infiniband/sa.h>
#include <infiniband/verbs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------
 * Port spaces
 */

/* Each has its own ports; the transport follows from it. */
enum rdma_port_space {
	RDMA_PS_TCP = 0x0106,	/* connected, RC */
	RDMA_PS_UDP = 0x0111,	/* datagrams, UD */
	RDMA_PS_IPOIB = 0x0002, /* datagrams, UD, Q_Key of IP over InfiniBand */
	RDMA_PS_IB = 0x013F, /* any transport; service ids of the application */
};

/* An IP port as a service id: the port space, and the port in bits 15-0. */
#define RDMA_IB_IP_PS_MASK   0xFFFFFFFFFFFF0000ULL
#define RDMA_IB_IP_PORT_MASK 0x000000000000FFFFULL
#define RDMA_IB_IP_PS_TCP    0x0000000001060000ULL
#define RDMA_IB_IP_PS_UDP    0x0000000001110000ULL
#define RDMA_IB_PS_IB	     0x00000000013F0000ULL

/* The Q_Key of every QP in the port space UDP. */
#define RDMA_UDP_QKEY 0x01234567

/* ------------------------------------------------------------------------
 * Ids, routes and channels
 */

/* The pair of addresses as the network device of the port uses it. */
struct rdma_ib_addr {
	union ibv_gid sgid;
	union ibv_gid dgid;
	__be16 pkey;
};

/* Local and remote address; the family 0 means none. */
struct rdma_addr {
	__extension__ union {
		struct sockaddr src_addr;
		struct sockaddr_in src_sin;
		struct sockaddr_in6 src_sin6;
		struct sockaddr_storage src_storage;
	};
	__extension__ union {
		struct sockaddr dst_addr;
		struct sockaddr_in dst_sin;
		struct sockaddr_in6 dst_sin6;
		struct sockaddr_storage dst_storage;
	};
	union {
		struct rdma_ib_addr ibaddr;
	} addr;
};

struct rdma_route {
	struct rdma_addr addr;
	struct ibv_sa_path_rec *path_rec; /* num_paths of them */
	int num_paths;
};

/* Poll @fd; it is readable while rdma_get_cm_event() has an event to return. */
struct rdma_event_channel {
	int fd;
};

struct rdma_cm_event;

/*
 * The library allocates ids and writes all members. An application may write
 * @context, and may set @qp to NULL to keep a queue pair that it shares.
 */
struct rdma_cm_id {
	struct ibv_context *verbs; /* NULL until a device is known */
	struct rdma_event_channel *channel;
	void *context;
	struct ibv_qp *qp;
	struct rdma_route route;
	enum rdma_port_space ps;
	uint8_t port_num;
	struct rdma_cm_event *event; /* synchronous ids: the most recent one */
	struct ibv_comp_channel *send_cq_channel;
	struct ibv_cq *send_cq;
	struct ibv_comp_channel *recv_cq_channel;
	struct ibv_cq *recv_cq;
	struct ibv_srq *srq;
	struct ibv_pd *pd;
	enum ibv_qp_type qp_type;
};

struct rdma_event_channel *rdma_create_event_channel(void);
void rdma_destroy_event_channel(struct rdma_event_channel *channel);

/* Without a channel the id is synchronous. */
int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id,
		   void *context, enum rdma_port_space ps);
/* Blocks until every event of the id is acknowledged. */
int rdma_destroy_id(struct rdma_cm_id *id);
/* Moves an id, with its events, to another channel; NULL: synchronous. */
int rdma_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel);

/* Addresses of an id; the pointers are valid as long as the id is. */
static inline struct sockaddr *rdma_get_local_addr(struct rdma_cm_id *id)
{
	return &id->route.addr.src_addr;
}

static inline struct sockaddr *rdma_get_peer_addr(struct rdma_cm_id *id)
{
	return &id->route.addr.dst_addr;
}

/* Network order; 0 without an address. */
__be16 rdma_get_src_port(struct rdma_cm_id *id);
__be16 rdma_get_dst_port(struct rdma_cm_id *id);

/* ------------------------------------------------------------------------
 * Events
 */

enum rdma_cm_event_type {
	RDMA_CM_EVENT_ADDR_RESOLVED,
	RDMA_CM_EVENT_ADDR_ERROR,
	RDMA_CM_EVENT_ROUTE_RESOLVED,
	RDMA_CM_EVENT_ROUTE_ERROR,
	RDMA_CM_EVENT_CONNECT_REQUEST,	/* on the listening id; has a new id */
	RDMA_CM_EVENT_CONNECT_RESPONSE, /* only if the id has no QP */
	RDMA_CM_EVENT_CONNECT_ERROR,
	RDMA_CM_EVENT_UNREACHABLE,
	RDMA_CM_EVENT_REJECTED, /* status: reason of the REJ */
	RDMA_CM_EVENT_ESTABLISHED,
	RDMA_CM_EVENT_DISCONNECTED,
	RDMA_CM_EVENT_DEVICE_REMOVAL,
	RDMA_CM_EVENT_MULTICAST_JOIN,
	RDMA_CM_EVENT_MULTICAST_ERROR,
	RDMA_CM_EVENT_ADDR_CHANGE,
	RDMA_CM_EVENT_TIMEWAIT_EXIT,
	RDMA_CM_EVENT_ADDRINFO_RESOLVED,
	RDMA_CM_EVENT_ADDRINFO_ERROR,
	RDMA_CM_EVENT_USER, /* of rdma_write_cm_event() */
	RDMA_CM_EVENT_INTERNAL,
};

/* The largest values that the device has. */
enum {
	RDMA_MAX_RESP_RES = 0xFF,
	RDMA_MAX_INIT_DEPTH = 0xFF,
};

/* Of a connection; the accepting side may copy those of the request. */
struct rdma_conn_param {
	const void *private_data;
	uint8_t private_data_len;
	uint8_t responder_resources;
	uint8_t initiator_depth;
	uint8_t flow_control;
	uint8_t retry_count;
	uint8_t rnr_retry_count;
	/* Only of an id without a QP: */
	uint8_t srq;
	uint32_t qp_num;
};

/* How to reach a datagram QP or a multicast group. */
struct rdma_ud_param {
	const void *private_data;
	uint8_t private_data_len;
	struct ibv_ah_attr ah_attr;
	uint32_t qp_num;
	uint32_t qkey;
};

struct rdma_cm_event {
	struct rdma_cm_id *id;
	struct rdma_cm_id *listen_id; /* of CONNECT_REQUEST */
	enum rdma_cm_event_type event;
	int status; /* negative errno, or a positive code of the protocol */
	union {
		struct rdma_conn_param conn;
		struct rdma_ud_param ud;
		uint64_t arg; /* of USER */
	} param;
};

/* Every event that was returned must be acknowledged, which frees it. */
int rdma_get_cm_event(struct rdma_event_channel *channel,
		      struct rdma_cm_event **event);
int rdma_ack_cm_event(struct rdma_cm_event *event);
/* Adds an event to the queue of the id's channel. */
int rdma_write_cm_event(struct rdma_cm_id *id, enum rdma_cm_event_type event,
			int status, uint64_t arg);
const char *rdma_event_str(enum rdma_cm_event_type event);

/* ------------------------------------------------------------------------
 * Addresses and routes
 */

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr);
int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *src_addr,
		      struct sockaddr *dst_addr, int timeout_ms);
int rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms);

/* Flags of struct rdma_addrinfo */
#define RAI_PASSIVE	0x01 /* for a listening id */
#define RAI_NUMERICHOST 0x02
#define RAI_NOROUTE	0x04
#define RAI_FAMILY	0x08 /* ai_family is a requirement */
#define RAI_SA		0x10 /* ask the subnet administrator */
#define RAI_DNS		0x20

struct rdma_addrinfo {
	int ai_flags; /* RAI_* */
	int ai_family;
	int ai_qp_type;	   /* enum ibv_qp_type */
	int ai_port_space; /* enum rdma_port_space */
	socklen_t ai_src_len;
	socklen_t ai_dst_len;
	struct sockaddr *ai_src_addr;
	struct sockaddr *ai_dst_addr;
	char *ai_src_canonname;
	char *ai_dst_canonname;
	size_t ai_route_len; /* bytes */
	void *ai_route;	     /* struct ibv_path_data */
	size_t ai_connect_len;
	void *ai_connect; /* private data of the connection request */
	struct rdma_addrinfo *ai_next;
};

int rdma_getaddrinfo(const char *node, const char *service,
		     const struct rdma_addrinfo *hints,
		     struct rdma_addrinfo **res);
void rdma_freeaddrinfo(struct rdma_addrinfo *res);
/* The same for an id, with an event; then get the result by the second. */
int rdma_resolve_addrinfo(struct rdma_cm_id *id, const char *node,
			  const char *service,
			  const struct rdma_addrinfo *hints);
int rdma_query_addrinfo(struct rdma_cm_id *id, struct rdma_addrinfo **info);

/* ------------------------------------------------------------------------
 * Connections
 */

int rdma_listen(struct rdma_cm_id *id, int backlog);
/* Waits for a request, on a synchronous listening id only. */
int rdma_get_request(struct rdma_cm_id *listen, struct rdma_cm_id **id);
int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *conn_param);
int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *conn_param);
int rdma_reject(struct rdma_cm_id *id, const void *private_data,
		uint8_t private_data_len);
/* After CONNECT_RESPONSE, of an id without a QP: the connection is in use. */
int rdma_establish(struct rdma_cm_id *id);
int rdma_disconnect(struct rdma_cm_id *id);
/* Reports an asynchronous event of the QP, such as IBV_EVENT_COMM_EST. */
int rdma_notify(struct rdma_cm_id *id, enum ibv_event_type event);

/* A synchronous id and, on the active side, its route and QP in one call. */
int rdma_create_ep(struct rdma_cm_id **id, struct rdma_addrinfo *res,
		   struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr);
void rdma_destroy_ep(struct rdma_cm_id *id);

/* ------------------------------------------------------------------------
 * Queue pairs
 */

/* The library moves a QP of the id through its states. */
int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd,
		   struct ibv_qp_init_attr *qp_init_attr);
int rdma_create_qp_ex(struct rdma_cm_id *id,
		      struct ibv_qp_init_attr_ex *qp_init_attr);
void rdma_destroy_qp(struct rdma_cm_id *id);
/* For a QP of the application: attributes for the state in @qp_attr. */
int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *qp_attr,
		      int *qp_attr_mask);

/* Enhanced connection establishment, with a QP of the application. */
int rdma_set_local_ece(struct rdma_cm_id *id, struct ibv_ece *ece);
int rdma_get_remote_ece(struct rdma_cm_id *id, struct ibv_ece *ece);
/* Rejects a request because of its ECE options. */
int rdma_reject_ece(struct rdma_cm_id *id, const void *private_data,
		    uint8_t private_data_len);

/* ------------------------------------------------------------------------
 * Multicast
 */

/* Members of struct rdma_cm_join_mc_attr_ex that are valid */
enum rdma_cm_join_mc_attr_mask {
	RDMA_CM_JOIN_MC_ATTR_ADDRESS = 1 << 0,
	RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS = 1 << 1,
	RDMA_CM_JOIN_MC_ATTR_RESERVED = 1 << 2,
};

enum rdma_cm_mc_join_flags {
	RDMA_MC_JOIN_FLAG_FULLMEMBER,
	RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER,
	RDMA_MC_JOIN_FLAG_RESERVED,
};

struct rdma_cm_join_mc_attr_ex {
	uint32_t comp_mask;  /* enum rdma_cm_join_mc_attr_mask */
	uint32_t join_flags; /* enum rdma_cm_mc_join_flags */
	struct sockaddr *addr;
};

int rdma_join_multicast(struct rdma_cm_id *id, struct sockaddr *addr,
			void *context);
int rdma_join_multicast_ex(struct rdma_cm_id *id,
			   struct rdma_cm_join_mc_attr_ex *mc_join_attr,
			   void *context);
int rdma_leave_multicast(struct rdma_cm_id *id, struct sockaddr *addr);

/* ------------------------------------------------------------------------
 * Options and devices
 */

/* Levels of rdma_set_option() */
enum {
	RDMA_OPTION_ID = 0,
	RDMA_OPTION_IB = 1,
};

/* Options of the level RDMA_OPTION_ID */
enum {
	RDMA_OPTION_ID_TOS = 0,		/* uint8_t */
	RDMA_OPTION_ID_REUSEADDR = 1,	/* int, boolean */
	RDMA_OPTION_ID_AFONLY = 2,	/* int, boolean */
	RDMA_OPTION_ID_ACK_TIMEOUT = 3, /* uint8_t, 4.096 us * 2^n */
};

/* Options of the level RDMA_OPTION_IB */
enum {
	RDMA_OPTION_IB_PATH = 1, /* struct ibv_path_data[] */
};

int rdma_set_option(struct rdma_cm_id *id, int level, int optname, void *optval,
		    size_t optlen);

/* The contexts that ids use; NULL at the end. Free only the array. */
struct ibv_context **rdma_get_devices(int *num_devices);
void rdma_free_devices(struct ibv_context **list);

#ifdef __cplusplus
}
#endif

#endif /* RDMA_RDMA_CMA_H */
