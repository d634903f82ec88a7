package league

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/contest/league/foreign"
)

// schemaVersion is the version of databaseSchema. A database has it as its user_version.
const schemaVersion = 1

//go:embed schema.sql
var databaseSchema string

// openDatabase opens the database of a folder. It changes nothing in it: the folder may be one of
// another owner that was only given to be read, and its schema is compared before it can do anything.
func openDatabase(ctx context.Context, dir string) (*League, error) {
	l, err := connect(dir)
	if err != nil {
		return nil, err
	}
	if err := l.checkSchema(ctx); err != nil {
		return nil, errors.Join(err, l.db.Close())
	}
	return l, nil
}

// makeDatabase makes the database of a folder that has none.
func makeDatabase(ctx context.Context, dir string) (*League, error) {
	if err := makePrivate(filepath.Join(dir, databaseName)); err != nil {
		return nil, err
	}
	l, err := connect(dir)
	if err != nil {
		return nil, err
	}
	if err = l.allowReaders(ctx); err == nil {
		err = l.exec(ctx, fmt.Sprintf(`BEGIN; %s; PRAGMA user_version = %d; COMMIT`, databaseSchema, schemaVersion))
	}
	if err != nil {
		return nil, errors.Join(err, l.db.Close(), removeDatabase(dir))
	}
	return l, nil
}

// allowReaders lets readers see the last commit while there is a writer. The database keeps the mode,
// but that of a backup has another.
func (l *League) allowReaders(ctx context.Context) error {
	return l.exec(ctx, `PRAGMA journal_mode = WAL`)
}

// connect returns the league of a folder, with connections to its database.
func connect(dir string) (*League, error) {
	// A writer waits for others, and a commit is on the disk when it returns.
	options := "?mode=rw&_pragma=busy_timeout(30000)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_txlock=immediate"
	path, err := filepath.Abs(filepath.Join(dir, databaseName))
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", foreign.URI(path)+options)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(8) // each takes three descriptors, and strangers with tokens cause queries
	return &League{dir: dir, db: db, now: time.Now}, nil
}

// makePrivate makes the empty file of a database. Its seed gives all walls to come, so other users
// must not read it, and SQLite would make a file that they can read. Its journals have the same mode.
func makePrivate(path string) error {
	// A file that exists is not opened: closing it would end SQLite's locks of this process.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// checkSchema returns an error for a database of another version, or with another schema.
func (l *League) checkSchema(ctx context.Context) error {
	var version int
	if err := l.db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return fmt.Errorf("%s: %w; league backup makes files to restore it from", databaseName, err)
	}
	if version != schemaVersion {
		return fmt.Errorf("%s has schema version %d; this program reads version %d", databaseName, version, schemaVersion)
	}
	return foreign.Check(ctx, l.db, databaseName, databaseSchema)
}

// inTransaction runs a function in a transaction.
func (l *League) inTransaction(ctx context.Context, f func(tx *sql.Tx) error) error {
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// exec executes a statement that stands alone.
func (l *League) exec(ctx context.Context, statement string, args ...any) error {
	_, err := l.db.ExecContext(ctx, statement, args...)
	return err
}

// queryAll returns the rows of a query. fields returns where the columns of a row are stored.
func queryAll[T any](ctx context.Context, db *sql.DB, fields func(*T) []any, query string, args ...any) (list []T, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var x T
		if err := rows.Scan(fields(&x)...); err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, rows.Err()
}

// removeDatabase removes the database that a failed Init has begun.
func removeDatabase(dir string) error {
	for _, suffix := range [...]string{"", "-wal", "-shm"} {
		if err := os.Remove(filepath.Join(dir, databaseName+suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
