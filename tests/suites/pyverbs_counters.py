#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""pyverbs_counters.py DEVICE GID_INDEX

Counts messages with completion counters of pyverbs 65: a queue pair sends unsignaled messages to
itself. The suite of rdma-core has such a test for adapters of one vendor only. Exits with 1 if the
numbers are wrong.
"""

import sys
import time

from pyverbs.addr import AHAttr, GlobalRoute
from pyverbs.comp_cntr import CompCntr, CompCntrInitAttr
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.libibverbs_enums import ibv_mtu, ibv_qp_type, ibv_wr_opcode
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttachCompCntrAttr, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

MESSAGES = 5
BYTES = 100
LIMIT_S = 10
LOCAL_WRITE = 1
COUNT_SENDS = 1
COUNT_RECEIVES = 2
IN_BYTES = 1


def connect_to_itself(qp, ctx, gid_index):
    attr = QPAttr(port_num=1)
    qp.to_init(attr)
    attr.dest_qp_num = qp.qp_num
    attr.path_mtu = ibv_mtu.IBV_MTU_1024
    attr.min_rnr_timer = 1
    attr.timeout = 14
    attr.retry_cnt = 7
    attr.rnr_retry = 7
    route = GlobalRoute(dgid=ctx.query_gid(1, gid_index), sgid_index=gid_index)
    attr.ah_attr = AHAttr(port_num=1, is_global=1, gr=route)
    qp.to_rts(attr)


def main():
    ctx = Context(name=sys.argv[1])
    pd = PD(ctx)
    cq = CQ(ctx, 2 * MESSAGES)
    cap = QPCap(max_send_wr=MESSAGES, max_recv_wr=MESSAGES)
    qp = QP(pd, QPInitAttr(qp_type=ibv_qp_type.IBV_QPT_RC, scq=cq, rcq=cq, cap=cap), QPAttr())
    sends = CompCntr(ctx, CompCntrInitAttr())
    received = CompCntr(ctx, CompCntrInitAttr(cntr_type=IN_BYTES))
    qp.attach_comp_cntr(sends, QPAttachCompCntrAttr(op_mask=COUNT_SENDS))
    qp.attach_comp_cntr(received, QPAttachCompCntrAttr(op_mask=COUNT_RECEIVES))
    connect_to_itself(qp, ctx, int(sys.argv[2]))

    mr = MR(pd, BYTES, LOCAL_WRITE)
    sge = SGE(mr.buf, BYTES, mr.lkey)
    for _ in range(MESSAGES):
        qp.post_recv(RecvWR(sg=[sge], num_sge=1))
        qp.post_send(SendWR(opcode=ibv_wr_opcode.IBV_WR_SEND, sg=[sge], num_sge=1, send_flags=0))
    limit = time.monotonic() + LIMIT_S
    while ((sends.read(), received.read()) != (MESSAGES, MESSAGES * BYTES)
           and time.monotonic() < limit):
        pass
    found = (sends.read(), received.read(), sends.read_err(), received.read_err())
    qp.close()
    if found != (MESSAGES, MESSAGES * BYTES, 0, 0):
        sys.exit(f"sends, bytes received, failures: {found}")


main()
