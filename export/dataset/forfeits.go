package dataset

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"
)

// DropForfeits drops the matches in which a player has forfeited from the dataset of a run in folder
// dir, and returns their number. The others are kept as those of an interrupted run, which [Create]
// continues. Without such a match nothing changes.
func DropForfeits(dir string, run *Run) (dropped int, err error) {
	w, err := Create(dir, run, false)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	journals := map[uint64][]byte{}
	add := func(index uint64, forfeited bool, record []byte) {
		n := index / run.FileMatches
		if forfeited {
			dropped++
			record = nil
		}
		journals[n] = append(journals[n], record...)
	}
	d, err := Open(dir)
	if err != nil {
		return 0, err
	}
	if run.Seal != nil {
		d.Run.SetSeal(run.Seal)
	}
	var record []byte
	for m, err := range d.Replays(0) {
		if err != nil {
			return 0, err
		}
		record = appendRecord(record[:0], m.Match)
		add(m.Match.Index, m.Match.Forfeited != 0, record)
	}
	for _, index := range slices.Sorted(maps.Keys(w.journal.places)) {
		payload, err := readPayload(w.path(journalName(index/run.FileMatches)), w.journal.places[index])
		if err != nil {
			return 0, err
		}
		record = append(append(record[:0], make([]byte, recordHead)...), payload...)
		putHead(record)
		_, k := binary.Uvarint(payload)
		add(index, payload[k] != 0, record)
	}
	if dropped == 0 {
		return 0, nil
	}
	// The manifest comes last: until it lists no files, those are the dataset, and after it the
	// journals are.
	for n, records := range journals {
		if err := w.system.replaceFile(w.path(journalName(n)), append(slices.Clone(w.journal.head), records...)); err != nil {
			return 0, err
		}
	}
	return dropped, w.writeManifest(newManifest(run))
}
