/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A thread that answers for members of the port, as a helper thread of their
 * process would. Without it nobody can join as long as there is a member.
 */
#ifndef UROCE_MEMBERS_H
#define UROCE_MEMBERS_H

/* Starts the thread; stops it when the group of tests is over. */
int uroce_members_start(void **state);
int uroce_members_stop(void **state);

/*
 * Has @serve called with @arg whenever @fd is readable. After
 * uroce_members_remove() has returned it is not called any more.
 */
void uroce_members_add(int fd, void (*serve)(void *arg), void *arg);
void uroce_members_remove(int fd);

#endif
