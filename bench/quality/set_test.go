package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// files writes files below a new directory named after a set.
func files(t *testing.T, content map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "small")
	for path, text := range content {
		if err := writeNote(filepath.Join(dir, path), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLoadBEIR(t *testing.T) {
	t.Parallel()
	s, err := load(files(t, map[string]string{
		"corpus.jsonl":  `{"_id":"1","title":"A  title\nin two lines","text":"Text."}` + "\n" + `{"_id":"2","title":"","text":"Bare."}` + "\n",
		"queries.jsonl": `{"_id":"q1","text":"one"}` + "\n" + `{"_id":"q2","text":"not relevant"}` + "\n" + `{"_id":"q3","text":"unjudged"}`,
		"qrels/dev.tsv": "query-id\tcorpus-id\tscore\nq1\t2\t1\nq1\t1\t3\nq2\t1\t0\n",
	}), false)
	if err != nil {
		t.Fatal(err)
	}
	want := &set{
		name:    "small",
		notes:   []note{{"1.md", []byte("# A title in two lines\n\nText.\n")}, {"2.md", []byte("Bare.\n")}},
		queries: []judged{{text: "one", want: gains{"1.md": 3, "2.md": 1}}},
	}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("%+v, want %+v", s, want)
	}
}

// The first judgement counts where no line above it names the columns.
func TestLoadWithoutNames(t *testing.T) {
	t.Parallel()
	s, err := load(files(t, map[string]string{
		"corpus.jsonl":  `{"_id":"1","text":"Text."}`,
		"queries.jsonl": `{"_id":"q1","text":"one"}` + "\n" + `{"_id":"q2","text":"two"}`,
		"qrels/dev.tsv": "q1\t1\t1\nq2\t1\t1\n",
	}), false)
	if err != nil || len(s.queries) != 2 {
		t.Fatalf("%+v, %v", s, err)
	}
}

func TestLoadConversations(t *testing.T) {
	t.Parallel()
	s, err := load(files(t, map[string]string{
		"notes/c1/s1.md":           "# One\n",
		"notes/c1/s2.md":           "# Two\n",
		"notes/c1/questions.jsonl": "not a note",
		"questions.jsonl": `{"question":"both","conversation":"c1","category":5,"evidence_sessions":["s1","s2"],"audit":null}
{"question":"none","conversation":"c1","evidence_sessions":[],"audit":null}
{"question":"audited","conversation":"c1","evidence_sessions":["s1"],"audit":{"evidence_sessions":["s2"]}}
`,
	}), false)
	if err != nil {
		t.Fatal(err)
	}
	want := &set{
		name:  "small",
		notes: []note{{"c1/s1.md", []byte("# One\n")}, {"c1/s2.md", []byte("# Two\n")}},
		queries: []judged{
			{"both", gains{"c1/s1.md": 1, "c1/s2.md": 1}, gains{}, 5, "", nil},
			{"audited", gains{"c1/s2.md": 1}, gains{}, 0, "", nil},
		},
	}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("%+v, want %+v", s, want)
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	const corpus, queries = `{"_id":"1","text":"Text."}`, `{"_id":"q1","text":"one"}`
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no such folder":        {nil, "corpus.jsonl"},
		"nothing judged":        {map[string]string{"corpus.jsonl": corpus, "queries.jsonl": queries, "qrels/a.tsv": "names\n"}, "1 notes and 0 judged queries"},
		"two tables":            {map[string]string{"corpus.jsonl": corpus, "queries.jsonl": queries, "qrels/a.tsv": "", "qrels/b.tsv": ""}, "2 tables"},
		"a gain without number": {map[string]string{"corpus.jsonl": corpus, "queries.jsonl": queries, "qrels/a.tsv": "names\nq1 1 much"}, "line 2"},
		"judged by a stranger":  {map[string]string{"corpus.jsonl": corpus, "queries.jsonl": queries, "qrels/a.tsv": "names\nq1 7 1"}, "not there: 7.md"},
		"two of one id":         {map[string]string{"corpus.jsonl": corpus + "\n" + corpus, "queries.jsonl": queries, "qrels/a.tsv": "names\nq1 1 1"}, "two notes are 1.md"},
		"no id":                 {map[string]string{"corpus.jsonl": `{"id":"1","text":"Text."}`, "queries.jsonl": queries, "qrels/a.tsv": "names\nq1 1 1"}, "file name"},
		"a query without text":  {map[string]string{"corpus.jsonl": corpus, "queries.jsonl": `{"_id":"q1"}`, "qrels/a.tsv": "names\nq1 1 1"}, "no text"},
		"an id with a slash":    {map[string]string{"corpus.jsonl": `{"_id":"../1"}`, "queries.jsonl": queries, "qrels/a.tsv": "names\nq1 1 1"}, "file name"},
	} {
		if _, err := load(files(t, tt.files), false); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// What answers a query stays, whatever else is drawn, and each draw is the
// same.
func TestShrink(t *testing.T) {
	t.Parallel()
	fresh := func() *set {
		s := &set{}
		for i := range 50 {
			path := fmt.Sprint(i, ".md")
			s.notes = append(s.notes, note{path: path})
			if i%5 == 0 {
				s.queries = append(s.queries, judged{text: path, want: gains{path: 1}})
			}
		}
		return s
	}
	s := fresh()
	s.shrink(4, 20)
	if len(s.queries) != 4 || len(s.notes) != 20 {
		t.Fatal(len(s.queries), len(s.notes))
	}
	there := map[string]bool{}
	for _, n := range s.notes {
		there[n.path] = true
	}
	for _, q := range s.queries {
		if !there[q.text] {
			t.Errorf("%s answers a query and is gone", q.text)
		}
	}
	again := fresh()
	if again.shrink(4, 20); !reflect.DeepEqual(s, again) {
		t.Error("drawn differently")
	}
	few := fresh()
	if few.shrink(4, 2); len(few.notes) != 4 {
		t.Error("notes that answer were dropped:", len(few.notes))
	}
	all := fresh()
	if all.shrink(0, 0); !reflect.DeepEqual(all, fresh()) {
		t.Error("0 is not all")
	}
}

// A file that is there with the same text is not written, so a kept memory
// stays as it was.
func TestWriteNoteLeavesWhatIsThere(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a", "b.md")
	if err := writeNote(path, []byte("text")); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	if err := writeNote(path, []byte("text")); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Error("written again", err)
	}
}

// Each turn becomes a note under the heading of its own, and what answers a
// question is the turns of its evidence.
func TestLoadTurns(t *testing.T) {
	t.Parallel()
	s, err := load(files(t, map[string]string{
		"notes/c1/s1.md": "---\ntitle: One\n---\n\n# Monday\n\n- [D1:1] A: Hey.\n- [D1:2] B: No\n  good.\n- no turn\n",
		"questions.jsonl": `{"question":"q","conversation":"c1","evidence_sessions":["s1"],"evidence_ids":["D1:2"]}
{"question":"sessions only","conversation":"c1","evidence_sessions":["s1"],"evidence_ids":[]}`,
	}), true)
	if err != nil {
		t.Fatal(err)
	}
	want := &set{
		name: "small-turns",
		notes: []note{
			{"c1/D1-1.md", []byte("---\ntitle: One\n---\n\n# Monday\n\n- [D1:1] A: Hey.\n")},
			{"c1/D1-2.md", []byte("---\ntitle: One\n---\n\n# Monday\n\n- [D1:2] B: No\n  good.\n- no turn\n")},
		},
		queries: []judged{{text: "q", want: gains{"c1/D1-2.md": 1}}},
	}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("%+v, want %+v", s, want)
	}
}

