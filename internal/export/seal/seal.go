// Package seal commits to the secret of a run before it is played, so that no player can know
// or choose the walls, and anybody can check them afterwards (commit and reveal). It also
// reads the keys that datasets are signed with.
//
//	s := seal.New()               // draws a secret
//	err := s.WriteFile(path, run) // for the organizer alone; run is the digest of the run
//	publish(s.Commitment)         // before the first match
//	manifest.Sealed = s.Info(true) // after the last match
package seal

import (
	"context"
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

	"github.com/sparrowhall/sparrowhall/internal/tempdir"
	"github.com/sparrowhall/sparrowhall/internal/userfile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Seal is the secret of a sealed run, from which the seeds of its matches follow, and a
// commitment to it. A dataset has the commitment from the start and reveals the secret once
// it is complete. Until then only the seal file has the secret.
type Seal struct {
	// Commitment is the SHA-256 of the text "jansou seal 1", the salt and the secret.
	Commitment [sha256.Size]byte

	salt   [32]byte
	secret *sim.Secret // nil if it is not known
}

const commitmentDomain = "jansou seal 1"

// New draws a secret from the random source of the system.
func New() *Seal {
	s := &Seal{secret: &sim.Secret{}}
	rand.Read(s.salt[:])
	rand.Read(s.secret[:])
	s.Commitment = s.commit()
	return s
}

func (s *Seal) commit() [sha256.Size]byte {
	return sha256.Sum256(append(append([]byte(commitmentDomain), s.salt[:]...), s.secret[:]...))
}

// Seed returns the seed of a run with the seal, which comes from the commitment. It decides
// what all may know beforehand: who plays whom in which seat.
func (s *Seal) Seed() uint64 { return binary.LittleEndian.Uint64(s.Commitment[:]) }

// Known reports whether the secret is known.
func (s *Seal) Known() bool { return s.secret != nil }

// Secret returns the secret, nil if it is not known.
func (s *Seal) Secret() *sim.Secret { return s.secret }

// Info is a seal in a manifest and in a seal file.
type Info struct {
	// Commitment is that of [Seal], in hexadecimal.
	Commitment string `json:"commitment"`
	// Salt and Seed are the secret, empty if it is not revealed.
	Salt string `json:"salt,omitempty"`
	Seed string `json:"seed,omitempty"`
}

// Info returns the form of the seal in a manifest: with the secret if reveal is set, and
// nil for nil.
func (s *Seal) Info(reveal bool) *Info {
	if s == nil {
		return nil
	}
	i := &Info{Commitment: hex.EncodeToString(s.Commitment[:])}
	if reveal {
		i.Salt, i.Seed = hex.EncodeToString(s.salt[:]), hex.EncodeToString(s.secret[:])
	}
	return i
}

// Parse returns the seal. The error is that of a secret that does not fit the commitment.
func (i *Info) Parse() (*Seal, error) {
	s := &Seal{}
	if err := parseHex(s.Commitment[:], "commitment", i.Commitment); err != nil {
		return nil, err
	}
	if i.Salt == "" && i.Seed == "" {
		return s, nil
	}
	s.secret = &sim.Secret{}
	if err := errors.Join(parseHex(s.salt[:], "salt", i.Salt), parseHex(s.secret[:], "seed", i.Seed)); err != nil {
		return nil, err
	}
	if s.commit() != s.Commitment {
		return nil, errors.New("the seed and salt are not those of the commitment")
	}
	return s, nil
}

// parseHex parses lower-case hexadecimal into dst.
func parseHex(dst []byte, name, text string) error {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(dst) || strings.ToLower(text) != text {
		return fmt.Errorf("%s: it should be %d bytes in hexadecimal", name, len(dst))
	}
	copy(dst, b)
	return nil
}

// String returns the seal in words, "none" for nil.
func (i *Info) String() string {
	if i == nil {
		return "none"
	}
	return "of commitment " + i.Commitment
}

// sealFile is the contents of a seal file.
type sealFile struct {
	Version int `json:"sparrowhall_seal"`
	// Run is a digest of the run, so that a seal is used for one run only.
	Run string `json:"run"`
	Info
}

// WriteFile writes the seal of a run, of which the digest is given, to a new file that only
// its owner may read. If the file exists the error is [os.ErrExist].
func (s *Seal) WriteFile(path, run string) error {
	text, err := json.MarshalIndent(sealFile{1, run, *s.Info(true)}, "", "  ")
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
	return tempdir.Sync(filepath.Dir(path))
}

// maxFile is the most bytes of a seal file or key file.
const maxFile = 1 << 16

// ReadFile reads a seal file and returns the seal and the digest of its run. A file that
// others may read is an error.
func ReadFile(ctx context.Context, path string) (s *Seal, run string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return nil, "", fmt.Errorf("%s: others may read it (mode %04o); a seal file has mode 0600", path, mode)
	}
	return ReadRevealed(ctx, path)
}

// ReadRevealed is ReadFile of a seal file that has been published, which all may read.
func ReadRevealed(ctx context.Context, path string) (s *Seal, run string, err error) {
	text, err := userfile.Read(ctx, path, maxFile)
	if err != nil {
		return nil, "", err
	}
	var file sealFile
	if err := json.Unmarshal(text, &file); err != nil || file.Version != 1 || file.Seed == "" {
		return nil, "", fmt.Errorf("%s: it is no seal file", path)
	}
	s, err = file.Parse()
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	return s, file.Run, nil
}

// DrawSeed returns a seed from the system's generator, for matches that people or programs play for
// something: it follows from no other seed, and no replay of another match helps to guess it.
func DrawSeed() uint64 {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return binary.LittleEndian.Uint64(b[:])
}
