/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The queue of MADs from the network, the users of the process and their
 * claims. Called by ../progress/uroce_worker_gsi.c and ../uroce_gsi_ops.c.
 */
#include "uroce/gsi/uroce_gsi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <unistd.h>

#include "uroce/gsi/uroce_gsi_conn.h"
#include "util/min.h"
#include "util/nocancel.h"

#define QUEUE_SIZE 64 /* MADs; a power of two */
/* Descriptors that are served in one call: some besides all links */
#define MAX_READY (UROCE_GSI_NR_LINKS + 16)
/* Requests that are delivered in one turn, even if other MADs never end */
#define MIN_REQUESTS  (UROCE_GSI_MAX_DELIVERED / 4)
#define PREFIX_TRIES  64
#define PREFIX_SHIFT  16
#define LOWEST_PREFIX 1 /* a communication id of 0 means none */
#define NR_PREFIXES   0xffff

struct uroce_gsi_claim {
	struct list_node entry;
	const struct uroce_gsi_user *user;
	int fd;
	bool is_prefix;
	bool any_gid;
	unsigned int ifindex; /* any_gid */
	uint8_t gid[UROCE_GID_LEN];
	uint64_t service_id;
};

struct uroce_gsi {
	struct uroce_gsi_config config;
	struct uroce_gsi_ways ways;
	struct uroce_gsi_links links;
	bool dead; /* child of fork() */
	/* protects the members below; links.mutex is taken after it */
	pthread_mutex_t mutex;
	struct list_node users; /* changed with call_mutex as well */
	struct uroce_gsi_conns conns;
	uint32_t head, tail; /* of the queue; free-running */
	uint32_t nr_passing; /* MADs that threads took from the queue */
	struct uroce_gsi_mad queue[QUEUE_SIZE];
	struct uroce_gsi_counters counters;
	/* held during calls of users; taken before mutex */
	pthread_mutex_t call_mutex;
};

int uroce_gsi_new(const struct uroce_gsi_config *config,
		  struct uroce_gsi **ret_gsi)
{
	struct uroce_gsi *gsi = calloc(1, sizeof(*gsi));
	int ret;

	if (!gsi)
		return -ENOMEM;
	gsi->conns.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (gsi->conns.epoll < 0) {
		ret = -errno;
		free(gsi);
		return ret;
	}
	gsi->config = *config;
	gsi->ways = (struct uroce_gsi_ways){
		.to_service = uroce_gsi_forward_service,
		.to_id = uroce_gsi_forward_id,
		.links = &gsi->links,
		.find_interface = config->find_interface,
		.arg = config->arg,
	};
	list_init(&gsi->users);
	list_init(&gsi->conns.conns);
	uroce_gsi_links_init(&gsi->links, gsi->conns.epoll);
	(void)pthread_mutex_init(&gsi->mutex, NULL);
	(void)pthread_mutex_init(&gsi->call_mutex, NULL);
	*ret_gsi = gsi;
	return 0;
}

void uroce_gsi_free(struct uroce_gsi *gsi)
{
	if (gsi->conns.epoll >= 0)
		(void)close(gsi->conns.epoll);
	uroce_gsi_links_fini(&gsi->links);
	(void)pthread_mutex_destroy(&gsi->mutex);
	(void)pthread_mutex_destroy(&gsi->call_mutex);
	free(gsi);
}

int uroce_gsi_fd(const struct uroce_gsi *gsi)
{
	return gsi->conns.epoll;
}

void uroce_gsi_watch(struct uroce_gsi *gsi, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	/* fails without memory only: then other processes receive the MADs */
	(void)epoll_ctl(gsi->conns.epoll, EPOLL_CTL_ADD, fd, &event);
}

static void gsi_lock(struct uroce_gsi *gsi)
{
	(void)pthread_mutex_lock(&gsi->mutex);
}

static void gsi_unlock(struct uroce_gsi *gsi)
{
	(void)pthread_mutex_unlock(&gsi->mutex);
}

void uroce_gsi_lock(struct uroce_gsi *gsi)
{
	gsi_lock(gsi);
	(void)pthread_mutex_lock(&gsi->links.mutex);
}

void uroce_gsi_unlock(struct uroce_gsi *gsi)
{
	(void)pthread_mutex_unlock(&gsi->links.mutex);
	gsi_unlock(gsi);
}

