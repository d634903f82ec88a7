package league

import (
	"archive/tar"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sparrowhall/sparrowhall/internal/contest/league/foreign"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
)

// Backup writes the league as a tar archive: its database at one moment, and the datasets of
// the matches that count in it. It may be called while the league plays. To restore it,
// extract the archive into a new folder.
func (l *League) Backup(ctx context.Context, w io.Writer) error {
	temp, err := tempdir.New(l.dir, ".backup-")
	if err != nil {
		return err
	}
	return errors.Join(l.backup(ctx, w, temp.Path), temp.Remove())
}

// backup is Backup with a folder for the snapshot of the database.
func (l *League) backup(ctx context.Context, w io.Writer, temp string) error {
	copied := filepath.Join(temp, databaseName)
	if err := l.snapshot(ctx, copied); err != nil {
		return err
	}
	// The snapshot lists the datasets that are whole. They do not change any more.
	s, err := openDatabase(ctx, temp)
	if err != nil {
		return err
	}
	rounds, err := s.rounds(ctx, counted)
	if err == nil { // so that the snapshot is one file
		_, err = s.db.ExecContext(ctx, `PRAGMA journal_mode = DELETE`)
	}
	if err := errors.Join(err, s.db.Close()); err != nil {
		return err
	}
	archive := tar.NewWriter(w)
	if err := addFile(archive, copied, databaseName); err != nil {
		return err
	}
	for _, r := range rounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		dir := l.roundDir(r.id)
		if err := addFolder(archive, dir, matchesName+"/"+filepath.Base(dir)); err != nil {
			return err
		}
	}
	return archive.Close()
}

// snapshot writes the database at one moment to a new file.
func (l *League) snapshot(ctx context.Context, path string) error {
	if err := makePrivate(path); err != nil { // VACUUM takes an empty file
		return err
	}
	return l.exec(ctx, `VACUUM INTO ?`, path)
}

func addFolder(archive *tar.Writer, dir, name string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return addFile(archive, path, name+"/"+filepath.ToSlash(rel))
	})
}

func addFile(archive *tar.Writer, path, name string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: info.Size(), ModTime: info.ModTime()}); err != nil {
		return err
	}
	_, err = io.Copy(archive, f)
	return err
}

// Fork makes a league in a new folder that has the bots, seasons and results of this one and
// plays other matches, for another machine. Its matches come back by [League.Merge]. Forks of
// different numbers never play the same walls. It has no secret of a match in work.
func (l *League) Fork(ctx context.Context, dir string, number int64) error {
	if number < 1 {
		return fmt.Errorf("fork %d; allowed: from 1", number)
	}
	if err := makeFolder(dir); err != nil {
		return err
	}
	// The name appears when the database is whole.
	folder, err := tempdir.New(dir, ".fork-")
	if err != nil {
		return err
	}
	temp := filepath.Join(folder.Path, databaseName)
	if err = l.fork(ctx, temp, number); err == nil {
		err = os.Rename(temp, filepath.Join(dir, databaseName))
	}
	return errors.Join(err, folder.Remove())
}

// fork writes the database of a fork to a new file.
func (l *League) fork(ctx context.Context, path string, number int64) error {
	if err := l.snapshot(ctx, path); err != nil {
		return err
	}
	// What is deleted is overwritten: rows in work have the secrets of their walls.
	db, err := sql.Open("sqlite", foreign.URI(path)+"?_pragma=secure_delete(1)")
	if err != nil {
		return err
	}
	var last int64
	err = db.QueryRowContext(ctx, `SELECT coalesce(max(id), 0) FROM rounds`).Scan(&last)
	for _, change := range []struct {
		text string
		args []any
	}{
		{`DELETE FROM rounds WHERE state = ?`, []any{playing}},
		{`DELETE FROM tests WHERE ended = ''`, nil},
		{`UPDATE rounds SET state = ? WHERE state = ?`, []any{inherited, counted}},
		{`UPDATE settings SET value = ? WHERE key = 'seed'`, []any{fmt.Sprint(l.deriveSeed(fmt.Sprintf("fork %d", number), last))}},
	} {
		if err == nil {
			_, err = db.ExecContext(ctx, change.text, change.args...)
		}
	}
	return errors.Join(err, db.Close())
}
