/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Entry points for constructors of modules: verbs_register_driver_<node>(). */
#ifndef FOREIGN_FOREIGN_REGISTER_H
#define FOREIGN_FOREIGN_REGISTER_H

#include "foreign/foreign_abi.h"

/**
 * foreign_register_driver_34() - add a provider
 * @ops: referred to for ever
 *
 * The number is that of the node. Whatever is wrong is told to the user, who
 * may then miss a device.
 *
 * Context: any thread, at any time, also with the dynamic linker's lock held.
 */
void foreign_register_driver_34(const struct foreign_device_ops *ops);
void foreign_register_driver_57(const struct foreign_device_ops *ops);
void foreign_register_driver_59(const struct foreign_device_ops *ops);
void foreign_register_driver_64(const struct foreign_device_ops *ops);
void foreign_register_driver_65(const struct foreign_device_ops *ops);

#endif