void uroce_gsi_abandon(struct uroce_gsi *gsi)
{
	struct list_node *pos, *at;

	list_for_each (pos, &gsi->users) {
		struct uroce_gsi_user *user =
			list_entry(pos, struct uroce_gsi_user, entry);

		list_for_each (at, &user->claims) {
			struct uroce_gsi_claim *claim =
				list_entry(at, struct uroce_gsi_claim, entry);

			(void)close(claim->fd);
			claim->fd = -1;
		}
	}
	(void)close(gsi->conns.epoll);
	gsi->conns.epoll = -1;
	uroce_gsi_conns_close(&gsi->conns, NULL);
	uroce_gsi_links_close(&gsi->links);
	gsi->dead = true;
}

void uroce_gsi_push(struct uroce_gsi *gsi, const struct uroce_gsi_mad *mad)
{
	gsi_lock(gsi);
	gsi->counters.received++;
	if (gsi->tail - gsi->head < QUEUE_SIZE)
		gsi->queue[gsi->tail++ % QUEUE_SIZE] = *mad;
	else
		gsi->counters.overflow++;
	gsi_unlock(gsi);
}

static bool gsi_pop(struct uroce_gsi *gsi, struct uroce_gsi_mad *ret_mad)
{
	bool any;

	gsi_lock(gsi);
	any = gsi->head != gsi->tail;
	if (any) {
		*ret_mad = gsi->queue[gsi->head++ % QUEUE_SIZE];
		gsi->nr_passing++;
	}
	gsi_unlock(gsi);
	return any;
}

static void gsi_count(struct uroce_gsi *gsi, uint64_t *counter)
{
	gsi_lock(gsi);
	(*counter)++;
	gsi_unlock(gsi);
}

/* Return: whether the MAD has an owner. */
static bool pass_on_mad(struct uroce_gsi *gsi, const struct uroce_gsi_mad *mad)
{
	struct uroce_gsi_counters *counters = &gsi->counters;
	struct uroce_gsi_mad reply;

	switch (uroce_gsi_route(&gsi->ways, mad, &reply)) {
	case UROCE_GSI_FORWARDED:
		gsi_count(gsi, &counters->forwarded);
		return true;
	case UROCE_GSI_LOST:
		gsi_count(gsi, &counters->lost);
		return true;
	case UROCE_GSI_REPLY:
		gsi_count(gsi, &counters->replies);
		/* a reply that cannot be sent is lost, as on any network */
		(void)gsi->config.send_reply(gsi->config.arg, &reply);
		break;
	case UROCE_GSI_NO_OWNER:
		gsi_count(gsi, &counters->no_owner);
		break;
	}
	return false;
}

void uroce_gsi_send_local(struct uroce_gsi *gsi,
			  const struct uroce_gsi_mad *mad)
{
	struct uroce_gsi_mad received = *mad;

	memcpy(received.local_gid, mad->remote_gid, UROCE_GID_LEN);
	memcpy(received.remote_gid, mad->local_gid, UROCE_GID_LEN);
	(void)pass_on_mad(gsi, &received);
}

int uroce_gsi_watch_owner(struct uroce_gsi *gsi, uint32_t id)
{
	return uroce_gsi_watch_id(&gsi->links, id);
}

static const struct uroce_gsi_claim *
gsi_find_claim_locked(const struct uroce_gsi *gsi, int fd)
{
	struct list_node *pos, *at;

	list_for_each (pos, &gsi->users) {
		const struct uroce_gsi_user *user =
			list_entry(pos, struct uroce_gsi_user, entry);

		list_for_each (at, &user->claims) {
			const struct uroce_gsi_claim *claim =
				list_entry(at, struct uroce_gsi_claim, entry);

			if (claim->fd == fd)
				return claim;
		}
	}
	return NULL;
}

/* Accepts a connection. Return: its descriptor; as uroce_gsi_conns_accept();
 * or -ENOENT if no claim of this process has @fd any more. */
static int accept_conn(struct uroce_gsi *gsi, int fd)
{
	const struct uroce_gsi_claim *claim;
	struct uroce_gsi_conn *conn;
	int ret = -ENOENT;

	gsi_lock(gsi);
	claim = gsi_find_claim_locked(gsi, fd);
	if (claim)
		ret = uroce_gsi_conns_accept(&gsi->conns, fd, claim, &conn);
	if (!ret)
		ret = conn->fd;
	gsi_unlock(gsi);
	return ret;
}

/* Counts a MAD as delivered if the connection still exists: receive() of an
 * earlier one may have released the claim. */
static bool delivery_begin(struct uroce_gsi *gsi, int fd)
{
	bool exists;

	gsi_lock(gsi);
	exists = uroce_gsi_conns_find(&gsi->conns, fd) != NULL;
	if (exists)
		gsi->counters.delivered++;
	gsi_unlock(gsi);
	return exists;
}

