#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Writes the seeds of the fuzz targets of librdmacm: cm_seeds.py FOLDER

Makes FOLDER/fuzz_cm_mad from the captured MADs in tests/data/rdmacm.
"""
import pathlib
import sys

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / \
    "data/rdmacm/sample_mads.txt"


def samples():
    """Yields name and bytes of each captured MAD."""
    name = ""
    for line in SAMPLES.read_text().splitlines():
        kind, _, text = line.partition(" ")
        if kind == "name":
            name = text
        elif kind == "mad":
            yield name, bytes.fromhex(text)


def main():
    folder = pathlib.Path(sys.argv[1]) / "fuzz_cm_mad"
    folder.mkdir(parents=True, exist_ok=True)
    for name, mad in samples():
        (folder / name).write_bytes(mad)
        # All reserved bits are set, and all fields have their largest value.
        (folder / f"ones_{name}").write_bytes(mad[:24] + b"\xff" * 232)


main()
