/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mpi_sum - MPI_Allreduce and MPI_Alltoall over vectors from one number to
 * many; all results are checked. Each process prints how many rounds were
 * right. Compiled with mpicc.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONGEST = 1 << 18 };

static int allreduce_is_right(double *mine, double *sum, int count, int rank,
			      int size)
{
	for (int i = 0; i < count; i++)
		mine[i] = i + rank;
	MPI_Allreduce(mine, sum, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	for (int i = 0; i < count; i++)
		if (sum[i] != (double)i * size + size * (size - 1) / 2.0)
			return 0;
	return 1;
}

static int alltoall_is_right(double *from, double *to, int count, int rank,
			     int size)
{
	int each = count / size;

	for (int i = 0; i < each * size; i++)
		from[i] = rank * 1000.0 + i / (each ? each : 1);
	MPI_Alltoall(from, each, MPI_DOUBLE, to, each, MPI_DOUBLE,
		     MPI_COMM_WORLD);
	for (int i = 0; i < each * size; i++)
		if (to[i] != i / each * 1000.0 + rank)
			return 0;
	return 1;
}

int main(int argc, char **argv)
{
	double *a = calloc(LONGEST, sizeof(*a));
	double *b = calloc(LONGEST, sizeof(*b));
	int rank, size, rounds = 0, good = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int count = 1; a && b && count <= LONGEST; count *= 8) {
		rounds += 2;
		good += allreduce_is_right(a, b, count, rank, size);
		good += alltoall_is_right(a, b, count, rank, size);
	}
	printf("process %d of %d: %d of %d rounds right\n", rank, size, good,
	       rounds);
	MPI_Finalize();
	free(a);
	free(b);
	return rounds && good == rounds ? 0 : 1;
}
