/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Proves a user id that has no mapping. A process creates a memfd, whose owner
 * is its user, and sends the memfd to the peer. The kernel lets the peer change
 * the mode of the memfd only if the peer is the same user. The creator sets the
 * name of a memfd, which never changes. The name contains the side of the
 * connection, the listener, the network namespace and a nonce of the peer, so a
 * proof is invalid on any other connection.
 */
#include "uroce/ipc/uroce_identity.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "uroce/ipc/uroce_message.h"
#include "util/nocancel.h"

#define DEFAULT_OVERFLOW_UID 65534
#define NO_UID		     ((uid_t)-1)

/* Bytes of a proof; memfd_create(2) accepts longer names. */
#define PROOF_SIZE 200

static struct {
	uid_t uid; /* NO_UID: not read yet */
	bool ambiguous;
	char suffix[UROCE_SUFFIX_SIZE];
} identity = { .uid = NO_UID };

/* Reads up to @nr numbers from a file. Return: how many the file has. */
static int read_numbers(const char *path, unsigned long *numbers, int nr)
{
	char text[64] = "";
	char *pos = text, *end;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int i;

	if (fd < 0)
		return 0;
	(void)!read(fd, text, sizeof(text) - 1);
	(void)close(fd);
	for (i = 0; i < nr; i++, pos = end) {
		numbers[i] = strtoul(pos, &end, 10);
		if (end == pos)
			break;
	}
	return i;
}

static uid_t read_overflow_uid(void)
{
	unsigned long uid;

	return read_numbers("/proc/sys/kernel/overflowuid", &uid, 1)
		       ? (uid_t)uid
		       : DEFAULT_OVERFLOW_UID;
}

/* Whether the user namespace maps all users, as the initial one does. */
static bool are_all_users_mapped(void)
{
	unsigned long first[3]; /* inside, outside, length */

	return read_numbers("/proc/thread-self/uid_map", first, 3) == 3 &&
	       first[2] == UINT32_MAX;
}

void uroce_identity_take(void)
{
	identity.uid = geteuid();
	identity.ambiguous = identity.uid == read_overflow_uid() &&
			     !are_all_users_mapped();
	identity.suffix[0] = 0;
}

uid_t uroce_identity_uid(void)
{
	if (identity.uid == NO_UID)
		uroce_identity_take();
	return identity.uid;
}

bool uroce_identity_changed(void)
{
	return uroce_identity_uid() != geteuid();
}

bool uroce_identity_ambiguous(void)
{
	return uroce_identity_uid() != NO_UID && identity.ambiguous;
}

const char *uroce_identity_suffix(void)
{
	return identity.suffix;
}

static uint64_t make_nonce(void)
{
	uint64_t nonce;

	if (getrandom(&nonce, sizeof(nonce), 0) != sizeof(nonce))
		return 0;
	return nonce;
}

void uroce_identity_new_suffix(void)
{
	(void)snprintf(identity.suffix, sizeof(identity.suffix), "~%016" PRIx64,
		       make_nonce());
}

socklen_t uroce_identity_name(enum uroce_name_kind kind, uint32_t slot,
			      const char *suffix, struct sockaddr_un *ret_name)
{
	static const struct {
		const char *before, *after;
	} parts[] = {
		[UROCE_NAME_MEMBER] = { "", "" },
		[UROCE_NAME_INBOX] = { "", ".in" },
		[UROCE_NAME_LOCAL] = { "local.", "" },
	};
	int len;

	*ret_name = (struct sockaddr_un){ .sun_family = AF_UNIX };
	len = snprintf(ret_name->sun_path + 1, sizeof(ret_name->sun_path) - 1,
		       "uroce.%u%s.%s%" PRIu32 "%s%s",
		       (unsigned int)uroce_identity_uid(),
		       uroce_identity_ambiguous() ? "u" : "",
		       parts[kind].before, slot, parts[kind].after, suffix);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)len);
}

socklen_t uroce_identity_gsi_name(const char *text,
				  struct sockaddr_un *ret_name)
{
	int len;

	*ret_name = (struct sockaddr_un){ .sun_family = AF_UNIX };
	len = snprintf(ret_name->sun_path + 1, sizeof(ret_name->sun_path) - 1,
		       "uroce.%u%s.gsi.%.*s",
		       (unsigned int)uroce_identity_uid(),
		       uroce_identity_ambiguous() ? "u" : "",
		       UROCE_GSI_TEXT_SIZE, text);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)len);
}

