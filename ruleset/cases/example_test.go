package cases_test

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset/cases"
)

// Score a hand: one JSON object in, one out.
func ExampleScore() {
	answer, ok := cases.Score([]byte(`{"id":"S02","ruleset":"ema_2016","concealed":"234m234p23467s55p","melds":[],
		"win_tile":"8s","self_draw":true,"seat":"S","round":"E","flags":[],"dora_indicators":"1z","honba":3,"deposits":2}`),
		"", configs.LoadWith)
	fmt.Println(ok)
	fmt.Println(string(answer))
	// Output:
	// true
	// {"id":"S02","win":true,"patterns":[["menzen_tsumo",1],["pinfu",1],["tanyao",1],["sanshoku_doujun",2]],"han":5,"fu":20,"points":8000,"payments":{"E":-4300,"S":10900,"W":-2300,"N":-2300}}
}
