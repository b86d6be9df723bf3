/*
 * Three programs that a claimed processor is judged by.
 *
 *   periodic job OUT SECONDS CLASS   0.5 ms of work in every 2.667 ms; CLASS is fifo, deadline or none.
 *   periodic watch OUT SECONDS       sleeps for 1 ms at a time, above all other real-time threads.
 *   periodic spin OUT SECONDS        reads the clock all the time, as a real-time thread.
 *
 * OUT gets a line for each job that missed its deadline (release and end), for each sleep that ended 1 ms late
 * (due and end), or for each two looks at the clock that are 0.5 ms apart or more, in nanoseconds of CLOCK_MONOTONIC; its
 * last line is how many there were in all.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PERIOD 2667000LL
#define WORK 500000LL
#define PAUSE 1000000LL
#define LATE 1000000LL
#define GAP 500000LL

struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static int64_t now(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void sleep_until(int64_t at)
{
	struct timespec time = {at / 1000000000, at % 1000000000};
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, 0);
}

static void become(const char *class)
{
	struct attributes wanted = {.size = sizeof wanted};

	if (!strcmp(class, "fifo")) {
		wanted.policy = SCHED_FIFO;
		wanted.priority = 60;
	} else if (!strcmp(class, "watch")) {
		wanted.policy = SCHED_FIFO;
		wanted.priority = 99;
	} else if (!strcmp(class, "deadline")) {
		wanted.policy = 6;
		wanted.runtime = 1000000;
		wanted.deadline = wanted.period = PERIOD;
	} else {
		return;
	}
	if (syscall(SYS_sched_setattr, 0, &wanted, 0)) {
		perror(class);
		exit(2);
	}
}

/* How often it looked; longer gaps between two looks are written. */
static long long spin(FILE *out, int64_t length)
{
	int64_t before = now(CLOCK_MONOTONIC), end = before + length;
	long long looks = 0;

	for (; before < end; looks++) {
		int64_t at = now(CLOCK_MONOTONIC);
		if (at - before >= GAP)
			fprintf(out, "%lld %lld\n", (long long)before, (long long)at);
		before = at;
	}
	return looks;
}

int main(int count, char **words)
{
	int spins = count == 4 && !strcmp(words[1], "spin");
	int watch = count == 4 && !strcmp(words[1], "watch");
	if (!watch && !spins && count != 5)
		return 2;
	int64_t period = watch ? PAUSE : PERIOD, limit = watch ? LATE : PERIOD;
	FILE *out = fopen(words[2], "w");
	if (!out)
		return 2;
	mlockall(MCL_CURRENT | MCL_FUTURE);
	become(watch ? "watch" : spins ? "fifo" : words[4]);
	if (spins) {
		fprintf(out, "%lld\n", spin(out, atoll(words[3]) * 1000000000LL));
		return fclose(out) ? 2 : 0;
	}
	int64_t due = now(CLOCK_MONOTONIC) + period, end = due + atoll(words[3]) * 1000000000LL;
	long long jobs = 0;
	for (; due < end; due += period, jobs++) {
		sleep_until(due);
		int64_t until = watch ? 0 : now(CLOCK_THREAD_CPUTIME_ID) + WORK;
		while (!watch && now(CLOCK_THREAD_CPUTIME_ID) < until)
			;
		int64_t ended = now(CLOCK_MONOTONIC);
		if (ended - due <= limit)
			continue;
		fprintf(out, "%lld %lld\n", (long long)due, (long long)ended);
		/* A job whose whole period has passed meanwhile is missed, too. */
		while (due + 2 * period < ended) {
			due += period;
			jobs++;
			if (!watch)
				fprintf(out, "%lld %lld\n", (long long)due, (long long)ended);
		}
	}
	fprintf(out, "%lld\n", jobs);
	return fclose(out) ? 2 : 0;
}
