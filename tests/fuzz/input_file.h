/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The file that a fuzz target's code reads: a part of the input. Needs
 * WRAP text_file_read_at.
 */
#ifndef FUZZ_INPUT_FILE_H
#define FUZZ_INPUT_FILE_H

#include <stddef.h>
#include <stdint.h>

/** input_file_set() - each file that is read has this text; @text must last */
void input_file_set(const uint8_t *text, size_t len);

#endif
