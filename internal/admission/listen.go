package admission

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
)

// Reach is from where clients may come.
type Reach int

// The reaches.
const (
	ThisMachine Reach = iota
	Private           // private networks too
	AllMachines
)

// ErrReach is the error of an address that more machines can reach than may.
var ErrReach = errors.New("can be reached by other machines")

// Listen listens on "host:port", where port 0 is any free one, or on a Unix socket
// "unix:PATH" that only the user of the process may open. It replaces the socket of a
// server that has ended. Connections are limited by [New].
func Listen(address string, r Reach) (net.Listener, error) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		return listenUnix(path)
	}
	a, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%q: %w; allowed: host:port or unix:PATH", address, err)
	}
	if r != AllMachines && !a.IP.IsLoopback() && (r != Private || !a.IP.IsPrivate()) {
		return nil, fmt.Errorf("%s %w", address, ErrReach)
	}
	return net.ListenTCP("tcp", a)
}

func listenUnix(path string) (net.Listener, error) {
	if path == "" {
		return nil, errors.New("\"unix:\": no path is named; want unix:PATH")
	}
	if info, err := os.Lstat(path); err == nil {
		if info.Mode()&fs.ModeSocket == 0 {
			return nil, fmt.Errorf("%s exists and is not a socket", path)
		}
		if c, err := net.Dial("unix", path); err == nil {
			return nil, errors.Join(fmt.Errorf("a server is listening on %s already", path), c.Close())
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}
