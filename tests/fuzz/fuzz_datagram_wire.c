/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: the headers that the peer of a datagram rsocket sends. An
 * accepted header lies within the input, and that of a message encodes to the
 * same bytes.
 */
#include "fuzz/fuzz_target.h"
#include "rsocket/datagram_wire.h"

#include <string.h>

static void check_udp(const uint8_t *data, size_t len)
{
	struct datagram_udp_header header;
	int header_len = datagram_udp_decode(data, len, &header);

	if (header_len < 0)
		return;
	fuzz_assert((size_t)header_len <= len &&
		    header_len <= DATAGRAM_UDP_MAX_HEADER);
	fuzz_assert(header.op == DATAGRAM_DATA ||
		    header.op == DATAGRAM_CONTROL);
	fuzz_assert(header.qpn <= 0xffffff);
}

static void check_ud(const uint8_t *data, size_t len)
{
	uint8_t bytes[DATAGRAM_UD_MAX_HEADER];
	struct sockaddr_storage address;
	int header_len = datagram_ud_decode(data, len, &address);

	if (header_len < 0)
		return;
	fuzz_assert((size_t)header_len <= len);
	fuzz_assert(datagram_ud_encode((struct sockaddr *)&address, bytes) ==
		    (size_t)header_len);
	fuzz_assert(memcmp(bytes, data, (size_t)header_len) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	check_udp(data, len);
	check_ud(data, len);
	return 0;
}
