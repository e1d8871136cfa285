/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Streams of long messages between the two ends of the program "rndv", which
 * the end that owns the target memory ends in the middle. As soon as the
 * application may reuse that memory, the program writes marks there; the marks
 * must still be there when the other end has stopped.
 */
#ifndef RNDV_BREAK_H
#define RNDV_BREAK_H

#include "rndv_end.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#define LINES	   4 /* messages in flight, each to one target line */
#define LINE	   ((size_t)1 << 20)
#define MARKED	   (2 * LINES) /* WRITEs after this number go to other lines */
#define SENT	   0x77	       /* content of the messages */
#define MARK	   0xee
#define MARK_EVERY 1024
#define MARK_BYTES 8
#define FRONT	   ((size_t)64 << 10)
#define UP_TO_US   900

/* The operation that writes to the memory of the end which ends the stream. */
enum stream { SENDS, WRITES, READS, NR_STREAMS };

enum way { BY_ERROR, BY_FAULT, BY_RESET, BY_DESTROY, BY_DEREG, NR_WAYS };

struct round {
	enum stream stream;
	enum way way;
	int side;     /* the end that ends the stream */
	bool sparse;  /* marks, or the whole line */
	bool stopped; /* the other end is stopped before that */
};

struct tally {
	int rounds;
	int partial; /* messages of which only a part arrived */
};

/* ---- marks ---- */

static inline unsigned char *line_of(const struct end *end, uint64_t nr)
{
	return end_in(end) + nr * LINE;
}

/*
 * Marks the latest data first: if more is being written there, it overwrites
 * marks.
 */
static inline void mark_front(unsigned char *line)
{
	size_t at = 0;

	while (at < LINE && line[at + MARK_EVERY / 2] == SENT)
		at += FRONT;
	at = at < LINE ? at + FRONT : LINE;
	for (size_t left = 4 * FRONT; at && left; left -= PAGE) {
		at -= PAGE;
		memset(line + at, MARK, MARK_BYTES);
	}
}

static inline void mark(const struct end *end, uint64_t nr, bool sparse)
{
	unsigned char *line = line_of(end, nr);

	if (sparse)
		mark_front(line);
	else
		memset(line, MARK, LINE);
	for (size_t at = 0; sparse && at < LINE; at += MARK_EVERY)
		memset(line + at, MARK, MARK_BYTES);
}

static inline void mark_lines(const struct end *end, uint64_t nr, bool sparse)
{
	while (nr--)
		mark(end, nr, sparse);
}

static inline bool is_marked(const struct end *end, uint64_t nr, bool sparse)
{
	const unsigned char *line = line_of(end, nr);

	for (size_t at = 0; at < LINE; at++) {
		if (sparse && at % MARK_EVERY == MARK_BYTES)
			at += MARK_EVERY - MARK_BYTES;
		if (at < LINE && line[at] != MARK) {
			fprintf(stderr, "line %llu, byte %zu: %02x\n",
				(unsigned long long)nr, at, line[at]);
			return false;
		}
	}
	return true;
}

static inline bool are_marked(const struct end *end, uint64_t nr, bool sparse)
{
	while (nr--)
		if (!is_marked(end, nr, sparse))
			return false;
	return true;
}

/* The data beside the marks shows which messages arrived. */
static inline int count_partial(const struct end *end)
{
	int partial = 0;

	for (uint64_t nr = 0; nr < LINES; nr++) {
		const unsigned char *line = line_of(end, nr);
		size_t there = 0;

		for (size_t at = MARK_EVERY / 2; at < LINE; at += MARK_EVERY)
			there += line[at] == SENT;
		partial += there && there < LINE / MARK_EVERY;
	}
	return partial;
}

/* ---- the end that ends the stream ---- */

/* A SIGSTOP to another process now, and a later SIGCONT. */
struct pause {
	pthread_t thread;
	pid_t pid;
	unsigned int ms;
};

static inline void *continue_process(void *arg)
{
	struct pause *pause = arg;

	usleep(pause->ms * 1000);
	NEED(kill(pause->pid, SIGCONT) == 0);
	return NULL;
}

static inline void pause_begin(struct pause *pause, pid_t pid, unsigned int ms)
{
	pause->pid = pid;
	pause->ms = ms;
	NEED(kill(pid, SIGSTOP) == 0);
	NEED(pthread_create(&pause->thread, NULL, continue_process, pause) ==
	     0);
}

static inline void pause_end(struct pause *pause)
{
	NEED(pthread_join(pause->thread, NULL) == 0);
}

