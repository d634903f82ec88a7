package time

import "syscall"

// .ci/full faults builds programs with this file in package time: their wall clock steps, while the
// monotonic clock goes on. SPARROWHALL_TEST_CLOCK is a list such as "500:7200,900:-3600": 500 ms
// after the start the wall clock is two hours ahead, 900 ms after it one hour behind.

type clockStep struct{ after, seconds int }

var clockSteps = readClockSteps()

func readClockSteps() (steps []clockStep) {
	text, _ := syscall.Getenv("SPARROWHALL_TEST_CLOCK")
	for text != "" {
		step := text
		text = ""
		for i := range len(step) {
			if step[i] == ',' {
				step, text = step[:i], step[i+1:]
				break
			}
		}
		for i := range len(step) {
			if step[i] == ':' {
				after, err := atoi(step[:i])
				seconds, wrong := atoi(step[i+1:])
				if err != nil || wrong != nil {
					panic("SPARROWHALL_TEST_CLOCK: " + step)
				}
				steps = append(steps, clockStep{after, seconds})
				break
			}
		}
	}
	return steps
}

// stepOf returns by how many seconds the wall clock is wrong.
func stepOf(mono int64) (seconds int64) {
	for _, s := range clockSteps {
		if mono-startNano >= int64(s.after)*int64(Millisecond) {
			seconds = int64(s.seconds)
		}
	}
	return seconds
}
