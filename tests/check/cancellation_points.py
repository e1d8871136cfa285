#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""No function of uroce is a cancellation point: cancellation_points.py BUILD NM.

A thread that pthread_cancel(3) ends inside uroce would keep its locks. So the
objects of the device call none of the C library's functions that are, or may
be, cancellation points (POSIX.1-2017, 2.9.5.2), but the nocancel_*() functions
of util/nocancel.h. fcntl() is one for F_SETLKW alone, which uroce never uses.
"""

import glob
import os
import re
import subprocess
import sys

POINTS = set("""
accept accept4 aio_suspend clock_nanosleep close close_range closedir connect
creat epoll_pwait epoll_pwait2 epoll_wait fclose fdatasync fdopendir fflush
fgetc fgets fopen fprintf fputc fputs fread freopen fscanf fsync fwrite
getaddrinfo getdelim getifaddrs getline getnameinfo getrandom lockf mq_receive
mq_send msgrcv msgsnd msync nanosleep open openat opendir pause pclose poll
popen ppoll pread preadv preadv2 printf pselect pthread_cond_clockwait
pthread_cond_timedwait pthread_cond_wait pthread_join pthread_testcancel
pthread_timedjoin_np putc puts pwrite pwritev pwritev2 read readdir readv recv
recvfrom recvmmsg recvmsg scandir select sem_clockwait sem_timedwait sem_wait
send sendfile sendmmsg sendmsg sendto sigpause sigsuspend sigtimedwait sigwait
sigwaitinfo sleep splice sync_file_range syslog system tcdrain tee usleep
vfprintf vmsplice wait wait3 wait4 waitid waitpid write writev
""".split())

# Callers that disable cancellation around the function.
ALLOWED = {
    "uroce_bad_wire": {"pthread_join"},
    "uroce_helper": {"pthread_join"},
    "uroce_shm_connect": {"pthread_cond_timedwait"},  # verbs_mutex_timedwait
    "uroce_worker_port": {"pthread_cond_wait", "pthread_join"},
    "uroce_netdev": {"getifaddrs"},
    "uroce_share": {"closedir", "opendir", "readdir"},
}


def plain_name(symbol):
    """The function of a symbol: __read_chk, pread64@GLIBC_2.2.5, __open_2."""
    name = symbol.split("@")[0]
    name = re.sub(r"^(__)?(isoc\d+_)?", "", name)
    name = re.sub(r"(_chk|_2|_time64)$", "", name)
    return re.sub(r"64$", "", name)


def undefined(nm, paths):
    """{path: the names that an object uses}"""
    text = subprocess.run([nm, "-u", "-A", *paths], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    names = {path: set() for path in paths}
    for line in text.splitlines():
        path, rest = line.split(":", 1)
        names[path].add(rest.split()[-1])
    return names


def main():
    build, nm = sys.argv[1:3]
    objects = []
    for folder in ("providers/CMakeFiles/provider_uroce_objects.dir/uroce",
                   "providers/uroce/CMakeFiles"):
        objects += glob.glob(os.path.join(build, folder, "**", "*.o"),
                             recursive=True)
    if not objects:
        sys.exit("no objects of uroce in " + build)
    bad = 0
    for path, names in sorted(undefined(nm, objects).items()):
        unit = os.path.basename(path).split(".")[0]
        for symbol in sorted(names):
            name = plain_name(symbol)
            if name in POINTS and name not in ALLOWED.get(unit, ()):
                print(f"{path}: {symbol} is a cancellation point; include "
                      "util/nocancel.h")
                bad = 1
    sys.exit(bad)


if __name__ == "__main__":
    main()
