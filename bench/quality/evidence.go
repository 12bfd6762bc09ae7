package main

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// roomSizes are the tokens that whole answers may have.
var roomSizes = []int{300, 500, 1000, 1500}

// pageLimits are the limits that evidence is measured with, the default of recall last.
var pageLimits = []int{5, 10}

// served is the evidence that answers of one size have.
type served struct {
	Set     string  `json:"set"`
	Limit   int     `json:"limit"` // of pages; 0 is the default
	Tokens  int     `json:"tokens"`
	Queries int     `json:"queries"`
	Share   float64 `json:"share"` // of the evidence of a question, mean over questions
	Error   float64 `json:"error"` // standard error of Share
	Any     float64 `json:"any"`   // share of questions with some of their evidence
	All     float64 `json:"all"`
	Spent   float64 `json:"spent"` // mean tokens of an answer
	Median  float64 `json:"-"`     // milliseconds of an answer
	shares  []float64
}

// measureEvidence measures which share of the evidence for a question is in the text of
// an answer of recall, as an agent gets it.
func measureEvidence(ctx context.Context, dir string, s *set, progress io.Writer) (out []served, err error) {
	if s.keepMarked(); len(s.queries) == 0 {
		return nil, fmt.Errorf("%s: no question has marked evidence", s.name)
	}
	m, err := remember(ctx, dir, s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if err := use(ctx, m, "", progress); err != nil {
		return nil, err
	}
	for _, limit := range pageLimits {
		fmt.Fprintf(progress, "%s: evidence of %d questions, limit %d\n", s.name, len(s.queries), limit)
		for _, room := range roomSizes {
			r, err := servedWithin(ctx, m, s, limit, room)
			if err != nil {
				return nil, err
			}
			out = append(out, r)
		}
	}
	return out, nil
}

// keepMarked keeps the questions with marked evidence.
func (s *set) keepMarked() {
	s.queries = slices.DeleteFunc(s.queries, func(q judged) bool { return len(q.evidence) == 0 || q.category == adversarialCategory })
}

// servedWithin asks every question of a set for an answer of so many tokens.
func servedWithin(ctx context.Context, m *memory.Session, s *set, limit, room int) (served, error) {
	r := served{Set: s.name, Limit: limit, Tokens: room, Queries: len(s.queries)}
	var took []float64
	for _, q := range s.queries {
		began := time.Now()
		text, spent, asked, err := answerWithin(ctx, m, q.text, limit, room)
		if err != nil {
			return r, fmt.Errorf("%s: %q: %w", s.name, q.text, err)
		}
		took = append(took, time.Since(began).Seconds()*1000/float64(asked))
		found := 0
		for _, e := range q.evidence {
			if strings.Contains(text, lettersOf(e)) {
				found++
			}
		}
		r.shares = append(r.shares, float64(found)/float64(len(q.evidence)))
		r.Spent += float64(spent) / float64(len(s.queries))
		if found > 0 {
			r.Any += 1 / float64(len(s.queries))
		}
		if found == len(q.evidence) {
			r.All += 1 / float64(len(s.queries))
		}
	}
	slices.Sort(took)
	r.Median = took[len(took)/2]
	r.Share, r.Error = meanAndError(r.shares)
	return r, nil
}

const (
	asks  = 16 // how often an answer is asked for with a smaller budget until it fits
	fewer = 8  // tokens that a budget is smaller by, at least: passages are longer than what is too much
)

// answerWithin returns the letters of the texts of an answer that has at most so many
// tokens, how many it has, and how often it was asked for. One that does not get that small
// is cut at the end, as a client may do.
func answerWithin(ctx context.Context, m *memory.Session, question string, limit, room int) (text string, spent, asked int, err error) {
	var a answer
	for budget := room; asked < asks; budget = max(1, budget-max(spent-room, fewer)) {
		if a, err = recallAnswer(ctx, m, question, limit, budget); err != nil {
			return "", 0, 0, err
		}
		asked++
		if spent = a.tokens(len(a.Items)); spent <= room || budget == 1 {
			break
		}
	}
	n := len(a.Items)
	for spent > room && n > 0 {
		n--
		spent = a.tokens(n)
	}
	var letters strings.Builder
	for _, item := range a.Items[:n] {
		letters.WriteString(lettersOf(item.Text) + "\n")
	}
	return letters.String(), spent, asked, nil
}

// answer is one of recall.
type answer struct {
	Items []struct{ Text string }
	parts []int // bytes of the items as they are sent
	bytes int   // of all
}

// jsonBytes is how many bytes of JSON are a token for the models of agents. The built-in
// model counts each sign of punctuation as one.
const jsonBytes = 4

// tokens are those of the answer with its first items: texts as the budget counts them, and
// what is around them.
func (a answer) tokens(items int) int {
	sum, bytes := 0, a.bytes
	for i, item := range a.Items {
		if i >= items {
			bytes -= a.parts[i]
			continue
		}
		sum += retrieve.CountTokens(item.Text)
		bytes -= len(item.Text)
	}
	return sum + (bytes+jsonBytes-1)/jsonBytes
}

// opened is a memory that is open already.
type opened struct{ session *memory.Session }

func (o opened) Session(context.Context, bool) (*memory.Session, error) { return o.session, nil }

// recallAnswer calls the tool recall.
func recallAnswer(ctx context.Context, m *memory.Session, question string, limit, budget int) (a answer, err error) {
	at := slices.IndexFunc(operation.Tools(), func(t *operation.Tool) bool { return t.Name == "recall" })
	in := map[string]any{"query": question, "budget": budget}
	if limit > 0 {
		in["limit"] = limit
	}
	given, err := json.Marshal(in)
	if err != nil {
		return a, err
	}
	out, err := operation.Tools()[at].Run(ctx, opened{m}, memory.Caller{Dir: m.Place.Dir, Actor: m.Actor}, given)
	if err != nil {
		return a, err
	}
	sent, err := json.Marshal(out)
	if err != nil {
		return a, err
	}
	a.bytes = len(sent)
	var parts struct{ Items []json.RawMessage }
	err = errors.Join(json.Unmarshal(sent, &a), json.Unmarshal(sent, &parts))
	for _, p := range parts.Items {
		a.parts = append(a.parts, len(p))
	}
	return a, err
}

// lettersOf are the letters and digits of a text: markup and line ends differ between a
// page and what is served of it.
func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

func meanAndError(values []float64) (mean, err float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	sum := 0.0
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(sum / max(n-1, 1) / n)
}

// printEvidence prints results as JSON or as a table.
func printEvidence(out io.Writer, results []served, asJSON bool) error {
	if !asJSON {
		return evidenceTable(out, results)
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(results)
}

// evidenceTable prints results as a Markdown table.
func evidenceTable(out io.Writer, results []served) error {
	var b strings.Builder
	b.WriteString("| set | n | limit | tokens | evidence served | any | all | spent | median, ms |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range results {
		fmt.Fprintf(&b, "| %s | %d | %s | %d | %.3f ± %.3f | %.3f | %.3f | %.0f | %.1f |\n",
			r.Set, r.Queries, cmp.Or(strings.TrimPrefix(fmt.Sprint(r.Limit), "0"), "default"), r.Tokens, r.Share, r.Error, r.Any, r.All, r.Spent, r.Median)
	}
	_, err := io.WriteString(out, b.String())
	return err
}