func TestFolders(t *testing.T) {
	t.Parallel()
	data := filepath.Dir(files(t, map[string]string{"x": ""}))
	if err := writeNote(filepath.Join(data, "no folder"), nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("small", filepath.Join(data, "linked")); err != nil {
		t.Fatal(err)
	}
	for list, want := range map[string][]string{"": {"linked", "small"}, "a,b": {"a", "b"}} {
		if got, err := folders(data, list); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v, want %v", list, got, err, want)
		}
	}
}

// What is wrong with one set is said before another is measured.
func TestReadSets(t *testing.T) {
	t.Parallel()
	small := files(t, map[string]string{
		"corpus.jsonl":  `{"_id":"1","text":"Text."}`,
		"queries.jsonl": `{"_id":"q1","text":"one"}`,
		"qrels/dev.tsv": "query-id\tcorpus-id\tscore\nq1\t1\t1\n",
	})
	data := filepath.Dir(small)
	for _, other := range []string{".git", "wrong"} {
		if err := os.Mkdir(filepath.Join(data, other), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if sets, err := readSets(data, "small", false); err != nil || len(sets) != 1 {
		t.Errorf("%d sets, %v", len(sets), err)
	}
	var progress strings.Builder
	if err := run(t.Context(), []string{"-data", data}, io.Discard, &progress); err == nil || !strings.Contains(err.Error(), "wrong: ") || progress.Len() > 0 {
		t.Errorf("%v after %q", err, progress.String())
	}
	if _, err := readSets(t.TempDir(), "", false); err == nil {
		t.Error("a folder without sets is measured")
	}
}
