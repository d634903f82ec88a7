// Package pagetest finds what a page says in English alone.
package pagetest

import (
	"html"
	"regexp"
	"strings"
)

var (
	// translated matches what a page has in all languages, and what is no text of it.
	translated = regexp.MustCompile(`(?s)<wbr>|<style>.*?</style>|<script.*?</script>|<title>.*?</title>|<p class="languages">.*?</p>|<section class="summary".*?</section>|<(?:span|small) data-said.*?</(?:span|small)>|<(?:text|title)[^>]* data-named=[^>]*>[^<]*|(?:aria-label|title)="[^"]*" data-named=`)
	// said matches the texts and the names of elements.
	said = regexp.MustCompile(`>([^<]+)<|(?:aria-label|title|placeholder|alt)="([^"]*)"`)
	word = regexp.MustCompile(`\b[A-Za-z]{3,}`)
)

// Untranslated returns the texts and names of a page with an English word that have no other language. The
// names of agents and rulesets are no words.
func Untranslated(page string, names ...string) (list []string) {
	var pairs []string
	for _, name := range names {
		pairs = append(pairs, name, "")
	}
	proper := strings.NewReplacer(pairs...)
	for _, found := range said.FindAllStringSubmatch(translated.ReplaceAllString(page, ""), -1) {
		if text := html.UnescapeString(found[1] + found[2]); word.MatchString(proper.Replace(text)) {
			list = append(list, text)
		}
	}
	return list
}
