/* Threads that compute for 2 to 3 ms and then sleep, for ever: how many, and for how long they sleep (us). */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static struct timespec rest;

static long long used(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void *bursts(void *number)
{
	long long burst = 2000000 + 73000 * (long long)(intptr_t)number;

	for (;;) {
		long long until = used() + burst;
		while (used() < until)
			for (volatile int step = 0; step < 10000; step++)
				;
		nanosleep(&rest, NULL);
	}
	return NULL;
}

int main(int count, char **words)
{
	pthread_t thread;

	if (count != 3)
		return 1;
	rest.tv_nsec = atol(words[2]) * 1000;
	for (intptr_t number = 1; number < atol(words[1]); number++)
		if (pthread_create(&thread, NULL, bursts, (void *)number))
			return 1;
	bursts(NULL);
}