/* Receives MADs of a connection. Return: as uroce_gsi_conn_receive(). */
static int receive_conn(struct uroce_gsi *gsi, int fd,
			struct uroce_gsi_message *ret_messages,
			unsigned int max, unsigned int *ret_nr,
			struct uroce_gsi_user *ret_user)
{
	const struct uroce_gsi_conn *conn;
	int ret = 0;

	*ret_nr = 0;
	gsi_lock(gsi);
	conn = uroce_gsi_conns_find(&gsi->conns, fd);
	if (conn) {
		const struct uroce_gsi_claim *claim = conn->claim;

		*ret_user = *claim->user;
		ret = uroce_gsi_conn_receive(conn, ret_messages, max, ret_nr);
	}
	if (ret == -EPROTO)
		gsi->counters.bad++;
	gsi_unlock(gsi);
	return ret;
}

static void close_conn(struct uroce_gsi *gsi, int fd)
{
	struct uroce_gsi_conn *conn;

	gsi_lock(gsi);
	conn = uroce_gsi_conns_find(&gsi->conns, fd);
	if (conn)
		uroce_gsi_conn_free(&gsi->conns, conn);
	gsi_unlock(gsi);
}

/* Delivers up to @max MADs of a connection; counts them in @ret_nr. */
static int deliver_conn(struct uroce_gsi *gsi, int fd, unsigned int max,
			unsigned int *ret_nr)
{
	struct uroce_gsi_message messages[UROCE_GSI_BATCH];
	struct uroce_gsi_user user = {};
	int ret;

	(void)pthread_mutex_lock(&gsi->call_mutex);
	ret = receive_conn(gsi, fd, messages, max, ret_nr, &user);
	for (unsigned int i = 0; i < *ret_nr && delivery_begin(gsi, fd); i++)
		user.receive(user.arg, &messages[i].mad);
	if (ret)
		close_conn(gsi, fd);
	(void)pthread_mutex_unlock(&gsi->call_mutex);
	return ret == -EPIPE ? 0 : ret;
}

static bool is_conn(struct uroce_gsi *gsi, int fd)
{
	bool found;

	gsi_lock(gsi);
	found = uroce_gsi_conns_find(&gsi->conns, fd) != NULL;
	gsi_unlock(gsi);
	return found;
}

/* Delivers MADs of a connection; @left: attempts that are left in this call. */
static int serve_conn(struct uroce_gsi *gsi, int fd, unsigned int *left)
{
	unsigned int max, nr;
	int ret;

	do {
		max = min_u32(*left, UROCE_GSI_BATCH);
		ret = deliver_conn(gsi, fd, max, &nr);
		*left -= nr ? nr : 1;
	} while (!ret && nr == max && *left);
	return ret;
}

static int serve_ready(struct uroce_gsi *gsi, int fd, unsigned int *left)
{
	int ret = 0;

	if (is_conn(gsi, fd))
		return serve_conn(gsi, fd, left);
	while (!ret && *left) {
		int conn_fd = accept_conn(gsi, fd);

		ret = conn_fd < 0 ? conn_fd : serve_conn(gsi, conn_fd, left);
	}
	return ret == -EAGAIN || ret == -ENOENT ? 0 : ret;
}

/* Reports to the users that the process at the other end of a link has ended.
 */
static void serve_ended_link(struct uroce_gsi *gsi, int fd)
{
	struct list_node *pos;
	uint32_t prefix;

	if (!uroce_gsi_links_end(&gsi->links, fd, &prefix))
		return;
	(void)pthread_mutex_lock(&gsi->call_mutex);
	list_for_each (pos, &gsi->users) {
		const struct uroce_gsi_user *user =
			list_entry(pos, struct uroce_gsi_user, entry);

		user->owner_ended(user->arg, prefix);
	}
	(void)pthread_mutex_unlock(&gsi->call_mutex);
}

/* Whether REQs and SIDR_REQs arrive at a descriptor. */
static bool has_requests(struct uroce_gsi *gsi, int fd)
{
	const struct uroce_gsi_claim *claim;
	const struct uroce_gsi_conn *conn;
	bool requests;

	gsi_lock(gsi);
	conn = uroce_gsi_conns_find(&gsi->conns, fd);
	claim = conn ? conn->claim : gsi_find_claim_locked(gsi, fd);
	requests = claim && !claim->is_prefix;
	gsi_unlock(gsi);
	return requests;
}

