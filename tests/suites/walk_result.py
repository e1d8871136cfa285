# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The output of provider_walk, and the comparison of two runs."""

import errno
import re
from collections import Counter

ERROR = re.compile(r"^(-?\d+ )?E[A-Z0-9]+$")
# Commands without side effects; libraries may send them in different order, or
# cache them.
LOOKS = re.compile(r"^(QUERY_|METHOD_|ASYNC_EVENT|OPEN\b|GET_CONTEXT\b.* = E)")


# The results of a kernel that lacks a command; our library returns EOPNOTSUPP.
MISSING = ("EPROTONOSUPPORT", "ENOTTY")


def failed(outcome):
    return outcome == "-" or ERROR.match(outcome) is not None


def same(distro, ours):
    """Equal, or more precise: an errno where the provider left it unset,
    where it returned the errno negative, or where it means only that the
    kernel is too old for one of its attempts."""
    if ours == distro:
        return True
    if distro == "0":
        return failed(ours)
    if distro in MISSING:
        return failed(ours)
    negative = re.match(r"^-(\d+) (0|E[A-Z]+)$", distro)
    return negative is not None and \
        ours == errno.errorcode.get(int(negative.group(1)))


IRDMA_GET_CONTEXT = re.compile(
    r"^(GET_CONTEXT driver_in=)[0-9a-f]{8}05[0-9a-f]{6}( driver_out=64 )")


class Walk:
    """Steps in order, with a number appended to names that repeat."""

    def __init__(self, run):
        self.run = run
        self.steps = {}
        count = Counter()
        for line in run.lines():
            match = re.match(r"^(\S+) (\S+): (.*)$", line)
            if not match:
                self.steps[f"line {len(self.steps)}"] = line
                continue
            device, step, outcome = match.groups()
            key = step if device == "-" else f"{device} {step}"
            count[key] += 1
            if count[key] > 1:
                key = f"{key}#{count[key]}"
            self.steps[key] = outcome
        if run.code:
            self.steps["exit"] = f"code {run.code}"

    def reached(self):
        return sum(outcome == "ok" for outcome in self.steps.values())

    def unreached(self):
        """Return the failed steps in one line, by error. Steps without
        prerequisites are left out, since they follow from others."""
        groups = {}
        for key, outcome in self.steps.items():
            if ERROR.match(outcome) or key == "exit":
                groups.setdefault(outcome.split(" ")[-1], []).append(
                    key.split(" ")[-1])
        return "; ".join(f"{error}: {' '.join(steps)}"
                         for error, steps in sorted(groups.items()))

    def commands(self):
        """Return the commands that reached the kernel and changed objects,
        without protocols."""
        found = []
        for line in self.run.log:
            transport, command = line.split(" ", 1)
            if LOOKS.match(command):
                continue
            # With the write protocol, whose plain command has no member for
            # it, a provider may leave the time stamp out; our library tries
            # the extended command first.
            if transport != "ioctl" and command.startswith("CREATE_CQ"):
                command = command.replace(" flags=0x1 ", " ")
            # irdma of v44 sets only byte 4, its version 5, of the 8 bytes of
            # struct irdma_get_context; the others have the values that the
            # stack had.
            command = IRDMA_GET_CONTEXT.sub(r"\g<1>0000000005000000\2", command)
            found.append(command)
        return found


def compare(distro, ours):
    """Return the steps that are worse with our library, and the number of
    better ones."""
    problems = []
    better = 0
    if distro.steps.get("devices") == "0" and ours.steps.get("devices") == "1":
        return [], 1  # the distribution's library lacks the device
    for step, outcome in distro.steps.items():
        other = ours.steps.get(step, "not reached")
        if same(outcome, other):
            continue
        if failed(outcome) and (other == "ok" or not failed(other)) and \
           other != "not reached":
            better += 1
            continue
        problems.append(f"{step}: {other}, with the distribution's {outcome}")
    for step, outcome in ours.steps.items():
        if step not in distro.steps and not better:
            problems.append(f"{step}: {outcome}, only with ours")
    if not better and not problems:
        problems += compare_commands(distro.commands(), ours.commands())
    if problems and ours.run.errors.strip():
        problems.append("said: " + ours.run.errors.strip().splitlines()[0])
    return problems, better


def compare_commands(distro, ours):
    missing = Counter(distro) - Counter(ours)
    extra = Counter(ours) - Counter(distro)
    return [f"command missing: {line}" for line in missing] + \
           [f"command added: {line}" for line in extra]
