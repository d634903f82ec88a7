"""Presets and families of the program. ``go generate ./cmd/sparrowhall`` writes this file."""

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
    "hktw": 150.0,
    "hkos": 67.0,
    "taiwanese": 105.0,
}
