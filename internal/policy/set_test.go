package policy_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
)

// Setting a key changes its value and no other byte.
func TestSet(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, key, value, want string }{
		"replaced":              {"# ours\nformat = \"markdown\" # of new pages\nfolder = 'in'\n", "format", "org", "# ours\nformat = \"org\" # of new pages\nfolder = 'in'\n"},
		"added after the last":  {"format = \"org\"\n\n[retention]\nsnapshot_days = 3\n", "folder", "inbox", "format = \"org\"\nfolder = \"inbox\"\n\n[retention]\nsnapshot_days = 3\n"},
		"added before a table":  {"# ours\n\n[permissions]\ndefault = \"allow\"\n", "names", "title", "# ours\n\nnames = \"title\"\n[permissions]\ndefault = \"allow\"\n"},
		"added to an array":     {"[[schema]]\nrequired = [\"x\"]\n", "type", "note", "type = \"note\"\n[[schema]]\nrequired = [\"x\"]\n"},
		"added to comments":     {"# nothing yet", "type", "note", "# nothing yet\ntype = \"note\"\n"},
		"added to nothing":      {"", "folder", "in", "folder = \"in\"\n"},
		"no line end":           {"format = \"org\"", "folder", "in", "format = \"org\"\nfolder = \"in\"\n"},
		"line ends of Windows":  {"format = \"org\"\r\n", "folder", "in", "format = \"org\"\r\nfolder = \"in\"\r\n"},
		"in a table of a name":  {"format = \"org\"\n[secrets]\nallow = ['jwt']\n", "folder", "say \"it\"", "format = \"org\"\nfolder = 'say \"it\"'\n[secrets]\nallow = ['jwt']\n"},
		"a number":              {"format = \"org\"\n", "gap_threshold", "0.30", "format = \"org\"\ngap_threshold = 0.3\n"},
		"another number":        {"gap_threshold = 1 # all\n", "gap_threshold", "0", "gap_threshold = 0 # all\n"},
		"what it is about":      {"format = \"org\"\n", "description", "Clients, \"all\"", "format = \"org\"\ndescription = 'Clients, \"all\"'\n"},
		"in a table":            {"[brief]\nlimit = 3 # pages\n\n[search]\nmode = \"fts\"\n", "brief.limit", "5", "[brief]\nlimit = 5 # pages\n\n[search]\nmode = \"fts\"\n"},
		"added to a table":      {"[brief] # of sessions\nlimit = 3\n\n[search]\nmode = \"fts\"\n", "brief.elsewhere", "true", "[brief] # of sessions\nlimit = 3\nelsewhere = true\n\n[search]\nmode = \"fts\"\n"},
		"added to a header":     {"format = \"org\"\n[brief]", "brief.limit", "5", "format = \"org\"\n[brief]\nlimit = 5\n"},
		"a table is added":      {"format = \"org\"\n", "lifecycle.stale_after", "45", "format = \"org\"\n\n[lifecycle]\nstale_after = 45\n"},
		"nothing but a table":   {"", "compact.every", "30", "[compact]\nevery = 30\n"},
		"written with a dot":    {"capture.similar = 0.8 # near\n[brief]\nlimit = 3\n", "capture.similar", "0.7", "capture.similar = 0.7 # near\n[brief]\nlimit = 3\n"},
		"of no table":           {"[[schema]]\nrequired = [\"x\"]\n\n[search]\nmode = \"fts\"", "search.mode", "hybrid", "[[schema]]\nrequired = [\"x\"]\n\n[search]\nmode = \"hybrid\""},
		"quoted, with brackets": {"\"folder\"   =   \"a\"   # x\n", "folder", "b", "\"folder\"   =   \"b\"   # x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := policy.Set([]byte(tc.text), tc.key, tc.value)
			if err != nil || string(got) != tc.want {
				t.Errorf("got %q, want %q: %v", got, tc.want, err)
			}
		})
	}
}

// What is taken out is the key's line.
func TestUnset(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# a\nfolder = \"in\" # b\ntype = \"x\"\n": "# a\ntype = \"x\"\n",
		"folder = \"in\"":                          "",
		"type = \"x\"\n":                           "type = \"x\"\n",
		"[secrets]\noff=true":                      "[secrets]\noff=true",
	} {
		if got, err := policy.Unset([]byte(text), "folder"); err != nil || string(got) != want {
			t.Errorf("of %q is left %q, want %q: %v", text, got, want, err)
		}
	}
}

// What would make a policy that means nothing is refused.
func TestSetRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text, key, value string
		want             kb.Code
	}{
		{"", "format", "latex", kb.Invalid},
		{"", "names", "id", kb.Invalid},
		{"", "colour", "red", kb.Usage},
		{"", "gap_threshold", "much", kb.Invalid},
		{"", "gap_threshold", "NaN", kb.Invalid},
		{"", "gap_threshold", "1.5", kb.Invalid},
		{"", "gap_threshold", "-0.1", kb.Invalid},
		{"", "description", "two\nlines", kb.Invalid},
		{"", "description", strings.Repeat("é", policy.MaxDescription+1), kb.Invalid},
		{"", "permissions.default", "deny", kb.Usage},
		{"", "lifecycle.stale_after", "soon", kb.Invalid},
		{"", "lifecycle.stale_after", "-1", kb.Invalid},
		{"", "compact.min_cluster", "1", kb.Invalid},
		{"", "brief.elsewhere", "yes", kb.Invalid},
		{"", "capture.similar", "1.5", kb.Invalid},
		{"", "capture.on_similar", "perhaps", kb.Invalid},
		{"brief = { limit = 3 }\n", "brief.limit", "4", kb.Invalid},
		{"colour = 1\n", "format", "org", kb.Invalid},
		{"format = [", "format", "org", kb.Invalid},
	} {
		if _, err := policy.Set([]byte(tc.text), tc.key, tc.value); kb.CodeOf(err) != tc.want {
			t.Errorf("%s = %s in %q: %v, want %s", tc.key, tc.value, tc.text, err, tc.want)
		}
	}
}

func FuzzSet(f *testing.F) {
	f.Add("format = \"org\"\n[retention]\nsnapshot_days = 3\n", "folder", "in")
	f.Add("# c\r\n[[schema]]\r\n", "type", "\"'\n")
	f.Add("[brief]\nlimit = 3\n[search]\n", "search.mode", "hybrid")
	f.Add("lifecycle.stale_after = 3", "lifecycle.unlinked_after", "4")
	f.Fuzz(func(t *testing.T, text, key, value string) {
		before, err := policy.Parse([]byte(text))
		if err != nil {
			return
		}
		set, err := policy.Set([]byte(text), key, value)
		if err != nil {
			return
		}
		if _, err := policy.Parse(set); err != nil {
			t.Fatalf("%q: %v", set, err)
		}
		if again, err := policy.Set(set, key, value); err != nil || string(again) != string(set) {
			t.Fatalf("twice: %q, once: %q: %v", again, set, err)
		}
		back, err := policy.Unset(set, key)
		if err != nil {
			t.Fatal(err)
		}
		after, err := policy.Parse(back)
		if err != nil || after.ID != before.ID || len(after.Schemas) != len(before.Schemas) {
			t.Fatalf("%q lost something: %v", back, err)
		}
	})
}
