package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/gofrs/flock"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/export/arrowfile"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
	"github.com/sparrowhall/sparrowhall/internal/userfile"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// tempSuffix is the end of the names of unfinished files.
const tempSuffix = ".tmp"

// ErrOccupied is the error of a folder that contains anything but the dataset of the run.
var ErrOccupied = errors.New("the folder is occupied")

// ErrLocked is the error of a dataset that another process is writing.
var ErrLocked = errors.New("another process is writing this dataset")

// Writer writes the dataset of a run into a folder. Any number of goroutines may fill its
// blocks; the methods of the Writer are for one.
//
// Files are written under temporary names, synced, renamed, and then listed in a new
// manifest, which replaces the old one in one step. So the manifest lists only whole files,
// whenever the program ends. Other files of the dataset are removed when the run continues.
type Writer struct {
	dir    string
	run    *Run
	rules  *ruleset.Rules
	layout *schema.Layout
	system system
	lock   *flock.Flock

	manifest *Manifest
	// envelopes and files have one for each table of the layout.
	envelopes []*arrowfile.Envelope
	// next is the number of the next match to be appended, end the one after the last.
	next, end uint64
	// slots limits the encoding goroutines of all files.
	slots chan struct{}
	// files are those being written, nil before the first match of the next ones.
	files []*arrowfile.Writer
	// listed receives the result of listing the previous files; nil once received.
	listed chan error
	// journal keeps finished matches that are in no whole file.
	journal *journal
	err     error
}

// system is the parts of the operating system that tests replace.
type system struct {
	mem    memory.Allocator
	create func(path string) (arrowfile.File, error)
	// extend opens a file for appending and creates it if necessary.
	extend func(path string) (arrowfile.File, error)
	now    func() time.Time
}

var realSystem = system{
	mem: memory.DefaultAllocator,
	// The names are fixed, so that a run which goes on replaces what was left behind. A link that
	// another user has put there is removed, not followed.
	create: func(path string) (arrowfile.File, error) {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	},
	extend: func(path string) (arrowfile.File, error) {
		f, err := tempdir.ContinueFile(path, 0o666)
		if err != nil {
			return nil, err
		}
		_, err = f.Seek(0, io.SeekEnd)
		return f, err
	},
	now: time.Now,
}

// Create opens the dataset of a run in folder dir for writing, and creates the folder if
// necessary. A dataset of the same run is continued, and so is a complete one with fewer matches that is
// not a shard, imported, sealed, or played until something is clear; see [Run.Repeatable]. If the folder contains anything else,
// or part of the dataset is missing, the error is [ErrOccupied]; if force is set, any
// dataset in it is replaced, and other files stay. After an error nothing but the folder
// has changed.
func Create(dir string, run *Run, force bool) (*Writer, error) {
	return create(dir, run, force, realSystem)
}

