package league

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/sparrowhall/sparrowhall/internal/tempdir"
)

// The most bytes of a database of others, with its journal, and of a text in it.
const (
	maxForeign     = 1 << 28
	maxForeignText = 1 << 24
)

// withForeign calls read with the league of somebody else. It is a copy: nothing is written into
// the folder that was given to be read, not even the journal of a process that was killed. A schema
// can make a query do anything, so it must be exactly that of this version before there is another.
func (l *League) withForeign(ctx context.Context, dir string, read func(*League) error) error {
	// A league that plays changes while it is copied. Its lock is a file that is not made here.
	lock := flock.New(filepath.Join(dir, lockName), flock.SetFlag(os.O_RDONLY))
	switch ok, err := lock.TryRLock(); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && !ok:
		return ErrBusy
	}
	defer func() { _ = lock.Close() }()
	temp, err := tempdir.New(l.dir, ".merge-")
	if err != nil {
		return err
	}
	err = l.readForeign(ctx, dir, temp.Path, read)
	return errors.Join(err, temp.Remove())
}

func (l *League) readForeign(ctx context.Context, dir, temp string, read func(*League) error) (err error) {
	size := int64(0)
	for _, name := range []string{databaseName, databaseName + "-wal"} {
		from := filepath.Join(dir, name)
		info, err := os.Lstat(from)
		switch {
		case errors.Is(err, fs.ErrNotExist) && name != databaseName:
			continue
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s is not a regular file", name)
		}
		if size += info.Size(); size > maxForeign {
			return fmt.Errorf("%s has over %d bytes", databaseName, maxForeign)
		}
		if err := copyFile(filepath.Join(temp, name), from); err != nil {
			return err
		}
	}
	db, err := sql.Open("sqlite", databaseURI(filepath.Join(temp, databaseName))+"?_pragma=trusted_schema(0)&_pragma=cell_size_check(1)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1) // the limit is one of the connection
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	_, err = sqlite.Limit(c, sqlite3.SQLITE_LIMIT_LENGTH, maxForeignText)
	if err := errors.Join(err, c.Close()); err != nil {
		return err
	}
	found, err := schemaOf(ctx, db)
	if err != nil {
		return err
	}
	blank, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return err
	}
	defer blank.Close()
	blank.SetMaxOpenConns(1) // each connection has a memory of its own
	if _, err := blank.ExecContext(ctx, databaseSchema); err != nil {
		return err
	}
	want, err := schemaOf(ctx, blank)
	if err != nil {
		return err
	}
	if !slices.Equal(found, want) {
		return fmt.Errorf("%s has other tables than this version makes, or views or triggers beside them", databaseName)
	}
	other := &League{dir: dir, db: db, now: l.now}
	if err := other.read(ctx); err != nil {
		return err
	}
	return read(other)
}

// schemaOf returns all that the schema of a database declares.
func schemaOf(ctx context.Context, db *sql.DB) ([]string, error) {
	return queryAll(ctx, db, func(s *string) []any { return []any{s} },
		`SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '') FROM sqlite_schema WHERE name <> 'sqlite_sequence' ORDER BY type, name`)
}
