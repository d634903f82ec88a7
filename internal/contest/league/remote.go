package league

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/sparrowhall/sparrowhall/sim"
)

// RemoteAgent is the agent of a bot that connects by itself with a token. It plays in runs with
// a [Hall] only. What plays behind the token cannot be checked.
const RemoteAgent = "remote"

// Hall brings bots that connect by themselves to the tables of a run. Package hall has one.
type Hall interface {
	// Gather waits until there are bots to pair, and returns those that wait for a match, the
	// longest first.
	Gather(ctx context.Context) ([]Guest, error)
	// Reserve keeps bots that have been paired from Gather until the function that it returns is
	// called.
	Reserve(bots []int64) (release func())
	// NewAgent returns the player of a bot for one match.
	NewAgent(b Bot) sim.Agent
	// Recorded is called when a match of bots is on the disk.
	Recorded(bots []int64)
	// MatchEnded is called after a match of a bot that counts.
	MatchEnded(ctx context.Context, b Bot, forfeited bool) error
}

// Guest is a bot that waits for a match.
type Guest struct {
	// ID is the id of the bot.
	ID int64
	// Pace is the mean time that it took for a decision before its first match, 0 if that is
	// not known. The matches of the league replace it.
	Pace time.Duration
}

// ErrToken is the error of a token that no bot of the league has.
var ErrToken = errors.New("no bot of this league has the token; league token makes a new one")

// newToken returns a token and its digest, which is all that the league keeps of it.
func newToken() (token string, digest []byte) {
	token = rand.Text()
	return token, tokenDigest(token)
}

func tokenDigest(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// AddRemote adds a bot that connects by itself, or the next version of one, and returns the
// token by which it connects. Unlike Add it may be called while another process plays.
func (l *League) AddRemote(ctx context.Context, name, author string) (bot Bot, token string, err error) {
	token, digest := newToken()
	err = l.inTransaction(ctx, func(tx *sql.Tx) error {
		// Each version needs a fingerprint of its own.
		sum := sha256.Sum256(append([]byte("sparrowhall league remote\n"), digest...))
		b := NewBot{Name: name, Author: author, Agent: RemoteAgent}
		if err := b.check(); err != nil {
			return err
		}
		if bot, err = l.insert(ctx, tx, b, hex.EncodeToString(sum[:])); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO tokens (bot, digest) VALUES (?, ?)`, bot.ID, digest)
		return err
	})
	return bot, token, err
}

// ReplaceToken replaces the token of a bot that connects by itself. It may be called while another
// process plays.
func (l *League) ReplaceToken(ctx context.Context, name string) (bot Bot, token string, err error) {
	if bot, err = l.bot(ctx, name); err != nil {
		return bot, "", err
	}
	switch {
	case bot.Agent != RemoteAgent:
		return bot, "", fmt.Errorf("%s does not connect by itself; league add %q %s adds such a version", bot.Label(), bot.Name, RemoteAgent)
	case bot.Retired != "":
		return bot, "", fmt.Errorf("%s has retired", bot.Label())
	}
	token, digest := newToken()
	return bot, token, l.exec(ctx, `UPDATE tokens SET digest = ? WHERE bot = ?`, digest, bot.ID)
}

// RemoteBot returns the bot of a token, and whether it may play ranked matches; see
// [League.SetValidated]. The error of a token without a bot is [ErrToken]. It may be called by
// many goroutines.
func (l *League) RemoteBot(ctx context.Context, token string) (b Bot, validated bool, err error) {
	err = l.db.QueryRowContext(ctx, `SELECT b.id, b.name, b.version, b.author, b.agent, b.fingerprint, b.added, t.validated
		FROM tokens t JOIN bots b ON b.id = t.bot WHERE t.digest = ? AND b.retired = ''`, tokenDigest(token)).
		Scan(&b.ID, &b.Name, &b.Version, &b.Author, &b.Agent, &b.Fingerprint, &b.Added, &validated)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrToken
	}
	return b, validated, err
}

// SetValidated stores whether a bot may play ranked matches. It may be called by many
// goroutines.
func (l *League) SetValidated(ctx context.Context, bot int64, validated bool) error {
	return l.exec(ctx, `UPDATE tokens SET validated = ? WHERE bot = ?`, validated, bot)
}