func create(dir string, run *Run, force bool, s system) (*Writer, error) {
	if err := run.Check(); err != nil {
		return nil, err
	}
	// Without the secret there are no walls. Such a run is read, by whoever has the published
	// commitment alone.
	if run.Seal != nil && !run.Seal.Known() {
		return nil, ErrSealed
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	rules := run.Ruleset.Rules()
	w := &Writer{
		dir: dir, run: run, rules: rules, layout: run.layout(rules), system: s,
		manifest: newManifest(run),
		// The lock is on the folder itself, so it leaves no file.
		lock:  flock.New(dir, flock.SetFlag(os.O_RDONLY)),
		slots: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
	if ok, err := w.lock.TryLock(); err != nil {
		return nil, err
	} else if !ok {
		return nil, fmt.Errorf("%s: %w", dir, ErrLocked)
	}
	if err := w.begin(force); err != nil {
		return nil, errors.Join(err, w.lock.Unlock())
	}
	return w, nil
}

// begin continues the dataset in the folder or begins a new one.
func (w *Writer) begin(force bool) error {
	for _, t := range w.layout.Tables {
		e, err := w.layout.Envelope(t)
		if err != nil {
			return err
		}
		w.envelopes = append(w.envelopes, e)
	}
	found, err := w.resume()
	if err != nil && !force {
		return err
	}
	if !found || force {
		// The journals go first: with force all matches are played again, and a crash between the two
		// must not leave journals that a new manifest would take for its own.
		if err := w.removeJournals(); err != nil {
			return err
		}
		if err := w.writeManifest(newManifest(w.run)); err != nil {
			return err
		}
	}
	w.next, w.end = w.manifest.next(), w.manifest.end
	// Before the journals are opened: it also removes those of files that are whole by now.
	if err := w.removeLeftovers(); err != nil {
		return err
	}
	w.journal, err = openJournal(w)
	return err
}

// resume reads the manifest in the folder and reports whether it is that of the run. It
// returns an error if the folder contains anything else.
func (w *Writer) resume() (bool, error) {
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		return false, err
	}
	text, err := userfile.ReadRegular(filepath.Join(w.dir, manifestName), maxManifest)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		for _, e := range entries {
			// A first manifest that was cut off while it was written is no dataset yet, and nothing
			// is lost by it.
			if e.Name() != manifestName+tempSuffix {
				return false, fmt.Errorf("%s: %w: it holds no dataset, but %s", w.dir, ErrOccupied, e.Name())
			}
		}
		return false, nil
	case err != nil:
		return false, err
	}
	there, _, err := parseManifest(text)
	if err != nil {
		return false, fmt.Errorf("%s: %w: %s is damaged: %v", w.dir, ErrOccupied, manifestName, err)
	}
	// Versions come before runs: a dataset of another version may differ in every knob, and the
	// remedy is that version.
	if v := there.versionDifference(); v != "" {
		return false, fmt.Errorf("%s: %w by a dataset of another version of the program, which writes or plays differently (%s); that version continues it", w.dir, ErrOccupied, v)
	}
	extended := there.isBeginningOf(w.manifest, w.run.Repeatable)
	if d := there.Differences(w.manifest); d != "" && !extended {
		return false, fmt.Errorf("%s: %w by the dataset of another run: %s", w.dir, ErrOccupied, d)
	}
	// The size alone: to hash all files would read the whole dataset before each continuation, which
	// is what verify is for.
	for _, f := range there.Files {
		if info, err := os.Stat(filepath.Join(w.dir, f.Name)); err != nil || info.Size() != f.Bytes {
			return false, fmt.Errorf("%s: %w by a damaged dataset: %s is missing or of another size", w.dir, ErrOccupied, f.Name)
		}
	}
	// The run that is asked for does not know that it was stopped; the folder does.
	if t := there.Tournament; t != nil && t.Stopped > 0 {
		w.manifest = w.manifest.stoppedAfter(t.Stopped)
	}
	if extended {
		// The last file of each table is shorter than it will be. Its matches are played again.
		whole := there.Matches - there.Matches%there.FileMatches
		there.Files = slices.DeleteFunc(there.Files, func(f FileInfo) bool { return f.First >= whole })
	}
	w.manifest = w.manifest.withFiles(there.Files)
	if extended { // before files that only the shorter run lists are removed
		return true, w.writeManifest(w.manifest)
	}
	return true, nil
}

