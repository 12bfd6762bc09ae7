package vault_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
)

// pathCases say which rule each path breaks: of both checks, or only of the
// strict one. Both empty: the path is fine.
var pathCases = []struct {
	path, both, strict string
}{
	{path: "a.md"},
	{path: "dir/sub dir/a.md"},
	{path: "é/日本語/ñ.md"},
	{path: "all tomorrow's parties.md"},
	{path: "a..b.md"},
	{path: "(a) [b] {c} #1 50% & $x ~y!.md"},
	{path: "-a.md"},
	{path: "consent/auxiliary/com/com10/lpt.md"},
	{path: strings.Repeat("é", 126) + ".md"},
	{path: "", both: "empty"},
	{path: "/a.md", both: "absolute"},
	{path: "//host/a.md", both: "absolute"},
	{path: "C:/a.md", both: "drive letter"},
	{path: `c:\a.md`, both: "drive letter"},
	{path: "c:a.md", strict: "characters"},
	{path: "../a.md", both: "part .."},
	{path: "a/../b.md", both: "part .."},
	{path: "a/..", both: "part .."},
	{path: "..", both: "part .."},
	{path: ".", both: "part ."},
	{path: "./a.md", both: "part ."},
	{path: "a//b.md", both: "empty part"},
	{path: "a/", both: "empty part"},
	{path: "a\x00.md", both: "NUL"},
	{path: "a\xff.md", both: "UTF-8"},
	{path: strings.Repeat("x", 256), both: "longer than 255"},
	{path: strings.Repeat("é", 128), both: "longer than 255"},
	{path: strings.Repeat("x/", 2048) + "a", both: "longer than 4095"},
	{path: `a\b.md`, strict: "backslash"},
	{path: `..\a.md`, strict: "backslash"},
	{path: "a\nb.md", strict: "control"},
	{path: "a\tb.md", strict: "control"},
	{path: "a\x7f.md", strict: "control"},
	{path: "a\u0085.md", strict: "control"},
	{path: "a\u202egpj.md", strict: "invisible"},
	{path: "\ufeffa.md", strict: "invisible"},
	{path: "a\u200bb.md", strict: "invisible character, U+200B"},
	{path: "d\u2060/a.md", strict: "invisible character, U+2060"},
	{path: "a\u00ad.md", strict: "invisible"},
	{path: "👩\u200d💻/❤\ufe0f.md"},
	{path: "1*.md", strict: "characters"},
	{path: "what?.md", strict: "characters"},
	{path: "a:b.md", strict: "characters"},
	{path: "a|b.md", strict: "characters"},
	{path: "<a>.md", strict: "characters"},
	{path: `"a".md`, strict: "characters"},
	{path: ".hidden.md", strict: "hidden"},
	{path: "a/.git/b.md", strict: "hidden"},
	{path: ".../a.md", strict: "hidden"},
	{path: "a./b.md", strict: "ends in a dot"},
	{path: "a.", strict: "ends in a dot"},
	{path: "a /b.md", strict: "blank"},
	{path: "a/ b.md", strict: "blank"},
	{path: "a.md ", strict: "blank"},
	{path: "a.md\u00a0", strict: "blank"},
	{path: "git~1/a.md", strict: "part git~1"},
	{path: "a/GIT~1", strict: "part GIT~1"},
	{path: "git~1.md"},
	{path: "git~10/a.md"},
	{path: "CON", strict: "device"},
	{path: "con.md", strict: "device"},
	{path: "a/Nul.tar.md", strict: "device"},
	{path: "aux/a.md", strict: "device"},
	{path: "com1.md", strict: "device"},
	{path: "LPT9", strict: "device"},
	{path: "com¹.md", strict: "device"},
	{path: "conin$.md", strict: "device"},
	{path: "prn .md", strict: "device"},
}

func TestPaths(t *testing.T) {
	t.Parallel()
	check := func(what, path string, err error, rule string) {
		t.Helper()
		if rule == "" {
			if err != nil {
				t.Errorf("%s(%q): %v", what, path, err)
			}
			return
		}
		e := kb.AsError(err)
		if err == nil || e.Code != kb.Invalid || !strings.Contains(e.Message, rule) || e.Hint == "" {
			t.Errorf("%s(%q): %v, want one about %q", what, path, err, rule)
		}
	}
	for _, c := range pathCases {
		check("CheckExisting", c.path, vault.CheckExisting(c.path), c.both)
		check("CheckPath", c.path, vault.CheckPath(c.path), c.both+c.strict)
	}
}

func FuzzCheckPath(f *testing.F) {
	for _, c := range pathCases {
		f.Add(c.path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		strict, lax := vault.CheckPath(path), vault.CheckExisting(path)
		if strict == nil && lax != nil {
			t.Errorf("%q may be made, but not exist: %v", path, lax)
		}
		if lax != nil {
			return
		}
		// What passes is a name to the file system, whatever it is there.
		if _, err := newMem().Lstat(path); kb.CodeOf(fsys.Explain(err, "look")) == kb.Invalid {
			t.Errorf("%q is no name to the file system: %v", path, err)
		}
		if strict == nil && (vault.Hidden(path) || strings.ContainsAny(path, "\\:\n")) {
			t.Errorf("%q passed", path)
		}
	})
}

