/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages about shared memory, and their results: one peer, whose other end is
 * this test, which sends arbitrary messages.
 */
#include "uroce/shm/uroce_mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/ipc/uroce_rendezvous.h"
#include "uroce/shm/uroce_pairing.h"
#include "uroce/shm/uroce_peer.h"
#include "uroce_shm_node.h"

#define BYTES 8192
#define SHARE (3 * UROCE_SHARES + 5) /* an id of the peer */

static struct uroce_peer *peer;
static struct uroce_shares shares;
static int other; /* peer's end of the socket */
static uint32_t fds_before;

/* Counts mappings of files of make_file(). */
static uint32_t nr_mapped(void)
{
	return nr_mappings_of("mapping_test");
}

static int make_file(int seals)
{
	int fd = memfd_create("mapping_test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, BYTES), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static int setup(void **state)
{
	int ends[2], ring;

	fds_before = nr_open_fds();
	uroce_shares_init(&shares);
	assert_int_equal(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(uroce_peer_new(NULL, 7, &ring, &peer), 0);
	(void)close(ring);
	peer->fd = ends[0];
	other = ends[1];
	assert_int_equal(uroce_mappings_open(&peer->mappings), 0);
	return 0;
}

static int teardown(void **state)
{
	uroce_peer_free(peer);
	uroce_shares_fini(&shares);
	(void)close(other);
	assert_int_equal(nr_open_fds(), fds_before);
	assert_int_equal(nr_mapped(), 0);
	return 0;
}

static void say(uint8_t what, uint64_t share, int fd)
{
	assert_int_equal(uroce_pairing_send_share(other, what, share, fd), 0);
}

static int peer_receive(void)
{
	return uroce_peer_receive(peer, &shares);
}

/* The next message to the peer. */
static struct uroce_pair_message next_message(void)
{
	struct uroce_pair_message note = {};

	assert_int_equal(uroce_pairing_receive(other, &note), 0);
	return note;
}

static void assert_no_message(void)
{
	struct uroce_pair_message note;

	assert_int_equal(uroce_pairing_receive(other, &note), -EAGAIN);
}

static uint8_t *find(uint64_t share, uint64_t offset, uint64_t bytes)
{
	uroce_mappings_update(&peer->mappings);
	return uroce_mappings_find(&peer->mappings, share, offset, bytes);
}

static void give(uint64_t share)
{
	int fd = make_file(F_SEAL_SHRINK);

	say(UROCE_PAIRING_FILE, share, fd);
	(void)close(fd);
}

/* -- requests of the local process -- */

static void mapping_granted_share_is_mapped_until_gone(void **state)
{
	int fd = make_file(F_SEAL_SHRINK);
	uint8_t byte = 0;

	assert_null(find(SHARE, 0, 8));
	assert_true(uroce_mappings_want(&peer->mappings, SHARE));
	assert_false(uroce_mappings_want(&peer->mappings, SHARE));
	assert_null(find(SHARE, 0, 8));
	say(UROCE_PAIRING_FILE, SHARE, fd);
	assert_int_equal(peer_receive(), 0);
	assert_int_equal(nr_mapped(), 1);
	assert_non_null(find(SHARE, 0, BYTES));
	*find(SHARE, 5, 1) = 77;
	assert_int_equal(pread(fd, &byte, 1, 5), 1);
	assert_int_equal(byte, 77);
	(void)close(fd);
	assert_false(uroce_mappings_want(&peer->mappings, SHARE));
	say(UROCE_PAIRING_FILE_GONE, SHARE, -1);
	assert_int_equal(peer_receive(), 0);
	/* an access in progress keeps the mapping */
	assert_int_equal(nr_mapped(), 1);
	assert_null(find(SHARE, 0, 8));
	assert_int_equal(nr_mapped(), 0);
}

static void mapping_find_out_of_range_returns_null(void **state)
{
	assert_true(uroce_mappings_want(&peer->mappings, SHARE));
	give(SHARE);
	assert_int_equal(peer_receive(), 0);
	assert_non_null(find(SHARE, BYTES - 8, 8));
	assert_null(find(SHARE, BYTES - 7, 8));
	assert_null(find(SHARE, BYTES, 1));
	assert_null(find(SHARE, UINT64_MAX, 2));
	assert_null(find(SHARE, 1, UINT64_MAX));
	assert_null(find(SHARE, 0, 0));
	assert_null(find(SHARE + UROCE_SHARES, 0, 8));
	assert_null(find(SHARE + 1, 0, 8));
}

/* It replaces a share whose end was not announced. */
static void mapping_new_share_replaces_previous_share(void **state)
{
	uint64_t next = SHARE + UROCE_SHARES;

	assert_true(uroce_mappings_want(&peer->mappings, SHARE));
	give(SHARE);
	assert_int_equal(peer_receive(), 0);
	assert_non_null(find(SHARE, 0, 8));
	assert_true(uroce_mappings_want(&peer->mappings, next));
	assert_int_equal(nr_mapped(), 0);
	give(next);
	say(UROCE_PAIRING_FILE_GONE, SHARE, -1);
	assert_int_equal(peer_receive(), 0);
	assert_null(find(SHARE, 0, 8));
	assert_non_null(find(next, 0, 8));
}

/* Granted when it is not needed any more, or twice. */
static void mapping_late_grant_is_unmapped(void **state)
{
	assert_true(uroce_mappings_want(&peer->mappings, SHARE));
	assert_true(uroce_mappings_want(&peer->mappings, SHARE + UROCE_SHARES));
	give(SHARE);
	give(SHARE + UROCE_SHARES);
	give(SHARE + UROCE_SHARES);
	assert_int_equal(peer_receive(), 0);
	assert_int_equal(nr_mapped(), 3);
	assert_null(find(SHARE, 0, 8));
	assert_non_null(find(SHARE + UROCE_SHARES, 0, 8));
	assert_int_equal(nr_mapped(), 1);
}

static void mapping_is_released_with_peer(void **state)
{
	assert_true(uroce_mappings_want(&peer->mappings, SHARE));
	give(SHARE);
	assert_int_equal(peer_receive(), 0);
	/* see teardown() */
	assert_int_equal(nr_mapped(), 1);
}

static void mapping_unsealed_file_is_not_mapped(void **state)
{
	const int fds[] = { make_file(0), make_file(F_SEAL_GROW),
			    make_file(F_SEAL_SHRINK | F_SEAL_WRITE),
			    open("/dev/zero", O_RDWR | O_CLOEXEC), dup(other) };

	for (uint64_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		assert_true(uroce_mappings_want(&peer->mappings, SHARE + i));
		say(UROCE_PAIRING_FILE, SHARE + i, fds[i]);
		(void)close(fds[i]);
		assert_int_equal(peer_receive(), 0);
		assert_null(find(SHARE + i, 0, 1));
		assert_false(uroce_mappings_want(&peer->mappings, SHARE + i));
	}
	assert_int_equal(nr_mapped(), 0);
}

/* Without a free descriptor the pair stays, without the memory. */
static void mapping_without_descriptor_is_skipped(void **state)
{
	struct rlimit limit, none;

	assert_true(uroce_mappings_want(&peer->mappings, SHARE));
	give(SHARE);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(peer_receive(), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_null(find(SHARE, 0, 8));
	say(UROCE_PAIRING_DOORBELL, 0, -1);
	assert_int_equal(peer_receive(), -EPROTO); /* a bell has one byte */
}

static void mapping_without_address_space_is_skipped(void **state)
{
	int fd = make_file(F_SEAL_SHRINK);

	assert_int_equal(ftruncate(fd, INT64_MAX & ~4095), 0);
	assert_true(uroce_mappings_want(&peer->mappings, SHARE));
	say(UROCE_PAIRING_FILE, SHARE, fd);
	(void)close(fd);
	assert_int_equal(peer_receive(), 0);
	assert_null(find(SHARE, 0, 8));
}

/* -- protocol errors -- */

static void mapping_unrequested_grant_is_protocol_error(void **state)
{
	give(SHARE);
	assert_int_equal(peer_receive(), -EPROTO);
	assert_int_equal(nr_mapped(), 0);
}

static void mapping_unrequested_gone_is_protocol_error(void **state)
{
	say(UROCE_PAIRING_FILE_GONE, SHARE, -1);
	assert_int_equal(peer_receive(), -EPROTO);
}

static void mapping_message_flood_is_protocol_error(void **state)
{
	assert_true(uroce_mappings_want(&peer->mappings, SHARE));
	for (int i = 0; i < 3; i++)
		say(UROCE_PAIRING_FILE_GONE, SHARE, -1);
	assert_int_equal(peer_receive(), -EPROTO);
}

static void mapping_malformed_message_is_protocol_error(void **state)
{
	static const struct {
		uint8_t bytes[24];
		size_t len;
	} cases[] = {
		{ { 0 }, 1 },
		{ { UROCE_PAIRING_CONFIRM }, 1 },
		{ { UROCE_PAIRING_FILE_REQUEST }, 1 },
		{ { UROCE_PAIRING_FILE }, 15 },
		{ { UROCE_PAIRING_FILE_REQUEST }, 17 },
		{ { UROCE_PAIRING_FILE_GONE }, 24 },
		{ { UROCE_PAIRING_DOORBELL }, 2 },
		{ { UROCE_PAIRING_FILE_GONE + 1 }, 16 },
		{ { 255 }, 16 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(
			send(other, cases[i].bytes, cases[i].len, MSG_DONTWAIT),
			cases[i].len);
		assert_int_equal(peer_receive(), -EPROTO);
	}
}

/* All descriptors are closed: see teardown(). */
static void mapping_unexpected_descriptors_are_closed(void **state)
{
	const uint8_t bell = UROCE_PAIRING_DOORBELL;
	const int fds[] = { other, other, other };

	say(UROCE_PAIRING_FILE_REQUEST, SHARE, other);
	assert_int_equal(peer_receive(), -EPROTO);
	for (unsigned int nr = 1; nr <= 3; nr++) {
		assert_int_equal(
			uroce_message_try_send(other, &bell, 1, fds, nr), 0);
		assert_int_equal(peer_receive(), -EPROTO);
	}
}

static void mapping_bells_are_read_in_batches(void **state)
{
	for (int i = 0; i < 100; i++)
		assert_int_equal(
			uroce_pairing_send(other, UROCE_PAIRING_DOORBELL), 0);
	assert_int_equal(peer_receive(), 0);
	assert_true(recv(peer->fd, &(uint8_t){ 0 }, 1,
			 MSG_PEEK | MSG_DONTWAIT) == 1);
	assert_int_equal(peer_receive(), 0);
	assert_int_equal(peer_receive(), 0);
	(void)shutdown(other, SHUT_RDWR);
	assert_int_equal(peer_receive(), -EPROTO);
}

/* -- requests of the peer -- */

static uint64_t add_share(void)
{
	const struct uroce_span span = { .inode = 1 };
	uint64_t id = uroce_shares_add(&shares, &span, make_file(F_SEAL_SHRINK),
				       BYTES);

	assert_int_not_equal(id, 0);
	return id;
}

static void share_request_is_granted_and_revoked(void **state)
{
	uint64_t id = add_share(), bytes;
	struct uroce_pair_message note;

	say(UROCE_PAIRING_FILE_REQUEST, id, -1);
	assert_int_equal(peer_receive(), 0);
	note = next_message();
	assert_int_equal(note.what, UROCE_PAIRING_FILE);
	assert_int_equal(note.share, id);
	assert_int_equal(pwrite(note.fd, "x", 1, 0), 1);
	assert_int_equal(pread(uroce_shares_fd(&shares, id), &bytes, 1, 0), 1);
	(void)close(note.fd);
	assert_true(uroce_shares_put(&shares, id));
	uroce_peer_share_gone(peer, id);
	note = next_message();
	assert_int_equal(note.what, UROCE_PAIRING_FILE_GONE);
	assert_int_equal(note.share, id);
	uroce_peer_share_gone(peer, id);
	assert_no_message();
}

static void share_gone_is_not_sent_without_request(void **state)
{
	uint64_t id = add_share();

	uroce_peer_share_gone(peer, id);
	assert_no_message();
}

/* It may have existed when the request was sent. */
static void share_request_for_missing_share_returns_gone(void **state)
{
	uint64_t id = add_share();

	assert_true(uroce_shares_put(&shares, id));
	say(UROCE_PAIRING_FILE_REQUEST, id, -1);
	say(UROCE_PAIRING_FILE_REQUEST, 0, -1);
	say(UROCE_PAIRING_FILE_REQUEST, UINT64_MAX, -1);
	assert_int_equal(peer_receive(), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(next_message().what, UROCE_PAIRING_FILE_GONE);
}

static void share_duplicate_request_is_protocol_error(void **state)
{
	uint64_t id = add_share();

	say(UROCE_PAIRING_FILE_REQUEST, id, -1);
	say(UROCE_PAIRING_FILE_REQUEST, id, -1);
	assert_int_equal(peer_receive(), -EPROTO);
	(void)close(next_message().fd);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(mapping_granted_share_is_mapped_until_gone),
		TEST(mapping_find_out_of_range_returns_null),
		TEST(mapping_new_share_replaces_previous_share),
		TEST(mapping_late_grant_is_unmapped),
		TEST(mapping_is_released_with_peer),
		TEST(mapping_unsealed_file_is_not_mapped),
		TEST(mapping_without_descriptor_is_skipped),
		TEST(mapping_without_address_space_is_skipped),
		TEST(mapping_unrequested_grant_is_protocol_error),
		TEST(mapping_unrequested_gone_is_protocol_error),
		TEST(mapping_message_flood_is_protocol_error),
		TEST(mapping_malformed_message_is_protocol_error),
		TEST(mapping_unexpected_descriptors_are_closed),
		TEST(mapping_bells_are_read_in_batches),
		TEST(share_request_is_granted_and_revoked),
		TEST(share_gone_is_not_sent_without_request),
		TEST(share_request_for_missing_share_returns_gone),
		TEST(share_duplicate_request_is_protocol_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
