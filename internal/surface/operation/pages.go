package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/read"
)

type readInput struct {
	Ref     string `json:"ref" jsonschema:"ref, slug, title or id"`
	Section string `json:"section,omitempty" jsonschema:"heading, or Outer > Inner; Name#2: the second"`
	Lines   []int  `json:"lines,omitempty" jsonschema:"first and last"`
	Version int    `json:"version,omitempty" jsonschema:"an older version"`
	AsOf    string `json:"as_of,omitempty" jsonschema:"date or time"`
	Budget  int    `json:"budget,omitempty" jsonschema:"tokens (default 4000)"`
}

type readAnswer struct {
	briefPage
	Space     string        `json:"space,omitempty" jsonschema:"absent: that of ref"`
	Path      string        `json:"path,omitempty" jsonschema:"absent: the slug with .md"`
	File      string        `json:"file,omitempty" jsonschema:"on this machine"`
	UpdatedAt string        `json:"updated_at"`
	Lines     [2]int        `json:"lines" jsonschema:"of text within the page"`
	Text      string        `json:"text"`
	More      string        `json:"more,omitempty" jsonschema:"what the budget left out"`
	Outline   []string      `json:"outline,omitempty" jsonschema:"of the omitted text: the line of each heading, and the heading"`
	Warnings  []api.Warning `json:"warnings,omitempty"`
	Contested bool          `json:"contested,omitempty" jsonschema:"a contradiction concerns it"`
	Stale     bool          `json:"stale,omitempty" jsonschema:"its truth is older than its timeline"`
	Ended     []int         `json:"ended_lines,omitempty" jsonschema:"of relations that do not hold any more"`

	Contradictions []string `json:"contradictions,omitempty" jsonschema:"of it with other statements"`
}

// maxOpposed is how many contradictions of a page are shown.
const maxOpposed = 5

// opposed is a contradiction in a line: its id, what it says, and where both sides are.
func opposed(c api.Contradiction) string {
	side := func(s api.Side) string {
		if len(s.Lines) == 0 {
			return s.Ref
		}
		return fmt.Sprintf("%s:%d", s.Ref, s.Lines[0])
	}
	return fmt.Sprintf("%s: %s (%s, %s)", c.ID, c.Text, side(c.A), side(c.B))
}

var readPage = define(Operation{
	Name: "read", Title: "Read a page", Group: core, Route: Route{"GET", "/pages/{ref...}"},
	Description: "Read a page, a section or a line range. write expects its version.",
	ReadOnly:    true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in readInput) (readAnswer, error) {
	req := read.GetRequest{Ref: in.Ref, Version: in.Version, AsOf: in.AsOf, Section: in.Section}
	if len(in.Lines) > 0 {
		req.From, req.To = in.Lines[0], in.Lines[len(in.Lines)-1]
	}
	t, err := read.Get(ctx, a, req)
	if err != nil {
		return readAnswer{}, err
	}
	out := readAnswer{
		briefPage: briefly(t.Page), Space: t.Space, Path: t.Path, File: t.File,
		UpdatedAt: t.UpdatedAt.UTC().Format(timeLayout), Lines: t.Lines, Warnings: t.Warnings,
		Contested: t.Contested, Stale: t.Stale,
	}
	if t.Contested && in.Version == 0 && in.AsOf == "" {
		list, err := contradiction.List(ctx, a, contradiction.Request{Ref: t.Ref, Limit: maxOpposed})
		if err != nil {
			return readAnswer{}, err
		}
		for _, c := range list.Items {
			out.Contradictions = append(out.Contradictions, opposed(c))
		}
	}
	size := cmp.Or(in.Budget, defaultBudget) * bytesPerToken
	text, lines := cut(t.Text, size)
	switch {
	case len(text) == len(t.Text):
		out.Text = text
	case lines > 0:
		out.Text, out.Lines[1] = text, t.Lines[0]+lines-1
		out.More = fmt.Sprintf("lines %d to %d", out.Lines[1]+1, t.Lines[1])
	default: // one line is longer than the budget
		out.Text, out.Lines[1] = strings.ToValidUTF8(t.Text[:size], ""), t.Lines[0]
		out.More = fmt.Sprintf("the rest of line %d, with a larger budget", t.Lines[0])
		if t.Lines[1] > t.Lines[0] {
			out.More += fmt.Sprintf("; lines %d to %d", t.Lines[0]+1, t.Lines[1])
		}
	}
	out.Ended = t.EndedIn(out.Lines)
	if out.More != "" {
		out.Outline = outline(t.Headings, out.Lines[1])
	}
	return out, nil
}, Length("lines", 1, 2), AtLeast("version", 0), Between("budget", 1, maxBudget))

