#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Prints the tests of a JUnit file that did not pass, and the end of their output.

usage: junit_failures.py RESULTS.xml
"""

import sys
import xml.etree.ElementTree

LINES = 30  # of the output of each test


def main():
    suite = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
    for case in suite.iter("testcase"):
        status = case.get("status")
        if status == "run":
            continue
        print(status, case.get("name"))
        output = case.findtext("system-out") or ""
        for line in output.rstrip().splitlines()[-LINES:]:
            print("    " + line)


if __name__ == "__main__":
    main()
