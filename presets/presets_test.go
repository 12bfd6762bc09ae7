package presets_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/presets"
)

// The pages of the preset guarded say the same in Markdown and in Org.
func TestGuardedPagesAgree(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"AGENT_CONTRACT", "README"} {
		org, ok := presets.File("guarded", name+".org")
		markdown, isThere := presets.File("guarded", name+".md")
		if !ok || !isThere {
			t.Fatalf("%s is not there in both formats", name)
		}
		if diff := cmp.Diff(bare(string(org)), bare(string(markdown))); diff != "" {
			t.Errorf("%s (-Org +Markdown):\n%s", name, diff)
		}
	}
}

// syntax is what differs between the formats: links, headings, code, and how projects, ids
// and endings are written.
var syntax = []struct {
	is   *regexp.Regexp
	bare string
}{
	{regexp.MustCompile(`(?s)^.*?\n(#\+filetags:[^\n]*|---\n\n# [^\n]*)\n`), ""},
	{regexp.MustCompile(`\[\[file:([^\]]*)\]\[[^\]]*\]\]|\[([^\]]*)\]\([^)]*\)`), "$1$2"},
	{regexp.MustCompile(` by id, .\[\[id:UUID\]\[Title\]\].|, .\[\[Title\]\].`), ""},
	{regexp.MustCompile(`:emacs:general:|\[emacs, general\]`), "PROJECTS"},
	{regexp.MustCompile(`:general:|\[general\]`), "PROJECT"},
	{regexp.MustCompile(`(?m)^(\*|##) `), ""},
	{regexp.MustCompile(`\.(org|md)\b`), ""},
	{regexp.MustCompile("`|=\\b|\\b=|=(--|~|\\.|:)|([\\w.:\"/-])="), "$1$2"},
	{regexp.MustCompile(`\s+`), " "},
}

func bare(text string) string {
	for _, s := range syntax {
		text = s.is.ReplaceAllString(text, s.bare)
	}
	return strings.ToLower(strings.TrimSpace(text))
}
