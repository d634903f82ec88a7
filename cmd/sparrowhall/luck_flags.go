package main

import (
	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/internal/analysis/matchluck"
)

// luckFlag is --luck: how luck is measured, or empty if it is not.
type luckFlag string

const (
	luckStrong luckFlag = "strong"
	luckFast   luckFlag = "fast"
)

// add adds the flag, which may be given without a value. about says what luck is measured for.
func (o *luckFlag) add(cmd *cobra.Command, about string) {
	cmd.Flags().StringVar((*string)(o), "luck", "", about+": strong, or fast, which explains less of the luck at little cost")
	cmd.Flags().Lookup("luck").NoOptDefVal = string(luckStrong)
	require(cmd, func() error { return o.check() })
}

func (o luckFlag) check() error {
	if o != "" && o != luckStrong && o != luckFast {
		return usagef("--luck=%s; allowed: %s, %s", o, luckStrong, luckFast)
	}
	return nil
}

func (o luckFlag) options(workers int) matchluck.Options {
	return matchluck.Options{Fast: o == luckFast, Player: agents.Quick, Workers: workers}
}
