/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What happens to supervised threads, written to one ring as the kernel passes its tracepoints.
 *
 * Interrupts are not reported one by one: each processor counts the time that they have taken, and what of it
 * softirqs have, and for how long it stood still, and every event says what the counts were; long ones are reported besides.
 * What interrupts another interrupt is part of that. The reader is woken by wake-ups of threads that know nothing of us and by
 * nothing else; it looks often enough for the rest.
 *
 * Read by crates/observe/src/rings/bpf.rs; made anew by `cargo xtask bpf`. */
#include "report.h"

/* Kernel priorities, which count downwards: ours are from `top` to `bottom`. */
const volatile s32 top, bottom, granted, held;
/* Whether the kernel counts the time of interrupts apart from threads' (CONFIG_IRQ_TIME_ACCOUNTING). */
const volatile s32 interrupts_apart;

/* The threads of supervised programs, whether they are supervised themselves or not: what becomes of others is not reported. The
 * reader adds the first ones. What they make is added here, so that none is missed, and whoever ends is taken out. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 16);
	__type(key, s32);
	__type(value, u8);
} followed SEC(".maps");

static const u8 is_followed = 1;

static int ours(s32 prio)
{
	return prio >= top && prio <= bottom;
}

/* A thread is taken off: what it lacks in the kernel's account a hypervisor has had, which told the kernel so. When is not known. */
static __attribute__((always_inline)) void
settle(struct cpu *cpu, struct task_struct *prev, struct task_struct *next)
{
	/* The two clocks differ by what a decision of the kernel's takes, and by a thousandth at most. */
	enum { CLOSE_TO = 5000 };
	u64 now = bpf_ktime_get_ns(), interrupts = cpu->stolen - cpu->steal;
	u64 whole = now - cpu->put_on, ran = prev->se.sum_exec_runtime - cpu->had;

	if (interrupts_apart)
		ran += interrupts - cpu->before;
	if (cpu->put_on && prev->pid && ran + cpu->seen + CLOSE_TO + whole / 1024 < whole) {
		u64 steal = whole - ran - cpu->seen;
		/* A long interrupt was long because of it, and is counted in full. */
		u64 counted = interrupts_apart ? 0 : cpu->slow;

		*(volatile u64 *)&cpu->stolen = cpu->stolen + (steal > counted ? steal - counted : 0);
		*(volatile u64 *)&cpu->steal = cpu->steal + steal;
	}
	cpu->before = cpu->stolen - cpu->steal;
	cpu->seen = 0;
	cpu->slow = 0;
	*(volatile u64 *)&cpu->put_on = 0; /* the reader looks at it first and last */
	*(volatile u64 *)&cpu->had = next->se.sum_exec_runtime;
	*(volatile u64 *)&cpu->put_on = now;
}

SEC("tp_btf/sched_switch") int on_switch(u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	u32 number;
	struct cpu *cpu;

	cpu = this_cpu(&number);
	if (!cpu || !cpu->watched)
		return 0;
	settle(cpu, prev, next);
	cpu->runs = next->pid;
	if (ours(prev->prio) || ours(next->prio))
		report(number, cpu, SWITCH, state_of(ctx[0], prev, ctx[3]), prev->pid, next->pid,
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
		report(number, cpu, WAKE, 0, task->pid, cpu->depth ? 0 : bpf_get_current_pid_tgid(),
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
	s32 parent = ((struct task_struct *)ctx[0])->pid, child = ((struct task_struct *)ctx[1])->pid;
	u32 number;
	struct cpu *cpu = this_cpu(&number);

	if (!cpu || !bpf_map_lookup_elem(&followed, &parent))
		return 0;
	if (bpf_map_update_elem(&followed, &child, &is_followed, BPF_ANY))
		cpu->lost++; /* what it makes will not be reported: the reader has to look for itself */
	report(number, cpu, FORK, 0, parent, child, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("tp_btf/sched_process_exit") int on_exit(u64 *ctx)
{
	s32 tid = ((struct task_struct *)ctx[0])->pid;

	bpf_map_delete_elem(&followed, &tid);
	return 0;
}

/* Whoever executes a program gets the number of its process, of which the first thread may have ended before. */
static int matters(s32 tid, s32 former)
{
	if (!bpf_map_lookup_elem(&followed, &former))
		return 0;
	if (tid != former) {
		bpf_map_update_elem(&followed, &tid, &is_followed, BPF_ANY);
		bpf_map_delete_elem(&followed, &former);
	}
	return 1;
}

/* Some virtual machines hide when their own agents give a processor back; whoever is interrupted has it. */
static __attribute__((always_inline)) void notice(u32 number, struct cpu *cpu)
{
	u32 runs = bpf_get_current_pid_tgid();
	if (cpu->runs != runs) {
		report(number, cpu, SWITCH, 0, cpu->runs, runs, BPF_RB_NO_WAKEUP);
		cpu->runs = runs;
		cpu->put_on = 0;
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
		if (took > LONG) {
			cpu->slow += took;
			report_at(now, number, cpu, INTERRUPTED, 0, since, since >> 32, BPF_RB_NO_WAKEUP);
		}
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
	report_steal(number, cpu, since, until);
	return 0;
}
