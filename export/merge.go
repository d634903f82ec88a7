package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Merge joins the shards of a run, which lie in folders in any order, to
// the dataset in folder dir that one machine would have written. It is written
// like any other: an interrupted merge goes on where it stopped, one that is
// complete is left alone, anything else in the folder is an error, [ErrOccupied],
// unless force is given. If the run is sealed, its seal must be given and is
// revealed. Each file is compared with its checksum while it is
// copied, and copied is called with the number of its matches.
//
// The error is that of a shard that is missing, incomplete or there twice, or of
// folders that are not shards of one run; nothing is then written.
func Merge(ctx context.Context, dir string, shards []string, seal *Seal, force bool, copied func(matches int)) error {
	return merge(ctx, dir, shards, seal, force, copied, realSystem)
}

func merge(ctx context.Context, dir string, shards []string, seal *Seal, force bool, copied func(int), s system) error {
	list, run, err := openShards(shards)
	if err != nil {
		return err
	}
	switch {
	case run.Seal == nil && seal != nil:
		return errors.New("the shards are not sealed, but a seal is given")
	case run.Seal != nil && seal == nil:
		return errors.New("the shards are sealed; the merge reveals their seed and needs their seal")
	case run.Seal != nil && seal.Commitment != run.Seal.Commitment:
		return errors.New("the seal is that of another run than the shards'")
	case run.Seal != nil:
		run.SetSeal(seal)
	}
	if there, err := os.Stat(dir); err == nil {
		for _, shard := range shards {
			if info, err := os.Stat(shard); err == nil && os.SameFile(there, info) {
				return fmt.Errorf("%s: it is one of the shards", dir)
			}
		}
	}
	w, err := create(dir, run, force, s)
	if err != nil {
		return err
	}
	for _, d := range list {
		if err = w.adopt(ctx, d, copied); err != nil {
			break
		}
	}
	if closing := w.Close(); err == nil {
		err = closing
	}
	return err
}

// openShards opens the shards and returns them in order, with the run they are
// the shards of.
func openShards(dirs []string) ([]*Dataset, *Run, error) {
	var list []*Dataset
	for _, dir := range dirs {
		d, err := Open(dir)
		if err != nil {
			return nil, nil, err
		}
		if d.Run.Shard.whole() {
			return nil, nil, fmt.Errorf("%s: it is no shard of a run, but all of it", dir)
		}
		list = append(list, d)
	}
	if len(list) == 0 {
		return nil, nil, errors.New("no shards are given")
	}
	whole := *list[0].Run
	whole.Shard = Shard{}

	of := list[0].Run.Shard.Of
	dirOf := map[uint64]string{}
	for _, d := range list {
		shard := d.Run.Shard
		if shard.Of != of {
			return nil, nil, fmt.Errorf("%s: it is shard %d of %d; %s is one of %d", d.dir, shard.Number, shard.Of, list[0].dir, of)
		}
		if v := d.Manifest.otherVersion(); v != "" {
			return nil, nil, fmt.Errorf("%s: it is of another version of the program, which merges it (%s)", d.dir, v)
		}
		same := *d.Manifest
		same.Shard = nil
		if diff := newManifest(&whole).Differences(&same); diff != "" {
			return nil, nil, fmt.Errorf("%s and %s are shards of different runs: %s", list[0].dir, d.dir, diff)
		}
		if other, ok := dirOf[shard.Number]; ok {
			return nil, nil, fmt.Errorf("%s and %s are both shard %d", other, d.dir, shard.Number)
		}
		dirOf[shard.Number] = d.dir
		if m := d.Manifest; !m.Complete {
			return nil, nil, fmt.Errorf("%s: it is incomplete: %d of its %d matches are there; the command that began it goes on with it", d.dir, d.Matches(), m.end-m.first)
		}
	}
	var missing []string
	for n := uint64(1); n <= of; n++ {
		if _, ok := dirOf[n]; !ok {
			missing = append(missing, fmt.Sprint(n))
		}
	}
	if missing != nil {
		return nil, nil, fmt.Errorf("of %d shards these are missing: %s", of, strings.Join(missing, ", "))
	}
	slices.SortFunc(list, func(a, b *Dataset) int { return int(a.First()) - int(b.First()) })
	return list, &whole, nil
}

// adopt copies the files of a shard that are not yet there.
func (w *Writer) adopt(ctx context.Context, d *Dataset, copied func(int)) error {
	for files := d.Manifest.Files; len(files) > 0; files = files[len(w.layout.tables):] {
		infos := files[:len(w.layout.tables)]
		if infos[0].First < w.next {
			continue
		}
		for i := range infos {
			if err := ctx.Err(); err != nil {
				return context.Cause(ctx)
			}
			if err := w.copy(filepath.Join(d.dir, infos[i].Name), &infos[i]); err != nil {
				return err
			}
		}
		if err := w.publish(infos); err != nil {
			return err
		}
		w.next = w.manifest.next()
		copied(int(infos[0].Matches))
	}
	return nil
}

// copy copies a file under its temporary name.
func (w *Writer) copy(from string, info *FileInfo) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := w.create(w.path(info.Name) + tempSuffix)
	if err != nil {
		return err
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, h), in)
	switch {
	case err != nil:
	case n != info.Bytes:
		err = fmt.Errorf("%s: %d bytes; the manifest says %d", from, n, info.Bytes)
	case hex.EncodeToString(h.Sum(nil)) != info.SHA256:
		err = fmt.Errorf("%s: the checksum is not that of the manifest", from)
	default:
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}
