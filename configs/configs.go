// Package configs holds the rulesets that come with sparrowhall and reads users' rulesets.
//
// A ruleset file is TOML. A full one names its family and gives every knob of
// it:
//
//	family = "riichi"
//	hand_size = 13
//	...
//
// Any other file names the ruleset that it starts from, a preset or another file,
// and gives the knobs that differ:
//
//	base = "ema_2016"
//	kiriage_mangan = true
//
// Both may have a description, one line for lists of rulesets. The table [patterns] lists
// patterns whose price differs from the rule text; "off" removes one:
//
//	[patterns]
//	pinfu = 2
//	honitsu = [3, 1]
//	chiitoitsu = "off"
//
// A file has at most 32 KB, 500 keys and a depth of 8; at most 20 of its errors are
// listed.
package configs

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/sparrowhall/sparrowhall/internal/suggest"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hkos"
	"github.com/sparrowhall/sparrowhall/ruleset/hktw"
	"github.com/sparrowhall/sparrowhall/ruleset/mcr"
	"github.com/sparrowhall/sparrowhall/ruleset/riichi"
	"github.com/sparrowhall/sparrowhall/ruleset/taiwanese"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/ruleset/zungjung"
)

// Families lists the rule families that a file may name.
var Families = []*ruleset.Family{&riichi.Family, &mcr.Family, &zungjung.Family, &hktw.Family, &hkos.Family, &taiwanese.Family}

// FamilyNamed returns the family of a name, nil if there is none.
func FamilyNamed(name string) *ruleset.Family {
	for _, f := range Families {
		if f.Name == name {
			return f
		}
	}
	return nil
}

//go:embed *.toml
var presets embed.FS

// Names returns the names of the presets in alphabetical order.
func Names() []string {
	files, err := fs.Glob(presets, "*.toml")
	if err != nil {
		panic(err) // the pattern is malformed
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, ".toml")
	}
	return files
}

// Ruleset is a ruleset file with the values of all knobs of its family.
type Ruleset struct {
	// Name is the preset's name, or the name of the user's file without its
	// folder.
	Name string
	// Description is the description in the file; it may be empty.
	Description string
	// Base is the ruleset the file starts from as it names it, empty for a full
	// file.
	Base   string
	Family *ruleset.Family
	Config ruleset.Config
	// FirstWall is [ruleset.Rules.FirstWall]. It belongs to a run, not to the ruleset.
	FirstWall []tile.Face
	// given are the keys that files with a base give, those of presets left out.
	given []string
}

// Knobs returns the knobs of the ruleset, bound to its configuration, in the
// order of the documentation.
func (r *Ruleset) Knobs() []ruleset.Knob { return r.Family.Knobs(r.Config) }

// Hash identifies the family and the values of all knobs.
func (r *Ruleset) Hash() [32]byte { return r.Family.Hash(r.Config) }

// Rules compiles the ruleset for the table.
func (r *Ruleset) Rules() *ruleset.Rules {
	return &ruleset.Rules{
		Name: r.Name, Family: r.Family.Name, Traits: r.Family.Traits, Flow: *r.Config.Common(),
		Scorer: r.Config.Compile(), Hash: r.Hash(), Source: r.TOML,

		FirstWall: r.FirstWall,
	}
}

// TOML returns the ruleset as a full file.
func (r *Ruleset) TOML() string {
	var b strings.Builder
	if r.Description != "" {
		// TOML's quotes are not Go's.
		line, err := toml.Marshal(map[string]string{"description": r.Description})
		if err != nil {
			panic(err) // every text has a form
		}
		b.Write(line)
	}
	fmt.Fprintf(&b, "family = %q\n\n", r.Family.Name)
	var tables strings.Builder // prices, which come last
	for _, k := range r.Knobs() {
		prices := k.Prices()
		if prices == nil {
			fmt.Fprintf(&b, "%s = %s\n", k.Key, k.Text())
			continue
		}
		fmt.Fprintf(&tables, "\n[%s]\n", k.Key)
		for _, p := range prices {
			if p.IsSet() {
				fmt.Fprintf(&tables, "%s = %s\n", strings.TrimPrefix(p.Key, k.Key+"."), p.Text())
			}
		}
	}
	return b.String() + tables.String()
}

// Load returns the preset of that name or, if there is none, the rules of that
// file. Errors are [Errors] if the file is at fault.
func Load(nameOrPath string) (*ruleset.Rules, error) { return compile(Open(nameOrPath)) }

// Parse returns the rules of a file with the given text. The name is used for
// the file in Rules.Name and in errors. No other file is read: a base must be a
// preset, so the text may come from strangers.
func Parse(name string, text []byte) (*ruleset.Rules, error) {
	return compile(Read(name, text))
}

// Read is Parse with the values of all knobs.
func Read(name string, text []byte) (*Ruleset, error) {
	o := opener{ctx: context.Background()} // only presets are read
	return o.read(source{file: name, name: name}, text)
}

// LoadWith returns the rules of a preset or file with some knobs changed. The
// overrides have values as TOML or JSON decodes them.
func LoadWith(base string, overrides map[string]any) (*ruleset.Rules, error) {
	return compile(Change(base, overrides))
}

// Change returns a preset or file with some knobs changed, as With does. It keeps
// its name.
func Change(base string, overrides map[string]any) (*Ruleset, error) {
	r, err := Open(base)
	if err != nil {
		return nil, err
	}
	if err := r.Set(overrides); err != nil {
		return nil, err
	}
	return r, nil
}