static inline void post_line(const struct end *end, enum ibv_wr_opcode opcode,
			     uint64_t nr)
{
	const bool read = opcode == IBV_WR_RDMA_READ;
	struct peer_address other = end->other[0];
	unsigned char *local = read ? line_of(end, nr)
				    : end_out(end) + nr * LINE;

	other.addr += (read ? 0 : END_AREA) + nr * LINE;
	peer_request(end->qp[0], opcode, end->mr, nr, local, LINE, &other);
}

static inline void receive_lines(const struct end *end)
{
	for (uint64_t nr = 0; nr < LINES; nr++)
		peer_receive(end->qp[0], end->mr, nr, line_of(end, nr), LINE);
}

static inline void post_lines(const struct end *end, enum ibv_wr_opcode opcode,
			      uint64_t first)
{
	for (uint64_t nr = first; nr < first + LINES; nr++)
		post_line(end, opcode, nr);
}

/* The program owns completed lines. Return: their number. */
static inline int take_lines(const struct end *end, bool sparse)
{
	struct ibv_wc wc[LINES];
	int nr = ibv_poll_cq(end->cq, LINES, wc);

	NEED(nr >= 0);
	for (int i = 0; i < nr; i++)
		if (wc[i].wr_id < MARKED)
			mark(end, wc[i].wr_id, sparse);
	return nr;
}

static inline void take_rest(const struct end *end, bool sparse, int left)
{
	uint64_t until = peer_now_us() + LIMIT_US;

	while (left) {
		left -= take_lines(end, sparse);
		NEED(peer_now_us() < until);
	}
}

/* Deregistration waits for a process that was stopped while it copies. */
static inline void dereg(struct end *end)
{
	uint64_t until = peer_now_us() + LIMIT_US;
	int ret;

	do {
		ret = ibv_dereg_mr(end->mr);
	} while (ret == EBUSY && peer_now_us() < until);
	NEED(ret == 0);
	end->mr = NULL;
}

/* The queue pair goes to ERR because of a wrong key. */
static inline void cause_fault(const struct end *end)
{
	struct ibv_mr wrong = *end->mr;

	wrong.lkey += 1;
	peer_request(end->qp[0], IBV_WR_SEND, &wrong, MARKED, end_out(end), 8,
		     &end->other[0]);
}

/* @left: outstanding completions */
static inline void end_stream(struct end *end, const struct round *round,
			      int left)
{
	switch (round->way) {
	case BY_ERROR:
		end_modify(end, IBV_QPS_ERR);
		take_rest(end, round->sparse, left);
		break;
	case BY_FAULT:
		cause_fault(end);
		take_rest(end, round->sparse, left + 1);
		/* of a WRITE from the other side that was not a signal */
		if (round->stream == WRITES)
			end_modify(end, IBV_QPS_ERR);
		break;
	case BY_RESET:
		end_modify(end, IBV_QPS_RESET);
		break;
	case BY_DESTROY:
		NEED(ibv_destroy_qp(end->qp[0]) == 0);
		end->qp[0] = NULL;
		break;
	default:
		dereg(end);
	}
	/*
	 * the other operations complete without, or with unsignalled,
	 * completions
	 */
	if (round->stream == WRITES ||
	    (round->way != BY_ERROR && round->way != BY_FAULT))
		mark_lines(end, LINES, round->sparse);
}

/* Destroys the queue pair and its completions. */
static inline void end_again(struct end *end)
{
	end_disconnect(end);
	if (end->mr)
		return;
	end->mr = ibv_reg_mr(peer_pd, end->memory, 2 * END_AREA, PEER_ACCESS);
	NEED(end->mr);
}

static inline bool is_kept(const struct end *end, const struct round *round,
			   const char *when)
{
	static const char *const streams[] = { "SEND", "WRITE", "READ" };
	static const char *const ways[] = { "ERR", "wrong key", "RESET",
					    "destroyed", "deregistered" };

	if (are_marked(end, LINES, round->sparse))
		return true;
	fprintf(stderr, "%s: %s, %s\n", when, streams[round->stream],
		ways[round->way]);
	return false;
}

static inline void break_stream(struct end *end, const struct round *round,
				uint32_t after_us, struct tally *tally)
{
	struct pause pause;
	uint64_t until;
	int left;

	memset(end_in(end), 0, LINES * LINE);
	end_connect(end, 1, false);
	if (round->stream == SENDS)
		receive_lines(end);
	end_barrier(end);
	if (round->stream == READS)
		post_lines(end, IBV_WR_RDMA_READ, 0);
	left = round->stream == WRITES ? 0 : LINES;
	until = peer_now_us() + after_us;
	while (peer_now_us() < until)
		left -= take_lines(end, round->sparse);
	if (round->stopped)
		pause_begin(&pause, end->pid, 100);
	end_stream(end, round, left);
	NEED(is_kept(end, round, "at once"));
	end_signal(end);
	if (round->stopped)
		pause_end(&pause);
	end_barrier(end);
	NEED(is_kept(end, round, "later"));
	tally->rounds++;
	if (round->sparse)
		tally->partial += count_partial(end);
	end_again(end);
}

