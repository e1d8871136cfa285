#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Does gen_layout_test.py detect changes?

Each test changes one row of a copy of the tables and expects the generator,
or the compiler given as the first argument, to refuse it.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TABLES = ("struct-layouts.tsv", "enums.tsv", "symbols.tsv",
          "deferred-rows.txt", "own-names.tsv")
COMPILER = "cc"


class GeneratorTest(unittest.TestCase):
    """The generator and the compiler on changed tables."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.tables = pathlib.Path(self.folder.name)
        for name in TABLES:
            shutil.copy(HERE / name, self.tables)

    def change(self, table, old, new):
        """Replace text that must occur in a table."""
        path = self.tables / table
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))

    def generate(self):
        """Run the generator."""
        return subprocess.run(
            [sys.executable, "-B", HERE / "gen_layout_test.py",
             "--tables", self.tables,
             "--deferred", self.tables / "deferred-rows.txt",
             "--own-names", self.tables / "own-names.tsv",
             "--c", self.tables / "layout.c"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            check=False)

    def refused_by_generator(self, what):
        """The generator fails with a message."""
        result = self.generate()
        self.assertEqual(result.returncode, 1)
        self.assertIn(what, result.stderr)

    def refused_by_compiler(self, what):
        """The generated file has an assertion that fails."""
        self.assertEqual(self.generate().returncode, 0)
        result = subprocess.run(
            [COMPILER, "-std=gnu11", "-fsyntax-only", "-w",
             f"-I{ROOT / 'include'}", f"-I{ROOT / 'libibverbs'}",
             self.tables / "layout.c"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            check=False)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(what, result.stderr)

    def test_unknown_deferred_row(self):
        """A reason for a row that does not exist is stale."""
        with open(self.tables / "deferred-rows.txt", "a") as file:
            file.write("enums A IBV_NO_SUCH_NAME because\n")
        self.refused_by_generator("matches no row: enums A IBV_NO_SUCH_NAME")

    def test_deferred_row_without_reason(self):
        """A row is not deferred for no reason."""
        with open(self.tables / "deferred-rows.txt", "a") as file:
            file.write("enums A IBV_MTU_256\n")
        self.refused_by_generator("four fields expected")

    def test_unknown_own_name(self):
        """A name of ours for a constant that no table has."""
        with open(self.tables / "own-names.tsv", "a") as file:
            file.write("NO_SUCH_NAME\tVERBS_QP_MASK_EX\n")
        self.refused_by_generator("matches no row: NO_SUCH_NAME")

    def test_own_name(self):
        """A private constant that has another value in our tree."""
        self.change("own-names.tsv", "VERBS_QP_EX\tVERBS_QP_MASK_EX",
                    "VERBS_QP_EX\tVERBS_QP_MASK_XRCD")
        self.refused_by_compiler("VERBS_QP_EX")

    def test_member_of_the_first_release(self):
        """A member of an object of libibverbs 1.0."""
        self.change("struct-layouts.tsv", "ibv_device_1_0\treal_device\t16",
                    "ibv_device_1_0\treal_device\t8")
        self.refused_by_generator("struct ibv_device_1_0: real_device is at")

    def test_short_row(self):
        """A row with too many columns is an error."""
        self.change("symbols.tsv", "IBVERBS_1.5\t@@\t", "IBVERBS_1.5\t")
        self.refused_by_generator("cannot read")

    def test_macro_without_definition(self):
        """A function-like macro that no header has."""
        self.change("enums.tsv", "vext_field_avail(", "vext_field_missing(")
        self.refused_by_generator("no macro vext_field_missing()")

    def test_macro_with_other_parameters(self):
        """A function-like macro that takes other arguments."""
        self.change("enums.tsv", "vext_field_avail(type, fld, sz)",
                    "vext_field_avail(type, fld)")
        self.refused_by_generator("has other parameters")

    def test_offset(self):
        """A row that contradicts itself."""
        self.change("struct-layouts.tsv", "ibv_port_attr\tlid\t34\t2",
                    "ibv_port_attr\tlid\t36\t2")
        self.refused_by_generator("struct ibv_port_attr: lid is at 34")

    def test_members_that_changed_places(self):
        """A consistent table of another header."""
        for old, new in (("lid\t34", "other\t34"), ("sm_lid\t36", "lid\t36"),
                         ("other\t34", "sm_lid\t34")):
            self.change("struct-layouts.tsv", "ibv_port_attr\t" + old,
                        "ibv_port_attr\t" + new)
        self.refused_by_compiler("struct ibv_port_attr: lid")

    def test_size_of_unnamed_member(self):
        """An unnamed union that grew."""
        self.change("struct-layouts.tsv", "ibv_wc\t<anon union>\t24\t4",
                    "ibv_wc\t<anon union>\t24\t3")
        self.refused_by_generator("struct ibv_wc: <anon union> is at 24")

    def test_unknown_type(self):
        """A member of a type of unknown size."""
        self.change("struct-layouts.tsv", "ibv_sge\tlkey\t12\t4\tuint32_t",
                    "ibv_sge\tlkey\t12\t4\tlkey_t")
        self.refused_by_generator("the size of lkey_t is not known")

    def test_type(self):
        """A member of another type, but of the same size."""
        self.change("struct-layouts.tsv", "ibv_sge\tlkey\t12\t4\tuint32_t",
                    "ibv_sge\tlkey\t12\t4\tint32_t")
        self.refused_by_compiler("struct ibv_sge: lkey")

    def test_constant(self):
        """A constant of another value."""
        self.change("enums.tsv", "IBV_MTU_4096\t5", "IBV_MTU_4096\t6")
        self.refused_by_compiler("IBV_MTU_4096")

    def test_newer_constant(self):
        """A kernel constant that only uapi_newer.h has."""
        self.change("enums.tsv", "UVERBS_OBJECT_DMAH\t17",
                    "UVERBS_OBJECT_DMAH\t18")
        self.refused_by_compiler("UVERBS_OBJECT_DMAH")

    def test_prototype(self):
        """An exported function with another argument."""
        self.change("symbols.tsv", "struct ibv_pd * ibv_alloc_pd("
                    "struct ibv_context * context)",
                    "struct ibv_pd * ibv_alloc_pd(struct ibv_pd * context)")
        self.refused_by_compiler("ibv_alloc_pd")


class RdmacmTest(unittest.TestCase):
    """The generator on changed tables of librdmacm."""

    def compile(self, table, old, new):
        """Diagnostics of the compiler if text of a table is another."""
        with tempfile.TemporaryDirectory() as folder:
            tables = pathlib.Path(folder)
            for name in TABLES:
                shutil.copy(HERE / "rdmacm" / name, tables)
            text = (tables / table).read_text()
            self.assertIn(old, text)
            (tables / table).write_text(text.replace(old, new, 1))
            subprocess.run(
                [sys.executable, "-B", HERE / "gen_layout_test.py",
                 "--tables", tables, "--types", HERE / "struct-layouts.tsv",
                 "--deferred", tables / "deferred-rows.txt",
                 "--own-names", tables / "own-names.tsv",
                 "--include", "rdma/rdma_cma.h",
                 "--include", "rdma/rdma_verbs.h",
                 "--include", "rdma/rsocket.h",
                 "--include", "rdma/rdma_cma_abi.h",
                 "--include", "infiniband/ib.h", "--c", tables / "layout.c"],
                stdout=subprocess.PIPE, check=True)
            return subprocess.run(
                [COMPILER, "-std=gnu11", "-fsyntax-only", "-w",
                 f"-I{ROOT / 'include'}", tables / "layout.c"],
                stderr=subprocess.PIPE, text=True, check=False).stderr

    def test_rdmacm_unchanged(self):
        """The tables as they are."""
        self.assertEqual(self.compile("enums.tsv", "", ""), "")

    def test_rdmacm_constant(self):
        """A constant of another value."""
        self.assertIn("RDMA_PS_UDP", self.compile(
            "enums.tsv", "RDMA_PS_UDP\t273", "RDMA_PS_UDP\t274"))

    def test_rdmacm_type(self):
        """A member of another type, but of the same size."""
        self.assertIn("struct rdma_cm_id: context", self.compile(
            "struct-layouts.tsv", "rdma_cm_id\tcontext\t16\t8\tvoid *",
            "rdma_cm_id\tcontext\t16\t8\tconst void *"))

    def test_rdmacm_prototype(self):
        """An exported function with another argument."""
        self.assertIn("rdma_listen", self.compile(
            "symbols.tsv", "rdma_listen(struct rdma_cm_id *id, int",
            "rdma_listen(struct rdma_cm_id *id, long"))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        COMPILER = sys.argv.pop(1)
    unittest.main()
