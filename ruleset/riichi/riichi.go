// Package riichi is the family of riichi rules: its knobs, yaku, fu, limits,
// payments, liability and final scores.
//
// Comments cite these texts by chapter:
//   - S4: the EMA Riichi Rules of 2016 in their Chinese edition;
//   - EN: their English edition;
//   - S0: the league rules of the Hong Kong Mahjong Association, revised 30 March 2025.
package riichi

import (
	_ "embed" // the words of the knobs

	"github.com/sparrowhall/sparrowhall/ruleset"
)

//go:embed knobwords.go
var knobWords string

func init() { ruleset.RegisterWords(knobWords) }

// Family is the riichi family.
var Family = ruleset.Family{
	Name: "riichi", Title: "Riichi",
	New: func() ruleset.Config {
		return &Config{Flow: ruleset.Flow{Dora: true}}
	},
	Traits: ruleset.Traits{
		Scale: 4000, HandSpread: 6700, Margin: 8, DoublingPrices: true,
		CaseWords: "dora_indicators ura_indicators kita after_kita robbing_kita honba deposits liable riichi double_riichi ippatsu heavenly earthly human",
	},
	FlowKnobs: `
		seats tile_set replacement_tiles kita kita_min_wall kita_after_claim
		kita_ready kita_breaks_first_turn kita_breaks_one_shot kita_rinshan
		kita_indicator rob_kita rob_kita_yaku
		aka_dora ura_dora kan_ura_dora kan_dora kan_dora_timing_ankan
		kan_dora_timing_open tobi agari_yame tenpai_yame yame_min_points extension
		extension_target extension_renchan_priority riichi_min_live_wall
		riichi_min_points riichi_furiten_allowed riichi_needs_live_shape riichi_stick
		double_riichi_broken_by_ankan tenpai_declaration rinshan_counts_as_haitei
		houtei_after_rinshan suukaikan kyuushu_kyuuhai suufon_renda suucha_riichi`,
	Undefined: map[string]string{
		"atozuke":                "no rule text says what forbidding it would mean; a yaku may always be fixed by the winning tile",
		"infraction_mode":        "illegal actions are always refused",
		"chombo_final_score":     "illegal actions are always refused, so a chombo cannot happen",
		"chombo_redeal_min_wall": "illegal actions are always refused, so a chombo cannot happen",
	},
}
