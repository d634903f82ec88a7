package admission

import (
	"net"
	"syscall"
)

// deferAccept leaves connections to the system until they send something, or for some 15 s: a crowd
// that sends nothing takes no descriptor and no turn at Accept. It is a help, so no error is
// reported: without it such connections are evicted.
func deferAccept(l net.Listener) {
	tcp, ok := l.(*net.TCPListener)
	if !ok {
		return
	}
	if c, err := tcp.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_DEFER_ACCEPT, 10)
		})
	}
}
