package dataset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/export/seal"
	"github.com/sparrowhall/sparrowhall/internal/userfile"
)

// Merge joins the shards of a run, in folders in any order, to the dataset that one machine
// would have written, in folder dir. Files are compared with their checksums while they are
// copied, and copied is called with the number of matches in each.
//
// As in [Create], an interrupted merge continues, a complete one stays, and anything else
// in the folder is the error [ErrOccupied] unless force is set. A sealed run needs its
// seal, which the dataset reveals.
//
// A shard that is missing, incomplete or given twice, and folders that are not shards of
// one run, are errors; nothing is written then.
func Merge(ctx context.Context, dir string, shards []string, runSeal *seal.Seal, force bool, copied func(matches int)) error {
	return merge(ctx, dir, shards, runSeal, force, copied, realSystem)
}

func merge(ctx context.Context, dir string, shards []string, runSeal *seal.Seal, force bool, copied func(int), s system) error {
	list, run, err := openShards(shards)
	if err != nil {
		return err
	}
	switch {
	case run.Seal == nil && runSeal != nil:
		return errors.New("the shards are not sealed, but a seal is given")
	case run.Seal != nil && runSeal == nil:
		return errors.New("the shards are sealed; the merge reveals their seed and needs their seal")
	case run.Seal != nil && runSeal.Commitment != run.Seal.Commitment:
		return errors.New("the seal is that of another run than the shards'")
	case run.Seal != nil:
		run.SetSeal(runSeal)
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

func openShards(dirs []string) ([]*Dataset, *Run, error) {
	var list []*Dataset
	for _, dir := range dirs {
		d, err := Open(dir)
		if err != nil {
			return nil, nil, err
		}
		if d.Run.Shard.whole() {
			return nil, nil, fmt.Errorf("%s: it is no shard, but a whole run", dir)
		}
		list = append(list, d)
	}
	if len(list) == 0 {
		return nil, nil, errors.New("no shards are given")
	}
	whole := *list[0].Run
	whole.Shard = Shard{}

	numShards := list[0].Run.Shard.Of
	dirOf := map[uint64]string{}
	for _, d := range list {
		shard := d.Run.Shard
		if shard.Of != numShards {
			return nil, nil, fmt.Errorf("%s: it is shard %d of %d; %s is one of %d", d.dir, shard.Number, shard.Of, list[0].dir, numShards)
		}
		if v := d.Manifest.versionDifference(); v != "" {
			return nil, nil, fmt.Errorf("%s: it is of another version of the program, which must merge it (%s)", d.dir, v)
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
			return nil, nil, fmt.Errorf("%s: it is incomplete: it has %d of its %d matches; the command that began it continues it", d.dir, d.Matches(), m.end-m.first)
		}
	}
	var missing []string
	for n := uint64(1); n <= numShards; n++ {
		if _, ok := dirOf[n]; !ok {
			missing = append(missing, fmt.Sprint(n))
		}
	}
	if missing != nil {
		return nil, nil, fmt.Errorf("of %d shards these are missing: %s", numShards, strings.Join(missing, ", "))
	}
	slices.SortFunc(list, func(a, b *Dataset) int { return int(a.First()) - int(b.First()) })
	return list, &whole, nil
}

// adopt copies the files of a shard that the dataset does not have yet.
func (w *Writer) adopt(ctx context.Context, d *Dataset, copied func(int)) error {
	for files := d.Manifest.Files; len(files) > 0; files = files[len(w.layout.Tables):] {
		infos := files[:len(w.layout.Tables)]
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

// copy copies a file to its temporary name.
func (w *Writer) copy(from string, info *FileInfo) error {
	in, err := userfile.OpenRegular(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := w.system.create(w.path(info.Name) + tempSuffix)
	if err != nil {
		return err
	}
	if err = info.copy(out, in, from); err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}
