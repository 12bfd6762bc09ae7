package links_test

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// Quotes and mentions are text in any encoding, around the link, without credentials: also where
// a line has a part of one, or is cut in it.
func TestQuotes(t *testing.T) {
	t.Parallel()
	token := "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
	b := apptest.New(t)
	two := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune("# Two\n\nSee [[mill]] ñ.\n")) {
		two = append(two, byte(u), byte(u>>8))
	}
	files := map[string]string{
		"mill.md": "# The Mill\n\nText.\n", "two.md": string(two),
		"latin.md":   "# Latin\n\nSe\xf1or [[mill]].\n",
		"cut.md":     "# Cut\n\n[[mill]] " + strings.Repeat("far ", 26) + token + " end\n",
		"key.md":     "# Key\n\nFor the [[mill]]: " + token + "\n",
		"address.md": "# Address\n\n" + strings.Repeat("far ", 60) + "[the mill](%6dill.md) turns.\n",
		"both.md":    "# Both\n\n" + strings.Repeat("é", 130) + "[[mill]]" + strings.Repeat("ñ", 130) + "\n",
		"named.md":   "# Named\n\nOf the mill, token = " + token + "\n",
	}
	root := b.Dir("notes", files)
	a := b.Open()
	apptest.OK(a.Spaces.Attach(t.Context(), root))(t)
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
	got := map[string]string{}
	for _, l := range apptest.OK(links.List(t.Context(), a, api.LinksRequest{Ref: "mill", Way: api.In, Quotes: true}))(t).Items {
		got[l.FromTitle] = l.Quote
	}
	for title, want := range map[string]string{
		"Both": "…" + strings.Repeat("é", 118) + "[[mill]]" + strings.Repeat("ñ", 118) + "…",
		"Two":  "See [[mill]] ñ.", "Latin": "Señor [[mill]].", "Key": "For the [[mill]]: " + strings.Repeat("x", len(token)),
	} {
		if got[title] != want {
			t.Errorf("%s: %q, want %q", title, got[title], want)
		}
	}
	if strings.Contains(got["Cut"], "ghp_") || !strings.HasSuffix(got["Cut"], "xx…") {
		t.Errorf("a part of a credential is quoted: %q", got["Cut"])
	}
	if !strings.HasSuffix(got["Address"], "far [the mill](%6dill.md) turns.") {
		t.Errorf("the quote is not around its link: %q", got["Address"])
	}
	mentions := apptest.OK(links.Mentions(t.Context(), a, "mill", 0, 0))(t).Items
	if len(mentions) != 1 || strings.Contains(mentions[0].Context, "ghp_") {
		t.Errorf("the mentions are %+v", mentions)
	}
}
