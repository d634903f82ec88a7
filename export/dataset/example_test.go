package dataset_test

import (
	"fmt"

	"github.com/sparrowhall/sparrowhall/export/dataset"
)

// Read a dataset: rows as structs, in the order of the matches, each checked as it is
// read.
func ExampleOpen() {
	dataset, err := dataset.Open("testdata/ema_2016") // or a folder that play --out has written
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(dataset.Matches(), "match under", dataset.Manifest.Ruleset.Name, "by", dataset.Manifest.Agents)
	hands, riichi := 0, 0
	for row, err := range dataset.HandRows() {
		if err != nil {
			fmt.Println(err) // what is damaged, with its file and row
			return
		}
		hands++
		for _, win := range row.Wins {
			for _, p := range win.Patterns {
				if p.ID == "riichi" {
					riichi++
				}
			}
		}
	}
	fmt.Println(hands, "hands,", riichi, "won with riichi")
	for row, err := range dataset.MatchRows() {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("match %d, player %d: %d points, place %d\n", row.Match, row.Player, row.Points, row.Rank)
		if row.Player == 3 {
			break
		}
	}
	// Output:
	// 1 match under ema_2016 by [greedy value greedy random]
	// 12 hands, 7 won with riichi
	// match 0, player 0: 39800 points, place 2
	// match 0, player 1: 42200 points, place 1
	// match 0, player 2: 29100 points, place 3
	// match 0, player 3: 8900 points, place 4
}
