/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The user that this process acts for in uroce, and the names of its bootstrap
 * sockets.
 *
 * The effective user id is read once, when the process claims a slot, and used
 * for names and checks from then on. A process whose effective user id has
 * changed since then rejects all peers.
 *
 * In a user namespace all users without a mapping appear with the overflow uid
 * (user_namespaces(7)). A process with the overflow uid uses other names, and
 * both ends of a connection to such a name prove that they are the same user.
 */
#ifndef UROCE_IDENTITY_H
#define UROCE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

/* A suffix is empty, or "~" and 16 hexadecimal digits. */
#define UROCE_SUFFIX_SIZE 18

#define UROCE_GSI_TEXT_SIZE 64

/* The bootstrap sockets of a process that has a slot. */
enum uroce_name_kind {
	UROCE_NAME_MEMBER, /* SOCK_SEQPACKET: "uroce.UID.SLOT" */
	UROCE_NAME_INBOX,  /* SOCK_DGRAM: "uroce.UID.SLOT.in" */
	UROCE_NAME_LOCAL,  /* SOCK_SEQPACKET: "uroce.UID.local.SLOT" */
};

/** uroce_identity_take() - read the user id and clear the suffix */
void uroce_identity_take(void);

/** uroce_identity_uid() - return the user id; read it on the first call */
uid_t uroce_identity_uid(void);

/** uroce_identity_changed() - whether the effective user id has changed */
bool uroce_identity_changed(void);

/**
 * uroce_identity_ambiguous() - whether several users may have the user id
 *
 * True for the overflow uid in a user namespace that does not map all users.
 */
bool uroce_identity_ambiguous(void);

/**
 * uroce_identity_suffix() - return the suffix of the names of this process
 *
 * The suffix is empty until uroce_identity_new_suffix() is called.
 */
const char *uroce_identity_suffix(void);

/**
 * uroce_identity_new_suffix() - choose a random suffix
 *
 * For a process that finds all names taken by other users. Processes of the
 * same user find the new names in the kernel's list (uroce_directory.h).
 */
void uroce_identity_new_suffix(void);

/**
 * uroce_identity_name() - build the name of a bootstrap socket of this user
 * @suffix: suffix of the names of the process that has the slot
 * @ret_name: receives an abstract address (unix(7))
 *
 * Return: length of the address in bytes.
 */
socklen_t uroce_identity_name(enum uroce_name_kind kind, uint32_t slot,
			      const char *suffix, struct sockaddr_un *ret_name);

/**
 * uroce_identity_gsi_name() - build the name of an owner of MADs
 * @text: of ../gsi/uroce_gsi_claim.c; at most UROCE_GSI_TEXT_SIZE bytes
 * @ret_name: receives an abstract address, "uroce.UID.gsi.TEXT"
 *
 * Return: length of the address in bytes.
 */
socklen_t uroce_identity_gsi_name(const char *text,
				  struct sockaddr_un *ret_name);

/**
 * uroce_identity_check_peer() - check the user id of the peer of a connection
 *
 * Reads the user id of the peer from the kernel (SO_PEERCRED). Never waits.
 *
 * Return: 0; -EPERM if the peer is another user or this process has changed its
 * user id; or -errno.
 */
int uroce_identity_check_peer(int fd);

/**
 * uroce_identity_prove() - exchange proofs of the user if its id is ambiguous
 * @fd: a connection, before its first message
 * @is_listener: whether this process is the listening side
 * @timeout_ms: limit for each of two messages
 *
 * The peer must have a thread for this connection: two threads that each wait
 * for the proof of the other process, on two connections, wait in vain.
 *
 * Return: 0; -EPERM if the peer is another user; -EAGAIN after the timeout; or
 * -errno.
 */
int uroce_identity_prove(int fd, bool is_listener, unsigned int timeout_ms);

#endif
