#!/bin/sh
# Plays what docs/study.md is about, into a folder (runs/study unless given), and makes
# its tables and pictures. What is there already is kept, so that an interrupted run
# continues. With "small" everything is played, but only a few matches of it.
#
#	docs/study/study.sh [RUNS [full|small [DOCS]]]
set -eu
cd "$(dirname "$0")/../.."
jansou=${JANSOU:-jansou}
dir=${1:-runs/study}
docs=${3:-docs}
case ${2:-full} in
full) sides=1 seeds="1 2 3" matches=1000 variants=300 rounds=250 ;;
small) sides=1 seeds=1 matches=4 variants=4 rounds=4 ;;
*)
	echo "$0: $2: is it to be full or small?" >&2
	exit 2
	;;
esac

rulesets="ema_2016 wrc hkma_league_a tenhou mcr_2006 universal zung_jung hkma_hktw"
changed="ema_2016 hkma_league_a mcr_2006 universal hkma_hktw"
expert=expert,expert,expert,expert
value=value,value,value,value
greedy=greedy,greedy,greedy,greedy

# play KIND AGENTS NAME RULESET MATCHES, at the seeds in list.
play() {
	for seed in $list; do
		$jansou play --quiet --seed "$seed" --ruleset "$4" --agents "$2" --matches "$5" --record hands --out "$dir/play/$1/$3/$seed" >/dev/null
	done
}
# near NAME RULESET, at the seeds in list, and beginner NAME RULESET: players of several
# strengths, without a beginner and with one.
near() {
	for seed in $list; do
		$jansou tournament run --quiet --seed "$seed" --ruleset "$2" --agents expert,value,value:defence=off,greedy --rounds $rounds --out "$dir/cup/near/$1/$seed" >/dev/null
	done
}
beginner() {
	$jansou tournament run --quiet --seed 1 --ruleset "$2" --agents expert,value,greedy,tsumogiri --rounds $rounds --out "$dir/cup/beginner/$1/1" >/dev/null
}
# sweep RULESET: its knobs one at a time, for both kinds of players.
sweep() {
	name=$1
	shift
	for seed in $seeds; do
		$jansou sweep --quiet --seed "$seed" --matches $variants --ruleset "$name" --agents $value --field $greedy --out "$dir/sweep/$name/$seed" "$@" >/dev/null
	done
}
# screen RULESET NAME LINE...: what a change does to skill, at a seed of its own.
screen() {
	file=$dir/rules/$2.toml
	folder=$dir/cup/screen/$1/$2
	mkdir -p "$dir/rules"
	echo "base = \"$1\"" >"$file"
	shift 2
	for line in "$@"; do
		echo "$line" >>"$file"
	done
	$jansou tournament run --quiet --seed 11 --ruleset "$file" --agents expert,value,value:defence=off,greedy --rounds $rounds --record hands --out "$folder" >/dev/null
}

list=$sides
for rules in $rulesets; do
	play expert $expert "$rules" "$rules" $matches
	play greedy $greedy "$rules" "$rules" $matches
	near "$rules" "$rules"
	beginner "$rules" "$rules"
done

# What would you change? First single knobs, then what might add skill; the files beside
# this script are what is proposed.
sweep ema_2016 --knob ura_dora=false --knob one_shot=false --knob kiriage_mangan=true --knob multi_win=nearest --knob dealer_stays_on_draw=never --knob min_win=2
sweep hkma_league_a --knob 'aka_dora=[0,0,0]' --knob ura_dora=false --knob multi_win=all --knob tobi=below_zero --knob dealer_stays_on_draw=never --knob min_win=2
sweep universal --knob min_win=5 --knob min_win=10 --knob payoff_scheme=discarder_all --knob par_score=10 --knob patterns.two_concealed_triplets=15 --knob patterns.one_kong=15
sweep hkma_hktw --knob pull_growth=1 --knob pull_enabled=false --knob pull_end_of_match=half --knob base_fan=0 --knob dealer_stays_on_draw=never --knob min_win=15 --knob min_win=20

screen ema_2016 ema_base
screen ema_2016 ema_min2 'min_win = 2'
screen ema_2016 ema_noluck 'ura_dora = false' 'kan_ura_dora = false' 'one_shot = false'
screen ema_2016 ema_ura_deal 'ura_dora = false' 'kan_ura_dora = false' 'dealer_stays_on_draw = "never"'
screen hkma_league_a league_base
screen hkma_league_a league_min2 'min_win = 2'
screen hkma_league_a league_plain 'aka_dora = [0, 0, 0]' 'ura_dora = false' 'kan_ura_dora = false'
screen mcr_2006 mcr_base
screen mcr_2006 mcr_flowers_pairs 'flower_points = 0' '[patterns]' 'seven_pairs = 16'
screen mcr_2006 mcr_min10 'min_win = 10'
screen mcr_2006 mcr_no_base 'base_points = 0'
screen universal uni_base
screen universal uni_all 'payoff_scheme = "discarder_all"'
screen universal uni_min10 'min_win = 10'
screen universal uni_par10 'par_score = 10' 'min_win = 5'
screen hkma_hktw hktw_base
screen hkma_hktw hktw_min15 'min_win = 15'
screen hkma_hktw hktw_min20 'min_win = 20'
screen hkma_hktw hktw_no_pull 'pull_enabled = false'

list=$seeds
for rules in $changed; do
	play value $value "${rules}_changed" "docs/study/$rules.toml" $variants
	play greedy $greedy "${rules}_changed" "docs/study/$rules.toml" $variants
	near "${rules}_changed" "docs/study/$rules.toml"
done

go run ./docs/study "$dir" "$docs"
