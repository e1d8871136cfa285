/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Results of the library in place of the distribution's. */
#ifndef RDMACM_FAKE_H
#define RDMACM_FAKE_H

#define FAKE_EVENT_TEXT "event of the fake"
#define FAKE_PORT	0x1234

#endif