// maxOutline is how many headings an outline has at most.
const maxOutline = 60

// outline lists the headings after a line, the deeper ones indented. Of more than
// maxOutline it leaves out the deepest.
func outline(headings []api.Heading, after int) []string {
	headings = slices.DeleteFunc(slices.Clone(headings), func(h api.Heading) bool { return h.Line <= after })
	for len(headings) > maxOutline {
		deepest := slices.MaxFunc(headings, func(a, b api.Heading) int { return a.Level - b.Level }).Level
		shorter := slices.DeleteFunc(slices.Clone(headings), func(h api.Heading) bool { return h.Level == deepest })
		if len(shorter) == 0 {
			headings = headings[:maxOutline]
			break
		}
		headings = shorter
	}
	var out []string
	top := 0
	for _, h := range headings {
		if top == 0 || h.Level < top {
			top = h.Level
		}
	}
	for _, h := range headings {
		out = append(out, fmt.Sprintf("%d: %s%s", h.Line, strings.Repeat("  ", h.Level-top), h.Text))
	}
	return out
}

// timeLayout is RFC 3339 without fractions.
const timeLayout = "2006-01-02T15:04:05Z07:00"

// bytesPerToken is near enough for English text: a budget here only keeps an
// answer short.
const bytesPerToken = 4

// Tokens of a page's text, or of differences, in one answer.
const (
	defaultBudget = 4000
	maxBudget     = 200_000
)

// cut returns as many whole lines of the text as fit into so many bytes, and
// their number.
func cut(text string, size int) (string, int) {
	end, lines := 0, 0
	for line := range strings.Lines(text) {
		if end+len(line) > size {
			break
		}
		end += len(line)
		lines++
	}
	return text[:end], lines
}

// cutDiff returns as many whole lines of a difference as fit into so many bytes,
// and reports whether that is not all.
func cutDiff(diff string, size int) (string, bool) {
	short, _ := cut(diff, size)
	return short, len(short) < len(diff)
}

type writeInput struct {
	Ref   string   `json:"ref,omitempty" jsonschema:"page, or slug such as ideas/cairn; default: from title"`
	Text  string   `json:"text" jsonschema:"the whole page"`
	Title string   `json:"title,omitempty"`
	Type  string   `json:"type,omitempty"`
	Tags  []string `json:"tags,omitempty"`
	New   bool     `json:"new,omitempty" jsonschema:"another page with this name"`

	OnConflict string `json:"on_conflict,omitempty"`
	writeOptions

	large *string // a large text, until it is taken
}

// mergeOnConflict merges a text with the changes of the page since the version that the
// write expects.
const mergeOnConflict = "merge"

func (in *writeInput) takeText(name, text string) bool {
	if name == "text" {
		in.large = &text
	}
	return name == "text"
}

// take returns the text with an end of its last line, and lets a large one go: the input is
// held until the write was answered.
func (in *writeInput) take() []byte {
	from := &in.Text
	if in.large != nil {
		from = in.large
	}
	text := append(make([]byte, 0, len(*from)+1), *from...)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	*from = ""
	return text
}

var writePage = define(Operation{
	Name: "write", Title: "Write a page", Group: core, Route: Route{"PUT", "/pages/{ref...}"},
	Description: "Write a whole page. Replacing one needs expected_version (on_conflict: merge). Prefer edit.",
	Destructive: true, first: true,
}, func(ctx context.Context, a *memory.Session, in writeInput) (written, error) {
	if in.Text == "" && in.large == nil && in.Title == "" {
		return written{}, misuse{"text", errors.New("text is empty, and no title is given")}
	}
	if in.OnConflict != "" && in.OnConflict != mergeOnConflict {
		return written{}, misuse{"on_conflict", errors.New("on_conflict is merge, or absent")}
	}
	w, err := change.Put(ctx, a, change.PutRequest{
		WriteOptions: in.WriteOptions, Ref: in.Ref, Title: in.Title, Type: in.Type, Tags: in.Tags, Text: in.take(), New: in.New,
		Merge: in.OnConflict == mergeOnConflict,
	})
	return wrote(ctx, a, w, err, in.wait)
}, AtLeast("expected_version", 0))
