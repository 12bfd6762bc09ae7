package postgres

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "plain", "a\x00b", "\xff\xfe", "é", "\U0010fe00", "\U0010feff\x80", "\xf4\x8f\xb8", "日本"} {
		f.Add(s, "x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		e := escape(a)
		if !utf8.ValidString(e) || strings.Contains(e, "\x00") {
			t.Errorf("%q became %q, which PostgreSQL refuses", a, e)
		}
		if got := unescape([]byte(e)); got != a {
			t.Errorf("%q came back as %q", a, got)
		}
		if utf8.ValidString(a) && escape(a+b) != e+escape(b) {
			t.Errorf("%q is no prefix of %q any more", a, a+b)
		}
	})
}

func TestStatementsAreTranslated(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"SELECT a FROM b WHERE c = ? AND d IN (?,?)":                     "SELECT a FROM b WHERE c = $1 AND d IN ($2,$3)",
		"UPDATE a SET b = ?2 WHERE c = ?1":                               "UPDATE a SET b = $2 WHERE c = $1",
		"SELECT 1 FROM a x CROSS JOIN pages p ON p.row = x.row >> 24":    "SELECT 1 FROM a x JOIN pages p ON p.row = x.row >> 24",
		"SELECT 1 FROM l CROSS JOIN endings e\nON e.row = ?":             "SELECT 1 FROM l JOIN endings e\nON e.row = $1",
		"SELECT 1 FROM entries e INDEXED BY entries_date WHERE +e.x = 1": "SELECT 1 FROM entries e WHERE e.x = 1",
		"INSERT OR FAIL INTO links (row) VALUES (?)":                     "INSERT INTO links (row) VALUES ($1)",
		"UPDATE a SET n = n + 1 WHERE (+b.c = ?)":                        "UPDATE a SET n = n + 1 WHERE (b.c = $1)",
	} {
		if got := translate(sql); got != want {
			t.Errorf("%s\n%s, want\n%s", sql, got, want)
		}
	}
}
