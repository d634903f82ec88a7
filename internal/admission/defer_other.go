//go:build !linux

package admission

import "net"

// deferAccept does nothing: the system cannot wait for the first bytes of a connection.
func deferAccept(net.Listener) {}
