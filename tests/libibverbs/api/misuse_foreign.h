/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What misuse_foreign_test.c calls after each of its calls. */
#ifndef MISUSE_FOREIGN_H
#define MISUSE_FOREIGN_H

#include <stdbool.h>

/*
 * @is_refused: by the library, because of an object of another context. Does
 * nothing, unless the test is linked with a function that checks messages.
 */
void misuse_foreign_called(bool is_refused);

#endif
