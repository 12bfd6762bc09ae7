package space

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/doc/sentence"
	"github.com/cairn-kb/cairn/internal/kb"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Maximum number of characters of a title derived from a text, of its part in the
// file name, and of a line that shows how a page begins.
const (
	maxTitle = 80
	maxName  = 60
	maxBegin = 300
)

// TitleOf derives a title from a text: its first sentence, without the tags at its
// end. A title that is too long ends in "…".
func TitleOf(text string) string { return firstSentence(text, maxTitle) }

// BeginOf is TitleOf for a line with space for a long sentence.
func BeginOf(text string) string { return firstSentence(text, maxBegin) }

func firstSentence(text string, limit int) string {
	paragraph := kb.WithoutInvisible(FirstParagraph(text))
	words := strings.Fields(sentence.First(paragraph))
	for n := len(words) - 1; n > 0 && len(words[n]) > 1 && words[n][0] == '#'; n-- {
		words = words[:n]
	}
	return sentence.Shorten(strings.TrimRight(strings.Join(words, " "), ".:;, "), limit)
}

// blockMarker matches the start of a line that is not running text: a heading, a
// list item, a quotation.
var blockMarker = lazyregexp.New(`^(?:#{1,6}[ \t]+|[-*+]+[ \t]+(?:\[[ xX]\][ \t]+)?|>[ \t]*)`)

// callout is the marker of a callout of Obsidian or GitHub, after that of its quotation.
var callout = lazyregexp.New(`^\[![A-Za-z][\w-]*\][-+]?[ \t]*`)

// maxParagraph limits the bytes of a paragraph that are read for a title.
const maxParagraph = 64 << 10

// FirstParagraph returns the lines of a text up to one that starts another block,
// without the markers before it.
func FirstParagraph(text string) string {
	var lines []string
	left := maxParagraph
	for line := range strings.Lines(strings.TrimSpace(text)) {
		rest := strings.TrimSpace(line)
		if len(rest) > left {
			rest = strings.ToValidUTF8(rest[:left], "")
		}
		left -= len(rest)
		marker := blockMarker().FindString(rest)
		if len(lines) > 0 && (rest == "" || marker != "" || listNumber().MatchString(rest) || strings.HasPrefix(rest, "|") || strings.HasPrefix(rest, "```")) {
			break
		}
		for m := marker; m != ""; m = blockMarker().FindString(rest) {
			rest = rest[len(m):]
		}
		if len(lines) == 0 {
			if rest = strings.TrimLeft(callout().ReplaceAllString(rest, ""), "#"); rest == "" {
				continue
			}
		}
		lines = append(lines, rest)
		if strings.HasPrefix(marker, "#") || left == 0 {
			break
		}
	}
	return strings.Join(lines, " ")
}

var listNumber = lazyregexp.New(`^\d+[.)][ \t]`)

// ShortName returns the start of a title that is used for the file name of a
// page with a title made from its text.
func ShortName(title string) string {
	return sentence.CutWords(strings.TrimSuffix(title, "…"), maxName)
}
