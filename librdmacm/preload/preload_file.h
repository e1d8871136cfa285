/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rsockets by the descriptor of the application. That descriptor is of
 * /dev/null: it reserves a number, which the application may duplicate.
 */
#ifndef PRELOAD_PRELOAD_FILE_H
#define PRELOAD_PRELOAD_FILE_H

#include "util/lock.h"

#include <stdbool.h>
#include <sys/socket.h>

/* With RDMAV_FORK_SAFE, a socket begins with TCP; see preload_fork.h. */
enum preload_kind {
	PRELOAD_RSOCKET,
	PRELOAD_TCP,	     /* neither connected nor accepted */
	PRELOAD_TCP_ACTIVE,  /* connected; becomes an rsocket with first use */
	PRELOAD_TCP_PASSIVE, /* accepted, likewise */
	PRELOAD_ORDINARY,    /* remains a socket of the C library */
};

struct preload_file {
	unsigned int nr_refs;	 /* lock of preload_file.c */
	struct verbs_mutex lock; /* held while the kind changes */
	enum preload_kind kind;	 /* see preload_file_kind() */
	int rsocket;		 /* closed with the file; -1: none yet */
	int domain, type, protocol;
	struct sockaddr_storage bound;
	socklen_t bound_len; /* 0: not bound */
	/* Of a connect that does not block; a peer without rsockets refuses. */
	struct sockaddr_storage peer;
	socklen_t peer_len; /* 0: none, or the result is known */
	int error;	    /* of the ordinary socket, for SO_ERROR; 0: none */
};

/**
 * preload_file_new() - a file without an rsocket, that no descriptor refers to
 * @domain, @type, @protocol: of the socket; flags in @type are ignored
 *
 * Return: with a reference for preload_file_put(); NULL if there is no memory.
 */
struct preload_file *preload_file_new(enum preload_kind kind, int domain,
				      int type, int protocol);

/** preload_file_add() - let a descriptor refer to a file
 *
 * Return: 0; -1 with errno set.
 */
int preload_file_add(int fd, struct preload_file *file);

/** preload_file_remove() - descriptors do not refer to files any more
 *
 * Those from @first to @last. No effect in a child of vfork(2).
 */
void preload_file_remove(unsigned int first, unsigned int last);

/** preload_file_next() - the first descriptor of a file from @first to @last
 *
 * Return: -1 if there is none.
 */
int preload_file_next(unsigned int first, unsigned int last);

/**
 * preload_file_is_of_parent() - whether the memory is that of another process
 *
 * A child of vfork(2) shares it with its parent, but has its own descriptors.
 */
bool preload_file_is_of_parent(void);

/**
 * preload_file_get() - the file of a descriptor
 *
 * Return: with a reference; NULL if it is a descriptor of the C library, as all
 * are for a thread inside librdmacm.
 */
struct preload_file *preload_file_get(int fd);

/** preload_file_kind() - RSOCKET means that the rsocket is valid, and stays */
enum preload_kind preload_file_kind(const struct preload_file *file);
void preload_file_set_kind(struct preload_file *file, enum preload_kind kind);

/** preload_file_put() - give up a reference; errno is kept */
void preload_file_put(struct preload_file *file);

#endif
