//go:build !js

package seal

import (
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"fmt"

	"github.com/sparrowhall/sparrowhall/internal/userfile"
)

// ReadPrivateKey reads an Ed25519 key from a PEM file in PKCS #8 form, as openssl genpkey
// -algorithm ed25519 writes it.
func ReadPrivateKey(ctx context.Context, path string) (ed25519.PrivateKey, error) {
	return readKey[ed25519.PrivateKey](ctx, path, "PRIVATE KEY", x509.ParsePKCS8PrivateKey)
}

// ReadPublicKey reads an Ed25519 key from a PEM file in PKIX form, as openssl pkey -pubout
// writes it.
func ReadPublicKey(ctx context.Context, path string) (ed25519.PublicKey, error) {
	return readKey[ed25519.PublicKey](ctx, path, "PUBLIC KEY", x509.ParsePKIXPublicKey)
}

// readKey reads a key of type K from a PEM block of the given type.
func readKey[K any](ctx context.Context, path, blockType string, parse func(der []byte) (any, error)) (none K, err error) {
	text, err := userfile.Read(ctx, path, maxFile)
	if err != nil {
		return none, err
	}
	block, _ := pem.Decode(text)
	switch {
	case block == nil:
		return none, fmt.Errorf("%s: it is no PEM file", path)
	case block.Type != blockType:
		return none, fmt.Errorf("%s: it holds a %q; it must hold a %q", path, block.Type, blockType)
	}
	any, err := parse(block.Bytes)
	if err != nil {
		return none, fmt.Errorf("%s: %w", path, err)
	}
	key, ok := any.(K)
	if !ok {
		return none, fmt.Errorf("%s: it holds a key of type %T; datasets are signed by ed25519", path, any)
	}
	return key, nil
}
