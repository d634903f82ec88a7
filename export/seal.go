package export

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sparrowhall/sparrowhall/sim"
)

// Seal is the secret of a sealed run, from which the seeds of its matches follow,
// and a commitment to it, which says what the secret is without telling it. The
// dataset has the commitment from the start, and the secret once it is complete.
// Until then the secret is in the seal file alone.
type Seal struct {
	// Commitment is the SHA-256 of sealDomain, the salt and the secret.
	Commitment [sha256.Size]byte

	salt   [32]byte
	secret *sim.Secret // nil where it is not known
}

const sealDomain = "jansou seal 1"

// NewSeal draws a secret from the randomness of the system.
func NewSeal() *Seal {
	s := &Seal{secret: &sim.Secret{}}
	rand.Read(s.salt[:])
	rand.Read(s.secret[:])
	s.Commitment = s.commit()
	return s
}

func (s *Seal) commit() [sha256.Size]byte {
	return sha256.Sum256(append(append([]byte(sealDomain), s.salt[:]...), s.secret[:]...))
}

// Seed returns the seed of a run with the seal: that of the draws which everybody
// may know, of who plays whom and where. It comes from the commitment.
func (s *Seal) Seed() uint64 { return binary.LittleEndian.Uint64(s.Commitment[:]) }

// Known reports whether the secret is known.
func (s *Seal) Known() bool { return s.secret != nil }

// ErrSealed is the error of matches that cannot be played again before the secret
// of their run is known.
var ErrSealed = errors.New("the run is sealed, and its seed is revealed when it is complete")

// SealInfo is a seal in a manifest and in a seal file.
type SealInfo struct {
	// Commitment is that of [Seal], published beforehand, in hex.
	Commitment string `json:"commitment"`
	// Salt and Seed are the secret in a manifest that reveals it.
	Salt string `json:"salt,omitempty"`
	Seed string `json:"seed,omitempty"`
}

// info returns what a manifest says of the seal, with its secret or without.
func (s *Seal) info(reveal bool) *SealInfo {
	if s == nil {
		return nil
	}
	i := &SealInfo{Commitment: hex.EncodeToString(s.Commitment[:])}
	if reveal {
		i.Salt, i.Seed = hex.EncodeToString(s.salt[:]), hex.EncodeToString(s.secret[:])
	}
	return i
}

// seal returns the seal of a manifest. The error is that of a secret that is not
// the one of the commitment.
func (i *SealInfo) seal() (*Seal, error) {
	s := &Seal{}
	if err := unhex(s.Commitment[:], "commitment", i.Commitment); err != nil {
		return nil, err
	}
	if i.Salt == "" && i.Seed == "" {
		return s, nil
	}
	s.secret = &sim.Secret{}
	if err := errors.Join(unhex(s.salt[:], "salt", i.Salt), unhex(s.secret[:], "seed", i.Seed)); err != nil {
		return nil, err
	}
	if s.commit() != s.Commitment {
		return nil, errors.New("the seed and salt are not those of the commitment")
	}
	return s, nil
}

// unhex reads bytes in hexadecimal.
func unhex(dst []byte, name, text string) error {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(dst) || strings.ToLower(text) != text {
		return fmt.Errorf("%s: it should be %d bytes in hexadecimal", name, len(dst))
	}
	copy(dst, b)
	return nil
}

// describe returns the seal in words.
func (i *SealInfo) describe() string {
	if i == nil {
		return "none"
	}
	return "of commitment " + i.Commitment
}

// sealFile is what a seal file holds.
type sealFile struct {
	Version int `json:"jansou_seal"`
	// Run is the SHA-256 of the manifest that the run begins with, as one machine
	// plays it and without the seal, so that a seal is used for one run only.
	Run string `json:"run"`
	SealInfo
}

// plan returns the digest of a run, whatever its seal and shard.
func (r *Run) plan() (string, error) {
	open := *r
	open.Seal, open.Seed, open.Shard = nil, 0, Shard{}
	if r.Tournament != nil {
		schedule, tournament := *r.Tournament.Schedule, *r.Tournament
		schedule.Seed, tournament.Schedule = 0, &schedule
		open.Tournament = &tournament
	}
	text, err := newManifest(&open).encode()
	return fmt.Sprintf("%x", sha256.Sum256(text)), err
}

// Write writes the seal of a run to a new file that only its owner may read. The
// error is one of [os.ErrExist] if there is a file already.
func (s *Seal) Write(path string, r *Run) error {
	plan, err := r.plan()
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(sealFile{1, plan, *s.info(true)}, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return syncDir(filepath.Dir(path))
}

// ReadSeal reads a seal file. The error is also that of a file that others may
// read.
func ReadSeal(path string) (*Seal, string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return nil, "", fmt.Errorf("%s: others may read it (mode %04o); a seal file has mode 0600", path, mode)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, "", err
	}
	var file sealFile
	if err := json.Unmarshal(text, &file); err != nil || file.Version != 1 || file.Seed == "" {
		return nil, "", fmt.Errorf("%s: it is no seal file", path)
	}
	s, err := file.seal()
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	return s, file.Run, nil
}

// OpenSeal reads the seal file of a run.
func OpenSeal(path string, r *Run) (*Seal, error) {
	s, of, err := ReadSeal(path)
	if err != nil {
		return nil, err
	}
	plan, err := r.plan()
	if err == nil && plan != of {
		err = fmt.Errorf("%s: it is the seal of another run; a seal is for one run", path)
	}
	return s, err
}

// SetSeal makes the run a sealed one, or that of another seal.
func (r *Run) SetSeal(s *Seal) {
	r.Seal, r.Seed = s, s.Seed()
	if r.Tournament != nil {
		schedule, tournament := *r.Tournament.Schedule, *r.Tournament
		schedule.Seed, schedule.Secret, tournament.Schedule = s.Seed(), s.secret, &schedule
		r.Tournament = &tournament
	}
}

// checkSeal returns what is wrong with the seal.
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

// reveals reports whether the dataset of the run reveals its secret when it is
// complete. That of a shard does not, since others are still playing.
func (r *Run) reveals() bool {
	return r.Seal != nil && r.Seal.Known() && r.Shard.whole()
}

// Unseal makes the matches of a sealed dataset playable that does not reveal its
// secret. The error is that of another run's seal.
func (d *Dataset) Unseal(s *Seal) error {
	switch {
	case d.Run.Seal == nil:
		return fmt.Errorf("%s: it is not sealed", d.dir)
	case d.Run.Seal.Commitment != s.Commitment:
		return fmt.Errorf("%s: its commitment is another than that of the seal", d.dir)
	}
	d.Run.SetSeal(s)
	return nil
}

// playable returns why the matches of the dataset cannot be played again.
func (d *Dataset) playable() error {
	if d.Run.Seal == nil || d.Run.Seal.Known() {
		return nil
	}
	return fmt.Errorf("%s: %w; before, they are played again with its seal file", d.dir, ErrSealed)
}
