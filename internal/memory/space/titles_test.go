package space

import "testing"

// A text is called by its first sentence.
func TestTitleOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"We use SQLite. It needs no server.":                "We use SQLite",
		"We use SQLite: it needs no server.":                "We use SQLite: it needs no server",
		"Ask Dr. Hopper about it. She knows.":               "Ask Dr. Hopper about it",
		"Some tools, e.g. Emacs, are slow. Others are not.": "Some tools, e.g. Emacs, are slow",
		"Version 1.26 is out. Upgrade.":                     "Version 1.26 is out",
		"1. First step. Second step.":                       "1. First step",
		"Is this it? Yes.":                                  "Is this it?",
		"He said \"stop.\" Then he left.":                   "He said \"stop.\"",
		"See main.go for it. Done.":                         "See main.go for it",
		"織機は遅い。とても。":                                        "織機は遅い。",
		"# A heading\n\nText.":                              "A heading",
		"- an item\n- another":                              "an item",
		"Remember the milk #idea #shop":                     "Remember the milk",
		"Remember the milk. #idea":                          "Remember the milk",
		"#idea":                                             "idea",
		"Cart mails go out after 4 hours because 24 hours converted 30.5 percent worse than we had hoped.":                  "Cart mails go out after 4 hours because 24 hours converted 30.5 percent worse…",
		"The planning workshop\nis in May. Then more.":                                                                      "The planning workshop is in May",
		"See [[Sprint pricing|the pricing rule]] and [[Sprint pricing|Sprint price is fixed]], by all means, or ask for it": "See the pricing rule and Sprint price is fixed, by all means, or ask for it",
		"**As of 2026-01-01:** Ada leads it. Bo does not.":                                                                  "**As of 2026-01-01:** Ada leads it",
		"-5 degrees is the limit.": "-5 degrees is the limit",
		"> A quote.\n> More.":      "A quote",
		"One sentence that goes on and on and on without any end until eighty characters are full and more": "One sentence that goes on and on and on without any end until eighty characters…",
		"https://example.com/a-very-long-address/that-has-no-blank-in-it/and-goes-on-for-ever/and-ever":     "https://example.com/a-very-long-address/that-has-no-blank-in-it/and-goes-on-for…",
	} {
		if got := TitleOf(text); got != want {
			t.Errorf("%q is called %q, want %q", text, got, want)
		}
	}
}
