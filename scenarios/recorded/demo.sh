#!/usr/bin/env bash
# The first demonstration: one recorded workload under two hierarchies. Run it by `cargo xtask demo`.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=target/demo
recording=scenarios/recorded/desktop.ftrace.gz
windfall=${WINDFALL:-target/release/windfall}
mkdir -p "$out"

"$windfall" import "$recording" -o "$out/shared.toml" > "$out/import.txt"
"$windfall" import "$recording" --reserve -o "$out/reserved.toml" > /dev/null
for hierarchy in shared reserved; do
    "$windfall" simulate "$out/$hierarchy.toml" --report "$out/$hierarchy.html" \
        --trace "$out/$hierarchy.pftrace" > "$out/$hierarchy.txt"
done

echo "Five seconds of a real machine: a video and an audio encoder, an editor, two compile jobs."
echo
echo "What it looks like (all of it: $out/import.txt):"
grep -E '^(THREAD|video-enc|audio-src|lame|vim|cc1)' "$out/import.txt" | cut -c1-110
echo
echo "Replayed, everybody shares time:"
grep -E '^(THREAD|video-enc|audio-src|lame|vim|cc1)' "$out/shared.txt"
echo
echo "Replayed, the periodic threads reserved what they need:"
grep -E '^(THREAD|video-enc|audio-src|lame|vim|cc1)' "$out/reserved.txt"
echo
echo "Look at the longest response of audio-src in both. Then open, in a browser:"
echo "  $out/shared.html"
echo "  $out/reserved.html"
echo "or the .pftrace files beside them in Perfetto. The scenarios are $out/*.toml."
