# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Makes the table of README.md from the lines "name<tab>round<tab>value" of
# local_bench, local_threads, local_idle and local_bench.sh. Only BEGIN lists the
# compared numbers and the required ratios. @placement is near or far: the
# required ratios of far are those of processors that share no cache.

# what - row of the design, quantity, program, unit, name of the value, name of
# the yardstick or "-", whether more or less is better, must, stretch ("-":
# none)
function what(row, quantity, who, unit, name, yardstick, better, must, stretch) {
	rows[++nr] = row
	quantities[nr] = quantity
	whos[nr] = who
	units[nr] = unit
	names[nr] = name
	yardsticks[nr] = yardstick
	betters[nr] = better
	musts[nr] = must
	stretches[nr] = stretch
}

function other(row, quantity, who, unit, name, yardstick, better) {
	what(row, quantity, who, unit, name, yardstick, better, "-", "-")
}

# Returns the number for the placement.
function by_place(near, far) {
	return placement == "far" ? far : near
}

BEGIN {
	FS = OFS = "\t"
	what(1, "SEND 8 B", "uroce", "ns", "send_8",
		by_place("line", "ucx_am_8"), "less", by_place(2.5, 1.25),
		by_place(2, 1))
	other(1, "SEND 8 B, thread domain", "uroce", "ns", "send_8_td", "line",
		"less")
	other(1, "SEND 8 B", "perftest on uroce", "ns", "perftest_send_8",
		"line", "less")
	other(1, "SEND 8 B", "UCX am", "ns", "ucx_am_8", "line", "less")
	other(1, "SEND 8 B", "UCX tag", "ns", "ucx_tag_8", "line", "less")
	other(1, "SEND 8 B", "libfabric shm", "ns", "libfabric_8", "line", "less")
	what(2, "WRITE 8 B, target polls", "uroce", "ns", "write_8", "line",
		"less", 3, 2)
	what(3, "WRITE 8 B, target computes", "uroce", "ns", "write_8_deaf",
		"writev_8", "less", 1.25, 0.9)
	other(3, "WRITE 8 B, target computes", "UCT cma", "ns", "ucx_cma_8",
		"writev_8", "less")
	what(4, "WRITE 8 B, mapped memory", "uroce", "ns", "write_8_mapped",
		"line", "less", 2, 1.3)
	what(5, "SEND 8 B, one pair", "uroce", "M/s", "rate_8", "-", "more",
		by_place(20, 10), by_place(50, 15))
	other(5, "SEND 8 B, one pair", "UCX tag", "M/s", "ucx_rate_8", "-", "more")
	what(6, "WRITE 1 MB, target computes", "uroce", "GB/s", "write_1m_deaf",
		"writev_1m", "more", 0.95, "-")
	what(6, "WRITE 1 MB, target polls", "uroce", "GB/s", "write_1m",
		"writev_1m", "more", by_place(0.95, 1), by_place("-", 1.2))
	other(6, "WRITE 1 MB", "perftest on uroce", "GB/s", "perftest_write_1m",
		"writev_1m", "more")
	other(6, "WRITE 1 MB, target computes", "UCT cma", "GB/s", "ucx_cma_1m",
		"writev_1m", "more")
	what(7, "SEND 1 MB", "uroce", "GB/s", "send_1m", "writev_1m", "more",
		by_place(1.5, 1), by_place(1.7, 1.2))
	what(7, "READ 1 MB", "uroce", "GB/s", "read_1m", "writev_1m", "more",
		by_place(1.5, 1), by_place(1.7, 1.2))
	other(7, "SEND 1 MB", "UCX tag", "GB/s", "ucx_1m", "writev_1m", "more")
	other(7, "SEND 1 MB", "libfabric shm", "GB/s", "libfabric_1m",
		"writev_1m", "more")
	what(7, "SEND 16 MB", "uroce", "GB/s", "send_16m", "writev_16m", "more",
		by_place("-", 1), by_place("-", 1.2))
	what(7, "WRITE 16 MB", "uroce", "GB/s", "write_16m", "writev_16m",
		"more", by_place("-", 1), by_place("-", 1.2))
	what(7, "READ 16 MB", "uroce", "GB/s", "read_16m", "writev_16m", "more",
		by_place("-", 1), by_place("-", 1.2))
	other(7, "SEND 16 MB", "UCX tag", "GB/s", "ucx_16m", "writev_16m", "more")
	what(8, "SEND 64 KB", "uroce", "GB/s", "send_64k", "writev_64k", "more",
		by_place(1.2, 1), by_place(1.5, 1.2))
	what(8, "WRITE 64 KB", "uroce", "GB/s", "write_64k", "writev_64k",
		"more", by_place("-", 1), by_place("-", 1.2))
	what(8, "READ 64 KB", "uroce", "GB/s", "read_64k", "writev_64k", "more",
		by_place("-", 1), by_place("-", 1.2))
	other(8, "SEND 64 KB", "UCX tag", "GB/s", "ucx_64k", "writev_64k", "more")
	what(8, "SEND 16 KB", "uroce", "GB/s", "send_16k", "writev_16k", "more",
		by_place("-", 1), by_place("-", 1.2))
	what(8, "WRITE 16 KB", "uroce", "GB/s", "write_16k", "writev_16k",
		"more", by_place("-", 1), by_place("-", 1.2))
	what(8, "READ 16 KB", "uroce", "GB/s", "read_16k", "writev_16k", "more",
		by_place("-", 1), by_place("-", 1.2))
	other(8, "SEND 16 KB", "UCX tag", "GB/s", "ucx_16k", "writev_16k", "more")
	what(9, "fetch-add, there and back", "uroce", "ns", "fetch_add", "line",
		"less", 5, "-")
	what(9, "fetch-add, mapped memory", "uroce", "ns", "fetch_add_mapped",
		"line", "less", 2, "-")
	other("T", "SEND 8 B, both ends in a thread", "1 thread", "M/s",
		"threads_1", "threads_1", "more")
	what("T", "SEND 8 B, both ends in a thread", "2 threads", "M/s",
		"threads_2", "threads_1", "more", 1.7, 1.8)
	other("T", "SEND 8 B, both ends in a thread", "4 threads", "M/s",
		"threads_4", "threads_1", "more")
	other("T", "SEND 8 B, both ends in a thread", "8 threads", "M/s",
		"threads_8", "threads_1", "more")
	other("T", "SEND 8 B, both ends in a thread", "16 threads", "M/s",
		"threads_16", "threads_1", "more")
	other("T", "SEND 8 B, both ends in a thread", "2 processes", "M/s",
		"processes_2", "threads_1", "more")
	other("P", "cache line, one way", "two processes", "ns", "line", "-",
		"less")
	other("V", "8 B", "process_vm_writev", "ns", "writev_8", "-", "less")
	other("V", "16 KB", "process_vm_writev", "GB/s", "writev_16k", "-", "more")
	other("V", "64 KB", "process_vm_writev", "GB/s", "writev_64k", "-", "more")
	other("V", "1 MB", "process_vm_writev", "GB/s", "writev_1m", "-", "more")
	other("V", "16 MB", "process_vm_writev", "GB/s", "writev_16m", "-", "more")
	what(14, "wake-ups of an idle process, 100 QPs", "uroce", "1/s",
		"idle_wakes", "-", "less", 0, "-")
	what("-", "memory of a pair of QPs, 100 of them", "uroce", "KB",
		"idle_kb", "-", "less", 64, "-")
}

