package operation

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cairn-kb/cairn/internal/knowledge/note"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

// maxFacts is how many observations, and how many relations, are listed with a note.
const maxFacts = 100

type noteInput struct {
	Ref    string `json:"ref" jsonschema:"ref, slug, title or id"`
	Space  string `json:"space,omitempty"`
	From   int    `json:"start_line,omitempty" jsonschema:"of the content within the file"`
	To     int    `json:"end_line,omitempty"`
	Budget int    `json:"budget,omitempty" jsonschema:"tokens of content, about (default 4000)"`
}

type noteAnswer struct {
	note.Note
	Source  string   `json:"source" jsonschema:"metadata and content as in the file"`
	LeftOut []string `json:"left_out,omitempty" jsonschema:"the rest"`
}

var readNote = define(Operation{
	Name: "note", Title: "Read a page as a note", Group: notebook, Route: Route{"GET", "/notes/{ref...}"},
	Description: "A page as data: frontmatter, content, observations, relations, and the pages at the other end of them.",
	ReadOnly:    true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in noteInput) (out noteAnswer, err error) {
	out.Note, err = note.Read(ctx, a.In(in.Space), in.Ref)
	if err != nil {
		return out, err
	}
	leave := func(format string, args ...any) { out.LeftOut = append(out.LeftOut, fmt.Sprintf(format, args...)) }
	whole := out.Lines
	out.Content, out.Lines = inLines(out.Content, out.Lines, in.From, in.To)
	text, lines := cut(out.Content, cmp.Or(in.Budget, defaultBudget)*bytesPerToken)
	if len(text) < len(out.Content) {
		if lines == 0 {
			text = strings.ToValidUTF8(out.Content[:cmp.Or(in.Budget, defaultBudget)*bytesPerToken], "")
		}
		out.Content, out.Lines[1] = text, out.Lines[0]+max(lines, 1)-1
	}
	if out.Lines != whole {
		leave("content: lines %d to %d of %d to %d are shown", out.Lines[0], out.Lines[1], whole[0], whole[1])
	}
	if out.Lines == whole && len(out.Raw) <= cmp.Or(in.Budget, defaultBudget)*bytesPerToken {
		out.Source = out.Raw
	} else {
		out.Source = out.Content
	}
	if n := len(out.Observations); n > maxFacts {
		leave("observations: the first %d of %d are listed", maxFacts, n)
		out.Observations = out.Observations[:maxFacts]
	}
	if n := len(out.Relations); n > maxFacts {
		leave("relations: the first %d of %d are listed", maxFacts, n)
		out.Relations = out.Relations[:maxFacts]
	}
	if n := len(out.Related); n > maxFacts {
		leave("related: the first %d of %d are listed", maxFacts, n)
		out.Related = out.Related[:maxFacts]
	}
	return out, nil
}, AtLeast("start_line", 1), AtLeast("end_line", 1), Between("budget", 1, maxBudget))

// inLines cuts a text, which starts and ends at the given lines, to the
// requested ones.
func inLines(text string, lines [2]int, from, to int) (string, [2]int) {
	from = max(cmp.Or(from, lines[0]), lines[0])
	to = min(cmp.Or(to, lines[1]), lines[1])
	if from > to {
		return "", [2]int{from, from - 1}
	}
	var out strings.Builder
	at := lines[0]
	for line := range strings.Lines(text) {
		if at >= from && at <= to {
			out.WriteString(line)
		}
		at++
	}
	return out.String(), [2]int{from, to}
}

type noteWriteInput struct {
	Title     string   `json:"title"`
	Content   string   `json:"content"`
	Directory string   `json:"directory,omitempty"`
	Type      string   `json:"type,omitempty" jsonschema:"default: what the content's frontmatter says, else note"`
	Tags      []string `json:"tags,omitempty"`
	Metadata  []byte   `json:"metadata,omitempty" jsonschema:"more frontmatter, an object that may nest"`
	Overwrite bool     `json:"overwrite,omitempty"`
	Space     string   `json:"space,omitempty"`
	writeOptions
}

// noteWritten is a note after a write.
type noteWritten struct {
	note.Head
	Action string `json:"action" jsonschema:"created, updated, unchanged, or what an edit did"`
	written
}

var writeNote = define(Operation{
	Name: "note_write", Title: "Write a note", Group: notebook, Route: Route{"POST", "/notes"},
	Description: "Write a whole note under its title, in a directory. One of that title is not replaced unless that is asked for.",
	Destructive: true, first: true,
}, func(ctx context.Context, a *memory.Session, in noteWriteInput) (noteWritten, error) {
	metadata, err := objectOf("metadata", in.Metadata)
	if err != nil {
		return noteWritten{}, err
	}
	a = a.In(in.Space)
	w, err := note.Write(ctx, a, note.WriteRequest{
		WriteOptions: in.WriteOptions, Title: in.Title, Content: in.Content, Directory: in.Directory,
		Type: in.Type, Tags: in.Tags, Metadata: metadata, Overwrite: in.Overwrite,
	})
	return wroteNote(ctx, a, w, err, in.wait)
}, AtLeast("expected_version", 0), anyValue("metadata"))

type canvasInput struct {
	Title     string `json:"title"`
	Nodes     []byte `json:"nodes,omitempty" jsonschema:"array as JSON Canvas 1.0 has it"`
	Edges     []byte `json:"edges,omitempty" jsonschema:"array as JSON Canvas 1.0 has it"`
	Directory string `json:"directory,omitempty"`
	Overwrite bool   `json:"overwrite,omitempty"`
	Space     string `json:"space,omitempty"`
	writeOptions
}

