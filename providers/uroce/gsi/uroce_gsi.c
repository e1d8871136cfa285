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

#include "util/nocancel.h"

#define QUEUE_SIZE    64 /* MADs; a power of two */
#define MAX_READY     16 /* claims that are served in one call */
#define PREFIX_TRIES  64
#define PREFIX_SHIFT  16
#define LOWEST_PREFIX 1 /* a communication id of 0 means none */
#define NR_PREFIXES   0xffff

struct uroce_gsi_claim {
	struct list_node entry;
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
	int epoll;
	bool dead; /* child of fork() */
	/* a leaf; protects the members below */
	pthread_mutex_t mutex;
	struct list_node users;
	uint32_t head, tail; /* of the queue; free-running */
	struct uroce_gsi_mad queue[QUEUE_SIZE];
	struct uroce_gsi_counters counters;
	/* held during a call of receive(); taken before mutex */
	pthread_mutex_t call_mutex;
};

int uroce_gsi_new(const struct uroce_gsi_config *config,
		  struct uroce_gsi **ret_gsi)
{
	struct uroce_gsi *gsi = calloc(1, sizeof(*gsi));
	int ret;

	if (!gsi)
		return -ENOMEM;
	gsi->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (gsi->epoll < 0) {
		ret = -errno;
		free(gsi);
		return ret;
	}
	gsi->config = *config;
	gsi->ways = (struct uroce_gsi_ways){
		.to_service = uroce_gsi_forward_service,
		.to_id = uroce_gsi_forward_id,
		.find_interface = config->find_interface,
		.arg = config->arg,
	};
	list_init(&gsi->users);
	(void)pthread_mutex_init(&gsi->mutex, NULL);
	(void)pthread_mutex_init(&gsi->call_mutex, NULL);
	*ret_gsi = gsi;
	return 0;
}

void uroce_gsi_free(struct uroce_gsi *gsi)
{
	if (gsi->epoll >= 0)
		(void)close(gsi->epoll);
	(void)pthread_mutex_destroy(&gsi->mutex);
	(void)pthread_mutex_destroy(&gsi->call_mutex);
	free(gsi);
}

int uroce_gsi_fd(const struct uroce_gsi *gsi)
{
	return gsi->epoll;
}

void uroce_gsi_watch(struct uroce_gsi *gsi, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	/* fails without memory only: then other processes receive the MADs */
	(void)epoll_ctl(gsi->epoll, EPOLL_CTL_ADD, fd, &event);
}

void uroce_gsi_lock(struct uroce_gsi *gsi)
{
	(void)pthread_mutex_lock(&gsi->mutex);
}

void uroce_gsi_unlock(struct uroce_gsi *gsi)
{
	(void)pthread_mutex_unlock(&gsi->mutex);
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
	(void)close(gsi->epoll);
	gsi->epoll = -1;
	gsi->dead = true;
}

void uroce_gsi_push(struct uroce_gsi *gsi, const struct uroce_gsi_mad *mad)
{
	uroce_gsi_lock(gsi);
	gsi->counters.received++;
	if (gsi->tail - gsi->head < QUEUE_SIZE)
		gsi->queue[gsi->tail++ % QUEUE_SIZE] = *mad;
	else
		gsi->counters.overflow++;
	uroce_gsi_unlock(gsi);
}

static bool gsi_pop(struct uroce_gsi *gsi, struct uroce_gsi_mad *ret_mad)
{
	bool any;

	uroce_gsi_lock(gsi);
	any = gsi->head != gsi->tail;
	if (any)
		*ret_mad = gsi->queue[gsi->head++ % QUEUE_SIZE];
	uroce_gsi_unlock(gsi);
	return any;
}

