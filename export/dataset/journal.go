package dataset

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

	"github.com/sparrowhall/sparrowhall/internal/export/arrowfile"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// A journal has the actions of finished matches whose files are not yet whole. With external
// agents these are minutes or hours of play. The files of the same number share a journal,
// which is removed once the manifest lists them.
//
// It begins with journalMagic and a hash of the run, so that no other run uses it. A record
// follows for each match: the number of bytes after its checksum, the checksum (CRC-32C),
// and in these bytes the number of the match as a varint, the players who forfeited, and
// the actions, a byte each. Numbers are little-endian. It has no seeds, and nothing that
// the files will not have.
//
// A journal with a torn end has the matches before it.
const (
	journalMagic = "sparrowhall journal 1\n"
	journalHead  = len(journalMagic) + sha256.Size
	recordHead   = 8
	// maxRecord is more than the longest match takes.
	maxRecord = 1 << 26
)

// slowMatch is the duration from which a match is kept. Faster ones are played again as
// quickly as they are read.
const slowMatch = 10 * time.Millisecond

// syncAfter is how long a record may wait to be synced, which protects it from power cuts.
// Without a sync it survives the process.
const syncAfter = time.Second

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// journalName returns the name of the journal of the n-th files.
func journalName(n uint64) string { return fmt.Sprintf("journal-%06d.bin", n) }

func journalNumber(name string) (n uint64, ok bool) {
	digits, isJournal := strings.CutPrefix(name, "journal-")
	digits, isBin := strings.CutSuffix(digits, ".bin")
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, isJournal && isBin && err == nil && journalName(n) == name
}

// journal is the [sim.Journal] of a dataset that is being written.
type journal struct {
	w     *Writer
	rules *ruleset.Rules
	head  []byte

	mu sync.Mutex // guards the fields below
	// places has the records of the matches that were found, by their numbers.
	places map[uint64]recordPlace
	// counts is the number of matches in each journal; files are those being written.
	counts map[uint64]uint64
	files  map[uint64]*journalFile
	// starts is when the matches being played began.
	starts map[uint64]time.Time
	record []byte
	// syncing is the timer of the next sync, nil if there is nothing to sync.
	syncing *time.Timer
	err     error // of a sync, after which nothing that was written is certain
}

// recordPlace is the place of the record of a match, without its head.
type recordPlace struct {
	offset int64
	size   int
}

type journalFile struct {
	arrowfile.File
	size  int64 // of what is whole
	dirty bool
}

// openJournal reads the journals in the folder. It removes those of other runs and cuts off
// torn ends.
func openJournal(w *Writer) (*journal, error) {
	text, err := newManifest(w.run).encode()
	if err != nil {
		return nil, err
	}
	// A new manifest of the run names everything that decides its matches, and nothing of what was
	// written so far.
	sum := sha256.Sum256(text)
	j := &journal{
		w: w, rules: w.rules, head: append([]byte(journalMagic), sum[:]...),
		places: map[uint64]recordPlace{}, counts: map[uint64]uint64{}, files: map[uint64]*journalFile{}, starts: map[uint64]time.Time{},
	}
	return j, w.eachJournal(j.read)
}

// eachJournal calls visit with the numbers of the journals in the folder.
func (w *Writer) eachJournal(visit func(n uint64) error) error {
	entries, err := os.ReadDir(w.dir)
	for _, e := range entries {
		if n, ok := journalNumber(e.Name()); ok && err == nil {
			err = visit(n)
		}
	}
	return err
}

// read finds the matches of journal n.
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
		// Of another run, or cut off within the head: no match in it can be this run's.
		return os.Remove(path)
	}
	whole := int64(journalHead)
	for {
		payload, err := readRecord(r)
		// Records are appended after a whole one, or all after a torn one would be lost.
		if errors.Is(err, errTorn) {
			return os.Truncate(path, whole)
		} else if err != nil {
			return err
		}
		index, k := binary.Uvarint(payload)
		// Matches that are in whole files by now, or beyond the end of a run that was stopped, are
		// passed over; a record of another journal would be removed with the wrong files.
		if k > 0 && index/j.w.run.FileMatches == n && index >= j.w.next && index < j.w.end {
			j.places[index] = recordPlace{whole + recordHead, len(payload)}
			j.counts[n]++
		}
		whole += int64(recordHead + len(payload))
	}
}

// errTorn is the error of the end of a journal, which may be torn if the process was killed.
var errTorn = errors.New("no whole record")

// readRecord returns the payload of the next record. The error is errTorn where no whole one
// follows; others are those of the reader.
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
	// Zeros are what a file system may leave after a power cut.
	if size == 0 || size > maxRecord {
		return nil, errTorn
	}
	var b bytes.Buffer // it grows with the bytes that exist; the size may be damaged
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
	at, ok := j.places[m.Index]
	// A match that is played from here on may end long after: Record needs to know how long it took.
	if !ok {
		j.starts[m.Index] = j.w.system.now()
	}
	j.mu.Unlock()
	if !ok {
		return false, nil
	}
	path := j.w.path(journalName(m.Index / j.w.run.FileMatches))
	payload, err := readPayload(path, at)
	if err != nil {
		return false, err
	}
	// A match is replayed rather than its rows stored, so that it gives the same bytes whether it was
	// played or recalled: files do not depend on the speed of agents or on where a run was cut off.
	_, n := binary.Uvarint(payload)
	forfeited, answers := sim.Players(payload[n]), payload[n+1:]
	var actions []sim.Action
	for _, a := range answers {
		actions = append(actions, sim.Action(a))
	}
	if err := m.Replay(j.rules, actions, forfeited); err != nil {
		return false, fmt.Errorf("%s: match %d is not one of this run: %w; remove the file to play its matches again", path, m.Index, err)
	}
	return true, nil
}

