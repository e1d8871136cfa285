/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registration function of the first releases. No provider calls it any more,
 * but the usNIC plug-in of old libfabric releases still imports the name.
 */
void foreign_register_first_driver(const char *name, void *(*init)(void));

/*
 * usNIC devices are outside the RDMA subsystem of the kernel: nothing to
 * register.
 */
void foreign_register_first_driver(const char *name, void *(*init)(void))
{
}

#ifdef FOREIGN_WITH_VERSIONS
__asm__(".symver foreign_register_first_driver,"
	"ibv_register_driver@IBVERBS_1.1");
#endif
