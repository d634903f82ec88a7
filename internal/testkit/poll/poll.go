// Package poll waits in tests for what other goroutines and programs bring about. Where all of it
// runs in one bubble of testing/synctest, that is better: its clock takes no time.
package poll

import "time"

// Patience is how long a test waits for what should happen at once. It is for a machine with much
// other work: no test waits for it to pass. What a test holds back beyond it, such as the answer of
// a program that hangs, is held back for much longer.
const Patience = time.Minute

// Until calls holds every millisecond until it returns true, for at most [Patience], and reports
// whether it did.
func Until(holds func() bool) bool {
	for deadline := time.Now().Add(Patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}
