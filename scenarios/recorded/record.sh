#!/usr/bin/env bash
# Records a desktop-like workload with the kernel's own tracer and keeps the text.
#
#   record.sh [OUT_DIR]      default: the directory this script lies in
#
# Four kinds of work run side by side: a paced video encoder, a paced audio source feeding an
# audio encoder, an editor that is typed into at a human pace, and two compile jobs. After a
# warm-up the scheduler and interrupt events of SECONDS_FTRACE seconds become
# OUT_DIR/desktop.ftrace.gz, and a second window of SECONDS_PERF seconds becomes
# OUT_DIR/desktop.perf.gz where perf exists.
# Nothing is filtered: whatever else ran on the machine in the window is in the text.
# Needs root. Everything changed or started is put back or ended on exit, and every program runs
# under a time limit, so that even a killed script leaves nothing running for long.
set -euo pipefail
export LC_ALL=C

out=$(cd "${1:-$(dirname "$0")}" && pwd)
seconds_ftrace=${SECONDS_FTRACE:-5}
seconds_perf=${SECONDS_PERF:-1}
softirq=${SOFTIRQ:-1}                       # 0 leaves the softirq events out
warm_up=2
limit=$((warm_up + ${seconds_ftrace%.*} + ${seconds_perf%.*} + 30))

die() { printf 'record.sh: %s\n' "$*" >&2; exit 1; }

# ---- what is needed ---------------------------------------------------------------------------
[ "$(id -u)" = 0 ] || die "must run as root: it writes to tracefs"
missing=
for program in ffmpeg lame tmux vim make gcc awk gzip timeout setsid; do
    command -v "$program" >/dev/null || missing="$missing $program"
done
[ -z "$missing" ] || die "these programs are missing:$missing"
for coder in 'V....D libx264 ' 'A....D pcm_s16le '; do
    # The whole list is read before grep answers: a broken pipe would count as a failure.
    ffmpeg -hide_banner -encoders 2>/dev/null | grep "$coder" >/dev/null ||
        die "this ffmpeg has no encoder$(printf '%s' "$coder" | cut -c7-)"
done
grep -q tracefs /proc/filesystems || die "this kernel has no tracefs (CONFIG_TRACING)"

# ---- state to put back ------------------------------------------------------------------------
tracefs=/sys/kernel/tracing
mounted=0
instance=
old_cmdlines=
jobs_started=()
if [ -w /dev/shm ]; then                    # in memory: no waiting for a disk
    work=$(mktemp -d -p /dev/shm)
else
    work=$(mktemp -d)
fi
export TMPDIR=$work

