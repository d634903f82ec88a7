package table

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
)

// TestReview checks that the end of a match names its replay and its review, and that the review
// appears on its page, after pages that load again.
func TestReview(t *testing.T) {
	o := options(t, "ema_2016", "greedy", 1)
	o.Judge = o.Agents[1].New
	s := serve(t, o)
	all := s.play(t)
	var pages replayData
	if err := json.Unmarshal([]byte(all[len(all)-1].data), &pages); err != nil {
		t.Fatal(err)
	}
	read := func(path string) (*http.Response, string) {
		r := s.request(t, "GET", path, "", "")
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r, string(text)
	}
	if r, text := read(pages.Address); r.StatusCode != http.StatusOK || strings.Contains(text, `"review":{`) {
		t.Errorf("replay: %s", r.Status)
	}
	// Until then there is a page in the language of the table or the browser.
	for _, c := range [][3]string{{"?language=ja", "zh-TW", "検討"}, {"", "de, zh-TW;q=0.9", "檢討"}, {"", "ja-JP,en", "検討"}, {"?language=x", "", "Review"}} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", pages.Review+c[0], nil)
		r.Header.Set("Accept-Language", c[1])
		writeReviewWait(w, r, 7)
		if text := w.Body.String(); !strings.Contains(text, "<h1>"+c[2]+"</h1>") || !strings.Contains(text, "7") {
			t.Errorf("%v: %s", c, text)
		}
	}
	var r *http.Response
	var text string
	if !poll.Until(func() bool {
		r, text = read(pages.Review)
		return r.Header.Get("Refresh") == ""
	}) || r.StatusCode != http.StatusOK {
		t.Fatalf("review: %s, %.200s", r.Status, text)
	}
	if strings.Count(text, `"rows":[`) != 1 || !strings.Contains(text, `"players":[{"player":0,`) {
		t.Error("the page has no review of the person, or one of an agent")
	}
	// A page is made once, however often it is read.
	f := s.games.get(strings.TrimPrefix(pages.Address, "/replay/"))
	_, replay := read(pages.Address)
	f.match = nil
	for path, want := range map[string]string{pages.Address: replay, pages.Review: text} {
		if _, again := read(path); again != want {
			t.Errorf("%s is made again", path)
		}
	}
	if r, _ := read("/review/x"); r.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown review: %s", r.Status)
	}
	s.stop()
	o.Judge = nil
	s = serve(t, o)
	all = s.play(t)
	if strings.Contains(all[len(all)-1].data, "review") {
		t.Errorf("without a judge the page receives %s", all[len(all)-1].data)
	}
}
