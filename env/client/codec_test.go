package client

import (
	"bytes"
	"testing"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// FuzzCodec compares the codec with package proto: what one reads the other reads,
// and both alike.
func FuzzCodec(f *testing.F) {
	column := bytes.Repeat([]byte{1, 2, 3}, 50)
	for _, r := range []*envv1.PlayResponse{
		{},
		{RequestId: 5, Response: &envv1.PlayResponse_Done{Done: &envv1.Done{}}},
		{RequestId: 1 << 40, Response: &envv1.PlayResponse_Batch{Batch: &envv1.Batch{}}},
		{Response: &envv1.PlayResponse_Batch{Batch: &envv1.Batch{
			Rows: 3, Table: column, Player: column[:3], Step: column, Flags: column[:3], Reward: column, Owed: column, Mask: column,
			Observation: [][]byte{column, {}, column}, LastRow: column, LastPoints: column, LastRank: column, LastPlacement: column,
			LastSeed: column, LastSharedRank: column[:3], Draining: true,
		}}},
	} {
		text, err := proto.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		f.Add(append(text, text...))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		want, got := new(envv1.PlayResponse), new(envv1.PlayResponse)
		wrong := proto.Unmarshal(text, want)
		err := newCodec().Unmarshal(mem.BufferSlice{mem.SliceBuffer(text)}, got)
		if (wrong == nil) != (err == nil) {
			t.Fatalf("package proto says %v, the codec %v", wrong, err)
		}
		if err == nil && !proto.Equal(want, got) {
			t.Fatalf("%x is\n%v, not\n%v", text, want, got)
		}
	})
}
