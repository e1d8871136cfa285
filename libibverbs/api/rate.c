/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Converts the codes of enum ibv_rate to multiples of 2.5 Gbit/s and to Mbit/s
 * and back: ibv_rate_to_mult(3), ibv_rate_to_mbps(3). All four functions use
 * one table; a number that is not in it has no code.
 */
#include <infiniband/verbs.h>
#include <stddef.h>

/*
 * 0 means "none". The rate of 14 Gbit/s, its multiples, and the multiples of
 * 25 Gbit/s lanes have no multiple of 2.5 Gbit/s; those of the later codes are
 * rounded.
 */
static const struct rate {
	int mult; /* times 2.5 Gbit/s */
	int mbps; /* signalling rate of the lanes, not the nominal rate */
} rates[] = {
	[IBV_RATE_2_5_GBPS] = { 1, 2500 },
	[IBV_RATE_5_GBPS] = { 2, 5000 },
	[IBV_RATE_10_GBPS] = { 4, 10000 },
	[IBV_RATE_20_GBPS] = { 8, 20000 },
	[IBV_RATE_30_GBPS] = { 12, 30000 },
	[IBV_RATE_40_GBPS] = { 16, 40000 },
	[IBV_RATE_60_GBPS] = { 24, 60000 },
	[IBV_RATE_80_GBPS] = { 32, 80000 },
	[IBV_RATE_120_GBPS] = { 48, 120000 },
	[IBV_RATE_14_GBPS] = { 0, 14062 },
	[IBV_RATE_56_GBPS] = { 0, 56250 },
	[IBV_RATE_112_GBPS] = { 0, 112500 },
	[IBV_RATE_168_GBPS] = { 0, 168750 },
	[IBV_RATE_25_GBPS] = { 0, 25781 },
	[IBV_RATE_100_GBPS] = { 0, 103125 },
	[IBV_RATE_200_GBPS] = { 0, 206250 },
	[IBV_RATE_300_GBPS] = { 0, 309375 },
	[IBV_RATE_28_GBPS] = { 11, 28125 },
	[IBV_RATE_50_GBPS] = { 20, 53125 },
	[IBV_RATE_400_GBPS] = { 160, 425000 },
	[IBV_RATE_600_GBPS] = { 240, 637500 },
	[IBV_RATE_800_GBPS] = { 320, 850000 },
	[IBV_RATE_1200_GBPS] = { 480, 1275000 },
};

#define NR_RATES (sizeof(rates) / sizeof(rates[0]))

static const struct rate none;

/* A negative code becomes a large one by the conversion. */
static const struct rate *rate_by_code(unsigned int code)
{
	return code < NR_RATES ? &rates[code] : &none;
}

int ibv_rate_to_mult(enum ibv_rate rate)
{
	int mult = rate_by_code((unsigned int)rate)->mult;

	return mult ? mult : -1;
}

enum ibv_rate mult_to_ibv_rate(int mult)
{
	for (unsigned int code = 0; mult && code < NR_RATES; code++)
		if (rates[code].mult == mult)
			return (enum ibv_rate)code;
	return IBV_RATE_MAX;
}

int ibv_rate_to_mbps(enum ibv_rate rate)
{
	int mbps = rate_by_code((unsigned int)rate)->mbps;

	return mbps ? mbps : -1;
}

enum ibv_rate mbps_to_ibv_rate(int mbps)
{
	for (unsigned int code = 0; mbps && code < NR_RATES; code++)
		if (rates[code].mbps == mbps)
			return (enum ibv_rate)code;
	return IBV_RATE_MAX;
}
