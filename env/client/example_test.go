package client_test

import (
	"context"
	"fmt"
	"log"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/env/client"
	"github.com/sparrowhall/sparrowhall/sim"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// A client plays a hand at two tables, always by the first legal action.
func Example() {
	// The server; sparrowhall serve starts one from the command line.
	e, err := env.New(env.Options{})
	if err != nil {
		log.Fatal(err)
	}
	server, err := env.NewServer(e, env.ServerOptions{})
	if err != nil {
		log.Fatal(err)
	}
	l, err := env.Listen("127.0.0.1:0", false)
	if err != nil {
		log.Fatal(err)
	}
	go server.Serve(l)
	defer server.Shutdown(context.Background())

	c, err := client.Dial(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	s, err := c.Play(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	opened, batch, err := s.Open(&envv1.Open{
		Rules:       &envv1.Open_Preset{Preset: "zung_jung"},
		Tables:      2,
		Seed:        1,
		Observation: "planes",
		Episode:     envv1.Episode_EPISODE_HAND,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(opened.Ruleset.Name, opened.Observation.Tensors[0].Name)
	var answers client.Answers
	var won [2][sim.NumPlayers]int32
	for {
		answers.Reset()
		for i := range batch.Len() {
			won[batch.TableOf(i)][batch.PlayerOf(i)] += batch.RewardOf(i)
			if batch.Asked(i) {
				legal := batch.Legal(i)
				answers.Add(batch, i, legal.First())
			}
		}
		if answers.Len() == 0 {
			break
		}
		if batch, err = s.Act(&answers); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(won)
	if err := s.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// zung_jung planes
	// [[-1 3 -1 -1] [0 0 0 0]]
}
