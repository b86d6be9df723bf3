/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Everything that the scheduler does, on all processors, written to one ring.
 *
 * Names are reported where threads get them, as they start and by renaming, and nowhere else. The reader looks
 * now and then; it is woken when half of the ring is full.
 *
 * Read by crates/observe/src/event_source/bpf.rs; made anew by `cargo xtask bpf`. */
#include "report.h"

/* Everybody does. */
static int matters(s32 tid, s32 former)
{
	(void)tid;
	(void)former;
	return 1;
}

/* Wakes the reader when this event is about the one that fills half of the ring. */
static u64 notice(void)
{
	u64 full = bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA);
	return full - RING / 2 < 4 * sizeof(struct named) ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

SEC("tp_btf/sched_switch") int record_switch(u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	u32 number;
	struct cpu *cpu = this_cpu(&number);
	if (cpu)
		report(number, cpu, SWITCH, state_of(ctx[0], prev, ctx[3]), prev->pid, next->pid, notice());
	return 0;
}

/* By whoever wakes, in whose time it happens; by nobody in an interrupt. */
static __attribute__((always_inline)) int woken(struct task_struct *task)
{
	u32 number;
	struct cpu *cpu = this_cpu(&number);
	if (cpu)
		report(number, cpu, WAKE, 0, task->pid, cpu->depth ? 0 : bpf_get_current_pid_tgid(),
		     BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("tp_btf/sched_waking") int record_waking(u64 *ctx)
{
	return woken((void *)ctx[0]);
}

SEC("tp_btf/sched_wakeup_new") int record_wakeup_new(u64 *ctx)
{
	return woken((void *)ctx[0]);
}

SEC("tp_btf/task_newtask") int record_newtask(u64 *ctx)
{
	enum { CLONE_THREAD = 0x10000 };
	struct task_struct *task = (void *)ctx[0];
	return report_named(ctx[1] & CLONE_THREAD ? THREAD_MADE : MADE, bpf_get_current_pid_tgid(),
			  task->pid, task->comm);
}

static __attribute__((always_inline)) int begin(enum kind kind, s32 what)
{
	u32 number;
	struct cpu *cpu = this_cpu(&number);
	if (cpu) {
		u64 now = bpf_ktime_get_ns();
		if (cpu->depth++ == 0)
			begins(cpu, now);
		report_at(now, number, cpu, kind, 0, what, 0, BPF_RB_NO_WAKEUP);
	}
	return 0;
}

static __attribute__((always_inline)) int end(void)
{
	u32 number;
	struct cpu *cpu = this_cpu(&number);
	if (cpu && cpu->depth) {
		if (--cpu->depth == 0) {
			cpu->begun = 0;
			cpu->ended = bpf_ktime_get_ns();
		}
		report(number, cpu, INTERRUPT_END, 0, 0, 0, BPF_RB_NO_WAKEUP);
	}
	return 0;
}

SEC("tp_btf/irq_handler_entry") int record_irq_entry(u64 *ctx)
{
	return begin(INTERRUPT, ctx[0]);
}

SEC("tp_btf/irq_handler_exit") int record_irq_exit(u64 *ctx)
{
	return end();
}

SEC("tp_btf/softirq_entry") int record_softirq_entry(u64 *ctx)
{
	return begin(SOFTIRQ, ctx[0]);
}

SEC("tp_btf/softirq_exit") int record_softirq_exit(u64 *ctx)
{
	return end();
}

SEC("tp_btf/local_timer_entry") int record_timer_entry(u64 *ctx)
{
	return begin(INTERRUPT, ctx[0]);
}

SEC("tp_btf/local_timer_exit") int record_timer_exit(u64 *ctx)
{
	return end();
}

SEC("tp_btf/hrtimer_expire_entry") int record_timer(u64 *ctx)
{
	u32 number;
	u64 since, until;
	struct cpu *cpu = this_cpu(&number);

	if (cpu && stood_still(cpu, (void *)ctx[0], &since, &until))
		report_steal(number, cpu, since, until);
	return 0;
}
