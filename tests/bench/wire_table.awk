# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Makes the table of README.md from the lines "name<tab>round<tab>value" of
# wire_bench, wire_scale and wire_bench.sh. Only BEGIN lists the compared
# numbers and the required ratios.

# what - quantity, program, unit, name of the value, name of the yardstick or
# "-", whether more or less is better, must, stretch ("-": none)
function what(quantity, who, unit, name, yardstick, better, must, stretch) {
	quantities[++nr] = quantity
	whos[nr] = who
	units[nr] = unit
	names[nr] = name
	yardsticks[nr] = yardstick
	betters[nr] = better
	musts[nr] = must
	stretches[nr] = stretch
}

# sizes - messages of 1 to 64 KB on interfaces with an MTU; TCP is the yardstick
function sizes(mtu, promised, i, n, kb, quantity, must) {
	n = split("1 2 4 16 64", kb, " ")
	for (i = 1; i <= n; i++) {
		quantity = kb[i] " KB, one way, interface MTU " mtu
		must = promised && kb[i] >= 4 ? 1 : "-"
		what(quantity, "uroce", "us", "send_" kb[i] "k_" mtu,
			"tcp_" kb[i] "k_" mtu, "less", must, "-")
		what(quantity, "UDP with GSO", "us", "gso_" kb[i] "k_" mtu,
			"tcp_" kb[i] "k_" mtu, "less", "-", "-")
		what(quantity, "UDP with the work of RoCEv2", "us",
			"floor_" kb[i] "k_" mtu, "tcp_" kb[i] "k_" mtu, "less",
			"-", "-")
		what(quantity, "UCX tcp", "us", "ucx_" kb[i] "k_" mtu,
			"tcp_" kb[i] "k_" mtu, "less", "-", "-")
	}
	must = promised ? 1.5 : "-"
	quantity = "64 KB messages, interface MTU " mtu
	what(quantity, "uroce SEND", "GB/s", "send_rate_" mtu,
		"tcp_rate_" mtu, "more", must, "-")
	what(quantity, "uroce WRITE", "GB/s", "write_rate_" mtu,
		"tcp_rate_" mtu, "more", must, "-")
	what(quantity, "uroce READ", "GB/s", "read_rate_" mtu,
		"tcp_rate_" mtu, "more", must, "-")
	what(quantity, "UDP with the work of RoCEv2", "GB/s",
		"floor_rate_" mtu, "tcp_rate_" mtu, "more", "-", "-")
}

BEGIN {
	FS = OFS = "\t"
	what("8 B, one way", "uroce", "us", "send_8", "udp_8", "less", 1.3, 1.15)
	what("8 B, one way", "UDP, connected", "us", "connected_8", "udp_8",
		"less", "-", "-")
	what("8 B, one way", "TCP", "us", "tcp_8", "udp_8", "less", "-", "-")
	what("8 B, one way", "UCX tcp", "us", "ucx_8", "udp_8", "less", "-", "-")
	what("1 MB SEND, MTU 4096", "uroce", "GB/s", "send_4096", "udp_4096",
		"more", 0.60, 0.80)
	what("1 MB WRITE, MTU 4096", "uroce", "GB/s", "write_4096", "udp_4096",
		"more", 0.60, 0.80)
	what("1 MB WRITE to a sleeping process, MTU 4096", "uroce", "GB/s",
		"deaf_4096", "udp_4096", "more", "-", "-")
	what("1 MB READ, MTU 4096", "uroce", "GB/s", "read_4096", "udp_4096",
		"more", 0.60, "-")
	what("1 MB, MTU 9000", "TCP", "GB/s", "tcp_1m", "udp_4096", "more",
		"-", "-")
	what("1 MB, MTU 9000", "UCX tcp", "GB/s", "ucx_1m", "udp_4096", "more",
		"-", "-")
	what("1 MB SEND, MTU 1024", "uroce", "GB/s", "send_1024", "udp_1024",
		"more", 0.55, 0.75)
	what("1 MB WRITE, MTU 1024", "uroce", "GB/s", "write_1024", "udp_1024",
		"more", 0.55, 0.75)
	sizes(1500, 1)
	sizes(9000, 0)
	what("wake-ups of an idle process, 100 QPs", "uroce", "1/s",
		"idle_wakes", "-", "less", 0, "-")
	what("helper while the application polls", "uroce", "% of a core",
		"helper_poll", "-", "less", 1, "-")
	what("helper during a ping-pong", "uroce", "% of a core",
		"helper_trips", "-", "less", 1, "-")
	what("8 B, one way, 10000 QPs in turn", "uroce", "us", "many_all",
		"many_udp", "less", "-", "-")
	what("8 B, one way, 2 QPs in turn", "uroce", "us", "many_two",
		"many_udp", "less", "-", "-")
	what("8 B, one way, one of 10000 QPs and a single one", "uroce", "us",
		"many_one", "many_single", "less", 1.1, "-")
	what("memory of a QP, 10000 QPs", "uroce", "KB", "many_kb", "-", "less",
		"-", "-")
	what("connecting a QP, 10000 QPs", "uroce", "us", "many_setup_us", "-",
		"less", "-", "-")
	what("8 B, one way, 200 processes on an address", "uroce", "us",
		"processes_trip", "processes_udp", "less", "-", "-")
	what("memory of a process with a QP, 200 processes", "uroce", "KB",
		"processes_kb", "-", "less", "-", "-")
	what("start of 200 processes", "uroce", "ms", "processes_setup_ms", "-",
		"less", "-", "-")
}

{
	count[$1]++
	value[$1, count[$1]] = $3
}

function median(name, i, j, n, t, v) {
	n = count[name]
	for (i = 1; i <= n; i++)
		v[i] = value[name, i]
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) {
			t = v[j]
			v[j] = v[j - 1]
			v[j - 1] = t
		}
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}

function best(name, more, i, b) {
	b = value[name, 1]
	for (i = 2; i <= count[name]; i++)
		if (more ? value[name, i] + 0 > b + 0 : value[name, i] + 0 < b + 0)
			b = value[name, i]
	return b
}

# "must" applies to the ratio, or without a yardstick to the value.
function verdict(i, number) {
	if (musts[i] == "-")
		return "-"
	if (betters[i] == "more" ? number >= musts[i] : number <= musts[i])
		return "met"
	return "missed"
}

END {
	print "quantity", "who", "value", "unit", "yardstick", "ratio",
		"ratio_of_medians", "better", "must", "stretch", "path", "verdict"
	for (i = 1; i <= nr; i++) {
		if (!(names[i] in count))
			continue
		more = betters[i] == "more"
		ours = best(names[i], more)
		theirs = ratio = of_medians = "-"
		if (yardsticks[i] != "-") {
			theirs = best(yardsticks[i], more)
			ratio = ours / theirs
			of_medians = sprintf("%.3f", median(names[i]) / \
				median(yardsticks[i]))
		} else {
			ours = median(names[i])
		}
		verdict_of = verdict(i, ratio == "-" ? ours : ratio)
		if (ratio != "-") {
			ratio = sprintf("%.3f", ratio)
			theirs = sprintf("%.3f", theirs)
		}
		print quantities[i], whos[i], sprintf("%.3f", ours), units[i],
			theirs, ratio, of_medians, betters[i], musts[i],
			stretches[i], path, verdict_of
	}
}
