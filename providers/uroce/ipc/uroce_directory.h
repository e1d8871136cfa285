/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lists the slots that processes of this user have claimed, with the suffixes
 * of their names. The source is the kernel's list of unix sockets
 * (sock_diag(7)), which contains the user that created each socket. Where the
 * kernel has no such list (no CONFIG_UNIX_DIAG, netlink forbidden, Linux before
 * 5.3) the directory is empty and not complete.
 */
#ifndef UROCE_DIRECTORY_H
#define UROCE_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "uroce/ipc/uroce_identity.h"

#define UROCE_DIRECTORY_SLOTS 256

struct uroce_directory_entry {
	uint32_t nr_claims; /* sockets with a member name for the slot */
	char suffix[UROCE_SUFFIX_SIZE]; /* of the name of one of them */
};

struct uroce_directory {
	bool complete; /* all sockets were listed with their users */
	struct uroce_directory_entry slots[UROCE_DIRECTORY_SLOTS];
};

/** uroce_directory_read() - read the list of the kernel; any thread */
void uroce_directory_read(struct uroce_directory *ret_directory);

/**
 * uroce_directory_suffix() - return the suffix of the names of a slot
 *
 * Return: the suffix; "" if the directory is not complete; NULL if no process
 * of this user has the slot.
 */
const char *uroce_directory_suffix(const struct uroce_directory *directory,
				   uint32_t slot);

#endif
