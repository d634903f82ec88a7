package export

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// A journal holds the answers of matches that have ended while the files they
// belong in are not whole: with players outside the program these are minutes and
// hours of play. Each file number of a dataset has its own, which is removed when
// those files are listed in the manifest.
//
// It begins with journalMagic and a hash of the run, so that it is of use to no
// other. A record for each match follows: the number of the bytes after its
// checksum, the checksum (CRC-32C), and in these bytes the number of the match as a
// varint, the players who forfeited, and the answers, a byte each. Numbers are
// little-endian. No seed is in it, nothing that the files do not show later.
//
// A journal whose end is torn holds the matches before.
const (
	journalMagic = "jansou journal 1\n"
	journalHead  = len(journalMagic) + sha256.Size
	recordHead   = 8
	// maxRecord is more than the longest match takes.
	maxRecord = 1 << 26
)

// slowMatch is how long a match takes that is worth keeping at once. Matches of
// players who are faster are played again as quickly as they are read.
const slowMatch = 10 * time.Millisecond

// syncAfter is how long what was written may wait to be synced. What a process
// has written outlives it in any case; this is for power cuts.
const syncAfter = time.Second

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// journalName returns the name of the journal of the n-th files.
func journalName(n uint64) string { return fmt.Sprintf("journal-%06d.bin", n) }

// journalNumber returns the number of the journal of that name.
func journalNumber(name string) (n uint64, ok bool) {
	digits, isJournal := strings.CutPrefix(name, "journal-")
	digits, isBin := strings.CutSuffix(digits, ".bin")
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, isJournal && isBin && err == nil && journalName(n) == name
}

// journal is the sim.Journal of a dataset that is written.
type journal struct {
	w     *Writer
	rules *ruleset.Rules
	head  []byte

	mu sync.Mutex // of all that follows
	// known has the matches that were found, by their numbers.
	known map[uint64]knownMatch
	// kept is how many matches each journal has, by their numbers; files are those
	// that are written to.
	kept  map[uint64]uint64
	files map[uint64]*journalFile
	// begun tells when matches that are being played began.
	begun  map[uint64]time.Time
	record []byte
	// syncing, if not nil, will sync what was written.
	syncing *time.Timer
	err     error
}

// knownMatch is where the record of a match stands, without its head.
type knownMatch struct {
	offset int64
	size   int
}

type journalFile struct {
	file
	dirty bool
}

// openJournal reads the journals of the matches that the manifest does not list.
// Those of other runs are removed, those that are torn cut to what is whole.
func openJournal(w *Writer) (*journal, error) {
	text, err := newManifest(w.run).encode()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	j := &journal{
		w: w, rules: w.rules, head: append([]byte(journalMagic), sum[:]...),
		known: map[uint64]knownMatch{}, kept: map[uint64]uint64{}, files: map[uint64]*journalFile{}, begun: map[uint64]time.Time{},
	}
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if n, ok := journalNumber(e.Name()); ok {
			if err := j.read(n); err != nil {
				return nil, err
			}
		}
	}
	return j, nil
}

// read finds the matches of a journal.
func (j *journal) read(n uint64) error {
	path := j.w.path(journalName(n))
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	head := make([]byte, journalHead)
	if _, err := io.ReadFull(r, head); err != nil || !bytes.Equal(head, j.head) {
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
		return os.Remove(path)
	}
	whole := int64(journalHead)
	for {
		payload, err := readRecord(r)
		if errors.Is(err, errTorn) {
			return os.Truncate(path, whole)
		} else if err != nil {
			return err
		}
		index, k := binary.Uvarint(payload)
		if k > 0 && index/j.w.run.FileMatches == n && index >= j.w.next && index < j.w.end {
			j.known[index] = knownMatch{whole + recordHead, len(payload)}
			j.kept[n]++
		}
		whole += int64(recordHead + len(payload))
	}
}

// errTorn is the error of what is no whole record: the end of a journal, be it
// that of a process which was killed.
var errTorn = errors.New("no whole record")

func readRecord(r io.Reader) ([]byte, error) {
	torn := func(err error) error {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return errTorn
		}
		return err
	}
	var head [recordHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, torn(err)
	}
	size := binary.LittleEndian.Uint32(head[:])
	if size == 0 || size > maxRecord {
		return nil, errTorn
	}
	var b bytes.Buffer // what a damaged size promises may not be there
	if _, err := io.CopyN(&b, r, int64(size)); err != nil {
		return nil, torn(err)
	}
	if crc32.Checksum(b.Bytes(), castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
		return nil, errTorn
	}
	return b.Bytes(), nil
}

