/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A thread that responds for members of the port, like the helper thread of
 * their process. Without it no process can join while there is a member.
 */
#ifndef UROCE_MEMBERS_H
#define UROCE_MEMBERS_H

/* Starts the thread; stops it at the end of the test group. */
int uroce_members_start(void **state);
int uroce_members_stop(void **state);

/*
 * Calls @serve with @arg whenever @fd is readable, until uroce_members_remove()
 * has returned.
 */
void uroce_members_add(int fd, void (*serve)(void *arg), void *arg);
void uroce_members_remove(int fd);

#endif