static int serve_all(struct uroce_gsi *gsi, const int *fds, int nr,
		     unsigned int *left)
{
	int ret = 0;

	for (int i = 0; i < nr && *left && !ret; i++)
		ret = serve_ready(gsi, fds[i], left);
	return ret;
}

/*
 * Requests follow other MADs: a client that has sent an RTU may request the
 * next connection at once. Some are delivered even if other MADs never end.
 */
static int serve_in_order(struct uroce_gsi *gsi, const int *requests,
			  int nr_requests, const int *others, int nr_others,
			  unsigned int *left)
{
	unsigned int kept = nr_requests ? MIN_REQUESTS : 0;
	bool more;
	int ret;

	*left -= kept;
	ret = serve_all(gsi, others, nr_others, left);
	more = !*left;
	*left += kept;
	if (!ret)
		ret = serve_all(gsi, requests, nr_requests, left);
	if (!ret && more)
		ret = serve_all(gsi, others, nr_others, left);
	return ret;
}

/*
 * Delivers MADs at readable descriptors. Return: as uroce_gsi_work(). The end
 * of a process is reported when no MAD that it has sent before is left.
 */
static int deliver_ready(struct uroce_gsi *gsi)
{
	struct epoll_event events[MAX_READY];
	int nr = epoll_wait(gsi->conns.epoll, events, MAX_READY, 0);
	unsigned int left = UROCE_GSI_MAX_DELIVERED;
	int requests[MAX_READY], others[MAX_READY], ended[MAX_READY];
	int nr_requests = 0, nr_others = 0, nr_ended = 0;
	int ret;

	for (int i = 0; i < nr; i++) {
		int fd = events[i].data.fd;

		if (uroce_gsi_links_have(&gsi->links, fd))
			ended[nr_ended++] = fd;
		else if (has_requests(gsi, fd))
			requests[nr_requests++] = fd;
		else
			others[nr_others++] = fd;
	}
	ret = serve_in_order(gsi, requests, nr_requests, others, nr_others,
			     &left);
	if (ret)
		return ret;
	for (int i = 0; i < nr_ended && left && nr < MAX_READY; i++)
		serve_ended_link(gsi, ended[i]);
	return UROCE_GSI_MAX_DELIVERED - (int)left;
}

int uroce_gsi_work(struct uroce_gsi *gsi, bool readable, uint32_t *ret_unowned)
{
	struct uroce_gsi_mad mad;

	*ret_unowned = 0;
	for (int i = 0; i < QUEUE_SIZE && gsi_pop(gsi, &mad); i++) {
		if (!pass_on_mad(gsi, &mad))
			(*ret_unowned)++;
		gsi_lock(gsi);
		gsi->nr_passing--;
		gsi_unlock(gsi);
	}
	return readable ? deliver_ready(gsi) : 0;
}

/* As uroce_gsi_lock(). Return: false if a thread has one of the locks. */
static bool gsi_try_lock_all(struct uroce_gsi *gsi)
{
	if (pthread_mutex_trylock(&gsi->mutex))
		return false;
	if (!pthread_mutex_trylock(&gsi->links.mutex))
		return true;
	gsi_unlock(gsi);
	return false;
}

bool uroce_gsi_drain(struct uroce_gsi *gsi)
{
	uint32_t nr_unowned;
	bool is_passing;

	/* A signal handler that calls exit() may have interrupted the owner. */
	if (!gsi_try_lock_all(gsi))
		return true;
	uroce_gsi_unlock(gsi);
	(void)uroce_gsi_work(gsi, false, &nr_unowned);
	gsi_lock(gsi);
	is_passing = gsi->nr_passing || gsi->head != gsi->tail;
	gsi_unlock(gsi);
	return is_passing;
}

/* Lets @user own the MADs of @claim, which is freed if that fails. */
static int add_claim_locked(struct uroce_gsi *gsi, struct uroce_gsi_user *user,
			    const struct uroce_gsi_claim *from)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = from->fd };
	struct uroce_gsi_claim *claim = malloc(sizeof(*claim));
	int ret = claim ? 0 : -ENOMEM;

	if (!ret &&
	    epoll_ctl(gsi->conns.epoll, EPOLL_CTL_ADD, from->fd, &event))
		ret = -errno;
	if (ret) {
		(void)close(from->fd);
		free(claim);
		return ret;
	}
	*claim = *from;
	claim->user = user;
	list_add_tail(&user->claims, &claim->entry);
	return 0;
}