static void gsi_count(struct uroce_gsi *gsi, uint64_t *counter)
{
	uroce_gsi_lock(gsi);
	(*counter)++;
	uroce_gsi_unlock(gsi);
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

static struct uroce_gsi_user *find_user_locked(const struct uroce_gsi *gsi,
					       int fd)
{
	struct list_node *pos, *at;

	list_for_each (pos, &gsi->users) {
		struct uroce_gsi_user *user =
			list_entry(pos, struct uroce_gsi_user, entry);

		list_for_each (at, &user->claims)
			if (list_entry(at, struct uroce_gsi_claim, entry)->fd ==
			    fd)
				return user;
	}
	return NULL;
}

/*
 * Accepts one connection at a claim. Return: the connection; -ENOENT if no
 * claim of this process has @fd any more; -EAGAIN; -EPERM; or -errno.
 */
static int accept_mad(struct uroce_gsi *gsi, int fd,
		      struct uroce_gsi_user *ret_user)
{
	struct uroce_gsi_user *user;
	int ret = -ENOENT;

	uroce_gsi_lock(gsi);
	user = find_user_locked(gsi, fd);
	if (user) {
		ret_user->receive = user->receive;
		ret_user->arg = user->arg;
		ret = uroce_gsi_accept(fd);
	}
	uroce_gsi_unlock(gsi);
	return ret;
}

/* Delivers one MAD of a claim. Return: 0, or as accept_mad(). */
static int deliver_claimed(struct uroce_gsi *gsi, int fd)
{
	struct uroce_gsi_user user;
	struct uroce_gsi_mad mad;
	int ret;

	(void)pthread_mutex_lock(&gsi->call_mutex);
	ret = accept_mad(gsi, fd, &user);
	if (ret >= 0) {
		ret = uroce_gsi_take(ret, &mad);
		gsi_count(gsi,
			  ret ? &gsi->counters.bad : &gsi->counters.delivered);
		if (!ret)
			user.receive(user.arg, &mad);
		else
			ret = -EPROTO;
	}
	(void)pthread_mutex_unlock(&gsi->call_mutex);
	return ret;
}

/* Delivers MADs at readable claims. Return: as uroce_gsi_work(). */
static int deliver_ready(struct uroce_gsi *gsi)
{
	struct epoll_event events[MAX_READY];
	int nr = epoll_wait(gsi->epoll, events, MAX_READY, 0);
	int left = UROCE_GSI_MAX_DELIVERED;

	for (int i = 0; i < nr; i++) {
		int ret = 0;

		while (!ret && left > 0) {
			ret = deliver_claimed(gsi, events[i].data.fd);
			left--;
		}
		if (ret == -EPERM || ret == -EPROTO)
			return ret;
	}
	return UROCE_GSI_MAX_DELIVERED - left;
}

int uroce_gsi_work(struct uroce_gsi *gsi, bool readable, uint32_t *ret_unowned)
{
	struct uroce_gsi_mad mad;

	*ret_unowned = 0;
	for (int i = 0; i < QUEUE_SIZE && gsi_pop(gsi, &mad); i++)
		if (!pass_on_mad(gsi, &mad))
			(*ret_unowned)++;
	return readable ? deliver_ready(gsi) : 0;
}

/* Lets @user own the MADs of @claim, which is freed if that fails. */
static int add_claim_locked(struct uroce_gsi *gsi, struct uroce_gsi_user *user,
			    const struct uroce_gsi_claim *from)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = from->fd };
	struct uroce_gsi_claim *claim = malloc(sizeof(*claim));
	int ret = claim ? 0 : -ENOMEM;

	if (!ret && epoll_ctl(gsi->epoll, EPOLL_CTL_ADD, from->fd, &event))
		ret = -errno;
	if (ret) {
		(void)close(from->fd);
		free(claim);
		return ret;
	}
	*claim = *from;
	list_add_tail(&user->claims, &claim->entry);
	return 0;
}

static void free_claim(struct uroce_gsi *gsi, struct uroce_gsi_claim *claim)
{
	list_del(&claim->entry);
	if (claim->fd >= 0) {
		/* a descriptor in a child would keep it in the set */
		(void)epoll_ctl(gsi->epoll, EPOLL_CTL_DEL, claim->fd, NULL);
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
	uroce_gsi_lock(gsi);
	ret = claim_prefix_locked(gsi, user);
	if (!ret)
		list_add_tail(&gsi->users, &user->entry);
	uroce_gsi_unlock(gsi);
	return ret;
}

void uroce_gsi_remove_user(struct uroce_gsi *gsi, struct uroce_gsi_user *user)
{
	struct list_node *pos, *tmp;

	/* in a child, threads of the parent may have had the locks */
	if (!gsi->dead)
		uroce_gsi_lock(gsi);
	list_for_each_safe (pos, tmp, &user->claims)
		free_claim(gsi, list_entry(pos, struct uroce_gsi_claim, entry));
	list_del(&user->entry);
	if (gsi->dead)
		return;
	uroce_gsi_unlock(gsi);
	/* ends after a call that was in progress */
	(void)pthread_mutex_lock(&gsi->call_mutex);
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
	uroce_gsi_lock(gsi);
	claim.fd = uroce_gsi_listen_service(gid, ifindex, service_id);
	ret = claim.fd < 0 ? claim.fd : add_claim_locked(gsi, user, &claim);
	uroce_gsi_unlock(gsi);
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

	uroce_gsi_lock(gsi);
	list_for_each_safe (pos, tmp, &user->claims) {
		struct uroce_gsi_claim *claim =
			list_entry(pos, struct uroce_gsi_claim, entry);

		if (is_claim_of(claim, gid, ifindex, service_id))
			free_claim(gsi, claim);
	}
	uroce_gsi_unlock(gsi);
}

void uroce_gsi_counters(struct uroce_gsi *gsi,
			struct uroce_gsi_counters *ret_counters)
{
	uroce_gsi_lock(gsi);
	*ret_counters = gsi->counters;
	uroce_gsi_unlock(gsi);
}
