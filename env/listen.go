package env

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
)

// Listen listens on "host:port", where port 0 is any free one, or on a Unix
// socket "unix:PATH", which only the user of the process may open. A socket that
// a server has left behind is replaced.
//
// Unless open is set, an address that other machines can reach is refused.
func Listen(address string, open bool) (net.Listener, error) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		return listenUnix(path)
	}
	a, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("env: listen on %q: %w; want host:port or unix:PATH", address, err)
	}
	if !open && !a.IP.IsLoopback() {
		return nil, fmt.Errorf("env: %s can be reached by other machines: protect it by TLS or a token, or listen on 127.0.0.1", address)
	}
	return net.ListenTCP("tcp", a)
}

func listenUnix(path string) (net.Listener, error) {
	if path == "" {
		return nil, errors.New("env: listen on \"unix:\": no path is named; want unix:PATH")
	}
	if info, err := os.Lstat(path); err == nil {
		if info.Mode()&fs.ModeSocket == 0 {
			return nil, fmt.Errorf("env: %s exists and is not a socket", path)
		}
		if c, err := net.Dial("unix", path); err == nil {
			return nil, errors.Join(fmt.Errorf("env: a server is listening on %s already", path), c.Close())
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

// LoadTLS reads a certificate and its key. With clientCA, a file of certificates,
// only clients with a certificate signed by one of those are let in.
func LoadTLS(certificate, key, clientCA string) (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("env: certificate %s with key %s: %w", certificate, key, err)
	}
	c := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if clientCA != "" {
		text, err := os.ReadFile(clientCA)
		if err != nil {
			return nil, fmt.Errorf("env: certificates of clients: %w", err)
		}
		c.ClientCAs = x509.NewCertPool()
		if !c.ClientCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("env: %s holds no certificate in PEM form", clientCA)
		}
		c.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return c, nil
}