// readPayload reads a record without its head.
func readPayload(path string, at recordPlace) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	payload := make([]byte, at.size)
	_, err = f.ReadAt(payload, at.offset)
	return payload, err
}

// Record implements sim.Journal. After an error it may be called again with the same match, which
// then is written once.
func (j *journal) Record(m *sim.Match) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	// Wall time decides only whether a match is kept. What is written to the dataset does not
	// depend on it.
	if j.w.system.now().Sub(j.starts[m.Index]) < slowMatch {
		delete(j.starts, m.Index)
		return nil
	}
	if j.err != nil {
		return j.err
	}
	if err := j.write(m); err != nil {
		return errors.Join(err, j.cutOff(m.Index/j.w.run.FileMatches))
	}
	delete(j.starts, m.Index)
	return nil
}

// cutOff cuts off the half of a record with which journal n may end after an error, since nothing
// after it would be read.
func (j *journal) cutOff(n uint64) error {
	f := j.files[n]
	if f == nil {
		return nil // it could not be opened
	}
	delete(j.files, n)
	var err error
	if f.dirty {
		err = f.Sync()
	}
	return errors.Join(err, f.Close(), os.Truncate(j.w.path(journalName(n)), f.size))
}

func (j *journal) write(m *sim.Match) error {
	n := m.Index / j.w.run.FileMatches
	f := j.files[n]
	if f == nil {
		path := j.w.path(journalName(n))
		opened, err := j.w.system.extend(path)
		if err != nil {
			return err
		}
		f = &journalFile{File: opened}
		j.files[n] = f
		if info, err := os.Stat(path); err != nil {
			return err
		} else if f.size = info.Size(); f.size == 0 {
			if _, err := f.Write(j.head); err != nil {
				return err
			}
			// A synced file without a name on the disk is lost with the power.
			if err := tempdir.Sync(j.w.dir); err != nil {
				return err
			}
			f.size = int64(len(j.head))
		}
	}
	j.record = appendRecord(j.record[:0], m)
	if _, err := f.Write(j.record); err != nil {
		return err
	}
	f.size += int64(len(j.record))
	f.dirty = true
	j.counts[n]++
	// One sync serves all records of a second.
	if j.syncing == nil {
		j.syncing = time.AfterFunc(syncAfter, j.sync)
	}
	return nil
}

// appendRecord appends the record of a match to dst, which must be empty: the head goes to its
// start once the payload is known.
func appendRecord(dst []byte, m *sim.Match) []byte {
	dst = append(dst, make([]byte, recordHead)...)
	dst = binary.AppendUvarint(dst, m.Index)
	dst = append(dst, byte(m.Forfeited))
	for _, a := range m.Actions {
		dst = append(dst, byte(a))
	}
	putHead(dst)
	return dst
}

func putHead(record []byte) {
	payload := record[recordHead:]
	binary.LittleEndian.PutUint32(record, uint32(len(payload)))
	binary.LittleEndian.PutUint32(record[4:], crc32.Checksum(payload, castagnoli))
}

// sync commits the records to the disk.
func (j *journal) sync() {
	// Workers that record meanwhile wait, at most once in syncAfter. In return no file is closed
	// under its Sync, and no record is written that dirty would hide. Record returns the error.
	j.mu.Lock()
	defer j.mu.Unlock()
	j.syncing = nil
	for _, f := range j.files {
		if f.dirty && j.err == nil {
			f.dirty, j.err = false, f.Sync()
		}
	}
}

// drop removes journal n, whose matches are in whole files.
func (j *journal) drop(n uint64) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	// A timer of sync may still run. It finds the file gone from the map, under the same lock.
	delete(j.counts, n)
	if f := j.files[n]; f != nil {
		delete(j.files, n)
		f.Close()
	}
	if err := os.Remove(j.w.path(journalName(n))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// close syncs and closes the files.
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

// Journal returns the journal for [sim.Job]. It keeps each slow match as soon as it has
// ended, so that a continued run need not play it again. It is nil for a nil Writer.
func (w *Writer) Journal() sim.Journal {
	if w == nil {
		return nil
	}
	return w.journal
}

// KeptMatches returns the number of finished matches in journals, which a continued run does not
// play again.
func (w *Writer) KeptMatches() uint64 {
	if w == nil { // a run that writes no dataset keeps nothing
		return 0
	}
	// Workers may be recording.
	w.journal.mu.Lock()
	defer w.journal.mu.Unlock()
	total := uint64(0)
	for _, n := range w.journal.counts {
		total += n
	}
	return total
}

func (w *Writer) removeJournals() error {
	return w.eachJournal(func(n uint64) error { return os.Remove(w.path(journalName(n))) })
}
