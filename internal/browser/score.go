package browser

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/cases"
)

// score answers a scoring case as the verb score does, with the names of its patterns in the language
// that the page names, and its usual word for a win and that of the family.
func score(r Request) (string, error) {
	q, err := settings(r.Key, "ruleset", "rules", "language")
	if err != nil {
		return "", err
	}
	own, err := openRuleset(q)
	if err != nil {
		return "", err
	}
	var rules *ruleset.Rules
	answer, ok := cases.Score([]byte(strings.Join(strings.Fields(r.Body), " ")), own.Name, func(name string, overrides map[string]any) (*ruleset.Rules, error) {
		changed := own
		if name != own.Name {
			if changed, err = configs.Open(name); err != nil {
				return nil, err
			}
		}
		if changed, err = changed.Changed(overrides); err != nil {
			return nil, err
		}
		rules = changed.Rules()
		return rules, nil
	})
	if !ok {
		var fault struct {
			Error string `json:"error"`
		}
		if err := json.Unmarshal(answer, &fault); err != nil {
			return "", err
		}
		return "", errors.New(fault.Error)
	}
	names := map[string]string{}
	language := board.Languages[0]
	if slices.Contains(board.Languages, q.Get("language")) {
		language = q.Get("language")
	}
	translated := board.PatternNames(language)
	for _, p := range rules.Patterns() {
		names[p.ID] = p.Name
		if name := translated["pattern."+rules.Family+"."+p.ID]; name != "" {
			names[p.ID] = name
		}
	}
	win := board.Sentences(language)["win"]
	text, err := json.Marshal(map[string]any{"answer": json.RawMessage(answer), "names": names, "win": []string{win, board.WithTerms(win, language, rules.Family)}})
	return string(text), err
}
