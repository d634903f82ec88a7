"""Presets, families and suites of the program, from ``go generate ./cmd/sparrowhall``."""

PRESETS = (
    "botzone",
    "ema_2016",
    "ema_2016_en",
    "hk_old_style",
    "hkma_hktw",
    "hkma_league_a",
    "hkma_league_a_body",
    "hkma_league_b",
    "hkma_league_b_body",
    "mahjong_soul",
    "mahjong_soul_sanma",
    "mcr_2006",
    "mleague",
    "taiwanese",
    "tenhou",
    "tenhou_sanma",
    "universal",
    "wrc",
    "zung_jung",
)

# Standard deviation of the difference of two players' points gained in a hand, by family.
SPREAD = {
    "riichi": 6700.0,
    "mcr": 50.0,
    "zungjung": 40.0,
    "hktw": 67.0,
    "hkos": 67.0,
    "taiwanese": 105.0,
}

# The ruleset of each suite of ratings; "" where rulesets are drawn.
SUITES = {
    "hkos-2": "hk_old_style",
    "hktw-2": "hkma_hktw",
    "mcr-2": "mcr_2006",
    "riichi-2": "tenhou",
    "soul-sanma-2": "mahjong_soul_sanma",
    "taiwanese-2": "taiwanese",
    "tenhou-sanma-2": "tenhou_sanma",
    "unfamiliar-2": "",
    "zungjung-2": "zung_jung",
}
