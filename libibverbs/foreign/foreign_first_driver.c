/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How the plug-ins of the first releases registered. No provider does so any
 * more, but the usNIC plug-in of old libfabric releases still imports the name.
 */
void foreign_register_first_driver(const char *name, void *(*init)(void));

/* Its devices are not of the kernel's RDMA subsystem: nothing to keep. */
void foreign_register_first_driver(const char *name, void *(*init)(void))
{
}

#ifdef FOREIGN_WITH_VERSIONS
__asm__(".symver foreign_register_first_driver,"
	"ibv_register_driver@IBVERBS_1.1");
#endif
