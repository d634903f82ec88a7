package league

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/contest/fingerprint"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/internal/suggest"
)

// Bot is a version of a bot.
type Bot struct {
	// ID is its number in the league, from 1.
	ID int64
	// Name is the name of all versions, Author the person who wrote it, which may be empty.
	Name    string
	Version int64 // from 1
	Author  string
	// Agent is the spec by which it plays, as for [agents.New]. Pages never have it.
	Agent string
	// Fingerprint is the SHA-256 of what plays, in hexadecimal; see package
	// fingerprint. That of a [RemoteAgent] is a random number.
	Fingerprint string
	// Added and Retired are dates. Retired is empty while the version plays.
	Added, Retired string
}

// Label returns the name and the version: the name of the agent in datasets.
func (b *Bot) Label() string { return fmt.Sprintf("%s@%d", b.Name, b.Version) }

// NewBot is a bot to add.
type NewBot struct {
	// Name is the name of the bot, Author the person who wrote it, which may be empty.
	Name, Author string
	// Agent is a spec as for [agents.New].
	Agent string
}

// maxText is the most characters that a name, an author or a title may have.
const maxText = 80

// CheckName returns an error if a text cannot be the name of a bot.
func CheckName(name string) error {
	if err := sanitize.CheckLine("name", name, maxText); err != nil {
		return err
	}
	if strings.Contains(name, "@") {
		return fmt.Errorf("the name %q has an @, which separates name and version", name)
	}
	return nil
}

func (b *NewBot) check() error {
	if err := CheckName(b.Name); err != nil {
		return err
	}
	if b.Author != "" {
		return sanitize.CheckLine("author", b.Author, maxText)
	}
	return nil
}

// Bots returns all versions of all bots in the order in which they joined.
func (l *League) Bots(ctx context.Context) ([]Bot, error) {
	return queryAll(ctx, l.db, func(b *Bot) []any {
		return []any{&b.ID, &b.Name, &b.Version, &b.Author, &b.Agent, &b.Fingerprint, &b.Added, &b.Retired}
	}, `SELECT id, name, version, author, agent, fingerprint, added, retired FROM bots ORDER BY id`)
}

// Add adds a bot. If the league has a bot of that name, the new one is its next version and
// the version before retires. It is an error if the fingerprint is that of the version before.
func (l *League) Add(ctx context.Context, b NewBot) (bot Bot, err error) {
	if err := l.Lock(); err != nil {
		return bot, err
	}
	err = l.inTransaction(ctx, func(tx *sql.Tx) error {
		bot, err = l.insertBot(ctx, tx, b)
		return err
	})
	return bot, err
}

func (l *League) insertBot(ctx context.Context, tx *sql.Tx, b NewBot) (bot Bot, err error) {
	if err := b.check(); err != nil {
		return bot, err
	}
	sum, err := fingerprint.Compute(l.rules.Rules(), b.Agent)
	if err != nil {
		return bot, err
	}
	var last string
	err = tx.QueryRowContext(ctx, `SELECT fingerprint FROM bots WHERE name = ? ORDER BY version DESC LIMIT 1`, b.Name).Scan(&last)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return l.insert(ctx, tx, b, sum)
	case err != nil:
		return bot, err
	}
	if same, err := l.hasFingerprint(ctx, b.Agent, last); err != nil {
		return bot, err
	} else if same {
		sum = last
	}
	return l.insert(ctx, tx, b, sum)
}

// hasFingerprint reports whether what plays for an agent has a fingerprint. That of a built-in
// player is of its play under the ruleset of the season in which it was added.
func (l *League) hasFingerprint(ctx context.Context, agent, want string) (bool, error) {
	sum, err := fingerprint.Compute(l.rules.Rules(), agent)
	if err != nil || sum == want {
		return err == nil, err
	}
	seasons, err := l.Seasons(ctx)
	if err != nil {
		return false, err
	}
	tried := []string{l.season.Ruleset}
	for i := range seasons {
		hash := seasons[i].Ruleset
		if slices.Contains(tried, hash) {
			continue
		}
		tried = append(tried, hash)
		rules, err := l.ruleset(ctx, hash)
		if err != nil {
			continue // this version does not read it
		}
		if sum, err := fingerprint.Compute(rules.Rules(), agent); err == nil && sum == want {
			return true, nil
		}
	}
	return false, nil
}

