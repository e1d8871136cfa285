#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Makes the folder that a program under uverbs_shim.so runs in.

make_devices.py [--mode M] [--discovery D] [--seen-as PATH] DIR PROVIDER...

DIR gets shim.conf, for $UVERBS_SHIM; sys/, for $SYSFS_PATH; and dev/, which replaces
/dev/infiniband. PROVIDER is a name of devices.tsv; each one makes a device of that kind, uverbs0
and up. NAME:KEY=VALUE changes a column, as in "mlx5:abi=7". PATH is DIR as the program sees it, if
it differs, as in a chroot.
"""

import argparse
import os

HERE = os.path.dirname(os.path.abspath(__file__))
MAJOR = 231
FIRST_MINOR = 192
COLUMNS = ("provider", "driver", "driver_id", "name", "abi", "node_type",
           "link", "pci")
NODE_TYPES = {"1": "1: CA", "4": "4: RNIC", "7": "7: unspecified"}
LINK_NAMES = {"ethernet": "Ethernet", "infiniband": "InfiniBand",
              "unspecified": "Unspecified"}


def read_table():
    table = {}
    with open(os.path.join(HERE, "devices.tsv"), encoding="ascii") as file:
        for line in file:
            if not line.startswith("#"):
                row = dict(zip(COLUMNS, line.rstrip("\n").split("\t")))
                table[row["provider"]] = row
    return table


def device_of(table, word, number):
    """Return the device that a word of the command line describes."""
    provider, *changes = word.split(":")
    device = dict(table[provider])
    for change in changes:
        key, value = change.split("=")
        if key not in COLUMNS:
            raise SystemExit(f"make_devices.py: no column {key}")
        device[key] = value
    device["uverbs"] = f"uverbs{number}"
    device["minor"] = str(FIRST_MINOR + number)
    device["guid"] = f"0200{0x5eed00 + number:012x}"
    return device


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text + "\n" if text else "")


def modalias(device):
    if device["pci"] == "-":
        return "platform:soft"
    vendor, product = (int(x, 16) for x in device["pci"].split(":"))
    return (f"pci:v{vendor:08X}d{product:08X}sv{vendor:08X}sd00000001"
            "bc02sc07i00")


def write_parent(folder, device):
    """Write the folder that "device" links to: a PCI function."""
    if device["pci"] != "-":
        vendor, product = device["pci"].split(":")
        write(f"{folder}/vendor", f"0x{vendor}")
        write(f"{folder}/device", f"0x{product}")
        write(f"{folder}/subsystem_vendor", f"0x{vendor}")
        write(f"{folder}/subsystem_device", "0x0001")
        write(f"{folder}/revision", "0x00")
        write(f"{folder}/numa_node", "0")
    write(f"{folder}/modalias", modalias(device))
    verbs = f"{folder}/infiniband_verbs/{device['uverbs']}"
    write(f"{verbs}/dev", f"{MAJOR}:{device['minor']}")
    write(f"{verbs}/abi_version", device["abi"])
    write(f"{verbs}/ibdev", device["name"])


def write_port(folder, device):
    guid = device["guid"]
    local = f"fe80:0000:0000:0000:{guid[:4]}:{guid[4:8]}:" \
            f"{guid[8:12]}:{guid[12:]}"
    gids = [local, "0000:0000:0000:0000:0000:ffff:c000:0201"]
    kind = "RoCE v2" if device["link"] == "ethernet" else "IB/RoCE v1"
    empty = "0000:0000:0000:0000:0000:0000:0000:0000"
    for index in range(16):
        gid = gids[index] if index < len(gids) else empty
        write(f"{folder}/gids/{index}", gid)
        # The kernel returns an error for an empty entry; the shim's text means the same.
        write(f"{folder}/gid_attrs/types/{index}",
              kind if index < len(gids) else "IB/RoCE v1")
    write(f"{folder}/pkeys/0", "0xffff")
    write(f"{folder}/link_layer", LINK_NAMES[device["link"]])
    write(f"{folder}/state", "4: ACTIVE")
    write(f"{folder}/rate", "100 Gb/sec (4X EDR)")


def write_sysfs(sysfs, device):
    verbs = f"{sysfs}/class/infiniband_verbs/{device['uverbs']}"
    ibdev = f"{sysfs}/class/infiniband/{device['name']}"
    guid = device["guid"]
    write(f"{verbs}/ibdev", device["name"])
    write(f"{verbs}/dev", f"{MAJOR}:{device['minor']}")
    write(f"{verbs}/abi_version", device["abi"])
    write_parent(f"{verbs}/device", device)
    write(f"{ibdev}/node_type", NODE_TYPES[device["node_type"]])
    write(f"{ibdev}/node_guid",
          ":".join(guid[i:i + 4] for i in range(0, 16, 4)))
    write(f"{ibdev}/fw_ver", "12.27.1000")
    write(f"{ibdev}/hw_rev", "0")
    write(f"{ibdev}/hca_type", "TEST")
    write(f"{ibdev}/board_id", "TEST0000000001")
    write_parent(f"{ibdev}/device", device)
    write_port(f"{ibdev}/ports/1", device)


def write_config(args, devices):
    seen = args.seen_as or args.dir
    lines = [f"mode {args.mode}", f"discovery {args.discovery}",
             f"nodes {seen}/dev", f"log {seen}/log"]
    for device in devices:
        lines.append(
            "device name={name} uverbs={uverbs} minor={minor} "
            "driver={driver} driver_id={driver_id} abi={abi} "
            "node_type={node_type} link={link} guid={guid}".format(**device))
    write(f"{args.dir}/shim.conf", "\n".join(lines))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", default="ioctl",
                        choices=("ioctl", "invoke", "write"))
    parser.add_argument("--discovery", default="netlink",
                        choices=("netlink", "sysfs"))
    parser.add_argument("--seen-as")
    parser.add_argument("dir")
    parser.add_argument("providers", nargs="*")
    args = parser.parse_args()

    table = read_table()
    devices = [device_of(table, word, number)
               for number, word in enumerate(args.providers)]
    write(f"{args.dir}/sys/class/infiniband_verbs/abi_version", "6")
    for device in devices:
        write_sysfs(f"{args.dir}/sys", device)
        write(f"{args.dir}/dev/{device['uverbs']}", "")
    write_config(args, devices)


main()
