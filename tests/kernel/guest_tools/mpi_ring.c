/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mpi_ring - passes messages around a ring of MPI processes, short ones and one
 * that exceeds a packet, and checks the result. Prints the number of correct
 * rounds, and which libibverbs the first process has loaded. Compiled with
 * mpicc.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5, LONG = 20000 };

static void print_library(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512], *path;

	while (maps && fgets(line, sizeof(line), maps)) {
		path = strchr(line, '/');
		if (path && strstr(path, "/libibverbs.so")) {
			printf("libibverbs %s", path);
			break;
		}
	}
	if (maps)
		fclose(maps);
}

/*
 * Each process adds one to every number, so all numbers are equal at the end.
 */
static void pass_on(int *numbers, int count, int rank, int size)
{
	int i;

	MPI_Recv(numbers, count, MPI_INT, (rank + size - 1) % size, 0,
		 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (i = 0; i < count; i++)
		numbers[i]++;
	if (rank)
		MPI_Send(numbers, count, MPI_INT, (rank + 1) % size, 0,
			 MPI_COMM_WORLD);
}

static int went_round(int *numbers, int count, int rank, int size)
{
	int i, good = 1;

	memset(numbers, 0, count * sizeof(*numbers));
	if (!rank)
		MPI_Send(numbers, count, MPI_INT, 1 % size, 0, MPI_COMM_WORLD);
	pass_on(numbers, count, rank, size);
	for (i = 0; !rank && i < count; i++)
		good &= numbers[i] == size;
	return good;
}

int main(int argc, char **argv)
{
	int *numbers = calloc(LONG, sizeof(*numbers));
	int rank, size, round, good = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (round = 0; numbers && round < ROUNDS; round++)
		good += went_round(numbers, round < ROUNDS - 1 ? 1 : LONG, rank,
				   size);
	if (!rank) {
		print_library();
		printf("ring of %d went round %d times\n", size, good);
	}
	MPI_Finalize();
	free(numbers);
	return good == ROUNDS ? 0 : 1;
}
