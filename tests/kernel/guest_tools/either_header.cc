/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * either_header_cxx DEVICE GID_INDEX - the walk of either_header.h, as C++11,
 * and then code that only C++ allows: enums that are types of their own,
 * functions as template arguments, objects that end with their scope.
 */
#include "either_header.h"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

static_assert(std::is_enum<ibv_wc_status>::value, "an enum is a type");
static_assert(std::is_standard_layout<ibv_send_wr>::value, "as in C");
static_assert(!std::is_same<ibv_qp_type, ibv_mtu>::value, "of its own");

namespace
{

struct close_device {
	void operator()(ibv_context *context) const
	{
		ibv_close_device(context);
	}
};

/*
 * The names of inline functions and macros are functions when no call follows.
 */
bool functions_have_addresses()
{
	const std::function<int(ibv_cq *, int, ibv_wc *)> poll = ibv_poll_cq;
	const std::function<ibv_mr *(ibv_pd *, void *, size_t, int)> reg =
		ibv_reg_mr;

	return poll && reg;
}

void say_offsets()
{
	ibv_send_wr wr = ibv_send_wr();

	wr.imm_data = 9;
	std::printf("send request: %u %u %u, %u\n",
		    static_cast<unsigned>(offsetof(ibv_send_wr, imm_data)),
		    static_cast<unsigned>(offsetof(ibv_send_wr, wr.ud.ah)),
		    static_cast<unsigned>(sizeof(ibv_send_wr)),
		    wr.invalidate_rkey);
}

} // namespace

int main(int argc, char **argv)
{
	walk w = walk();

	if (argc != 3)
		return 2;
	(void)std::setvbuf(stdout, nullptr, _IOLBF, 0);
	w.gid_index = std::atoi(argv[2]);
	open_device(&w, argv[1]);
	if (w.ctx) {
		/* A second context, which closes at the end of the scope. */
		const std::unique_ptr<ibv_context, close_device> second(
			ibv_open_device(w.ctx->device));

		if (!second || !functions_have_addresses())
			w.failed++;
	}
	for (const walk_step run :
	     std::vector<walk_step>(walk_steps, walk_steps + NR_WALK_STEPS)) {
		if (!w.failed)
			run(&w);
	}
	say_offsets();
	return w.failed != 0;
}
