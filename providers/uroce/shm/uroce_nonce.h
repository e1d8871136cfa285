/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A random number on a page of its own. A process that accesses the memory of
 * this one accesses that page in the same system call (uroce_cma.c), which
 * proves that it is the memory of this process.
 */
#ifndef UROCE_NONCE_H
#define UROCE_NONCE_H

#include <stdbool.h>
#include <stdint.h>

struct uroce_nonce {
	uint64_t value;
	uint64_t address; /* 0: no page */
	/* the address is random, so no other process has memory there */
	bool is_unique;
};

/**
 * uroce_nonce_open() - map the page of this process
 * @value: a random number
 * @ret_nonce: receives the nonce; uroce_nonce_close() frees it
 *
 * A child of fork() does not inherit the page, and execve(2) removes it.
 *
 * Return: 0 or -errno.
 */
int uroce_nonce_open(uint64_t value, struct uroce_nonce *ret_nonce);

/** uroce_nonce_close() - unmap the page; not in a child of fork() */
void uroce_nonce_close(struct uroce_nonce *nonce);

#endif
