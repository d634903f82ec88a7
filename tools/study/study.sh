#!/bin/sh
# Plays what docs/research/study.md is about, into a folder (runs/study unless given), makes its
# tables and pictures, and says what time it took. What is there already is kept, so that
# an interrupted run continues; when expert plays otherwise than it did, remove play/expert
# and cup/strong. With "small" everything is played, but only a few matches of it. The tables
# need Python with scipy, pyarrow and matplotlib; PYTHON names it.
#
#	tools/study/study.sh [RUNS [full|small [DOCS]]]
set -eu
cd "$(dirname "$0")/../.."
sparrowhall=${SPARROWHALL:-sparrowhall}
dir=${1:-runs/study}
docs=${3:-docs}
size=${2:-full}
case $size in
full) seeds="1 2 3" screens="11 12 13" matches=400 stronger=200 variants=200 rounds=80 ;;
small) seeds=1 screens=11 matches=4 stronger=4 variants=4 rounds=4 ;;
*)
	echo "$0: $size: is it to be full or small?" >&2
	exit 2
	;;
esac

rulesets="ema_2016 wrc hkma_league_a tenhou mcr_2006 universal zung_jung hkma_hktw"
changed="ema_2016 hkma_league_a mcr_2006 universal zung_jung hkma_hktw"
value=value,value,value,value
greedy=greedy,greedy,greedy,greedy
expert=expert,expert,expert,expert
quick=tsumogiri,tsumogiri,tsumogiri,tsumogiri
searches="11 12 13"
able=value,value:defence=off,value:worth=off,greedy
strong=expert,value,value:defence=off,greedy

# play KIND AGENTS NAME RULESET MATCHES: four of a kind.
play() {
	for seed in $seeds; do
		$sparrowhall play --quiet --seed "$seed" --ruleset "$4" --agents "$2" --matches "$5" --record hands --out "$dir/play/$1/$3/$seed" >/dev/null
	done
}
# cup FIELD AGENTS NAME RULESET: players of several strengths, who change seats.
cup() {
	for seed in $seeds; do
		$sparrowhall tournament run --quiet --seed "$seed" --ruleset "$4" --agents "$2" --rounds $rounds --out "$dir/cup/$1/$3/$seed" >/dev/null
	done
}
# sweep RULESET: its knobs one at a time, for both kinds of players.
sweep() {
	name=$1
	shift
	for seed in $seeds; do
		$sparrowhall sweep --quiet --seed "$seed" --matches $variants --ruleset "$name" --agents $value --field $greedy --out "$dir/sweep/$name/$seed" "$@" >/dev/null
	done
}
# screen RULESET NAME LINE...: what a change does to skill, at seeds of its own.
screen() {
	file=$dir/rules/$1_$2.toml
	folder=$dir/cup/screen/$1/$2
	mkdir -p "$dir/rules"
	echo "base = \"$1\"" >"$file"
	shift 2
	for line in "$@"; do
		echo "$line" >>"$file"
	done
	for seed in $screens; do
		$sparrowhall tournament run --quiet --seed "$seed" --ruleset "$file" --agents $able --rounds $rounds --record hands --out "$folder/$seed" >/dev/null
	done
}
# search RULESET TARGETS --knob KNOB...: which values of knobs would do. Few matches do not
# show it, so that in small others play them.
search() {
	name=$1
	want=$2
	shift 2
	if [ "$size" = small ]; then
		set -- --agents $quick --field greedy,tsumogiri,tsumogiri,tsumogiri --tries 1 "$@"
	else
		set -- --field $able --tries 12 "$@"
	fi
	for seed in $searches; do
		$sparrowhall tune --quiet --seed "$seed" --ruleset "$name" --want "$want" --matches 1024 --best 1 --out "$dir/tune/$name/$seed" "$@" >/dev/null
	done
}
# adapt RULESET: whether those who study a ruleset find a hole, before and after. In small
# it is a ruleset of a single hand.
adapt() {
	name=$1
	if [ "$size" = small ]; then
		set -- --ruleset botzone --knob min_win=10
	else
		set -- --ruleset "$name" --variant "docs/study/$name.toml"
	fi
	for seed in $seeds; do
		$sparrowhall sweep --quiet --seed "$seed" --matches $variants --adapt 1920 --out "$dir/adapt/$name/$seed" "$@" >/dev/null
	done
}

