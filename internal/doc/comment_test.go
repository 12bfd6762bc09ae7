package doc_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
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
		"%% one %%\n":                              "",
		"Text\n\n%% a %% <!-- b -->\n\nmore %%c%%": "Text\n\n\nmore ",
	} {
		if got := doc.WithoutComments(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
