#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""ibv_devices, ibv_devinfo, ibv_asyncwatch: options, JSON, errors, exit codes.
"""
import json
import re
import subprocess
import tool_harness as tools

MEMBERS = """name node_type transport verbs_device fw_ver node_guid
sys_image_guid vendor_id vendor_part_id hw_ver board_id phys_port_cnt
max_mr_size page_size_cap max_qp max_qp_wr device_cap_flags max_sge odp_caps
completion_timestamp_mask hca_core_clock_khz raw_packet_caps tso_caps rss_caps
packet_pacing_caps tm_caps cq_moderation_caps max_dm_size pci_atomic_caps
num_comp_vectors ports""".split()


def load_json(result, what):
    try:
        return json.loads(result.stdout)
    except ValueError as error:
        tools.check(False, f"{what} prints JSON", error, result.stdout)
        return {"devices": []}


def test_devices():
    result = tools.run(tools.ours("ibv_devices"), "--json")
    listed = load_json(result, "ibv_devices --json")["devices"]
    tools.check([device["name"] for device in listed] == ["uroce_lo"],
                "ibv_devices --json: names", listed)
    tools.check(listed[0]["node_guid"] == "0200:00ff:fe00:0001" and
                listed[0]["transport"] == "InfiniBand",
                "ibv_devices --json: attributes", listed)


def numbers_of(text):
    """Returns {name: number} of the lines "name: number" of the text form."""
    found = re.findall(r"^\t(\w+):\t+(0x[0-9a-fA-F]+|-?\d+)$", text,
                       re.MULTILINE)
    return {name: int(value, 0) for name, value in found}


def check_same_numbers(**env):
    """The JSON has each plain number of the text form, with the same value."""
    name = tools.ours("ibv_devinfo")
    text = tools.run(name, "-v", **env).stdout
    result = tools.run(name, "--json", **env)
    data = load_json(result, f"ibv_devinfo --json {env}")["devices"][0]
    flat = {**data, **data["tm_caps"], "max_sge": data["max_sge"]}
    flat["device_cap_flags"] = data["device_cap_flags"]["value"] & 0xffffffff
    flat.pop("device_cap_flags_ex", None)
    for key, value in numbers_of(text.split("\tmax_rndv_hdr_size")[0]).items():
        if key not in ("device_cap_flags", "device_cap_flags_ex"):
            tools.check(flat.get(key) == value, f"{key} {env}",
                        value, flat.get(key))
    gids = re.findall(r"GID\[ *(\d+)\]", text)
    tools.check([gid["index"] for port in data["ports"]
                 for gid in port["gids"]] == [int(gid) for gid in gids],
                f"indices of GIDs {env}", gids)
    tools.check(text.count("\t\tport:") == len(data["ports"]),
                f"number of ports {env}")
    return data


def test_devinfo():
    name = tools.ours("ibv_devinfo")
    data = check_same_numbers()
    missing = set(MEMBERS) - set(data)
    tools.check(not missing, "ibv_devinfo --json: members", missing)
    port = data["ports"][0]
    tools.check((port["state"], port["active_mtu"], port["active_width"],
                 port["link_layer"]) == ("PORT_ACTIVE", 4096, 1, "Ethernet"),
                "ibv_devinfo --json: a port", port)
    tools.check([(gid["gid"], gid["type"], gid["net_device"])
                 for gid in port["gids"]] ==
                [("::1", "RoCE v2", "lo"),
                 ("::ffff:127.0.0.1", "RoCE v2", "lo")],
                "ibv_devinfo --json: GIDs", port["gids"])
    tools.check("MEM_WINDOW" in data["device_cap_flags"]["names"] and
                "XRC" in data["device_cap_flags"]["names"],
                "ibv_devinfo --json: capabilities", data["device_cap_flags"])
    for seed in range(30):
        check_same_numbers(LD_PRELOAD=tools.RANDOM_DEVICE,
                           DEVICE_SEED=str(seed))
    listed = load_json(tools.run(name, "-l", "--json"),
                       "ibv_devinfo -l --json")
    tools.check(listed == {"devices": [{"name": "uroce_lo"}]},
                "ibv_devinfo -l --json", listed)
    empty = tools.run(name, "--json", "-d", "nothing")
    tools.check(empty.returncode == 1 and
                load_json(empty, "no device")["devices"] == [],
                "ibv_devinfo --json of no device", empty)


def check_rejected(name, options, sentence, **env):
    result = tools.run(tools.ours(name), *options, **env)
    tools.check(result.returncode == 1 and sentence in result.stderr and
                "uroce_lo" not in result.stdout,
                f"{name} {' '.join(options)} is rejected", result)


def test_invalid_options():
    for name in ("ibv_devices", "ibv_devinfo", "ibv_asyncwatch"):
        check_rejected(name, ["--nonsense"],
                       "unrecognized option '--nonsense'")
        check_rejected(name, ["-!"], f"Try '{name} --help'.")
        check_rejected(name, ["surplus"], "unexpected argument 'surplus'")
        check_rejected(name, [], "Failed to get IB devices list: ",
                       UROCE_DEVICES="none")
        for option in ("-h", "--help"):
            result = tools.run(tools.ours(name), option)
            tools.check(result.returncode == 0 and not result.stderr and
                        result.stdout.startswith(f"Usage: {name} "),
                        f"{name} {option}", result)
    for port in ("0", "-1", "x", "", "256", "1x", "4294967297"):
        check_rejected("ibv_devinfo", ["-i", port],
                       f"--ib-port: use a number from 1 to 255, not '{port}'")
    check_rejected("ibv_devinfo", ["-i", "2"],
                   "Invalid port requested for device")
    check_rejected("ibv_devinfo", ["-d", "x"], "IB device 'x' wasn't found")
    check_rejected("ibv_asyncwatch", ["-d", "x"], "IB device x not found")
    check_rejected("ibv_devinfo", ["-d"], "requires an argument")


def test_full_disk():
    for command in (["ibv_devices"], ["ibv_devices", "--json"],
                    ["ibv_devinfo", "-v"], ["ibv_devinfo", "--json"],
                    ["ibv_devinfo", "--help"]):
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run(
                [tools.ours(command[0]), *command[1:]], check=False,
                stdout=full, stderr=subprocess.PIPE, text=True,
                env=tools.environment(), timeout=tools.TIMEOUT)
        tools.check(result.returncode == 1 and
                    "Couldn't write to standard output" in result.stderr,
                    f"{command} on a full disk", result)


def test_asyncwatch():
    """Sets the link of lo down and up, in a private network namespace."""
    with subprocess.Popen([tools.ours("ibv_asyncwatch"), "-d", "uroce_lo"],
                          stdout=subprocess.PIPE, text=True,
                          env=tools.environment()) as watcher:
        first = watcher.stdout.readline()
        tools.check(re.fullmatch(r"uroce_lo: async event FD \d+\n", first),
                    "ibv_asyncwatch prints its device", first)
        subprocess.run(["ip", "link", "set", "lo", "down"], check=True)
        down = watcher.stdout.readline()
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        lines = [down, *(watcher.stdout.readline() for _ in range(1))]
        while "PORT_ACTIVE" not in lines[-1] and len(lines) < 20:
            lines.append(watcher.stdout.readline())
        watcher.terminate()
    text = "".join(lines)
    tools.check(re.search(r"^  event_type IBV_EVENT_PORT_ERR \(10\), port 1$",
                          text, re.MULTILINE) and
                re.search(r"^  event_type IBV_EVENT_PORT_ACTIVE \(9\), "
                          r"port 1$", text, re.MULTILINE),
                "ibv_asyncwatch prints link events", text)


def main():
    test_devices()
    test_devinfo()
    test_invalid_options()
    test_full_disk()
    test_asyncwatch()
    tools.finish()


main()
