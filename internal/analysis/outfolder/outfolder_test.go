package outfolder_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/analysis/outfolder"
)

var kind = outfolder.Kind{Name: "list", Mark: "list.json"}

// fill returns a function that writes files of these names, which hold a text.
func fill(text string, names ...string) func(dir string) error {
	return func(dir string) (err error) {
		for _, name := range names {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
		}
		return err
	}
}

// TestUpdate replaces files in a folder that has others, and no others.
func TestUpdate(t *testing.T) {
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	holds := func(want map[string]string) {
		t.Helper()
		got := map[string]string{}
		list, err := os.ReadDir(dir)
		must(err)
		for _, e := range list {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			must(err)
			got[e.Name()] = string(text)
		}
		delete(got, kind.Mark)
		if !maps.Equal(got, want) {
			t.Errorf("the folder holds %v, want %v", got, want)
		}
	}
	must(fill("mine", "notes")(dir))
	must(kind.Update(dir, fill("1", "a", "b")))
	must(kind.Update(dir, fill("2", "a")))
	holds(map[string]string{"notes": "mine", "a": "2"})
	must(fill("mine", "b")(dir))
	for _, err := range []error{kind.CheckUpdate(dir, []string{"a", "b"}), kind.Update(dir, fill("3", "a", "b"))} {
		if !errors.Is(err, outfolder.ErrOccupied) || !strings.Contains(err.Error(), "b is not of the list, which has a file of that name") {
			t.Errorf("a file of the user: %v", err)
		}
	}
	must(fill("changed", "a")(dir))
	if err := kind.Update(dir, fill("4", "a")); !errors.Is(err, outfolder.ErrOccupied) || !strings.Contains(err.Error(), "a was changed after the list was written") {
		t.Errorf("a changed file: %v", err)
	}
	holds(map[string]string{"notes": "mine", "a": "changed", "b": "mine"})
}

// TestUpdateTogether updates a folder from several sides: one of them counts.
func TestUpdateTogether(t *testing.T) {
	dir := t.TempDir()
	var group sync.WaitGroup
	var errs [8]error
	for i := range errs {
		group.Go(func() { errs[i] = kind.Update(dir, fill(fmt.Sprint(i), "a", "b", fmt.Sprint("only", i))) })
	}
	group.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	a, err := os.ReadFile(filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	list, _ := filepath.Glob(filepath.Join(dir, "*"))
	for i := range list {
		list[i] = filepath.Base(list[i])
	}
	if want := []string{"a", "b", "list.json", "only" + string(a)}; !slices.Equal(list, want) {
		t.Errorf("the folder holds %v, want %v", list, want)
	}
}
