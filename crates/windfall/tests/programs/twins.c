/* Two threads of one name: 2 ms of work in every 10 ms, and 3 ms in every 25 ms, for 1.5 s or as many as are asked for. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static long long length = 1500000000LL;

static long long now(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void beat(long long period, long long work)
{
	long long begun = now(CLOCK_MONOTONIC), next = begun;

	pthread_setname_np(pthread_self(), "twin");
	while (next - begun < length) {
		long long until = now(CLOCK_THREAD_CPUTIME_ID) + work;
		while (now(CLOCK_THREAD_CPUTIME_ID) < until)
			;
		next += period;
		struct timespec time = {next / 1000000000, next % 1000000000};
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, 0);
	}
}

static void *fast(void *nothing)
{
	beat(10000000, 2000000);
	return nothing;
}

static void *slow(void *nothing)
{
	beat(25000000, 3000000);
	return nothing;
}

int main(int count, char **words)
{
	pthread_t threads[2];
	if (count > 1)
		length = atoll(words[1]) * 1000000000LL;
	pthread_create(&threads[0], 0, fast, 0);
	pthread_create(&threads[1], 0, slow, 0);
	pthread_join(threads[0], 0);
	pthread_join(threads[1], 0);
	return 0;
}