// Changed returns a copy of the ruleset with some knobs changed, as [With] does.
func (r *Ruleset) Changed(overrides map[string]any) (*Ruleset, error) {
	c := *r
	c.Config = r.Family.New()
	reflect.ValueOf(c.Config).Elem().Set(reflect.ValueOf(r.Config).Elem())
	if err := c.Set(overrides); err != nil {
		return nil, err
	}
	return &c, nil
}

// Set changes some knobs, as [With] does. After an error the ruleset must not be used.
func (r *Ruleset) Set(overrides map[string]any) error {
	d := document{keys: slices.Sorted(maps.Keys(overrides)), values: overrides}
	if errs := append(d.apply(r), d.check(r)...); errs != nil {
		return errs.limit()
	}
	return nil
}

// Open returns the preset of that name or, if there is none, that file. Errors
// are [Errors] if the file is at fault.
func Open(nameOrPath string) (*Ruleset, error) {
	return OpenContext(context.Background(), nameOrPath)
}

// OpenContext is Open, except that it stops waiting for a file, such as a named pipe, when
// ctx ends. The error is then the cause of ctx.
func OpenContext(ctx context.Context, nameOrPath string) (*Ruleset, error) {
	o := opener{ctx: ctx}
	return o.open(nameOrPath, ".")
}

func compile(r *Ruleset, err error) (*ruleset.Rules, error) {
	if err != nil {
		return nil, err
	}
	return r.Rules(), nil
}

// source is where a ruleset's text comes from.
type source struct {
	// file is named in errors, name becomes Ruleset.Name.
	file, name string
	// dir is the folder a base's path starts from, empty where only presets may
	// be named.
	dir string
}

// opener reads a file and the files it starts from.
type opener struct {
	ctx context.Context
	// chain has the open files, the outermost first.
	chain []string
}

// open finds a ruleset by its name, or by a path that starts from dir.
func (o *opener) open(nameOrPath, dir string) (*Ruleset, error) {
	if text, err := presets.ReadFile(nameOrPath + ".toml"); err == nil {
		r, err := o.read(source{file: nameOrPath, name: nameOrPath}, text)
		if err == nil {
			r.given = nil
		}
		return r, err
	}
	if dir == "" || nameOrPath == "" {
		return nil, unknownRuleset(nameOrPath)
	}
	path := nameOrPath
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	text, err := readFile(o.ctx, path)
	// A browser has no files.
	missing := errors.Is(err, fs.ErrNotExist) || errors.Is(err, errors.ErrUnsupported)
	if missing && filepath.Base(nameOrPath) == nameOrPath && filepath.Ext(nameOrPath) == "" {
		return nil, unknownRuleset(nameOrPath)
	} else if err != nil {
		return nil, err
	}
	if slices.Contains(o.chain, path) {
		return nil, fmt.Errorf("%s starts from itself: %s", path, strings.Join(append(o.chain, path), " -> "))
	}
	if o.chain = append(o.chain, path); len(o.chain) > maxChain {
		return nil, fmt.Errorf("more than %d files start from each other", maxChain)
	}
	return o.read(source{file: path, name: filepath.Base(path), dir: filepath.Dir(path)}, text)
}

func unknownRuleset(name string) error {
	return fmt.Errorf("unknown ruleset %q, neither a file nor a preset; nearest presets: %s",
		name, strings.Join(suggest.Nearest(name, Names(), 3), ", "))
}

// read returns the ruleset with the given text, complete and checked.
func (o *opener) read(src source, text []byte) (*Ruleset, error) {
	d, errs := parse(src.file, text)
	if errs != nil {
		return nil, errs.limit()
	}
	r, err := o.startRuleset(d, src)
	if errs, ok := errors.AsType[Errors](err); ok {
		return nil, errs.limit()
	} else if err != nil {
		return nil, err
	}
	errs = d.apply(r)
	if d.base == "" {
		errs = append(errs, d.missing(r)...)
	}
	if errs == nil {
		errs = d.check(r)
	}
	if errs != nil {
		return nil, errs.limit()
	}
	r.Name, r.Description, r.Base = src.name, d.description, d.base
	if d.base != "" {
		r.given = append(r.given, "base")
		r.given = append(r.given, slices.Collect(maps.Keys(d.lines))...)
	}
	return r, nil
}

// startRuleset returns the ruleset to which the knobs of d are applied: its base, or a ruleset of
// its family without any knobs.
func (o *opener) startRuleset(d *document, src source) (*Ruleset, error) {
	if d.base == "" {
		family := FamilyNamed(d.family)
		if d.family == "" {
			return nil, Errors{d.errorf("family", "missing, as is base; allowed: base, a preset or file to start from, or family with all knobs, one of %s",
				familyNames())}
		} else if family == nil {
			return nil, Errors{d.errorf("family", "there is no family %q; allowed: %s", d.family, familyNames())}
		}
		return &Ruleset{Family: family, Config: family.New()}, nil
	}
	r, err := o.open(d.base, src.dir)
	if errs, ok := errors.AsType[Errors](err); ok {
		return nil, errs
	} else if err != nil {
		return nil, Errors{d.errorf("base", "%v", err)}
	}
	if d.family != "" && d.family != r.Family.Name {
		return nil, Errors{d.errorf("family", "%q is not the family of the base %s; allowed: %q, or leave it out", d.family, d.base, r.Family.Name)}
	}
	return r, nil
}

func familyNames() string {
	var names []string
	for _, f := range Families {
		names = append(names, strconv.Quote(f.Name))
	}
	return strings.Join(names, ", ")
}
