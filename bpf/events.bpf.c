/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What happens to supervised threads, written to one ring as the kernel passes its tracepoints.
 *
 * Interrupts are not told one by one: each processor counts the time that they have taken, and every
 * event says what the count was. The reader is woken by wake-ups of threads that know nothing of us
 * and by nothing else; it looks often enough for the rest.
 *
 * Read by crates/linux/src/rings/bpf.rs; made anew by `cargo xtask bpf`. */
#include "kernel.h"

enum { PROCESSORS = 1024, RING = 1 << 22 };
enum kind { SWITCH, WAKE, FORK, NAMED };

/* Kernel priorities, which count downwards: ours are from `top` to `bottom`. */
const volatile s32 top, bottom, granted, held;

/* One processor, in a cache line of its own. The reader sees it, too. */
struct cpu {
	u64 watched; /* set by the reader: switches and interrupts are of interest */
	u64 begun;   /* when the interrupt under way began, or 0 */
	u64 stolen;  /* ns that interrupts have taken; not less than was there before `begun` */
	u64 depth;   /* how deep interrupts are nested */
	u64 lost;    /* events that found no room */
	u64 room[3];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, PROCESSORS);
	__type(key, u32);
	__type(value, struct cpu);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING);
} events SEC(".maps");

struct event {
	u64 at;
	u64 stolen;
	u32 lost;
	u16 cpu;
	u8 kind;
	u8 state;
	s32 first;
	s32 second;
};

static struct cpu *this_cpu(u32 *number)
{
	*number = bpf_get_smp_processor_id();
	return bpf_map_lookup_elem(&cpus, number);
}

static __attribute__((always_inline)) void
tell(u32 number, struct cpu *cpu, enum kind kind, u8 state, s32 first, s32 second, u64 flags)
{
	u64 at = bpf_ktime_get_ns();
	struct event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	if (!event) {
		cpu->lost++;
		return;
	}
	event->at = at;
	event->stolen = cpu->stolen + (cpu->begun ? at - cpu->begun : 0);
	event->lost = cpu->lost;
	event->cpu = number;
	event->kind = kind;
	event->state = state;
	event->first = first;
	event->second = second;
	bpf_ringbuf_submit(event, flags);
}

static int ours(s32 prio)
{
	return prio >= top && prio <= bottom;
}

/* The state of a thread that stops running as the kernel's own tracepoint tells it; 0: it could go on. */
static u8 reported(u64 preempted, struct task_struct *task, u32 state)
{
	enum { IDLE = 0x402, REPORTED = 0x7f, REPORTED_IDLE = 0x80, UNINTERRUPTIBLE = 2 };
	enum { LOCK_OR_FROZEN = 0x9000 };
	if (preempted)
		return 0;
	if (state == IDLE)
		return REPORTED_IDLE;
	if (state & LOCK_OR_FROZEN)
		return UNINTERRUPTIBLE;
	return (state | task->exit_state) & REPORTED;
}

SEC("tp_btf/sched_switch") int on_switch(u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	u32 number;
	struct cpu *cpu;

	if (!ours(prev->prio) && !ours(next->prio))
		return 0;
	cpu = this_cpu(&number);
	if (cpu && cpu->watched)
		tell(number, cpu, SWITCH, reported(ctx[0], prev, ctx[3]), prev->pid, next->pid,
		     BPF_RB_NO_WAKEUP);
	return 0;
}

static __attribute__((always_inline)) int woken(struct task_struct *task)
{
	u32 number;
	struct cpu *cpu;

	if (task->prio != granted && task->prio != held)
		return 0;
	cpu = this_cpu(&number);
	if (cpu)
		tell(number, cpu, WAKE, 0, task->pid, bpf_get_current_pid_tgid(), BPF_RB_FORCE_WAKEUP);
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

static __attribute__((always_inline)) int named(struct task_struct *task)
{
	u32 number;
	struct cpu *cpu = this_cpu(&number);
	if (cpu)
		tell(number, cpu, NAMED, 0, task->pid, 0, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("tp_btf/sched_process_exec") int on_exec(u64 *ctx)
{
	return named((void *)ctx[0]);
}

SEC("tp_btf/task_rename") int on_rename(u64 *ctx)
{
	return named((void *)ctx[0]);
}

static __attribute__((always_inline)) int steal(void)
{
	u32 number;
	struct cpu *cpu = this_cpu(&number);
	if (cpu && cpu->watched && cpu->depth++ == 0)
		cpu->begun = bpf_ktime_get_ns();
	return 0;
}

static __attribute__((always_inline)) int give_back(void)
{
	u32 number;
	struct cpu *cpu = this_cpu(&number);
	if (cpu && cpu->depth && --cpu->depth == 0) {
		u64 begun = cpu->begun;
		/* In this order, so that no reader counts it twice. */
		*(volatile u64 *)&cpu->begun = 0;
		*(volatile u64 *)&cpu->stolen = cpu->stolen + bpf_ktime_get_ns() - begun;
	}
	return 0;
}

SEC("tp_btf/irq_handler_entry") int on_irq_entry(u64 *ctx)
{
	return steal();
}

SEC("tp_btf/irq_handler_exit") int on_irq_exit(u64 *ctx)
{
	return give_back();
}

SEC("tp_btf/softirq_entry") int on_softirq_entry(u64 *ctx)
{
	return steal();
}

SEC("tp_btf/softirq_exit") int on_softirq_exit(u64 *ctx)
{
	return give_back();
}

SEC("tp_btf/local_timer_entry") int on_timer_entry(u64 *ctx)
{
	return steal();
}

SEC("tp_btf/local_timer_exit") int on_timer_exit(u64 *ctx)
{
	return give_back();
}

char dual[] SEC("license") = "Dual MIT/GPL";
