#!/bin/sh
# Plays and reports what docs/study.md says, into a folder (runs/study unless
# given), and puts the pictures of the page into docs/img. A dataset that is there
# already is kept, so that an interrupted run continues.
set -eu
cd "$(dirname "$0")/.."
jansou=${JANSOU:-jansou}
dir=${1:-runs/study}
value=value,value,value,value
riichi="ema_2016 hkma_league_a tenhou mleague wrc mahjong_soul"
others="mcr_2006 universal zung_jung hkma_hktw"

for rules in $riichi $others; do
	$jansou play --quiet --ruleset "$rules" --agents $value --matches 2000 --record hands --out "$dir/play/$rules" >/dev/null
done
for rules in $riichi $others; do
	$jansou tournament run --quiet --ruleset "$rules" --agents value,value:defence=off,greedy,tsumogiri --rounds 250 --out "$dir/cup/$rules" >/dev/null
done

sweep() {
	name=$1 matches=$2
	shift 2
	$jansou sweep --quiet --agents $value --matches "$matches" --out "$dir/sweep/$name" "$@" >"$dir/$name.txt"
}
sweep kiriage 5000 --ruleset ema_2016 --knob kiriage_mangan=true
sweep head_bump 2000 --ruleset ema_2016 --knob multi_win=nearest
sweep red_fives 2000 --ruleset tenhou --knob 'aka_dora=[0,0,0]' --knob 'aka_dora=[2,2,2]'
sweep minimum 2000 --ruleset mcr_2006 --knob min_win=4 --knob min_win=6 --knob min_win=10
sweep pull 2000 --ruleset hkma_hktw --knob pull_enabled=false

# The reports, and the pictures of the page.
plays=
cups=
for rules in $riichi $others; do
	plays="$plays $dir/play/$rules"
	cups="$cups $dir/cup/$rules"
done
$jansou report --quiet --force --out "$dir/rulesets" $plays >"$dir/rulesets.txt"
$jansou report --quiet --force --out "$dir/skill" $cups >"$dir/skill.txt"
mkdir -p docs/img
for picture in ends wins win_turn win_value_riichi patterns_riichi patterns_mcr; do
	cp "$dir/rulesets/$picture.png" "docs/img/study-$picture.png"
done
cp "$dir/skill/skill.png" docs/img/study-skill.png
for name in minimum red_fives pull; do
	cp "$dir/sweep/$name/report/changes.png" "docs/img/study-$name.png"
done