for rules in $rulesets; do
	play value $value "$rules" "$rules" $matches
	play greedy $greedy "$rules" "$rules" $matches
	cup able $able "$rules" "$rules"
	cup beginner value,value:defence=off,greedy,tsumogiri "$rules" "$rules"
done

# What would you change? First single knobs, then what might add skill; the files in
# docs/study are what is proposed.
sweep ema_2016 --knob ura_dora=false --knob one_shot=false --knob kiriage_mangan=true --knob multi_win=nearest --knob dealer_stays_on_draw=never --knob min_win=2
sweep hkma_league_a --knob 'aka_dora=[0,0,0]' --knob ura_dora=false --knob multi_win=all --knob tobi=below_zero --knob dealer_stays_on_draw=never --knob min_win=2
sweep mcr_2006 --knob min_win=6 --knob min_win=10 --knob base_points=0 --knob base_points=16 --knob flower_points=0 --knob patterns.seven_pairs=16
sweep universal --knob min_win=5 --knob min_win=10 --knob payoff_scheme=discarder_all --knob par_score=10 --knob patterns.two_concealed_triplets=15 --knob patterns.one_kong=15
sweep zung_jung --knob min_win=5 --knob min_win=10 --knob payoff_scheme=discarder_all --knob par_score=10 --knob multi_win=all
sweep hkma_hktw --knob pull_growth=1 --knob pull_enabled=false --knob pull_end_of_match=half --knob base_fan=0 --knob dealer_stays_on_draw=never --knob min_win=15 --knob min_win=20

for rules in $changed; do
	screen "$rules" base
done
screen ema_2016 min2 'min_win = 2'
screen ema_2016 noluck 'ura_dora = false' 'kan_ura_dora = false' 'one_shot = false'
screen ema_2016 ura_deal 'ura_dora = false' 'kan_ura_dora = false' 'dealer_stays_on_draw = "never"'
screen hkma_league_a min2 'min_win = 2'
screen hkma_league_a plain 'aka_dora = [0, 0, 0]' 'ura_dora = false' 'kan_ura_dora = false'
screen mcr_2006 flowers_pairs 'flower_points = 0' '[patterns]' 'seven_pairs = 16'
screen mcr_2006 min10 'min_win = 10'
screen mcr_2006 no_base 'base_points = 0'
screen universal all 'payoff_scheme = "discarder_all"'
screen universal min10 'min_win = 10'
screen universal par10 'par_score = 10' 'min_win = 5'
screen zung_jung min5 'min_win = 5'
screen zung_jung par10 'par_score = 10' 'min_win = 5'
screen hkma_hktw min15 'min_win = 15'
screen hkma_hktw min20 'min_win = 20'
screen hkma_hktw no_pull 'pull_enabled = false'

search universal 'skill>8%, draws<5%' --knob min_win=0,5,10 --knob par_score=0..25:5

for rules in $changed; do
	file=docs/study/$rules.toml
	play value $value "${rules}_changed" "$file" $variants
	play greedy $greedy "${rules}_changed" "$file" $variants
	cup able $able "${rules}_changed" "$file"
done
adapt universal
adapt hkma_hktw

# The stronger player gets better from version to version; all above stays as it is.
for rules in $rulesets; do
	play expert $expert "$rules" "$rules" $stronger
	cup strong $strong "$rules" "$rules"
done
for rules in $changed; do
	cup strong $strong "${rules}_changed" "docs/study/$rules.toml"
done

SPARROWHALL=$sparrowhall ${PYTHON:-python3} -B tools/study/study.py "$dir" "$docs"
echo "processor time of this shell and of what it started:"
times
