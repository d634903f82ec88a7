package export

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// signatureName is the file that holds the signature of a complete dataset: 64
// bytes, Ed25519 over the bytes of the manifest, which has the checksums of all
// other files.
const signatureName = "manifest.sig"

// ErrNotSigned is the error of a dataset without a signature.
var ErrNotSigned = errors.New("the dataset is not signed")

// Sign signs the complete dataset in a folder. An earlier signature is replaced.
func Sign(dir string, key ed25519.PrivateKey) error {
	d, err := Open(dir)
	if err != nil {
		return err
	}
	if !d.Manifest.Complete {
		return fmt.Errorf("%s: a dataset is signed when it is complete", dir)
	}
	path := filepath.Join(dir, signatureName)
	f, err := os.Create(path + tempSuffix)
	if err != nil {
		return err
	}
	_, err = f.Write(ed25519.Sign(key, d.text))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(path+tempSuffix, path)
	}
	return errors.Join(err, syncDir(dir))
}

// Signature returns the signature of the dataset. The error is [ErrNotSigned] if it
// has none.
func (d *Dataset) Signature() ([]byte, error) {
	signature, err := os.ReadFile(filepath.Join(d.dir, signatureName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", d.dir, ErrNotSigned)
	}
	return signature, err
}

// CheckSignature returns why the dataset is not one that the owner of a key has
// signed. It looks at the manifest alone; [Dataset.Verify] looks at the files.
func (d *Dataset) CheckSignature(key ed25519.PublicKey) error {
	signature, err := d.Signature()
	if err != nil {
		return err
	}
	if !ed25519.Verify(key, d.text, signature) {
		return fmt.Errorf("%s: %s is not the signature of %s by this key", d.dir, signatureName, manifestName)
	}
	return nil
}

// ReadPrivateKey reads an Ed25519 key from a PEM file in the form PKCS #8, as
// openssl genpkey -algorithm ed25519 writes it.
func ReadPrivateKey(path string) (ed25519.PrivateKey, error) {
	der, err := readPEM(path, "PRIVATE KEY")
	if err != nil {
		return nil, err
	}
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if private, ok := key.(ed25519.PrivateKey); ok {
		return private, nil
	}
	return nil, fmt.Errorf("%s: it holds a key of type %T; datasets are signed by ed25519", path, key)
}

// ReadPublicKey reads an Ed25519 key from a PEM file in the form PKIX, as openssl
// pkey -pubout writes it.
func ReadPublicKey(path string) (ed25519.PublicKey, error) {
	der, err := readPEM(path, "PUBLIC KEY")
	if err != nil {
		return nil, err
	}
	key, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if public, ok := key.(ed25519.PublicKey); ok {
		return public, nil
	}
	return nil, fmt.Errorf("%s: it holds a key of type %T; datasets are signed by ed25519", path, key)
}

// readPEM returns what a PEM file holds.
func readPEM(path, kind string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	switch {
	case block == nil:
		return nil, fmt.Errorf("%s: it is no PEM file", path)
	case block.Type != kind:
		return nil, fmt.Errorf("%s: it holds a %q; wanted is a %q", path, block.Type, kind)
	}
	return block.Bytes, nil
}
