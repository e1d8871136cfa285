/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The user that this process acts for in uroce, and the names of its bootstrap
 * sockets.
 *
 * The effective user id is read once, when the process claims a slot, and used
 * for names and checks from then on. A process whose effective user id has
 * changed since accepts no other process.
 *
 * In a user namespace all users without a mapping appear with the overflow uid
 * (user_namespaces(7)). A process that sees itself as that user has other
 * names, and the two ends of a connection to one of them prove to each other
 * that they are the same user.
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

/* The bootstrap sockets of a process that has a slot. */
enum uroce_name_kind {
	UROCE_NAME_MEMBER, /* SOCK_SEQPACKET: "uroce.UID.SLOT" */
	UROCE_NAME_INBOX,  /* SOCK_DGRAM: "uroce.UID.SLOT.in" */
	UROCE_NAME_LOCAL,  /* SOCK_SEQPACKET: "uroce.UID.local.SLOT" */
};

/** uroce_identity_take() - read the user id, and forget the suffix */
void uroce_identity_take(void);

/** uroce_identity_uid() - the user id; reads it if it was not taken */
uid_t uroce_identity_uid(void);

/** uroce_identity_changed() - whether the process has another user id now */
bool uroce_identity_changed(void);

/**
 * uroce_identity_ambiguous() - whether the user id is the overflow uid, in a
 * user namespace where that can be one of several users
 */
bool uroce_identity_ambiguous(void);

/**
 * uroce_identity_suffix() - the suffix of this process's names
 *
 * It is empty unless uroce_identity_new_suffix() was called.
 */
const char *uroce_identity_suffix(void);

/**
 * uroce_identity_new_suffix() - use names that nobody can have taken
 *
 * For a process whose names were all taken by other users. Processes of its own
 * user find these names in the kernel's list (uroce_directory.h).
 */
void uroce_identity_new_suffix(void);

/**
 * uroce_identity_name() - the name of a bootstrap socket of this user
 * @suffix: of the process with the slot
 * @ret_name: receives an abstract address (unix(7))
 *
 * Return: length of the address.
 */
socklen_t uroce_identity_name(enum uroce_name_kind kind, uint32_t slot,
			      const char *suffix, struct sockaddr_un *ret_name);

/**
 * uroce_identity_check_peer() - check the user id of the peer of a connection
 *
 * Uses what the kernel says (SO_PEERCRED). Never waits.
 *
 * Return: 0; -EPERM if it is another user or this process has changed its user
 * id; or -errno.
 */
int uroce_identity_check_peer(int fd);

/**
 * uroce_identity_prove() - exchange proofs of the user, if its id is ambiguous
 * @fd: a connection, before its first message
 * @is_listener: whether this process is the listening one
 *
 * Waits up to 0.2 s for each of two messages.
 *
 * Return: 0; -EPERM if the peer is another user; -EAGAIN after the timeout; or
 * -errno.
 */
int uroce_identity_prove(int fd, bool is_listener);

#endif