var writeCanvas = define(Operation{
	Name: "canvas_write", Title: "Write a canvas", Group: notebook, Route: Route{"POST", "/canvases"},
	Description: "Write a whole canvas under its title. One of that title is not replaced unless that is asked for.",
	Destructive: true, first: true,
}, func(ctx context.Context, a *memory.Session, in canvasInput) (noteWritten, error) {
	a = a.In(in.Space)
	w, err := note.WriteCanvas(ctx, a, note.CanvasRequest{
		WriteOptions: in.WriteOptions, Title: in.Title, Directory: in.Directory, Nodes: in.Nodes, Edges: in.Edges, Overwrite: in.Overwrite,
	})
	return wroteNote(ctx, a, w, err, in.wait)
}, AtLeast("expected_version", 0), anyValue("nodes"), anyValue("edges"))

func wroteNote(ctx context.Context, a *memory.Session, w note.Wrote, err error, wait wait) (noteWritten, error) {
	done, err := wrote(ctx, a, w.Write, err, wait)
	return noteWritten{Head: w.Head, Action: w.Action, written: done}, err
}

// objectOf reads an argument that is a JSON object, nil where there is none.
func objectOf(name string, text []byte) (map[string]any, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var quoted string
	if json.Unmarshal(text, &quoted) == nil {
		text = []byte(quoted) // an object that was sent as text
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var out map[string]any
	if err := d.Decode(&out); err != nil {
		return nil, misuse{name, fmt.Errorf("%s must be an object", name)}
	}
	return out, nil
}

type noteEditInput struct {
	Ref             string         `json:"ref"`
	Operation       note.Operation `json:"operation,omitempty" jsonschema:"absent: content replaces the section with the heading that it begins with, else it is appended"`
	Content         string         `json:"content,omitempty"`
	Section         string         `json:"section,omitempty" jsonschema:"heading"`
	Find            string         `json:"find_text,omitempty"`
	Count           int            `json:"expected_replacements,omitempty" jsonschema:"default 1"`
	KeepSubsections bool           `json:"keep_subsections,omitempty" jsonschema:"replace_section: keep the text under deeper headings"`
	Metadata        []byte         `json:"metadata,omitempty" jsonschema:"merged into the frontmatter; null removes a key"`
	Space           string         `json:"space,omitempty"`
	writeOptions
}

var editNote = define(Operation{
	Name: "note_edit", Title: "Edit a note", Group: notebook, Route: Route{"PATCH", "/notes/{ref...}"},
	Description: "Change one part of a note, or its metadata. The answer names the operation.",
	Destructive: true,
}, func(ctx context.Context, a *memory.Session, in noteEditInput) (noteWritten, error) {
	metadata, err := objectOf("metadata", in.Metadata)
	if err != nil {
		return noteWritten{}, err
	}
	a = a.In(in.Space)
	w, err := note.Edit(ctx, a, note.EditRequest{
		WriteOptions: in.WriteOptions, Ref: in.Ref, Operation: in.Operation, Content: in.Content, Section: in.Section,
		Find: in.Find, Count: in.Count, KeepSubsections: in.KeepSubsections, Metadata: metadata,
	})
	return wroteNote(ctx, a, w, err, in.wait)
}, AtLeast("expected_version", 0), AtLeast("expected_replacements", 1), anyValue("metadata"),
	OneOf("operation", note.Append, note.Prepend, note.FindReplace, note.ReplaceSection, note.InsertBefore, note.InsertAfter))

type recentInput struct {
	Since  string `json:"since,omitempty" jsonschema:"default 1 day: 24h, 7 days, last week, a date"`
	Space  string `json:"space,omitempty" jsonschema:"* for all; default: the current one, of several all"`
	Limit  int    `json:"limit,omitempty" jsonschema:"default 10"`
	Offset int    `json:"offset,omitempty"`
}

type recentPage struct {
	Title     string `json:"title"`
	Type      string `json:"type,omitempty"`
	Ref       string `json:"ref"`
	Path      string `json:"path"`
	Version   int    `json:"version"`
	UpdatedAt string `json:"updated_at"`

	permalink string
}

type recentAnswer struct {
	Items []recentPage `json:"items"`
	Total int          `json:"total"`
	Next  string       `json:"next,omitempty" jsonschema:"offset of the next ones"`
	Notes []string     `json:"notes,omitempty"`
}

var recentPages = define(Operation{
	Name: "recent_pages", Title: "Pages that changed last", Group: notebook, Route: Route{"GET", "/recent-pages"},
	Description: "Pages that changed within a time, each once, the newest first.",
	ReadOnly:    true, Idempotent: true,
	nothing: recentAnswer{Items: []recentPage{}, Notes: []string{nothingYet}},
}, func(ctx context.Context, a *memory.Session, in recentInput) (out recentAnswer, err error) {
	everywhere := in.Space == "*"
	if !everywhere {
		a = a.In(in.Space)
		name, err := a.Spaces.CurrentName(ctx)
		if err != nil {
			return out, err
		}
		everywhere = name == ""
	}
	if out.Notes, err = read.Freshen(ctx, a, read.FreshenRequest{All: everywhere}); err != nil {
		return out, err
	}
	found, err := retrieve.Pages(ctx, a, retrieve.ListRequest{
		Within: retrieve.Within{After: cmp.Or(in.Since, "1 day"), All: everywhere}, Sort: "updated", Limit: cmp.Or(in.Limit, 10), Offset: in.Offset,
	})
	out.Items = []recentPage{}
	for _, p := range found.Items {
		out.Items = append(out.Items, recentPage{p.Title, p.Type, p.Ref, p.Path, p.Version, p.UpdatedAt.UTC().Format(timeLayout), p.Permalink})
	}
	out.Total, out.Next = found.Total, found.Next
	out.Notes = append(out.Notes, a.Notes()...)
	return out, err
}, Between("limit", 1, 1000), AtLeast("offset", 0))