func TestFileName(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Machine Learning Basics!": "machine-learning-basics",
		"  --a -- b--  ":           "a-b",
		"C++ & C#":                 "c-c",
		"Node.js 1.10":             "node-js-1-10",
		"../../etc/passwd":         "etc-passwd",
		"Über Straße":              "über-straße",
		"E\u0301te\u0301":          "été",
		"日本語のメモ":                   "日本語のメモ",
		"हिन्दी टिप्पणी":               "हिन्दी-टिप्पणी",
		"Ελληνικά ΣΑΣ":                 "ελληνικά-σασ",
		"":                             "untitled",
		"???":                          "untitled",
		"🎉":                            "untitled",
		"\xff\xfe":                     "untitled",
		"a\xffb":                       "a-b",
		"CON":                          "con-note",
		"com1":                         "com1-note",
		"a\x00b\nc":                    "a-b-c",
		strings.Repeat("word ", 100):   strings.TrimSuffix(strings.Repeat("word-", 39), "-"),
		strings.Repeat("x", 500):       strings.Repeat("x", 197),
		strings.Repeat("é", 500):       strings.Repeat("é", 98),
		"\u0301 accent without letter": "accent-without-letter",
	} {
		got := vault.FileName(title, ".md")
		if got != want+".md" {
			t.Errorf("%q is named %q, want %q", title, got, want+".md")
		}
	}
}

func FuzzFileName(f *testing.F) {
	for _, title := range []string{"Machine Learning", "CON", "\xff", "e\u0301", strings.Repeat("日本", 200), "İ", "\u0301", "a.", "ﬃ", "aux", "com¹"} {
		f.Add(title)
	}
	f.Fuzz(func(t *testing.T, title string) {
		name := vault.FileName(title, ".md")
		if err := vault.CheckPath(name); err != nil {
			t.Errorf("%q is named %q: %v", title, name, err)
		}
		if strings.Contains(name, "/") || len(name) > 210 || !utf8.ValidString(name) || len(name) <= len(".md") {
			t.Errorf("%q is named %q", title, name)
		}
		titled := vault.TitledName(title, ".md")
		if err := vault.CheckPath(titled); err != nil || strings.Contains(titled, "/") || len(titled) > 210 {
			t.Errorf("%q is named %q: %v", title, titled, err)
		}
		if again := vault.TitledName(strings.TrimSuffix(titled, ".md"), ".md"); again != titled {
			t.Errorf("%q is named %q, and that %q", title, titled, again)
		}
		// A name is a title that keeps its name.
		stem := strings.TrimSuffix(name, ".md")
		if again := vault.FileName(stem, ".md"); again != name {
			t.Errorf("%q is named %q, and that %q", title, name, again)
		}
	})
}

func TestCollision(t *testing.T) {
	t.Parallel()
	existing := []string{"Notes/a.md", "b.md", "d/e\u0301.md", "straße.md", "σας.md"}
	for path, want := range map[string]string{
		"b.md":          "",
		"c.md":          "",
		"B.md":          "b.md",
		"b.MD":          "b.md",
		"notes/a.md":    "Notes/a.md",
		"notes/new.md":  "Notes/a.md",
		"Notes/new.md":  "",
		"Notes/A.md":    "Notes/a.md",
		"d/\u00e9.md":   "d/e\u0301.md",
		"d/e\u0301.md":  "",
		"d/\u00c9.md":   "d/e\u0301.md",
		"e/\u00e9.md":   "",
		"STRASSE.md":    "straße.md",
		"ΣΑΣ.md":        "σας.md",
		"notes":         "Notes/a.md",
		"B.md/inner.md": "b.md",
		"b.md2":         "",
		"d/e/\u00e9.md": "",
	} {
		if got := vault.Collision(slices.Values(existing), path); got != want {
			t.Errorf("%q collides with %q, want %q", path, got, want)
		}
	}
}

// Spellings find what Collision finds, in one step for each element.
func TestSpellings(t *testing.T) {
	t.Parallel()
	var paths []string
	for i := range 1000 {
		for _, form := range []string{"d%d/a.md", "D%d/b.md", "d%d/A.md", "d%d/a.md/x.md", "d%d/c/e\u0301.md", "d%d/c/\u00e9.md"} {
			paths = append(paths, fmt.Sprintf(form, i%400))
		}
	}
	var all vault.Spellings
	var added []string
	elements := 0
	for _, path := range paths {
		elements += 1 + strings.Count(path, "/")
		want := ""
		if len(added) < 600 {
			want = vault.Collision(slices.Values(added), path)
		}
		got := all.Add(path)
		if len(added) < 600 && got != want {
			t.Fatalf("%q collides with %q, want %q", path, got, want)
		}
		if got == "" {
			added = append(added, path)
		}
	}
	if len(added) == len(paths) || len(added) < 600 || all.Steps() > elements {
		t.Errorf("%d of %d paths were added in %d steps", len(added), len(paths), all.Steps())
	}
}

func TestTwins(t *testing.T) {
	t.Parallel()
	mem := newMem()
	for _, name := range []string{
		"a.md", "A.md", "b.md", "d/e\u0301.md", "d/\u00e9.md",
		"Notes/x.md", "notes/x.md", "notes/y.md", "notes/in/z.md", "NOTES/x.MD",
	} {
		memPut(t, mem, name, "")
	}
	l, err := vault.Scan(t.Context(), mem, markdown)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, twin := range l.Twins() {
		got = append(got, twin.Other+" = "+twin.Path)
	}
	wantLines(t, "twins", got, []string{
		"NOTES = Notes", "NOTES = notes",
		"NOTES/x.MD = Notes/x.md", "A.md = a.md", "d/e\u0301.md = d/\u00e9.md", "NOTES/x.MD = notes/x.md",
	})
}
