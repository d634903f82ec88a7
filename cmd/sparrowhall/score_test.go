package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/ruleset/cases"
)

// Source: EMA Riichi Rules 2016, 4.3.5 and 4.3.3.
const (
	twoHands = `{"id":"a","concealed":"234m234p23467s55p","win_tile":"8s","self_draw":true,"seat":"S","round":"E","dora_indicators":"1z","honba":3,"deposits":2,"expect":{"han":5,"points":8000,"payments":{"E":-4300,"S":10900,"W":-2300,"N":-2300}}}

{"id":"b","ruleset":"ema_2016","concealed":"2234455m234p234s","win_tile":"3m","self_draw":true,"seat":"S","round":"E","dora_indicators":"1z","expect":{"fu":30,"points":8000}}
`
	twoAnswers = `{"id":"a","win":true,"patterns":[["menzen_tsumo",1],["pinfu",1],["tanyao",1],["sanshoku_doujun",2]],"han":5,"fu":20,"points":8000,"payments":{"E":-4300,"S":10900,"W":-2300,"N":-2300}}
{"id":"b","win":true,"patterns":[["menzen_tsumo",1],["tanyao",1],["iipeikou",1],["sanshoku_doujun",2]],"han":5,"fu":30,"points":8000,"payments":{"E":-4000,"S":8000,"W":-2000,"N":-2000}}
`
)

func TestScore(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("hands.jsonl", []byte(strings.TrimSuffix(twoHands, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"score", "--ruleset", "ema_2016"},
		{"score", "--ruleset", "ema_2016", "-"},
		{"score", "--ruleset", "ema_2016", "hands.jsonl"},
	} {
		if out, errOut, status := sparrowhall(t, twoHands, args...); status != statusOK || out != twoAnswers || errOut != "" {
			t.Errorf("%v: status %d, err %q, out\n%s", args, status, errOut, out)
		}
	}
}

// Unusable lines get an error, the others their answer.
func TestScoreUnusableLines(t *testing.T) {
	long := `{"id":"` + strings.Repeat("x", 3*cases.MaxLine) + `"}` + "\n"
	out, errOut, status := sparrowhall(t, "tsumo!\n"+long+twoHands, "score")
	lines := strings.SplitAfter(out, "\n")
	if status != statusFailure || errOut != "sparrowhall: score: 3 of 4 hands could not be used\n" || len(lines) != 5 {
		t.Fatalf("status %d, err %q, out\n%s", status, errOut, out)
	}
	for i, want := range []string{
		`{"id":null,"error":"not a JSON object","line":1}`,
		`{"id":null,"error":"the line has more than 65536 bytes, the most that is read; write one hand on a line","line":2}`,
		`{"id":"a","error":"ruleset: missing","line":3}`,
		strings.SplitAfter(twoAnswers, "\n")[1],
	} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("answer %d: %s, want %s", i, lines[i], want)
		}
	}
}

func TestScoreCheck(t *testing.T) {
	out, errOut, status := sparrowhall(t, twoHands, "score", "--ruleset", "ema_2016", "--check")
	if status != statusOK || errOut != "" || out != "2 hands as expected\n" {
		t.Errorf("status %d, err %q, out\n%s", status, errOut, out)
	}
	wrong := strings.Replace(twoHands, `"fu":30`, `"fu":40`, 1) + `{"id":"c"}` + "\n"
	out, errOut, status = sparrowhall(t, wrong, "score", "--ruleset", "ema_2016", "--check")
	lines := strings.Split(out, "\n")
	if status != statusFailure || errOut != "sparrowhall: score: 2 of 3 hands differ\n" || len(lines) != 3 ||
		!strings.HasPrefix(lines[0], `line 3, "b": fu: want 40, got 30 in {`) || !strings.HasPrefix(lines[1], `line 4, "c": concealed: missing`) {
		t.Errorf("status %d, err %q, out\n%s", status, errOut, out)
	}
}

func TestScoreRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"score --ruleset tenho": `sparrowhall: unknown ruleset "tenho"`,
		"score absent.jsonl":    "sparrowhall: open absent.jsonl: no such file or directory",
		"score .":               "sparrowhall: read .: is a directory",
	} {
		_, errOut, status := sparrowhall(t, "", strings.Fields(args)...)
		if (status == statusUsage) != strings.Contains(args, "tenho") || status == statusOK || !strings.HasPrefix(errOut, want) || strings.Count(errOut, "\n") != 1 {
			t.Errorf("%s: status %d, err %q, want %s", args, status, errOut, want)
		}
	}
}

// A program that waits for each answer before it asks again gets it.
func TestScoreAnswersAtOnce(t *testing.T) {
	in, ask := io.Pipe()
	listen, out := io.Pipe()
	go func() {
		w := bufio.NewWriter(out)
		err := answerLines(in, w, func(line []byte) ([]byte, bool) { return bytes.ToUpper(line), true })
		out.CloseWithError(err)
	}()
	timeout := time.AfterFunc(time.Minute, func() { listen.CloseWithError(os.ErrDeadlineExceeded) })
	defer timeout.Stop()
	answers := bufio.NewReader(listen)
	for _, q := range []string{"a\n", "b\n"} {
		if _, err := io.WriteString(ask, q); err != nil {
			t.Fatal(err)
		}
		if got, err := answers.ReadString('\n'); err != nil || got != strings.ToUpper(q) {
			t.Fatalf("asked %q: %q, %v", q, got, err)
		}
	}
	ask.Close()
	if rest, err := io.ReadAll(answers); err != nil || len(rest) > 0 {
		t.Fatalf("after the end: %q, %v", rest, err)
	}
}

// On a terminal score says what it waits for.
func TestScoreOnTerminal(t *testing.T) {
	real := isTerminal
	defer func() { isTerminal = real }()
	isTerminal = func(io.Reader) bool { return true }
	out, errOut, status := sparrowhall(t, "", "score", "--ruleset", "ema_2016")
	if status != statusOK || out != "" || !strings.Contains(errOut, "a JSON object per line") || !strings.Contains(errOut, "Ctrl-D") {
		t.Errorf("status %d, out %q, err %q", status, out, errOut)
	}
	if _, errOut, _ := sparrowhall(t, "", "score", os.DevNull); errOut != "" {
		t.Errorf("with a file: %q", errOut)
	}
}
