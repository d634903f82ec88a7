package dataset

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/sparrowhall/sparrowhall/internal/export/seal"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
	"github.com/sparrowhall/sparrowhall/internal/userfile"
)

// ErrSealed is the error of matches that cannot be replayed before the secret of their run
// is known.
var ErrSealed = errors.New("the run is sealed, and its seed is revealed when it is complete")

// digest returns the SHA-256 of the manifest with which the run begins, without its seal,
// seed and shard.
func (r *Run) digest() (string, error) {
	open := *r
	open.Seal, open.Seed, open.Shard = nil, 0, Shard{}
	if r.Tournament != nil {
		schedule, tournament := *r.Tournament.Schedule, *r.Tournament
		schedule.Plan.Seed, tournament.Schedule = 0, &schedule
		open.Tournament = &tournament
	}
	text, err := newManifest(&open).encode()
	return fmt.Sprintf("%x", sha256.Sum256(text)), err
}

// WriteSeal writes the seal of the run to a new file that only its owner may read. If the
// file exists the error is [os.ErrExist].
func (r *Run) WriteSeal(path string, s *seal.Seal) error {
	digest, err := r.digest()
	if err != nil {
		return err
	}
	return s.WriteFile(path, digest)
}

// ReadSeal reads the seal file of the run.
func (r *Run) ReadSeal(ctx context.Context, path string) (*seal.Seal, error) {
	s, sealedDigest, err := seal.ReadFile(ctx, path)
	if err != nil {
		return nil, err
	}
	digest, err := r.digest()
	if err == nil && digest != sealedDigest {
		err = fmt.Errorf("%s: it is the seal of another run; a seal is for one run", path)
	}
	return s, err
}

// SetSeal seals the run, or replaces its seal.
func (r *Run) SetSeal(s *seal.Seal) {
	r.Seal, r.Seed = s, s.Seed()
	if r.Tournament != nil {
		schedule, tournament := *r.Tournament.Schedule, *r.Tournament
		schedule.Plan.Seed, schedule.Plan.Secret, tournament.Schedule = s.Seed(), s.Secret(), &schedule
		r.Tournament = &tournament
	}
}

func (r *Run) checkSeal() error {
	switch {
	case r.Seal == nil:
		return nil
	case r.Import != nil:
		return errors.New("matches that were played elsewhere cannot be sealed")
	case r.Seed != r.Seal.Seed():
		return fmt.Errorf("seed %d; the seed of a sealed run comes from its commitment and is %d", r.Seed, r.Seal.Seed())
	}
	return nil
}

// reveals reports whether the dataset of the run reveals its secret when it is complete. A
// shard does not, since others are still being played.
func (r *Run) reveals() bool {
	return r.Seal != nil && r.Seal.Known() && r.Shard.whole()
}

// Unseal sets the secret of a sealed dataset that has not revealed it, so that its matches
// can be replayed. The error is that of the seal of another run.
func (d *Dataset) Unseal(s *seal.Seal) error {
	switch {
	case d.Run.Seal == nil:
		return fmt.Errorf("%s: it is not sealed", d.dir)
	case d.Run.Seal.Commitment != s.Commitment:
		return fmt.Errorf("%s: its commitment is not that of the seal", d.dir)
	}
	d.Run.SetSeal(s)
	return nil
}

// checkPlayable returns an error if the matches of the dataset cannot be replayed.
func (d *Dataset) checkPlayable() error {
	if d.Run.Seal == nil || d.Run.Seal.Known() {
		return nil
	}
	return fmt.Errorf("%s: %w; until then its matches are replayed with its seal file", d.dir, ErrSealed)
}

// signatureName is the name of the file with the signature of a complete dataset: 64 bytes,
// Ed25519 over the manifest, which has the checksums of all other files.
const signatureName = "manifest.sig"

// ErrNotSigned is the error of a dataset without a signature.
var ErrNotSigned = errors.New("the dataset is not signed")

// Sign signs the complete dataset in a folder. It replaces an earlier signature.
func Sign(dir string, key ed25519.PrivateKey) error {
	d, err := Open(dir)
	if err != nil {
		return err
	}
	if !d.Manifest.Complete {
		return fmt.Errorf("%s: the dataset is incomplete; a complete one can be signed", dir)
	}
	if err := realSystem.replaceFile(filepath.Join(dir, signatureName), ed25519.Sign(key, d.text)); err != nil {
		return err
	}
	return tempdir.Sync(dir)
}

// Signature returns the signature of the dataset. Without one the error is [ErrNotSigned].
func (d *Dataset) Signature() ([]byte, error) {
	signature, err := userfile.ReadRegular(filepath.Join(d.dir, signatureName), ed25519.SignatureSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", d.dir, ErrNotSigned)
	}
	return signature, err
}

// CheckSignature returns an error if the dataset is not signed with the key. It reads the
// manifest alone; [Dataset.Verify] reads the files.
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
