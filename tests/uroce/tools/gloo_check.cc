/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gloo_check RANK SIZE FOLDER DEVICE GID_INDEX - gloo's collectives over its
 * ibverbs transport; the processes find each other through files in FOLDER.
 * All results are checked. Prints how many collectives were right.
 */
#include <gloo/allgather_ring.h>
#include <gloo/allreduce_bcube.h>
#include <gloo/allreduce_halving_doubling.h>
#include <gloo/allreduce_ring.h>
#include <gloo/allreduce_ring_chunked.h>
#include <gloo/broadcast_one_to_all.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/ibverbs/device.h>

#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

using Values = std::vector<double>;

static std::shared_ptr<gloo::rendezvous::Context> context;
static int checks, right;

static void check(const char *what, size_t count, bool good)
{
	checks++;
	right += good;
	if (!good)
		printf("process %d: wrong: %s of %zu\n", context->rank, what,
		       count);
}

/*
 * gloo's algorithms must not be destroyed before all their sends have
 * completed, and some return earlier. Completions arrive in order, so the
 * completion of one more send to each process covers them. The messages from
 * all processes also keep a round from starting while another process is still
 * in the last one, which AllreduceBcube does not permit.
 */
class Flush
{
      public:
	Flush()
	{
		int slot = context->nextSlot();

		for (int rank = 0; rank < context->size; rank++) {
			if (rank == context->rank)
				continue;
			auto &pair = context->getPair(rank);
			sends.push_back(pair->createSendBuffer(slot, &from, 1));
			receives.push_back(
				pair->createRecvBuffer(slot, &to, 1));
		}
	}

	void run()
	{
		for (auto &buffer : sends)
			buffer->send();
		for (auto &buffer : receives)
			buffer->waitRecv();
		for (auto &buffer : sends)
			buffer->waitSend();
	}

      private:
	using Buffers = std::vector<std::unique_ptr<gloo::transport::Buffer>>;

	Buffers sends, receives;
	char from = 1, to = 0;
};

static std::unique_ptr<Flush> flush;

/* Writes in place: the algorithms know the address. */
static void set_values(Values &values, int rank)
{
	for (size_t i = 0; i < values.size(); i++)
		values[i] = rank * 1000.0 + i;
}

static Values values_of(int rank, size_t count)
{
	Values values(count);

	set_values(values, rank);
	return values;
}

template <typename Allreduce>
static void check_allreduce(const char *what, size_t count)
{
	Values values(count);
	Allreduce algorithm(context, { values.data() }, count);

	for (int round = 0; round < 5; round++) {
		bool good = true;

		set_values(values, context->rank);
		algorithm.run();
		for (size_t i = 0; i < count; i++)
			good &= values[i] ==
				1000.0 * context->size * (context->size - 1) /
						2 +
					static_cast<double>(i) * context->size;
		check(what, count, good);
		flush->run();
	}
}

static void check_broadcast(size_t count, int root)
{
	Values values(count);
	gloo::BroadcastOneToAll<double> algorithm(context, { values.data() },
						  count, root);

	if (context->rank == root)
		set_values(values, root);
	algorithm.run();
	flush->run();
	check("broadcast", count, values == values_of(root, count));
}

static void check_allgather(size_t count)
{
	Values values = values_of(context->rank, count),
	       all(count * context->size);
	gloo::AllgatherRing<double> algorithm(context, { values.data() },
					      all.data(), count);

	algorithm.run();
	flush->run();
	for (int rank = 0; rank < context->size; rank++)
		check("allgather", count,
		      Values(all.begin() + rank * count,
			     all.begin() + (rank + 1) * count) ==
			      values_of(rank, count));
}

/* Waits until every process has finished. */
static void meet(gloo::rendezvous::Store &store)
{
	std::vector<std::string> keys;

	for (int rank = 0; rank < context->size; rank++)
		keys.push_back("finished/" + std::to_string(rank));
	store.set(keys[context->rank], { 1 });
	store.wait(keys, std::chrono::minutes(2));
}

int main(int argc, char **argv)
{
	if (argc != 6)
		return 2;
	/*
	 * gloo registers bytes behind its buffers. All buffers are in the heap,
	 * whose end is mapped.
	 */
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TOP_PAD, 64 << 20);
	gloo::transport::ibverbs::attr attr = { argv[4], 1, atoi(argv[5]) };
	auto device = gloo::transport::ibverbs::CreateDevice(attr);
	gloo::rendezvous::FileStore store(argv[3]);

	context = std::make_shared<gloo::rendezvous::Context>(atoi(argv[1]),
							      atoi(argv[2]));
	context->connectFullMesh(store, device);
	flush.reset(new Flush);
	for (size_t count : { 1, 100, 10000, 300000 }) {
		check_allreduce<gloo::AllreduceRing<double>>("ring", count);
		check_allreduce<gloo::AllreduceRingChunked<double>>(
			"ring in chunks", count);
		check_allreduce<gloo::AllreduceHalvingDoubling<double>>(
			"halving and doubling", count);
		/* It sums in place while it sends: wrong with fewer values. */
		if (count >= static_cast<size_t>(context->size))
			check_allreduce<gloo::AllreduceBcube<double>>("bcube",
								      count);
		for (int root = 0; root < context->size; root++)
			check_broadcast(count, root);
		check_allgather(count);
	}
	printf("process %d of %d: %d of %d right\n", context->rank,
	       context->size, right, checks);
	fflush(stdout);
	meet(store);
	/*
	 * gloo's thread still uses a queue pair after it has reported its last
	 * completion, so the queue pairs cannot be destroyed safely.
	 */
	_exit(right != checks);
}
