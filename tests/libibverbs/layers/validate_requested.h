/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Linked to a test with the fake provider, so that the layer validate observes
 * its contexts. Linked with WRAP secure_getenv.
 */
#ifndef VALIDATE_REQUESTED_H
#define VALIDATE_REQUESTED_H

/**
 * validate_requested_take() - return the messages since the last call
 *
 * Each is one line. The next call changes the text.
 */
const char *validate_requested_take(void);

#endif
