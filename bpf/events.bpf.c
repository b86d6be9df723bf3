/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What happens to supervised threads, written to one ring as the kernel passes its tracepoints.
 *
 * Interrupts are not told one by one: each processor counts the time that they have taken, and what of it
 * softirqs have, and for how long it stood still, and every event says what the counts were; long ones are told besides.
 * What interrupts another interrupt is part of that. The reader is woken by wake-ups of threads that know nothing of us and by
 * nothing else; it looks often enough for the rest.
 *
 * Read by crates/linux/src/rings/bpf.rs; made anew by `cargo xtask bpf`. */
#include "told.h"

/* Kernel priorities, which count downwards: ours are from `top` to `bottom`. */
const volatile s32 top, bottom, granted, held;

static int ours(s32 prio)
{
	return prio >= top && prio <= bottom;
}

SEC("tp_btf/sched_switch") int on_switch(u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	u32 number;
	struct cpu *cpu;

	cpu = this_cpu(&number);
	if (!cpu || !cpu->watched)
		return 0;
	cpu->runs = next->pid;
	if (ours(prev->prio) || ours(next->prio))
		tell(number, cpu, SWITCH, reported(ctx[0], prev, ctx[3]), prev->pid, next->pid,
		     BPF_RB_NO_WAKEUP);
	return 0;
}

/* By whoever runs here; by nobody in an interrupt. Where the thread will run here, too, that may be somebody whom the
 * waker's processor has interrupted to have it done: the reader knows when (`wakers.rs`). */
static __attribute__((always_inline)) int woken(struct task_struct *task)
{
	u32 number;
	struct cpu *cpu;

	if (task->prio != granted && task->prio != held)
		return 0;
	cpu = this_cpu(&number);
	if (cpu)
		tell(number, cpu, WAKE, 0, task->pid, cpu->depth ? 0 : bpf_get_current_pid_tgid(),
		     BPF_RB_FORCE_WAKEUP);
	return 0;
}

SEC("tp_btf/sched_wakeup") int on_wakeup(u64 *ctx)
{
	return woken((void *)ctx[0]);
}

SEC("tp_btf/sched_wakeup_new") int on_wakeup_new(u64 *ctx)
{
	return woken((void *)ctx[0]);
}

SEC("tp_btf/sched_process_fork") int on_fork(u64 *ctx)
{
	struct task_struct *parent = (void *)ctx[0], *child = (void *)ctx[1];
	u32 number;
	struct cpu *cpu = this_cpu(&number);
	if (cpu)
		tell(number, cpu, FORK, 0, parent->pid, child->pid, BPF_RB_NO_WAKEUP);
	return 0;
}

/* Some virtual machines hide when their own agents give a processor back; whoever is interrupted has it. */
static __attribute__((always_inline)) void notice(u32 number, struct cpu *cpu)
{
	u32 runs = bpf_get_current_pid_tgid();
	if (cpu->runs != runs) {
		tell(number, cpu, SWITCH, 0, cpu->runs, runs, BPF_RB_NO_WAKEUP);
		cpu->runs = runs;
	}
}

static __attribute__((always_inline)) int enter(u64 softly)
{
	u32 number;
	struct cpu *cpu = this_cpu(&number);
	if (cpu && cpu->depth++ == 0 && cpu->watched) {
		notice(number, cpu);
		cpu->softly = softly;
		begins(cpu, bpf_ktime_get_ns());
	}
	return 0;
}

static __attribute__((always_inline)) int leave(void)
{
	u32 number;
	struct cpu *cpu = this_cpu(&number);
	if (!cpu || !cpu->depth)
		return 0;
	if (cpu->depth == 1 && cpu->begun) {
		u64 now = bpf_ktime_get_ns(), since = cpu->begun, took = now - since;

		cpu->ended = now;
		/* In this order, so that no reader counts it twice. */
		*(volatile u64 *)&cpu->begun = 0;
		*(volatile u64 *)&cpu->stolen = cpu->stolen + took;
		if (cpu->softly)
			*(volatile u64 *)&cpu->soft = cpu->soft + took;
		if (took > LONG)
			tell_at(now, number, cpu, INTERRUPTED, 0, since, since >> 32, BPF_RB_NO_WAKEUP);
	}
	/* Only now: what interrupts the end of a softirq is part of it, and leaves what is being added up alone. */
	*(volatile u64 *)&cpu->depth = cpu->depth - 1;
	return 0;
}

SEC("tp_btf/irq_handler_entry") int on_irq_entry(u64 *ctx)
{
	return enter(0);
}

SEC("tp_btf/irq_handler_exit") int on_irq_exit(u64 *ctx)
{
	return leave();
}

SEC("tp_btf/softirq_entry") int on_softirq_entry(u64 *ctx)
{
	return enter(1);
}

SEC("tp_btf/softirq_exit") int on_softirq_exit(u64 *ctx)
{
	return leave();
}

SEC("tp_btf/local_timer_entry") int on_timer_entry(u64 *ctx)
{
	return enter(0);
}

SEC("tp_btf/local_timer_exit") int on_timer_exit(u64 *ctx)
{
	return leave();
}

SEC("tp_btf/hrtimer_expire_entry") int on_timer(u64 *ctx)
{
	u32 number;
	u64 since, until;
	struct cpu *cpu = this_cpu(&number);

	if (!cpu || !cpu->watched || !stood_still(cpu, (void *)ctx[0], &since, &until))
		return 0;
	/* In this order, so that a part is never more than the whole, to which the interrupt under way belongs already. */
	if (until <= cpu->begun)
		*(volatile u64 *)&cpu->stolen = cpu->stolen + (until - since);
	*(volatile u64 *)&cpu->steal = cpu->steal + (until - since);
	tell_steal(number, cpu, since, until);
	return 0;
}
