/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_doctor(1): diagnoses why RDMA devices are missing or unusable, and prints
 * the commands that fix it. This file parses the options, runs doctor_examine()
 * in a child process, and prints the report.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include "tools/doctor/doctor_report.h"
#include "tools/observed_run.h"

/* Default of -m: memory to register in the test of each device. */
#define DEFAULT_MEMORY (1024ul * 1024)

static const char help[] =
	"Usage: ibv_doctor [OPTION]... [--run PROGRAM [ARGUMENT]...]\n"
	"Diagnose why RDMA devices are missing or unusable, and print fixes.\n"
	"\n"
	"  -d, --ib-dev=DEVICE  check only this device\n"
	"  -i, --ib-port=PORT   check only this port\n"
	"  -m, --memory=SIZE    memory that the program will register: 64k, "
	"1M, "
	"2G\n"
	"                       (default 1M)\n"
	"  -j, --json           print the report as JSON\n"
	"  -q, --quiet          print nothing, only set the exit status\n"
	"  -l, --list           list all kinds of findings\n"
	"  -r, --run            run PROGRAM, and report which of its verbs "
	"calls and\n"
	"                       requests fail or break a rule\n"
	"  -h, --help           print this help\n"
	"\n"
	"Exit status: 0 if a device is usable, 1 if no device is usable, 2 if "
	"a\n"
	"device is usable but there are errors or warnings, 64 for invalid "
	"options.\n";

enum output { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_NONE };

static _Noreturn void doctor_usage_error(const char *reason, const char *what)
{
	(void)fprintf(stderr,
		      "ibv_doctor: %s: %s\n"
		      "Try ibv_doctor --help.\n",
		      reason, what);
	exit(EX_USAGE);
}

/* "4096", "64k", "2G" */
static bool doctor_parse_size(const char *text, unsigned long *ret_size)
{
	static const char units[] = "kMG";
	unsigned long size;
	const char *unit;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	size = strtoul(text, &end, 10);
	if (errno)
		return false;
	if (*end) {
		unit = strchr(units, *end);
		if (!unit || end[1] != '\0')
			return false;
		for (; unit >= units; unit--)
			if (__builtin_mul_overflow(size, 1024ul, &size))
				return false;
	}
	/* The checks add to this value without overflow checks. */
	if (size == 0 || size > LONG_MAX)
		return false;
	*ret_size = size;
	return true;
}

static bool doctor_parse_port(const char *text, unsigned int *ret_port)
{
	unsigned long port;

	if (!doctor_parse_size(text, &port) || port > 255)
		return false;
	*ret_port = (unsigned int)port;
	return true;
}

static void doctor_list_findings(void)
{
	for (size_t i = 0; i < DOCTOR_NR_IDS; i++)
		(void)printf("%-24s %-8s %s\n", doctor_kinds[i].id,
			     doctor_severity_name(doctor_kinds[i].severity),
			     doctor_kinds[i].summary);
}

/* @ret_program: receives the program of option --run, or NULL. */
static enum output doctor_parse_options(struct doctor *doctor, int argc,
					char **argv, char ***ret_program)
{
	static const struct option options[] = {
		{ "ib-dev", required_argument, NULL, 'd' },
		{ "ib-port", required_argument, NULL, 'i' },
		{ "memory", required_argument, NULL, 'm' },
		{ "json", no_argument, NULL, 'j' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "list", no_argument, NULL, 'l' },
		{ "run", no_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	enum output output = OUTPUT_TEXT;
	bool runs = false;
	int option;

	while ((option = getopt_long(argc, argv, "+d:i:m:jqlrh", options,
				     NULL)) != -1) {
		switch (option) {
		case 'd':
			doctor->only_device = optarg;
			break;
		case 'i':
			if (!doctor_parse_port(optarg, &doctor->only_port))
				doctor_usage_error("invalid port, use 1 to 255",
						   optarg);
			break;
		case 'm':
			if (!doctor_parse_size(optarg, &doctor->memory))
				doctor_usage_error("invalid memory size, use "
						   "for example 64k, 1M or 2G",
						   optarg);
			break;
		case 'j':
			output = OUTPUT_JSON;
			break;
		case 'q':
			output = OUTPUT_NONE;
			break;
		case 'r':
			runs = true;
			break;
		case 'l':
			doctor_list_findings();
			exit(fflush(stdout) ? EX_IOERR : 0);
		case 'h':
			(void)fputs(help, stdout);
			exit(fflush(stdout) ? EX_IOERR : 0);
		default: /* getopt_long() has printed the reason */
			exit(EX_USAGE);
		}
	}
	if (runs && optind == argc)
		doctor_usage_error("option --run needs a program", "--run");
	if (!runs && optind < argc)
		doctor_usage_error("unexpected argument", argv[optind]);
	*ret_program = runs ? argv + optind : NULL;
	return output;
}

/* Returns the exit status of the program. */
static int doctor_examine_and_report(struct doctor *doctor, enum output output)
{
	enum doctor_status status;
	int ret = 0;

	doctor_examine(doctor);
	if (output == OUTPUT_TEXT)
		doctor_print_text(doctor, stdout);
	else if (output == OUTPUT_JSON)
		ret = doctor_print_json(doctor, stdout);
	status = doctor_status(doctor);
	doctor_free(doctor);
	if (ret || fflush(stdout) || ferror(stdout)) {
		(void)fprintf(stderr,
			      "ibv_doctor: cannot write the report: %s\n",
			      strerror(errno));
		return EX_IOERR;
	}
	return (int)status;
}

static bool doctor_signal_is_crash(int signal_number)
{
	return signal_number == SIGSEGV || signal_number == SIGBUS ||
	       signal_number == SIGABRT || signal_number == SIGILL ||
	       signal_number == SIGFPE;
}

/*
 * Runs the diagnosis in a child process, because the library or a provider may
 * crash. After a crash, nothing has been printed; the parent then reports the
 * crash.
 *
 * Returns whether the child completed, and its exit status.
 */
static bool doctor_examine_in_child(struct doctor *doctor, enum output output,
				    int *ret_status)
{
	const struct rlimit no_core = {};
	int status;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		return false; /* run in this process instead */
	if (pid == 0) {
		/* suppress the core file of a crash */
		(void)setrlimit(RLIMIT_CORE, &no_core);
		exit(doctor_examine_and_report(doctor, output));
	}
	if (run_wait(pid, &status) != 0)
		return false;
	if (WIFEXITED(status)) {
		*ret_status = WEXITSTATUS(status);
		return true;
	}
	doctor->library.crash_signal = WTERMSIG(status);
	/* another signal ends the parent as well */
	if (!doctor_signal_is_crash(doctor->library.crash_signal))
		(void)raise(doctor->library.crash_signal);
	return false;
}

int main(int argc, char **argv)
{
	struct doctor doctor = { .memory = DEFAULT_MEMORY };
	struct doctor_run run = {};
	enum output output;
	char **program;
	int status, ret;

	output = doctor_parse_options(&doctor, argc, argv, &program);
	if (program) {
		run.output_to_errors = output == OUTPUT_JSON;
		ret = doctor_run(&run, program);
		if (ret) {
			(void)fprintf(stderr, "ibv_doctor: cannot run %s: %s\n",
				      program[0], strerror(-ret));
			return EX_OSERR;
		}
		doctor.run = &run;
	}
	doctor_system_init(&doctor.system);
	if (!doctor_examine_in_child(&doctor, output, &status))
		status = doctor_examine_and_report(&doctor, output);
	if (program)
		doctor_run_free(&run);
	return status;
}
