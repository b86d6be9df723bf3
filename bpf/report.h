/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What all our programs share: the ring that they write, and the processors' counters. */
#pragma once
#include "kernel.h"

enum { PROCESSORS = 1024, RING = 1 << 22 };
enum kind { SWITCH, WAKE, FORK, NAMED, EXECUTED, MADE, THREAD_MADE, INTERRUPT, SOFTIRQ, INTERRUPT_END,
	    STARTS, STEAL, INTERRUPTED };
/* An interrupt as long (ns) is reported, whichever thread had the processor. */
enum { LONG = 200000 };

/* One processor, in cache lines of its own. The reader sees it, too. */
struct cpu {
	u64 watched; /* set by the reader: switches and interrupts are of interest */
	u64 begun;   /* when the interrupt under way began, or 0 */
	u64 stolen;  /* ns that were taken from threads; not less than was there before `begun` */
	u64 depth;   /* how deep interrupts are nested */
	u64 lost;    /* events that found no room */
	u64 runs;    /* the thread that runs, as far as switches say */
	u64 soft;    /* of `stolen`, what softirqs have taken */
	u64 softly;  /* whether the interrupt under way is a softirq */
	u64 steal;   /* of `stolen`, for how long the processor stood still */
	u64 ended;   /* when the last interrupt ended */
	u64 chain_begun;  /* when the first of those began that follow each other closely, up to the last */
	u64 chain_before; /* when the one before these ended, or up to when it is reported that the processor stood still */
	u64 ticks;        /* how many of the kernel's ticks were served */
	u64 chain_stolen; /* `stolen` and `soft` at `chain_begun` */
	u64 chain_soft;
	u64 alarm; /* set by the reader: when its own timer is due here, which it has set to a time to come; or 0 */
	u64 put_on; /* when the thread that runs was put on, or 0 */
	u64 had;    /* how long it had run until then, as the kernel counts */
	u64 before; /* `stolen` - `steal` then: interrupts */
	u64 seen;   /* of `steal`, what came since then by timers that were late */
	u64 slow;   /* what long interrupts have taken since then */
	u64 unused[3];
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
	u64 soft;
	u64 steal;
	u32 lost;
	u16 cpu;
	u8 kind;
	u8 state;
	s32 first;
	s32 second;
};

/* An event with a thread's name. */
struct named {
	struct event event;
	char name[16];
};

static struct cpu *this_cpu(u32 *number)
{
	*number = bpf_get_smp_processor_id();
	return bpf_map_lookup_elem(&cpus, number);
}

static __attribute__((always_inline)) void
fill(struct event *event, u64 at, u32 number, struct cpu *cpu, enum kind kind, u8 state, s32 first,
     s32 second)
{
	u64 under_way = cpu->begun ? at - cpu->begun : 0;

	event->at = at;
	event->stolen = cpu->stolen + under_way;
	event->soft = cpu->soft + (cpu->softly ? under_way : 0);
	event->steal = cpu->steal;
	event->lost = cpu->lost;
	event->cpu = number;
	event->kind = kind;
	event->state = state;
	event->first = first;
	event->second = second;
}

static __attribute__((always_inline)) void
report_at(u64 at, u32 number, struct cpu *cpu, enum kind kind, u8 state, s32 first, s32 second,
	u64 flags)
{
	struct event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	if (!event) {
		cpu->lost++;
		return;
	}
	fill(event, at, number, cpu, kind, state, first, second);
	bpf_ringbuf_submit(event, flags);
}

static __attribute__((always_inline)) void
report(u32 number, struct cpu *cpu, enum kind kind, u8 state, s32 first, s32 second, u64 flags)
{
	report_at(bpf_ktime_get_ns(), number, cpu, kind, state, first, second, flags);
}

/* Where the function of the kernel's tick lies. */
const volatile u64 tick;

/* An interrupt begins that interrupts no other. */
static __attribute__((always_inline)) void begins(struct cpu *cpu, u64 now)
{
	enum { CLOSE = 100000 };

	if (now - cpu->ended > CLOSE) {
		cpu->chain_begun = now;
		cpu->chain_before = cpu->ended;
		cpu->chain_stolen = cpu->stolen;
		cpu->chain_soft = cpu->soft;
	}
	cpu->begun = now;
}

/* Whether a processor has stood still, as the timer says that the interrupt under way serves, and from when until when.
 * Only the kernel's tick and the reader's alarm say so: they are set to a time to come, and their interrupts wait for nothing but
 * other interrupts and short stretches of the kernel. A hypervisor that has given the processor to somebody else need not say so.
 * When it gives it back, several interrupts may wait, these not first; and it may take it in the middle of one, whose time is
 * counted already. What an idle processor misses is nobody's; it may come back late from its sleep by itself, and its tick may
 * be set to a time that is past. */