finish() {
    trap - EXIT
    set +e
    for job in "${jobs_started[@]}"; do
        kill -TERM -- "-$job" 2>/dev/null
    done
    wait 2>/dev/null
    if [ -n "$instance" ]; then
        echo 0 >"$instance/tracing_on"
        echo >"$instance/set_event"
        rmdir "$instance"
    fi
    [ -z "$old_cmdlines" ] || echo "$old_cmdlines" >"$tracefs/saved_cmdlines_size"
    [ "$mounted" = 0 ] || umount "$tracefs"
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

if [ ! -e "$tracefs/instances" ]; then
    mount -t tracefs nodev "$tracefs" || die "cannot mount tracefs on $tracefs"
    mounted=1
fi

# ---- the work ---------------------------------------------------------------------------------
# A link named after the role gives each ffmpeg its own thread name; `realtime` and `arealtime`
# sleep until the time of the frame (`-re` would poll every 10 ms instead).
start() {                                   # a process group of its own, ended by `finish`
    setsid timeout "$limit" "$@" </dev/null >/dev/null 2>&1 &
    jobs_started+=("$!")
}

ffmpeg=$(command -v ffmpeg)
ln -s "$ffmpeg" "$work/video-enc"
ln -s "$ffmpeg" "$work/audio-src"
lame=$(command -v lame)

start "$work/video-enc" -nostdin -v error -filter_threads 1 \
    -f lavfi -i "testsrc2=size=854x480:rate=30,realtime" \
    -c:v libx264 -preset veryfast -threads 2 -f null -

tone=sine=frequency=440:beep_factor=4:sample_rate=48000:samples_per_frame=1024,arealtime
start bash -c '
    "$1" -nostdin -v error -f lavfi -i "$2" -c:a pcm_s16le -flush_packets 1 -f s16le - |
        "$3" --quiet -r -s 48 -m m -b 128 - - >/dev/null' audio "$work/audio-src" "$tone" "$lame"

# Two builds of eight generated files, each two at a time, again and again: four compilers share
# the machine most of the time.
mkdir "$work/build1"
for n in 1 2 3 4 5 6 7 8; do
    {
        echo '#include <stdio.h>'
        for f in $(seq $((n * 24))); do
            echo "int part${n}_$f(const int *a, int n) { int s = $f; for (int i = 0; i < n; i++)" \
                 "{ s += a[i] * (s ^ $f); if (s % $((f + 2)) == 0) s -= a[n - i - 1]; } return s; }"
        done
        echo "void show$n(const char *t) { char b[64]; snprintf(b, sizeof b, \"%s\", t); puts(b); }"
    } >"$work/build1/part$n.c"
done
cat >"$work/build1/Makefile" <<'MAKE'
objects = part1.o part2.o part3.o part4.o part5.o part6.o part7.o part8.o
parts.so: $(objects) ; gcc -shared -o $@ $(objects)
%.o: %.c ; gcc -O2 -fPIC -c -o $@ $<
MAKE
cp -r "$work/build1" "$work/build2"
for build in build1 build2; do
    start bash -c 'cd "$1"; while :; do rm -f ./*.o ./*.so; make -s -j2; done' \
        compile "$work/$build"
    sleep 0.3                               # so that the two do not link at the same time
done

# Vim in a terminal of 100 x 30, and a loop in the place of the person who types.
cp "$work/build1/part8.c" "$work/text.c"
start tmux -S "$work/tmux" -f /dev/null -D
for _ in $(seq 50); do
    [ ! -S "$work/tmux" ] || break
    sleep 0.1
done
tmux -S "$work/tmux" new-session -d -x 100 -y 30 \
    "vim -n -i NONE -u NONE -N -c 'syntax on' -c 'set number' '$work/text.c'" ||
    die "tmux does not start"
start bash -c '
    tmux -S "$1" send-keys G o
    n=0
    while :; do
        for key in i f Space "(" s Space "<" Space n ")" Space r e t u r n Space s "\;" Enter; do
            tmux -S "$1" send-keys "$key" || exit 0
            n=$((n * 7 % 13 + 1))           # 80 to 200 ms between keys, the same each time
            sleep "0.$(printf %03d $((n * 10 + 70)))"
        done
    done' typist "$work/tmux"

# ---- the ftrace window ------------------------------------------------------------------------
instance=$tracefs/instances/windfall
if [ -e "$instance" ]; then
    taken=$instance
    instance=
    die "$taken exists already: another recording runs, or remove it with rmdir"
fi
mkdir "$instance"
old_cmdlines=$(cat "$tracefs/saved_cmdlines_size")
echo 8192 >"$tracefs/saved_cmdlines_size"
echo 0 >"$instance/tracing_on"
echo mono >"$instance/trace_clock"
echo 16384 >"$instance/buffer_size_kb"
if [ -e "$instance/options/record-tgid" ]; then
    echo 1 >"$instance/options/record-tgid"
fi
events="sched/sched_switch sched/sched_waking sched/sched_wakeup_new
        sched/sched_process_fork sched/sched_process_exec sched/sched_process_exit
        task/task_rename irq/irq_handler_entry irq/irq_handler_exit"
[ "$softirq" = 0 ] || events="$events irq/softirq_entry irq/softirq_exit"
for event in $events; do
    echo 1 >"$instance/events/$event/enable" || die "this kernel has no event $event"
done

sleep "$warm_up"
echo >"$instance/trace"
echo 1 >"$instance/tracing_on"
sleep "$seconds_ftrace"
echo 0 >"$instance/tracing_on"

lost=$(awk -F': ' '/^(overrun|commit overrun|dropped events):/ { n += $2 } END { print n + 0 }' \
    "$instance"/per_cpu/cpu*/stats)
[ "$lost" = 0 ] || die "$lost events were lost: the window is too long for the buffer"

# ---- the perf window --------------------------------------------------------------------------
if command -v perf >/dev/null; then
    for event in $events; do echo 0 >"$instance/events/$event/enable"; done
    perf record -q -k CLOCK_MONOTONIC -e sched:sched_switch,sched:sched_waking -a -m 4096 \
        -o "$work/perf.data" -- sleep "$seconds_perf" >/dev/null 2>"$work/perf.err" ||
        die "perf record failed: $(cat "$work/perf.err")"
    perf script -i "$work/perf.data" --ns --show-lost-events \
        -F comm,pid,tid,cpu,time,event,trace >"$work/desktop.perf" 2>/dev/null
else
    echo "record.sh: perf is missing; desktop.perf.gz is left as it was" >&2
fi

# ---- the texts --------------------------------------------------------------------------------
cat "$instance/trace" >"$work/desktop.ftrace"
for kind in ftrace perf; do
    [ -e "$work/desktop.$kind" ] || continue
    gzip -n -9 -c "$work/desktop.$kind" >"$out/desktop.$kind.gz"
    printf '%s: %s events, %s bytes\n' "desktop.$kind.gz" \
        "$(grep -vc '^#' "$work/desktop.$kind")" "$(stat -c %s "$out/desktop.$kind.gz")"
done
echo "lost: $lost"
