// Package foreign opens an SQLite database that another program made.
//
//	db, err := foreign.Open(ctx, filepath.Join(dir, "league.db"), temp.Path, schema)
//	defer db.Close()
//
// A schema can make a query do anything: a view in place of a table fills the disk, a trigger
// changes what it likes. So the schema must be exactly the one that is expected before there is
// another query. What is read is a copy: nothing is written beside the original, not even what
// SQLite makes of the journal of a process that was killed.
package foreign

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// The most bytes of a database with its journal, and of a text in it.
const (
	maxSize = 1 << 28
	maxText = 1 << 24
)

// Open copies a database into a folder and opens the copy. schema is the text that makes an empty
// database of its kind. No process may write to the original meanwhile. The folder must outlast the
// database.
func Open(ctx context.Context, path, folder, schema string) (_ *sql.DB, err error) {
	name := filepath.Base(path)
	size := int64(0)
	for _, end := range []string{"", "-wal"} {
		info, err := os.Lstat(path + end)
		switch {
		case errors.Is(err, fs.ErrNotExist) && end != "":
			continue
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("%s is not a regular file", name+end)
		}
		if size += info.Size(); size > maxSize {
			return nil, fmt.Errorf("%s has over %d bytes", name, maxSize)
		}
		if err := copyFile(filepath.Join(folder, name+end), path+end, info.Size()); err != nil {
			return nil, err
		}
	}
	db, err := sql.Open("sqlite", URI(filepath.Join(folder, name))+"?_pragma=trusted_schema(0)&_pragma=cell_size_check(1)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // the limit is one of the connection
	err = limit(ctx, db)
	if err == nil {
		err = Check(ctx, db, name, schema)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// URI returns the address of a database file.
func URI(path string) string {
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(filepath.ToSlash(path))
}

// copyFile copies the bytes of a file that it had when its size was measured.
func copyFile(to, from string, size int64) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.CopyN(out, in, size)
	return errors.Join(err, out.Close())
}

// limit bounds the texts of a database.
func limit(ctx context.Context, db *sql.DB) error {
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	_, err = sqlite.Limit(c, sqlite3.SQLITE_LIMIT_LENGTH, maxText)
	return errors.Join(err, c.Close())
}

// Check compares the schema of a database with that of a text. It must come before any other query.
// name is that of the database in errors.
func Check(ctx context.Context, db *sql.DB, name, schema string) error {
	found, err := schemaOf(ctx, db)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	blank, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return err
	}
	defer blank.Close()
	blank.SetMaxOpenConns(1) // each connection has a memory of its own
	if _, err := blank.ExecContext(ctx, schema); err != nil {
		return err
	}
	want, err := schemaOf(ctx, blank)
	if err != nil {
		return err
	}
	if !slices.Equal(found, want) {
		return fmt.Errorf("%s has other tables than this version makes, or views or triggers beside them", name)
	}
	return nil
}

// schemaOf returns all that the schema of a database declares.
func schemaOf(ctx context.Context, db *sql.DB) (list []string, err error) {
	rows, err := db.QueryContext(ctx, `SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '') FROM sqlite_schema WHERE name <> 'sqlite_sequence' ORDER BY type, name`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, rows.Err()
}