/* The inode number of the network namespace; 0 if it cannot be read. */
static uint64_t read_netns(void)
{
	struct stat stat_buf;

	if (stat("/proc/thread-self/ns/net", &stat_buf))
		return 0;
	return stat_buf.st_ino;
}

/* Writes the text of a proof. @is_listener: of the side that sends it. */
static void write_proof(char *text, const struct sockaddr_un *listener,
			socklen_t len, bool is_listener, uint64_t nonce)
{
	int name_len = (int)(len - offsetof(struct sockaddr_un, sun_path) - 1);

	(void)snprintf(text, PROOF_SIZE,
		       "uroce-proof %s %.*s %016" PRIx64 " %016" PRIx64,
		       is_listener ? "listener" : "client", name_len,
		       listener->sun_path + 1, read_netns(), nonce);
}

static int make_proof(const char *text)
{
	int fd = memfd_create(text, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	return fd < 0 ? -errno : fd;
}

/* Whether @fd is a memfd with the name @text that this user created. */
static bool is_proof(int fd, const char *text)
{
	char path[32], want[PROOF_SIZE + 32], link[PROOF_SIZE + 32];
	ssize_t len;

	(void)snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", fd);
	(void)snprintf(want, sizeof(want), "/memfd:%s (deleted)", text);
	len = readlink(path, link, sizeof(link));
	return len == (ssize_t)strlen(want) &&
	       memcmp(link, want, (size_t)len) == 0 &&
	       fcntl(fd, F_GET_SEALS) >= 0 && fchmod(fd, S_IRUSR) == 0;
}

static int await_message(int fd, unsigned int timeout_ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	int nr = poll(&poll_fd, 1, (int)timeout_ms);

	if (nr < 0)
		return -errno;
	return nr ? 0 : -EAGAIN;
}

static int exchange_nonces(int fd, uint64_t own, unsigned int timeout_ms,
			   uint64_t *ret_peer)
{
	int fds[UROCE_MAX_PASSED];
	int ret = uroce_message_try_send(fd, &own, sizeof(own), NULL, 0);

	if (!ret)
		ret = await_message(fd, timeout_ms);
	if (!ret)
		ret = uroce_message_receive(fd, ret_peer, sizeof(*ret_peer),
					    fds);
	while (ret > 0)
		(void)close(fds[--ret]);
	return ret;
}

static int send_proof(int fd, const char *text)
{
	int proof = make_proof(text);
	char byte = 0;
	int ret;

	if (proof < 0)
		return proof;
	ret = uroce_message_try_send(fd, &byte, 1, &proof, 1);
	(void)close(proof);
	return ret;
}

static int receive_proof(int fd, const char *text, unsigned int timeout_ms)
{
	int fds[UROCE_MAX_PASSED] = {};
	bool good;
	char byte;
	int ret = await_message(fd, timeout_ms);
	int nr = ret ? ret : uroce_message_receive(fd, &byte, 1, fds);

	if (nr < 0)
		return nr;
	good = nr == 1 && is_proof(fds[0], text);
	while (nr > 0)
		(void)close(fds[--nr]);
	return good ? 0 : -EPERM;
}

/* Both sides send before they wait, so neither blocks the other. */
int uroce_identity_prove(int fd, bool is_listener, unsigned int timeout_ms)
{
	struct sockaddr_un listener;
	socklen_t len = sizeof(listener);
	uint64_t own = make_nonce(), peer = 0;
	char text[PROOF_SIZE];
	int ret;

	if (!uroce_identity_ambiguous())
		return 0;
	if (!own)
		return -EPERM;
	if (is_listener ? getsockname(fd, (struct sockaddr *)&listener, &len)
			: getpeername(fd, (struct sockaddr *)&listener, &len))
		return -errno;
	ret = exchange_nonces(fd, own, timeout_ms, &peer);
	if (ret)
		return ret;
	write_proof(text, &listener, len, is_listener, peer);
	ret = send_proof(fd, text);
	if (ret)
		return ret;
	write_proof(text, &listener, len, !is_listener, own);
	return receive_proof(fd, text, timeout_ms);
}

int uroce_identity_check_peer(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len))
		return -errno;
	return peer.uid == uroce_identity_uid() && !uroce_identity_changed()
		       ? 0
		       : -EPERM;
}