/* ---- the other end ---- */

static inline void check_status(enum ibv_wc_status status)
{
	NEED(status == IBV_WC_SUCCESS || status == IBV_WC_WR_FLUSH_ERR ||
	     status == IBV_WC_REM_ACCESS_ERR || status == IBV_WC_REM_OP_ERR ||
	     status == IBV_WC_RETRY_EXC_ERR);
}

/* A receiver of SENDs has no other completions. */
static inline int take_sent(const struct end *end, bool again)
{
	struct ibv_wc wc;
	int nr = ibv_poll_cq(end->cq, 1, &wc);

	NEED(nr >= 0);
	if (!nr)
		return 0;
	check_status(wc.status);
	if (wc.status != IBV_WC_SUCCESS || !again)
		return 1;
	post_line(end, IBV_WR_RDMA_WRITE, wc.wr_id);
	return 0;
}

/* Sends until the other end signals the end. */
static inline void keep_sending(struct end *end, enum stream stream)
{
	uint64_t until = peer_now_us() + LIMIT_US;
	int left = stream == READS ? 0 : LINES;

	memset(end_out(end), SENT, MARKED * LINE);
	end_connect(end, 1, false);
	end_barrier(end);
	if (left)
		post_lines(end,
			   stream == SENDS ? IBV_WR_SEND : IBV_WR_RDMA_WRITE,
			   0);
	while (!end_signalled(end))
		left -= take_sent(end, stream == WRITES);
	end_wait_signal(end);
	end_modify(end, IBV_QPS_ERR);
	while (left && peer_now_us() < until)
		left -= take_sent(end, false);
	NEED(!left);
	end_barrier(end);
	end_again(end);
}

/* ---- all rounds ---- */

static inline void run_rounds(struct end *end, int nr, bool stopped)
{
	struct tally tally = {};

	for (int i = 0; i < nr; i++) {
		const uint32_t after_us = end_random(end, UP_TO_US);
		const struct round round = {
			.stream = (enum stream)(i % NR_STREAMS),
			.way = (enum way)(i / NR_STREAMS % NR_WAYS),
			.sparse = end_random(end, 4),
			.side = stopped ? 0 : (int)end_random(end, 2),
			.stopped = stopped,
		};

		if (round.side == end->side)
			break_stream(end, &round, after_us, &tally);
		else
			keep_sending(end, round.stream);
	}
	if (end->side == 0)
		printf("%s: %d rounds ended here, %d partial messages\n",
		       stopped ? "stopped" : "ended", tally.rounds,
		       tally.partial);
	NEED(!tally.rounds || tally.partial);
}

/* A WRITE to a dead process may fail only after a moment. */
static inline void await_error(const struct end *end, int left)
{
	uint64_t until = peer_now_us() + LIMIT_US;
	struct ibv_wc wc;

	post_line(end, IBV_WR_RDMA_WRITE, MARKED);
	for (left++; left && peer_now_us() < until;) {
		if (!ibv_poll_cq(end->cq, 1, &wc))
			continue;
		left--;
		if (wc.wr_id < MARKED) {
			mark(end, wc.wr_id, true);
		} else if (wc.status == IBV_WC_SUCCESS) {
			post_line(end, IBV_WR_RDMA_WRITE, wc.wr_id);
			left++;
		}
	}
	NEED(!left);
}

/* The other process is killed; after that it must not write any more. */
static inline void kill_other(struct end *end, bool at_once)
{
	uint64_t until;
	int left = 3 * LINES;

	memset(end_in(end), 0, MARKED * LINE);
	end->timeout = 14; /* 67 ms */
	end_connect(end, 1, false);
	receive_lines(end);
	end_barrier(end);
	post_lines(end, IBV_WR_RDMA_READ, LINES);
	post_lines(end, IBV_WR_RDMA_WRITE, MARKED);
	until = peer_now_us() + end_random(end, 2 * UP_TO_US);
	while (peer_now_us() < until)
		left -= take_lines(end, true);
	NEED(kill(end->pid, SIGKILL) == 0);
	if (at_once) {
		end_modify(end, IBV_QPS_ERR);
		take_rest(end, true, left);
	} else {
		await_error(end, left);
	}
	NEED(waitpid(end->pid, NULL, 0) == end->pid);
	NEED(are_marked(end, MARKED, true));
	close(end->fd);
	end_again(end);
}

#endif