static __attribute__((always_inline)) int
stood_still(struct cpu *cpu, struct hrtimer *timer, u64 *since, u64 *until)
{
	u64 due = timer->node.expires;

	if (!cpu->begun)
		return 0;
	if ((u64)timer->function == tick)
		cpu->ticks++;
	/* Without ticks of high resolution the alarm waits for one. */
	else if (!cpu->ticks || !cpu->alarm || due != cpu->alarm)
		return 0;
	if (!(u32)bpf_get_current_pid_tgid())
		return 0;
	*since = due > cpu->chain_before ? due : cpu->chain_before;
	*until = due < cpu->chain_begun ? cpu->chain_begun : bpf_ktime_get_ns();
	if (*until <= *since + LONG)
		return 0;
	cpu->seen += *until - (*since < cpu->put_on && cpu->put_on < *until ? cpu->put_on : *since);
	/* Several timers may have waited for the same. */
	cpu->chain_before = *until;
	return 1;
}

/* Reports it; the event, with what was taken until then, is that of when it was over. */
static __attribute__((always_inline)) void
report_steal(u32 number, struct cpu *cpu, u64 since, u64 until)
{
	struct event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	if (!event) {
		cpu->lost++;
		return;
	}
	fill(event, until, number, cpu, STEAL, 0, since, since >> 32);
	if (until <= cpu->begun) {
		event->stolen = cpu->chain_stolen + (until - since);
		event->soft = cpu->chain_soft;
	}
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}

/* An event and a thread's name, which is read from `name`. */
static __attribute__((always_inline)) int
report_named(enum kind kind, s32 first, s32 second, const void *name)
{
	u64 at = bpf_ktime_get_ns();
	u32 number;
	struct cpu *cpu = this_cpu(&number);
	struct named *named;

	if (!cpu)
		return 0;
	named = bpf_ringbuf_reserve(&events, sizeof(*named), 0);
	if (!named) {
		cpu->lost++;
		return 0;
	}
	fill(&named->event, at, number, cpu, kind, 0, first, second);
	if (bpf_probe_read_kernel_str(named->name, sizeof(named->name), name) < 0)
		named->name[0] = 0;
	bpf_ringbuf_submit(named, BPF_RB_NO_WAKEUP);
	return 0;
}

/* The state of a thread that stops running as the kernel's own tracepoint reports it; 0: it could go on. */
static u8 state_of(u64 preempted, struct task_struct *task, u32 state)
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

/* Whether somebody wants to know what becomes of a thread that was called `former` until now, where it had another number. */
static int matters(s32 tid, s32 former);

SEC("tp_btf/sched_process_exec") int on_exec(u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	u32 number;
	struct cpu *cpu = this_cpu(&number);
	if (cpu && matters(task->pid, ctx[1]))
		report(number, cpu, EXECUTED, 0, task->pid, ctx[1], BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("tp_btf/task_rename") int on_rename(u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	if (!matters(task->pid, task->pid))
		return 0;
	return report_named(NAMED, task->pid, 0, (const void *)ctx[1]);
}

/* An event and the address at which the next thread that `first` makes will start. */
struct starts {
	struct event event;
	u64 routine;
};

/* On `pthread_create`, whose third argument is the routine. Both numbers are reported, since the address
 * means something in the caller's process only. Attached where somebody wants to know, and to nothing
 * otherwise. */
static __attribute__((always_inline)) int starts(u64 routine)
{
	u64 at = bpf_ktime_get_ns(), caller = bpf_get_current_pid_tgid();
	u32 number;
	struct cpu *cpu = this_cpu(&number);
	struct starts *starts;

	if (!cpu)
		return 0;
	starts = bpf_ringbuf_reserve(&events, sizeof(*starts), 0);
	if (!starts) {
		cpu->lost++;
		return 0;
	}
	fill(&starts->event, at, number, cpu, STARTS, 0, caller, caller >> 32);
	starts->routine = routine;
	bpf_ringbuf_submit(starts, BPF_RB_NO_WAKEUP);
	return 0;
}

/* Where the kernel's `struct pt_regs` keeps a third argument: `rdx`, and `x2`. */
SEC("uprobe") int on_start_x86_64(u64 *registers)
{
	return starts(registers[12]);
}

SEC("uprobe") int on_start_aarch64(u64 *registers)
{
	return starts(registers[2]);
}

char dual[] SEC("license") = "Dual MIT/GPL";