func (l *League) insert(ctx context.Context, tx *sql.Tx, b NewBot, fingerprint string) (bot Bot, err error) {
	bot = Bot{Name: b.Name, Version: 1, Author: b.Author, Agent: b.Agent, Fingerprint: fingerprint, Added: l.date()}
	var last Bot
	switch err := tx.QueryRowContext(ctx, `SELECT version, author, fingerprint, retired FROM bots WHERE name = ? ORDER BY version DESC LIMIT 1`, b.Name).
		Scan(&last.Version, &last.Author, &last.Fingerprint, &last.Retired); {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return bot, err
	case last.Fingerprint == fingerprint && last.Retired == "":
		return bot, fmt.Errorf("%s plays as version %d already, with the same fingerprint", b.Name, last.Version)
	case last.Fingerprint == fingerprint: // it returns
		if _, err := tx.ExecContext(ctx, `UPDATE bots SET retired = '', agent = ? WHERE name = ? AND version = ?`, b.Agent, b.Name, last.Version); err != nil {
			return bot, err
		}
		bot.Version = last.Version
		return bot, nil
	default:
		bot.Version = last.Version + 1
		bot.Author = cmp.Or(bot.Author, last.Author)
		if _, err := tx.ExecContext(ctx, `UPDATE bots SET retired = ? WHERE name = ? AND retired = '' AND id <> ?`, bot.Added, b.Name, l.anchor); err != nil {
			return bot, err
		}
	}
	result, err := tx.ExecContext(ctx, `INSERT INTO bots (name, version, author, agent, fingerprint, added) VALUES (?, ?, ?, ?, ?, ?)`,
		bot.Name, bot.Version, bot.Author, bot.Agent, bot.Fingerprint, bot.Added)
	if err != nil {
		return bot, err
	}
	bot.ID, err = result.LastInsertId()
	return bot, err
}

// Retire retires the current version of a bot. Its matches stay. It may be called while
// another process plays, which then plays the round in work to its end.
func (l *League) Retire(ctx context.Context, name string) (Bot, error) {
	bot, err := l.bot(ctx, name)
	if err != nil {
		return bot, err
	}
	switch {
	case bot.Retired != "":
		return bot, fmt.Errorf("%s retired on %s", bot.Label(), bot.Retired)
	case bot.ID == l.anchor:
		return bot, fmt.Errorf("%s is the anchor of the ratings and cannot retire", bot.Label())
	}
	return bot, l.exec(ctx, `UPDATE bots SET retired = ? WHERE id = ?`, l.date(), bot.ID)
}

// bot returns the bot of a name with a version, such as mine@2; without one its newest.
func (l *League) bot(ctx context.Context, name string) (Bot, error) {
	bots, err := l.Bots(ctx)
	if err != nil {
		return Bot{}, err
	}
	if b := find(bots, name); b != nil {
		return *b, nil
	}
	var names []string
	for i := range bots {
		if !slices.Contains(names, bots[i].Name) {
			names = append(names, bots[i].Name)
		}
	}
	return Bot{}, fmt.Errorf("the league has no bot %q; nearest: %s", name, strings.Join(suggest.Nearest(name, names, 3), ", "))
}

// findID returns the bot of an id in a list, nil if there is none.
func findID(bots []Bot, id int64) *Bot {
	if i := slices.IndexFunc(bots, func(b Bot) bool { return b.ID == id }); i >= 0 {
		return &bots[i]
	}
	return nil
}

// find returns the bot of a name in a list, nil if there is none; see bot.
func find(bots []Bot, name string) (bot *Bot) {
	for i := range bots {
		if b := &bots[i]; b.Label() == name || b.Name == name {
			bot = b
		}
	}
	return bot
}
