package env_test

import (
	"context"
	"fmt"
	"log"

	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/env/client"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// A stream within the process: one hand, all players by the first legal action.
func ExampleEnv() {
	e, err := env.New(env.Options{})
	if err != nil {
		log.Fatal(err)
	}
	s := client.NewStream(e.Play(context.Background()))
	_, batch, err := s.Open(&envv1.Open{
		Rules:   &envv1.Open_Preset{Preset: "ema_2016"},
		Tables:  1,
		Seed:    1,
		Episode: envv1.Episode_EPISODE_HAND,
	})
	if err != nil {
		log.Fatal(err)
	}
	decisions := 0
	var answers client.Answers
	for {
		answers.Reset()
		for i := range batch.Len() {
			if batch.Asked(i) {
				legal := batch.Legal(i)
				answers.Add(batch, i, legal.First())
			}
		}
		if answers.Len() == 0 {
			break // the hand has ended
		}
		decisions += answers.Len()
		if batch, err = s.Act(&answers); err != nil {
			log.Fatal(err)
		}
	}
	for i := range batch.Len() {
		fmt.Printf("player %d: reward %d\n", batch.PlayerOf(i), batch.RewardOf(i))
	}
	fmt.Println("more than 50 decisions:", decisions > 50)
	// Output:
	// player 0: reward -1000
	// player 1: reward 3000
	// player 2: reward -1000
	// player 3: reward -1000
	// more than 50 decisions: true
}