static void free_claim(struct uroce_gsi *gsi, struct uroce_gsi_claim *claim)
{
	list_del(&claim->entry);
	if (claim->fd >= 0) {
		uroce_gsi_conns_close(&gsi->conns, claim);
		/* a descriptor in a child would keep it in the set */
		(void)epoll_ctl(gsi->conns.epoll, EPOLL_CTL_DEL, claim->fd,
				NULL);
		(void)close(claim->fd);
	}
	free(claim);
}

static uint32_t random_prefix(void)
{
	uint32_t value = 0;

	/* without random numbers, in the order of the prefixes */
	(void)!getrandom(&value, sizeof(value), GRND_NONBLOCK);
	return (value % NR_PREFIXES + LOWEST_PREFIX) << PREFIX_SHIFT;
}

static int claim_prefix_locked(struct uroce_gsi *gsi,
			       struct uroce_gsi_user *user)
{
	struct uroce_gsi_claim claim = { .fd = -EADDRINUSE, .is_prefix = true };
	uint32_t prefix = random_prefix();

	for (int i = 0; i < PREFIX_TRIES && claim.fd == -EADDRINUSE; i++) {
		user->prefix = prefix;
		claim.fd = uroce_gsi_listen_prefix(prefix);
		prefix += 1u << PREFIX_SHIFT;
		if (!prefix)
			prefix = LOWEST_PREFIX << PREFIX_SHIFT;
	}
	return claim.fd < 0 ? claim.fd : add_claim_locked(gsi, user, &claim);
}

int uroce_gsi_add_user(struct uroce_gsi *gsi, struct uroce_gsi_user *user)
{
	int ret;

	list_init(&user->claims);
	(void)pthread_mutex_lock(&gsi->call_mutex);
	gsi_lock(gsi);
	ret = claim_prefix_locked(gsi, user);
	if (!ret)
		list_add_tail(&gsi->users, &user->entry);
	gsi_unlock(gsi);
	(void)pthread_mutex_unlock(&gsi->call_mutex);
	return ret;
}

void uroce_gsi_remove_user(struct uroce_gsi *gsi, struct uroce_gsi_user *user)
{
	struct list_node *pos, *tmp;

	/* in a child, threads of the parent may have had the locks */
	if (!gsi->dead) {
		(void)pthread_mutex_lock(&gsi->call_mutex);
		gsi_lock(gsi);
	}
	list_for_each_safe (pos, tmp, &user->claims)
		free_claim(gsi, list_entry(pos, struct uroce_gsi_claim, entry));
	list_del(&user->entry);
	if (gsi->dead)
		return;
	gsi_unlock(gsi);
	(void)pthread_mutex_unlock(&gsi->call_mutex);
}

int uroce_gsi_claim(struct uroce_gsi *gsi, struct uroce_gsi_user *user,
		    const uint8_t *gid, unsigned int ifindex,
		    uint64_t service_id)
{
	struct uroce_gsi_claim claim = {
		.any_gid = !gid,
		.ifindex = gid ? 0 : ifindex,
		.service_id = service_id,
	};
	int ret;

	if (gid)
		memcpy(claim.gid, gid, UROCE_GID_LEN);
	gsi_lock(gsi);
	claim.fd = uroce_gsi_listen_service(gid, ifindex, service_id);
	ret = claim.fd < 0 ? claim.fd : add_claim_locked(gsi, user, &claim);
	gsi_unlock(gsi);
	return ret;
}

static bool is_claim_of(const struct uroce_gsi_claim *claim, const uint8_t *gid,
			unsigned int ifindex, uint64_t service_id)
{
	if (claim->is_prefix || claim->service_id != service_id ||
	    claim->any_gid != !gid)
		return false;
	return gid ? memcmp(claim->gid, gid, UROCE_GID_LEN) == 0
		   : claim->ifindex == ifindex;
}

void uroce_gsi_release(struct uroce_gsi *gsi, struct uroce_gsi_user *user,
		       const uint8_t *gid, unsigned int ifindex,
		       uint64_t service_id)
{
	struct list_node *pos, *tmp;

	gsi_lock(gsi);
	list_for_each_safe (pos, tmp, &user->claims) {
		struct uroce_gsi_claim *claim =
			list_entry(pos, struct uroce_gsi_claim, entry);

		if (is_claim_of(claim, gid, ifindex, service_id))
			free_claim(gsi, claim);
	}
	gsi_unlock(gsi);
}

void uroce_gsi_counters(struct uroce_gsi *gsi,
			struct uroce_gsi_counters *ret_counters)
{
	gsi_lock(gsi);
	*ret_counters = gsi->counters;
	gsi_unlock(gsi);
}