// removeLeftovers removes the files of a dataset that the manifest does not list, except
// the journals of later matches.
func (w *Writer) removeLeftovers() error {
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		return err
	}
	// Only a complete dataset keeps its signature.
	keep := map[string]bool{manifestName: true, signatureName: w.manifest.Complete}
	for _, f := range w.manifest.Files {
		keep[f.Name] = true
	}
	for _, e := range entries {
		// Journals of files that are not whole have matches that nothing else has.
		if n, ok := journalNumber(e.Name()); ok && !w.manifest.Complete && n >= w.manifest.next()/w.run.FileMatches {
			continue
		}
		if isFileName(e.Name()) && !keep[e.Name()] {
			if err := os.Remove(filepath.Join(w.dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// First returns the number of the first match that the dataset holds: 0 except in a shard.
func (w *Writer) First() uint64 {
	first, _ := w.run.span()
	return first
}

// Next returns the number of the first match that is not yet written. It is End if the
// dataset is complete, otherwise a multiple of sim.BlockSize.
func (w *Writer) Next() uint64 { return w.next }

// End returns the number after that of the last match that the dataset holds.
func (w *Writer) End() uint64 { return w.end }

// WholeMatches returns the number of matches in the files of the manifest. It must not be called
// between Append and Close.
func (w *Writer) WholeMatches() uint64 { return w.manifest.next() - w.manifest.first }

// Append writes a block to which all its matches were added. Blocks are appended in the
// order of their matches. After an error nothing more is written, and Append returns that
// error again. A nil Writer writes nothing.
func (w *Writer) Append(b *Block) error {
	if w == nil {
		return nil
	}
	if w.err == nil {
		w.err = w.append(b)
	}
	return w.err
}

func (w *Writer) append(b *Block) error {
	if w.files == nil {
		if err := w.open(); err != nil {
			return err
		}
	}
	for i, f := range w.files {
		if err := f.Append(w.next, b.pieces[i]); err != nil {
			return err
		}
	}
	w.next += uint64(len(b.Rows) / w.rules.NumSeats())
	// Files are cut at multiples of FileMatches whatever wrote them, so the bytes of a dataset depend
	// neither on workers nor on where a run was continued.
	if w.next%w.run.FileMatches != 0 && w.next != w.end {
		return nil
	}
	// After the last match no later call would return an error of the listing, so it is awaited.
	if err := w.finish(); err != nil || w.next != w.end {
		return err
	}
	return w.wait()
}

// Play plays the matches that the dataset lacks and closes the writer. The job has the agents,
// the workers and the journal; Play sets the rest.
func (w *Writer) Play(ctx context.Context, job *sim.Job) error {
	job.Rules, job.Schedule, job.Keep = w.rules, w.run.Schedule(), w.run.Keep()
	job.First, job.Count, job.Sealed = w.next, w.end-w.next, w.run.Seal != nil
	// Arguments are evaluated from left to right, so the writer is closed after the run, whatever
	// its error.
	return errors.Join(sim.Run(ctx, job, w.NewBlock, (*Block).Add, w.Append), w.Close())
}

// open creates the next files.
func (w *Writer) open() error {
	for i, t := range w.layout.Tables {
		f, err := w.system.create(w.path(fileName(t, w.next/w.run.FileMatches)) + tempSuffix)
		if err != nil {
			return err
		}
		a, err := arrowfile.NewWriter(f, w.envelopes[i], w.layout.Bounds, w.system.mem, w.slots)
		w.files = append(w.files, a) // even after an error: Close closes what has been created
		if err != nil {
			return err
		}
	}
	return nil
}

// finish finishes the files and lists them in another goroutine while the next ones are
// written.
func (w *Writer) finish() error {
	n := (w.next - 1) / w.run.FileMatches
	first := n * w.run.FileMatches
	var infos []FileInfo
	for i, f := range w.files {
		// Finish writes the footer, and the checksum is that of the whole file: both come before
		// the listing.
		if err := f.Finish(); err != nil {
			return err
		}
		t := w.layout.Tables[i]
		infos = append(infos, FileInfo{
			Name: fileName(t, n), Table: t, First: first, Matches: w.next - first,
			Rows: f.Rows(), Bytes: f.Size(), SHA256: f.Sum(), BatchFirst: f.BatchFirsts(),
		})
	}
	// One listing at a time: manifests must be replaced in the order of their files. The next files
	// are encoded while the disk syncs these.
	if err := w.wait(); err != nil {
		return err
	}
	files, listed := w.files, make(chan error, 1)
	w.files, w.listed = nil, listed
	go func() { listed <- w.list(files, infos) }()
	return nil
}

// wait waits until the previous files are listed.
func (w *Writer) wait() error {
	if w.listed == nil {
		return nil
	}
	err := <-w.listed
	w.listed = nil
	return err
}

// list commits finished files to the disk and publishes them.
func (w *Writer) list(files []*arrowfile.Writer, infos []FileInfo) error {
	for i, f := range files {
		// On the disk before they get their names, or a power cut could leave a listed file that is
		// empty.
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			closeAll(files[i+1:])
			return err
		}
	}
	return w.publish(infos)
}

// publish gives synced files their names and lists them in the manifest.
func (w *Writer) publish(infos []FileInfo) error {
	for _, info := range infos {
		if err := os.Rename(w.path(info.Name)+tempSuffix, w.path(info.Name)); err != nil {
			return err
		}
	}
	// The names must be on the disk before the manifest that lists them.
	if err := tempdir.Sync(w.dir); err != nil {
		return err
	}
	if err := w.writeManifest(w.manifest.withFiles(infos)); err != nil {
		return err
	}
	// Only now: until the manifest lists the matches, the journal is all that has them.
	return w.journal.drop(infos[0].First / w.run.FileMatches)
}

func (w *Writer) writeManifest(m *Manifest) error {
	// The seed of a sealed run is revealed with its last match and not before, or players could know
	// the walls to come.
	if m.Complete && w.run.reveals() {
		revealed := *m
		revealed.Sealed = w.run.Seal.Info(true)
		m = &revealed
	}
	text, err := m.encode()
	if err != nil {
		return err
	}
	if err := w.system.replaceFile(w.path(manifestName), text); err != nil {
		return err
	}
	w.manifest = m
	return tempdir.Sync(w.dir)
}

// replaceFile replaces a file in one step by another with the text.
func (s *system) replaceFile(path string, text []byte) error {
	f, err := s.create(path + tempSuffix)
	if err != nil {
		return err
	}
	// Synced before it is renamed: a file system may put the name on the disk before the bytes.
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path+tempSuffix))
	}
	return os.Rename(path+tempSuffix, path)
}

func (w *Writer) path(name string) string { return filepath.Join(w.dir, name) }

// Close removes the unfinished files and unlocks the folder. It returns the error that
// Append returned, if any.
func (w *Writer) Close() error {
	err := w.wait()
	if w.err == nil {
		w.err = err
	}
	closeAll(w.files)
	w.files = nil
	// The journals stay: they have the matches of the files that are removed here. A closed one can
	// be read again.
	for _, err := range []error{w.journal.close(), w.removeLeftovers()} {
		if w.err == nil {
			w.err = err
		}
	}
	return errors.Join(w.err, w.lock.Unlock())
}

func closeAll(files []*arrowfile.Writer) {
	for _, f := range files {
		f.Close()
	}
}
