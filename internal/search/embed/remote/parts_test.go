package remote

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed"
)

func TestEstimate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"":                        0,
		"   \t":                   0,
		"a":                       1,
		"stone":                   1,
		"stones":                  2,
		"two words":               2,
		"interoperability":        4,
		"2026-01-02":              6, // 2, -, 1, -, 1
		"line\nline":              3,
		"it's":                    3,
		"Größe":                   3, // Gr, öß, e
		"東京":                      2,
		"привет":                  3,
		"🙂":                       2,
		"\xff\xfe":                2,
		strings.Repeat("a ", 100): 100,
	} {
		if got := Estimate(text); got != want {
			t.Errorf("Estimate(%q) = %d, want %d", text, got, want)
		}
	}
}

func FuzzEstimate(f *testing.F) {
	f.Add("The cat sleeps; 東京 is far. 🙂\n\xff")
	f.Fuzz(func(t *testing.T, text string) {
		n := Estimate(text)
		if n < 0 || n > len(text) {
			t.Fatalf("%d tokens in %d bytes", n, len(text))
		}
		if utf8.ValidString(text) && Estimate(text+" "+text) > 2*n {
			t.Fatalf("%q twice is more than twice %d", text, n)
		}
	})
}

func TestBatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lengths, want []int
	}{
		{nil, []int{0}},
		{[]int{5}, []int{0, 1}},
		{[]int{1, 1, 1, 1}, []int{0, 3, 4}}, // at most three texts
		{[]int{6, 4, 1}, []int{0, 2, 3}},    // at most ten bytes
		{[]int{50, 50}, []int{0, 1, 2}},     // but one text at least
	} {
		var texts []string
		for _, n := range c.lengths {
			texts = append(texts, strings.Repeat("x", n))
		}
		got := batches(texts, 3, 10)
		if len(got) != len(c.want) {
			t.Errorf("batches(%v) = %v, want %v", c.lengths, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("batches(%v) = %v, want %v", c.lengths, got, c.want)
			}
		}
	}
}

func TestWaits(t *testing.T) {
	t.Parallel()
	passages := patienceFor(embed.Passage)
	for _, c := range []struct {
		p       patience
		attempt int
		asked   time.Duration
		chance  float64
		want    time.Duration
		again   bool
	}{
		{passages, 1, 0, 0, 250 * time.Millisecond, true},
		{passages, 1, 0, 0.999, 499750 * time.Microsecond, true},
		{passages, 4, 0, 0, 2 * time.Second, true},
		{passages, 5, 0, 0, 0, false},
		{passages, 1, time.Minute, 0, time.Minute, true},
		{passages, 1, time.Minute + 1, 0, 0, false},
		{patience{attempts: 60, longest: time.Minute}, 30, 0, 0, 30 * time.Second, true},
		{patienceFor(embed.Query), 1, 3 * time.Second, 0, 0, false},
	} {
		got, again := c.p.wait(c.attempt, c.asked, c.chance)
		if got != c.want || again != c.again {
			t.Errorf("%+v.wait(%d, %v, %v) = %v, %v; want %v, %v",
				c.p, c.attempt, c.asked, c.chance, got, again, c.want, c.again)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{
		"": 0, "0": 0, " 7 ": 7 * time.Second, "-1": 0, "1.5": 0, "99999999999999": 0,
		noon.Add(time.Minute).Format(http.TimeFormat):  time.Minute,
		noon.Add(-time.Minute).Format(http.TimeFormat): 0,
	} {
		if got := retryAfter(header, noon); got != want {
			t.Errorf("retryAfter(%q) = %v, want %v", header, got, want)
		}
	}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"http://127.0.0.1:11434":      "http://127.0.0.1:11434/x",
		"http://127.0.0.1:11434/":     "http://127.0.0.1:11434/x",
		"https://host.example/a/v1/":  "https://host.example/a/v1/x",
		"http://[::1]:80":             "http://[::1]:80/x",
		"":                            "",
		"localhost:11434":             "",
		"127.0.0.1:11434":             "",
		"ftp://host":                  "",
		"http://":                     "",
		"http://:80":                  "",
		"http://u:" + secret + "@h":   "",
		"http://h/?key=" + secret:     "",
		"http://h/#f":                 "",
		"http://h:" + secret:          "",
		"http://h/\x00" + secret + "": "",
	} {
		got, err := Join(base, "/x", "the setting")
		if got != want || (want == "") != (kb.CodeOf(err) == kb.Usage) {
			t.Errorf("Join(%q) = %q, %v; want %q", base, got, err, want)
		}
		if err != nil && (strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "the setting")) {
			t.Errorf("Join(%q) = %v", base, err)
		}
	}
}

func TestCheckKey(t *testing.T) {
	t.Parallel()
	for _, key := range []Key{"a key", "key\n", "k\x00y", "schlüssel"} {
		err := CheckKey(key, "the setting")
		if kb.CodeOf(err) != kb.Usage || strings.Contains(err.Error(), string(key)) {
			t.Errorf("CheckKey = %v", err)
		}
	}
	for _, key := range []Key{"", secret} {
		if err := CheckKey(key, "the setting"); err != nil {
			t.Errorf("CheckKey = %v", err)
		}
	}
}

func TestSpecCheck(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Spec){
		"dimensions": func(s *Spec) { s.Dimensions = -1 },
		"huge":       func(s *Spec) { s.Dimensions = 1 << 30 },
		"context":    func(s *Spec) { s.Context = 4 },
		"timeout":    func(s *Spec) { s.Timeout = -1 },
	} {
		s := spec("http://host")
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		change(&s)
		if err := s.Check(); kb.CodeOf(err) != kb.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
}
