#!/usr/bin/env bash
# The first demonstration: one recorded workload as it was, under what Linux does today, and with reservations.
# Run it by `cargo xtask demo`.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=target/demo
recording=scenarios/recorded/desktop.ftrace.gz
threads='video-enc|audio-src|lame|vim|cc1'
rm -rf "$out"
mkdir -p "$out"
# It was built without the verbs that need this machine, and must not be taken for the whole command.
windfall=${WINDFALL:-$out/windfall}
[ -n "${WINDFALL:-}" ] || mv "${CARGO_TARGET_DIR:-target}/debug/windfall" "$windfall"

# What is done, which step of how many, and how long the steps before took; tables alone are on standard output.
step=0
step() {
    step=$((step + 1))
    echo "[$step/6, after $SECONDS s] $*" >&2
}

step "imports the recording: five seconds of a real machine"
"$windfall" import "$recording" --force -o "$out/shared.toml" > "$out/import.txt"
step "imports it again, and reserves what its periodic threads need"
"$windfall" import "$recording" --reserve --force -o "$out/reserved.toml" > /dev/null
step "explains each response in the recording"
"$windfall" explain "$recording" --thread '*' --all > "$out/recorded.txt"
# Who has no reservation is scheduled as Linux does it, in both.
for hierarchy in shared reserved; do
    step "replays it under Linux's own policy$([ "$hierarchy" = shared ] || echo ', with those reservations')"
    sed 's/^scheduler = "time-sharing"$/scheduler = "linux-eevdf"/' "$out/$hierarchy.toml" > "$out/$hierarchy-linux.toml"
    grep -q '"linux-eevdf"' "$out/$hierarchy-linux.toml"
    "$windfall" simulate "$out/$hierarchy-linux.toml" --force --report "$out/$hierarchy.html" \
        --trace "$out/$hierarchy.wft" > "$out/$hierarchy.txt"
    "$windfall" export "$out/$hierarchy.wft" "$out/$hierarchy.pftrace" --force > /dev/null
done
step "puts both replays on one axis"
"$windfall" export "$out/shared.wft" "$out/both.html" --beside "$out/reserved.wft" --force > /dev/null
echo >&2

echo "Five seconds of a real machine: a video and an audio encoder, an editor, two compile jobs."
echo
echo "What it looks like (all of it: $out/import.txt):"
grep -E "^(THREAD|$threads)" "$out/import.txt" | cut -c1-110
echo
echo "As it was recorded, on Linux 6.18 (LONGEST is the longest response; all of it: $out/recorded.txt):"
grep -E "^(THREAD|video-enc|audio-src|lame|vim)" "$out/recorded.txt" | cut -c1-110
echo
echo "Replayed under Linux's own policy (linux-eevdf):"
grep -E "^(THREAD|$threads)" "$out/shared.txt"
echo
echo "Replayed, the periodic threads reserved what they need, all others under Linux's own policy:"
grep -E "^(THREAD|$threads)" "$out/reserved.txt"
echo
echo "Look at the longest response of audio-src in all three. Then open, in a browser:"
echo "  $out/both.html      (both replays on one axis: search for audio-src)"
echo "  $out/shared.html"
echo "  $out/reserved.html"
echo "or the .pftrace files beside them in Perfetto. The scenarios are $out/*-linux.toml."
