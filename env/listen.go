package env

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"

	"github.com/sparrowhall/sparrowhall/internal/admission"
	"github.com/sparrowhall/sparrowhall/internal/userfile"
)

// Listen listens on "host:port", where port 0 is any free one, or on a Unix socket
// "unix:PATH" that only the user of the process may open. It replaces the socket of a
// server that has ended.
//
// Unless open is set, it refuses an address that other machines can reach.
func Listen(address string, open bool) (net.Listener, error) {
	reach := admission.ThisMachine
	if open {
		reach = admission.AllMachines
	}
	l, err := admission.Listen(address, reach)
	if errors.Is(err, admission.ErrReach) {
		err = fmt.Errorf("%w: protect it by TLS or a token, or listen on 127.0.0.1", err)
	}
	if err != nil {
		return nil, fmt.Errorf("env: %w", err)
	}
	return l, nil
}

// maxCertificate is the number of bytes of a file of certificates or keys.
const maxCertificate = 4 << 20

// LoadTLS reads a certificate and its key from PEM files of at most 4 MB. If clientCA,
// a file of certificates, is not empty, only clients with a certificate signed by one
// of those are admitted. Reading stops when ctx ends.
func LoadTLS(ctx context.Context, certificate, key, clientCA string) (*tls.Config, error) {
	var pair tls.Certificate
	var secret []byte
	text, err := userfile.Read(ctx, certificate, maxCertificate)
	if err == nil {
		secret, err = userfile.Read(ctx, key, maxCertificate)
	}
	if err == nil {
		pair, err = tls.X509KeyPair(text, secret)
	}
	if err != nil {
		return nil, fmt.Errorf("env: certificate %s with key %s: %w", certificate, key, err)
	}
	c := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if clientCA != "" {
		if text, err = userfile.Read(ctx, clientCA, maxCertificate); err != nil {
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
