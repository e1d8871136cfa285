/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registration functions for constructors of modules:
 * verbs_register_driver_<node>().
 */
#ifndef FOREIGN_FOREIGN_REGISTER_H
#define FOREIGN_FOREIGN_REGISTER_H

#include "foreign/foreign_abi.h"

/**
 * foreign_register_driver_34() - register a provider
 * @ops: never freed
 *
 * The number in the name is the private node. Errors are logged as warnings for
 * the user.
 *
 * Context: any thread, at any time, even with the lock of the dynamic linker
 * held.
 */
void foreign_register_driver_34(const struct foreign_device_ops *ops);
void foreign_register_driver_57(const struct foreign_device_ops *ops);
void foreign_register_driver_59(const struct foreign_device_ops *ops);
void foreign_register_driver_64(const struct foreign_device_ops *ops);
void foreign_register_driver_65(const struct foreign_device_ops *ops);

#endif
