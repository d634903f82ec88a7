// Package poll waits in tests for what other goroutines and programs bring about. Where all of it
// runs in one bubble of testing/synctest, that is better: its clock takes no time.
package poll

import "time"

// Until calls holds every millisecond until it returns true, for at most a minute, and reports
// whether it did. The minute is for a machine with much other work: no test waits for it to pass.
func Until(holds func() bool) bool {
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}
