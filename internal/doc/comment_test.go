package doc

import (
	"strings"
	"testing"
)

func TestWithoutComments(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain\n":               "plain\n",
		"%% hidden %%\nText.\n": "Text.\n",
		"a %%b%% c\n":           "a  c\n",
		"%%\nHub footer\nof lines\n%%\n\nText.\n":  "\nText.\n",
		"<!-- one\ntwo -->\nText.\n":               "Text.\n",
		"`%% code %%` stays\n":                     "`%% code %%` stays\n",
		"```\n%% code %%\n```\n%% no %%\nText":     "```\n%% code %%\n```\nText",
		"50 %% of it, without an end\n":            "50 %% of it, without an end\n",
		"<!-- open %% a %% <!-- open\n":            "<!-- open  <!-- open\n",
		"%% a %% <!-- b --> %% open <!-- c -->":    "  %% open ",
		"%% one %%\n":                              "",
		"Text\n\n%% a %% <!-- b -->\n\nmore %%c%%": "Text\n\n\nmore ",
	} {
		if got := WithoutComments(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// TestUnclosedComments: the text is searched for the end of a comment about once, however many
// marks begin one.
func TestUnclosedComments(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"HTML":     strings.Repeat("<!-- ", 2000),
		"lines":    strings.Repeat("<!-- a\n", 2000),
		"Obsidian": strings.Repeat("%", 4001),
		"both":     "%% " + strings.Repeat("<!-- ", 2000),
		"closed":   strings.Repeat("<!-- a --> %% b %%\n", 500) + "<!-- <!--",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			searched := 0
			withoutComments(text, comments{index: func(s, substr string) int {
				i := strings.Index(s, substr)
				if searched += i + len(substr); i < 0 {
					searched += len(s)
				}
				return i
			}})
			if searched > 2*len(text) {
				t.Errorf("searched %d bytes in a text of %d", searched, len(text))
			}
		})
	}
}
