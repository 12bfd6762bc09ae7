package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// set is a collection with judged queries.
type set struct {
	name    string
	notes   []note
	queries []judged
	// unanswered are questions that no note answers. They are asked only where confidence
	// is measured.
	unanswered []judged
}

// note is a document of a set as it is written to disk.
type note struct {
	path string // below the directory of notes, with slashes; what gains name
	text []byte
}

// judged is a query with the notes that answer it.
type judged struct {
	text     string
	want     gains    // not empty
	turns    gains    // the turns of conversations that answer it, by their notes' paths
	category int      // of LoCoMo; 0 elsewhere
	kind     string   // of one that no note answers
	evidence []string // texts that answer it, as they are in notes
}

// load reads a set in whichever layout it has; with turns, the turns of
// conversations are notes of their own.
func load(dir string, turns bool) (*set, error) {
	s := &set{name: filepath.Base(dir)}
	read := s.readBEIR
	if strings.HasSuffix(dir, ".txt") {
		read = s.readLines
	} else if _, err := os.Stat(filepath.Join(dir, "questions.jsonl")); err == nil {
		read = s.readConversations
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := read(dir); err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	if len(s.notes) == 0 || len(s.queries) == 0 {
		return nil, fmt.Errorf("%s: %d notes and %d judged queries", s.name, len(s.notes), len(s.queries))
	}
	if turns {
		if err := s.cutTurns(); err != nil {
			return nil, err
		}
	}
	known := map[string]bool{}
	for _, n := range s.notes {
		if known[n.path] {
			return nil, fmt.Errorf("%s: two notes are %s", s.name, n.path)
		}
		known[n.path] = true
	}
	for _, q := range s.queries {
		if strings.TrimSpace(q.text) == "" {
			return nil, fmt.Errorf("%s: a judged query has no text", s.name)
		}
		for path := range q.want {
			if !known[path] {
				return nil, fmt.Errorf("%s: %q is judged by a note that is not there: %s", s.name, q.text, path)
			}
		}
	}
	return s, nil
}

// readLines reads a file of which each line is the title of a page, its text, and a
// question that it answers, as the sets of languages in the tests are.
func (s *set) readLines(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		parts := strings.Split(strings.TrimSpace(line), " | ")
		if len(parts) != 3 {
			return fmt.Errorf("a line has %d parts, not 3: %.40q", len(parts), line)
		}
		path := parts[0] + ".md"
		s.notes = append(s.notes, note{path, []byte("# " + parts[0] + "\n\n" + parts[1] + "\n")})
		s.queries = append(s.queries, judged{text: parts[2], want: gains{path: 1}})
	}
	return nil
}

// shrink keeps some queries and some notes; 0 keeps all. Notes that answer a
// query that is kept all stay, others are drawn, the same in every run.
func (s *set) shrink(queries, notes int) {
	// The seed is arbitrary: it is here so that runs can be compared.
	random := rand.New(rand.NewPCG(1, 1))
	if queries > 0 && queries < len(s.queries) {
		random.Shuffle(len(s.queries), func(i, j int) { s.queries[i], s.queries[j] = s.queries[j], s.queries[i] })
		s.queries = s.queries[:queries]
	}
	if notes <= 0 || notes >= len(s.notes) {
		return
	}
	needed := map[string]bool{}
	for _, q := range s.queries {
		for path := range q.want {
			needed[path] = true
		}
	}
	random.Shuffle(len(s.notes), func(i, j int) { s.notes[i], s.notes[j] = s.notes[j], s.notes[i] })
	slices.SortStableFunc(s.notes, func(a, b note) int { return rankOf(needed[a.path]) - rankOf(needed[b.path]) })
	s.notes = s.notes[:max(notes, len(needed))]
}

func rankOf(needed bool) int {
	if needed {
		return 0
	}
	return 1
}

