#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""pyverbs_results.py TESTS OUTPUT OPTION...

Runs the test suite that comes with pyverbs, from its folder TESTS and with the options of its own
run_tests.py, and writes one line a test to OUTPUT: the result (ok, skip, fail) and the name,
separated by a tab. The exit code is 0 if the suite ran to its end, with any results.

The suite takes the network interface of the device from sysfs, which does not have every device;
PYVERBS_INTERFACE names the interface instead.
"""

import os
import sys
import unittest
from importlib.machinery import SourceFileLoader


class Result(unittest.TextTestResult):
    """Records each result; a test with a failed subtest has failed."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.outcome = {}

    def note(self, test, outcome):
        name = test.id()
        if self.outcome.get(name) != "fail":
            self.outcome[name] = outcome

    def addSuccess(self, test):
        super().addSuccess(test)
        self.note(test, "ok")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.note(test, "skip")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.note(test, "fail")

    def addError(self, test, err):
        super().addError(test, err)
        self.note(test, "fail")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.note(test, "fail")

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.note(test, "ok")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.note(test, "fail")


def use_interface(case, interface):
    """All tests of a class, and of those derived from it, use the addresses of the interface."""

    def add_addresses(self, dev, port, idx):
        self.args.append([dev, port, idx, *self.get_ip_mac_address(interface)])

    case._get_ip_mac = add_addresses  # pylint: disable=protected-access


def main():
    folder, output = sys.argv[1:3]
    del sys.argv[1:3]
    sys.path.insert(0, folder)
    from args_parser import parser

    package = os.path.join(folder, "__init__.py")
    tests = SourceFileLoader("tests", package).load_module()
    interface = os.environ.get("PYVERBS_INTERFACE")
    if interface:
        use_interface(sys.modules["tests.base"].RDMATestCase, interface)
    parser.parse_args()
    runner = unittest.TextTestRunner(resultclass=Result, verbosity=2)
    done = unittest.main(module=tests, testRunner=runner, exit=False)
    with open(output, "w", encoding="ascii") as file:
        for name, outcome in sorted(done.result.outcome.items()):
            print(outcome, name, sep="\t", file=file)


main()
