package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/internal/admission"
)

// tlsFlags are the flags of verbs that serve other machines.
type tlsFlags struct {
	insecure                   bool
	certificate, key, clientCA string
}

// addTLS adds the flags, of which serve has --client-ca too.
func (o *tlsFlags) addTLS(cmd *cobra.Command, insecure string) {
	f := cmd.Flags()
	f.BoolVar(&o.insecure, "insecure", false, insecure)
	f.StringVar(&o.certificate, "tls-cert", "", "PEM file of the certificate of the server")
	f.StringVar(&o.key, "tls-key", "", "PEM file of the key of the certificate")
	require(cmd, o.checkTLS)
}

func (o *tlsFlags) checkTLS() error {
	if (o.certificate == "") != (o.key == "") {
		return usagef("--tls-cert and --tls-key are needed together")
	}
	return nil
}

// config returns the certificate of the server, nil without --tls-cert.
func (o *tlsFlags) config(ctx context.Context) (*tls.Config, error) {
	if o.certificate == "" {
		return nil, nil
	}
	return env.LoadTLS(ctx, o.certificate, o.key, o.clientCA)
}

func (o *tlsFlags) open(flag, address string) (net.Listener, error) {
	l, err := env.Listen(address, o.insecure || o.certificate != "")
	if err != nil {
		return nil, fmt.Errorf("%s: %w; or add --tls-cert and --tls-key, or --insecure", flag, err)
	}
	return l, nil
}

// serveHTTP serves up to a number of connections until the context ends, by TLS if the server has a
// certificate.
func serveHTTP(ctx context.Context, s *http.Server, l net.Listener, connections int) error {
	l = admission.New(l, admission.Limits{Connections: connections})
	defer context.AfterFunc(ctx, func() { _ = s.Close() })()
	serve := s.Serve
	if s.TLSConfig != nil {
		serve = func(l net.Listener) error { return s.ServeTLS(l, "", "") }
	}
	if err := serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