// eachLine decodes the lines of a file of JSON values.
func eachLine[T any](path string, do func(T) error) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	d := json.NewDecoder(bufio.NewReader(f))
	for {
		var v T
		if err := d.Decode(&v); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := do(v); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
}

// readConversations reads notes as they are and questions with the notes that
// hold their evidence. Where the questions were audited, the audit's evidence
// counts; questions without evidence are left out.
func (s *set) readConversations(dir string) error {
	notes := filepath.Join(dir, "notes")
	err := filepath.WalkDir(notes, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(notes, path)
		s.notes = append(s.notes, note{filepath.ToSlash(rel), text})
		return err
	})
	if err != nil {
		return err
	}
	type evidence struct {
		Sessions []string `json:"evidence_sessions"`
		Turns    []string `json:"evidence_ids"`
	}
	type question struct {
		Question     string
		Conversation string
		evidence
		Audit    *evidence
		Category int
		Kind     string
		Marked   []string `json:"evidence"`
	}
	turns := s.turnTexts()
	return eachLine(filepath.Join(dir, "questions.jsonl"), func(q question) error {
		e := q.evidence
		if q.Audit != nil {
			e = *q.Audit
		}
		j := judged{text: q.Question, want: gains{}, turns: gains{}, category: q.Category, evidence: q.Marked}
		if q.Kind == missing || q.Kind == foreign {
			j.kind = q.Kind
			s.unanswered = append(s.unanswered, j)
			return nil
		}
		for _, name := range e.Sessions {
			j.want[q.Conversation+"/"+name+".md"] = 1
		}
		for _, id := range e.Turns {
			path := turnPath(q.Conversation, id)
			j.turns[path] = 1
			if text, ok := turns[path]; ok {
				j.evidence = append(j.evidence, text)
			}
		}
		if len(j.want) > 0 {
			s.queries = append(s.queries, j)
		}
		return nil
	})
}

// readBEIR reads a corpus with judgements. Queries that nothing answers are
// left out.
func (s *set) readBEIR(dir string) error {
	type record struct {
		ID    string `json:"_id"`
		Title string
		Text  string
	}
	err := eachLine(filepath.Join(dir, "corpus.jsonl"), func(r record) error {
		if r.ID == "" || strings.ContainsAny(r.ID, `/\.`) {
			return fmt.Errorf("%q cannot be a file name", r.ID)
		}
		text := r.Text + "\n"
		if r.Title != "" {
			text = "# " + strings.Join(strings.Fields(r.Title), " ") + "\n\n" + text
		}
		s.notes = append(s.notes, note{r.ID + ".md", []byte(text)})
		return nil
	})
	if err != nil {
		return err
	}
	want, err := readJudgements(filepath.Join(dir, "qrels"))
	if err != nil {
		return err
	}
	return eachLine(filepath.Join(dir, "queries.jsonl"), func(r record) error {
		if g := want[r.ID]; len(g) > 0 {
			s.queries = append(s.queries, judged{text: r.Text, want: g})
		}
		return nil
	})
}

// readJudgements reads the one table in a folder: query, document, gain. Its first
// line may hold the names of the columns.
func readJudgements(dir string) (map[string]gains, error) {
	tables, err := filepath.Glob(filepath.Join(dir, "*.tsv"))
	if err != nil {
		return nil, err
	}
	if len(tables) != 1 {
		return nil, fmt.Errorf("%s has %d tables, not one", dir, len(tables))
	}
	text, err := os.ReadFile(tables[0])
	if err != nil {
		return nil, err
	}
	out := map[string]gains{}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var query, document string
		var gain float64
		if _, err := fmt.Sscan(line, &query, &document, &gain); err != nil {
			if i == 0 {
				continue
			}
			return nil, fmt.Errorf("%s, line %d: %w", tables[0], i+1, err)
		}
		if gain <= 0 {
			continue // judged, and not relevant
		}
		if out[query] == nil {
			out[query] = gains{}
		}
		out[query][document+".md"] = gain
	}
	return out, nil
}