{
	value[$1, ++count[$1]] = $3
	of_round[$1, $2] = $3
}

# Returns the median of v[1] to v[n], and sorts them.
function median(v, n, i, j, t) {
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) {
			t = v[j]
			v[j] = v[j - 1]
			v[j - 1] = t
		}
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}

function median_of(name, i, v) {
	for (i = 1; i <= count[name]; i++)
		v[i] = value[name, i]
	return median(v, count[name])
}

# Compares each value with the yardstick of its round. Values of separate
# programs are compared with the yardsticks of all rounds.
function ratios(i, v, key, part, n) {
	if (count[names[i]] != count[yardsticks[i]]) {
		for (key = 1; key <= count[names[i]]; key++)
			v[++n] = value[names[i], key] / median_of(yardsticks[i])
		return n
	}
	for (key in of_round) {
		split(key, part, SUBSEP)
		if (part[1] == names[i])
			v[++n] = of_round[key] / of_round[yardsticks[i], part[2]]
	}
	return n
}

function reaches(i, number, limit) {
	if (limit == "-")
		return 0
	return betters[i] == "more" ? number >= limit : number <= limit
}

function verdict(i, number) {
	if (reaches(i, number, stretches[i]))
		return "stretch"
	if (reaches(i, number, musts[i]))
		return "must"
	return musts[i] == "-" ? "-" : "no"
}

END {
	print "row", "quantity", "who", "value", "unit", "yardstick", "ratio",
		"ratio_least", "ratio_most", "better", "must", "stretch", "reached"
	for (i = 1; i <= nr; i++) {
		if (!(names[i] in count)) {
			if (musts[i] != "-")
				print rows[i], quantities[i], whos[i], "-",
					units[i], "-", "-", "-", "-", betters[i],
					musts[i], stretches[i], "not there"
			continue
		}
		ours = median_of(names[i])
		yardstick = ratio = least = most = "-"
		judged = ours
		if (yardsticks[i] in count) {
			yardstick = sprintf("%.3f", median_of(yardsticks[i]))
			delete v
			n = ratios(i, v)
			judged = median(v, n)
			ratio = sprintf("%.3f", judged)
			least = sprintf("%.3f", v[1])
			most = sprintf("%.3f", v[n])
		}
		print rows[i], quantities[i], whos[i], sprintf("%.3f", ours),
			units[i], yardstick, ratio, least, most, betters[i],
			musts[i], stretches[i], verdict(i, judged)
	}
}