// Recall implements sim.Journal.
func (j *journal) Recall(m *sim.Match) (bool, error) {
	j.mu.Lock()
	at, known := j.known[m.Index]
	if !known {
		j.begun[m.Index] = j.w.now()
	}
	j.mu.Unlock()
	if !known {
		return false, nil
	}
	path := j.w.path(journalName(m.Index / j.w.run.FileMatches))
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	payload := make([]byte, at.size)
	if _, err := f.ReadAt(payload, at.offset); err != nil {
		return false, err
	}
	_, n := binary.Uvarint(payload)
	var actions []sim.Action
	for _, a := range payload[n+1:] {
		actions = append(actions, sim.Action(a))
	}
	if err := m.Replay(j.rules, actions, sim.Players(payload[n])); err != nil {
		return false, fmt.Errorf("%s: match %d is not one of this run: %w; without the file its matches are played anew", path, m.Index, err)
	}
	return true, nil
}

// Played implements sim.Journal.
func (j *journal) Played(m *sim.Match) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	took := j.w.now().Sub(j.begun[m.Index])
	delete(j.begun, m.Index)
	if took < slowMatch {
		return nil
	}
	// After an error there may be half a record at the end.
	if j.err == nil {
		j.err = j.write(m)
	}
	return j.err
}

func (j *journal) write(m *sim.Match) error {
	n := m.Index / j.w.run.FileMatches
	f := j.files[n]
	if f == nil {
		path := j.w.path(journalName(n))
		_, err := os.Stat(path)
		isNew := errors.Is(err, fs.ErrNotExist)
		opened, err := j.w.extend(path)
		if err != nil {
			return err
		}
		f = &journalFile{file: opened}
		j.files[n] = f
		if isNew {
			if _, err := f.Write(j.head); err != nil {
				return err
			}
			if err := syncDir(j.w.dir); err != nil {
				return err
			}
		}
	}
	b := append(j.record[:0], make([]byte, recordHead)...)
	b = binary.AppendUvarint(b, m.Index)
	b = append(b, byte(m.Forfeited))
	for _, a := range m.Actions {
		b = append(b, byte(a))
	}
	payload := b[recordHead:]
	binary.LittleEndian.PutUint32(b, uint32(len(payload)))
	binary.LittleEndian.PutUint32(b[4:], crc32.Checksum(payload, castagnoli))
	j.record = b
	if _, err := f.Write(b); err != nil {
		return err
	}
	f.dirty = true
	j.kept[n]++
	if j.syncing == nil {
		j.syncing = time.AfterFunc(syncAfter, j.sync)
	}
	return nil
}

// sync makes what was written last.
func (j *journal) sync() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.syncing = nil
	for _, f := range j.files {
		if f.dirty && j.err == nil {
			f.dirty, j.err = false, f.Sync()
		}
	}
}

// drop removes the journal of files that are whole.
func (j *journal) drop(n uint64) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.kept, n)
	if f := j.files[n]; f != nil {
		delete(j.files, n)
		f.Close()
	}
	if err := os.Remove(j.w.path(journalName(n))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// close ends the writing.
func (j *journal) close() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.syncing != nil {
		j.syncing.Stop()
		j.syncing = nil
	}
	var errs []error
	for n, f := range j.files {
		if f.dirty {
			errs = append(errs, f.Sync())
		}
		errs = append(errs, f.Close())
		delete(j.files, n)
	}
	return errors.Join(errs...)
}

// Journal returns what keeps each match that takes long as soon as it has ended, for
// sim.Job, so that a run that goes on need not play it again; nil for a nil Writer.
func (w *Writer) Journal() sim.Journal {
	if w == nil {
		return nil
	}
	return w.journal
}

// Kept returns how many finished matches are kept beside the whole files. A run
// that goes on recalls them instead of playing them.
func (w *Writer) Kept() uint64 {
	if w == nil {
		return 0
	}
	w.journal.mu.Lock()
	defer w.journal.mu.Unlock()
	total := uint64(0)
	for _, n := range w.journal.kept {
		total += n
	}
	return total
}

// removeJournals removes all journals from the folder.
func (w *Writer) removeJournals() error {
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if _, ok := journalNumber(e.Name()); ok {
			if err := os.Remove(w.path(e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
