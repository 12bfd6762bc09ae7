package operation

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/note"
)

// formats limits output_format.
var formats = OneOf("output_format", asText, asJSON)

// The other names that arguments of these tools have had.
var (
	ofNote = map[string]string{
		"identifier": "path", "url": "path", "permalink": "path", "ref": "path", "project_id": "project",
		"include_frontmatter": "", // it is always included
	}
	ofRead      = withNames(ofNote, map[string]string{"page": "", "page_size": "", "include_content": ""}) // of related notes, which come at once
	ofDirectory = map[string]string{
		"dir_name": "path", "directory": "path", "folder": "path", "project_id": "project", "limit": "page_size",
	}
	ofNew     = map[string]string{"folder": "directory", "project_id": "project"}
	ofSchema  = map[string]string{"note_type": "type", "identifier": "ref", "path": "ref", "project": "space", "project_id": "space", "threshold": "above", "output_format": ""}
	ofProject = map[string]string{"project_id": "project", "limit": "page_size", "depth": ""} // a note that changed has no surroundings
	ofItems   = map[string]string{
		"project_id": "project", "search_item_types": "entity_types", "types": "note_types", "limit": "page_size",
		"compact": "", "include_content": "", // a hit has the passage that was found
	}
	ofMove = map[string]string{
		"identifier": "path", "url": "path", "destination": "destination_path", "folder": "destination_folder", "project_id": "project",
	}
)

// withNames returns both maps in one.
func withNames(names, more map[string]string) map[string]string {
	out := maps.Clone(names)
	maps.Copy(out, more)
	return out
}

func noteTools() []*Tool {
	return slices.Concat(noteReaders(), noteWriters(), noteSearches(), noteContexts(), noteLists(), projectTools())
}

// notesTool is what all tools of the set have in common.
func notesTool(name, title, description string, synonyms map[string]string) Tool {
	return Tool{Name: name, Title: title, Description: description, Sets: []Set{Notes}, Synonyms: synonyms}
}

type readNoteInput struct {
	Path    string `json:"path" jsonschema:"permalink, title, file path or memory:// URL"`
	Project string `json:"project,omitempty"`
	From    int    `json:"start_line,omitempty"`
	To      int    `json:"end_line,omitempty"`
	Budget  int    `json:"budget,omitempty" jsonschema:"tokens (default 4000)"`
	Format  format `json:"output_format,omitempty" jsonschema:"default json"`
}

func (in readNoteInput) note() noteInput {
	return noteInput{Ref: in.Path, Space: in.Project, From: in.From, To: in.To, Budget: in.Budget}
}

type viewNoteInput struct {
	Path    string `json:"path"`
	Project string `json:"project,omitempty"`
}

type fetchInput struct {
	ID string `json:"id"`
}

type fetched struct {
	ID       string         `json:"id"`
	Title    string         `json:"title"`
	Text     string         `json:"text"`
	URL      string         `json:"url"`
	Metadata map[string]any `json:"metadata"`
}

// noteURL is the URI of a page by its ref.
func noteURL(ref string) string {
	space, slug, _ := strings.Cut(ref, ":")
	return "memory://" + space + "/" + slug
}

// noteData is what a tool answers of a note.
type noteData struct {
	note.Note
	LeftOut []string `json:"left_out,omitempty"`
}

// sourceOf is the text of a note, followed by a note on omitted parts.
func sourceOf(n noteAnswer) string {
	text := n.Source
	for _, left := range n.LeftOut {
		text += "\n[" + left + "]"
	}
	return text
}

func noteReaders() []*Tool {
	return []*Tool{
		adapt(notesTool("read_note", "Read a note", "Read a note; with output_format json as data: frontmatter, content, observations, relations, related notes.", ofRead), readNote,
			func(in readNoteInput) (noteInput, error) { return in.note(), nil },
			func(in readNoteInput, n noteAnswer) (textResult, error) {
				return formatted(cmp.Or(in.Format, asText), noteData{n.Note, n.LeftOut}, func() string { return sourceOf(n) }), nil
			}, formats, AtLeast("start_line", 1), AtLeast("end_line", 1), Between("budget", 1, maxBudget)),
		adapt(notesTool("view_note", "View a note", "A note to show to the user unchanged.", ofNote), readNote,
			func(in viewNoteInput) (noteInput, error) { return noteInput{Ref: in.Path, Space: in.Project}, nil },
			func(in viewNoteInput, n noteAnswer) (textResult, error) {
				return textResult{words: fmt.Sprintf("Note retrieved: %q\n\nDisplay this note as a markdown artifact for the user.\n\n<note>\n%s\n</note>\n", n.Title, sourceOf(n))}, nil
			}),
		adapt(notesTool("fetch", "Fetch a document", "The full text of a result of search.", nil), readNote,
			func(in fetchInput) (noteInput, error) { return noteInput{Ref: in.ID, Budget: maxBudget}, nil },
			func(in fetchInput, n noteAnswer) (textResult, error) {
				return textResult{data: fetched{ID: n.Ref, Title: n.Title, Text: sourceOf(n), URL: noteURL(n.Ref), Metadata: n.Frontmatter}}, nil
			}),
	}
}

type writeNoteInput struct {
	Title     string   `json:"title"`
	Content   string   `json:"content" jsonschema:"Markdown; - [category] fact #tag, - relation [[Note]]"`
	Directory string   `json:"directory,omitempty"`
	Project   string   `json:"project,omitempty"`
	Tags      []string `json:"tags,omitempty" jsonschema:"or a,b"`
	Type      string   `json:"note_type,omitempty" jsonschema:"default note"`
	Metadata  []byte   `json:"metadata,omitempty" jsonschema:"more frontmatter, an object"`
	Overwrite bool     `json:"overwrite,omitempty"`
	Expected  *int     `json:"expected_version,omitempty"`
	Format    format   `json:"output_format,omitempty"`
}

type canvasTool struct {
	Title     string `json:"title"`
	Nodes     []byte `json:"nodes" jsonschema:"[{id, type: text|file|link|group, text|file|url|label, x, y, width, height}]"`
	Edges     []byte `json:"edges,omitempty" jsonschema:"[{id, fromNode, toNode, label}]"`
	Directory string `json:"directory,omitempty"`
	Project   string `json:"project,omitempty"`
	Overwrite bool   `json:"overwrite,omitempty"`
	Format    format `json:"output_format,omitempty"`
}

type editNoteInput struct {
	Path        string         `json:"path"`
	Operation   note.Operation `json:"operation,omitempty"`
	Content     string         `json:"content,omitempty"`
	Updates     string         `json:"content_updates,omitempty" jsonschema:"without operation: replaces the section with the heading that it begins with, else is appended"`
	Section     string         `json:"section,omitempty" jsonschema:"heading"`
	Find        string         `json:"find_text,omitempty"`
	Count       int            `json:"expected_replacements,omitempty" jsonschema:"default 1"`
	Subsections *bool          `json:"replace_subsections,omitempty" jsonschema:"default true"`
	Metadata    []byte         `json:"metadata,omitempty" jsonschema:"merged; null removes"`
	Expected    *int           `json:"expected_version,omitempty"`
	Project     string         `json:"project,omitempty"`
	Format      format         `json:"output_format,omitempty"`
}

type moveNoteInput struct {
	Path      string `json:"path" jsonschema:"note or directory"`
	To        string `json:"destination_path,omitempty" jsonschema:"its new path"`
	Into      string `json:"destination_folder,omitempty" jsonschema:"where it keeps its name"`
	Directory bool   `json:"is_directory,omitempty"`
	Project   string `json:"project,omitempty"`
	Format    format `json:"output_format,omitempty"`
}

type deleteNoteInput struct {
	Path      string `json:"path" jsonschema:"note or directory"`
	Directory bool   `json:"is_directory,omitempty"`
	Project   string `json:"project,omitempty"`
	Format    format `json:"output_format,omitempty"`
}

// noteChange is a note that a tool has written.
type noteChange struct {
	note.Head
	Action   string        `json:"action"`
	Write    int64         `json:"write,omitempty"`
	Warnings []api.Warning `json:"warnings,omitempty"`
	Notes    []string      `json:"notes,omitempty"`
}

func changeOf(w noteWritten) noteChange {
	out := noteChange{Head: w.Head, Action: w.Action, Write: w.Write, Notes: w.Notes}
	for _, p := range w.Pages {
		out.Warnings = append(out.Warnings, p.Warnings...)
	}
	return out
}

func (c noteChange) words() string {
	text := fmt.Sprintf("# %s note: %s\nfile_path: %s\npermalink: %s\nversion: %d\n", strings.ToUpper(c.Action[:1])+c.Action[1:], c.Title, c.FilePath, c.Permalink, c.Version)
	for _, w := range c.Warnings {
		text += "warning: " + w.Text + "\n"
	}
	for _, n := range c.Notes {
		text += "note: " + n + "\n"
	}
	return text
}

// movedFile is a file that was moved or deleted.
type movedFile struct {
	Title    string `json:"title"`
	FilePath string `json:"file_path"`
	From     string `json:"from,omitempty"`
	Ref      string `json:"ref"`
}

type moved struct {
	Moved   bool        `json:"moved,omitempty"`
	Deleted bool        `json:"deleted,omitempty"`
	Title   string      `json:"title,omitempty"`
	Path    string      `json:"file_path,omitempty"`
	Files   []movedFile `json:"files"`
	Total   int         `json:"total"`
	Also    int         `json:"links_updated,omitempty"` // pages with rewritten links
	LeftOut string      `json:"left_out,omitempty"`
	Write   int64       `json:"write"`
	Notes   []string    `json:"notes,omitempty"`
}

// maxFiles is how many files of a directory an answer names.
const maxFiles = 50

func movedOf(w written, kind kb.ChangeKind) moved {
	out := moved{Files: []movedFile{}, Write: w.Write, Notes: w.Notes, Moved: kind == kb.Moved, Deleted: kind == kb.Deleted}
	for _, p := range w.Pages {
		if p.Change != kind {
			out.Also++
			continue
		}
		if out.Total++; out.Total <= maxFiles {
			out.Files = append(out.Files, movedFile{p.Title, p.Path, p.From, p.Ref})
		}
	}
	if len(out.Files) == 1 {
		out.Title, out.Path = out.Files[0].Title, out.Files[0].FilePath
	}
	if n := out.Total - len(out.Files); n > 0 {
		out.LeftOut = fmt.Sprintf("%d more files", n)
	}
	return out
}

func (m moved) words() string {
	var text strings.Builder
	did := "Moved"
	if m.Deleted {
		did = "Deleted"
	}
	fmt.Fprintf(&text, "# %s %d\n", did, m.Total)
	for _, f := range m.Files {
		if f.From != "" {
			fmt.Fprintf(&text, "- %s → %s\n", f.From, f.FilePath)
			continue
		}
		fmt.Fprintf(&text, "- %s\n", f.FilePath)
	}
	if m.LeftOut != "" {
		fmt.Fprintf(&text, "- %s\n", m.LeftOut)
	}
	fmt.Fprintf(&text, "undo takes write %d back.\n", m.Write)
	return text.String()
}

// below returns dir with a trailing slash, so that a page of that name does not
// match.
func below(dir string, is bool) string {
	if dir = strings.TrimPrefix(dir, "/"); is && !strings.HasSuffix(dir, "/") {
		dir += "/"
	}
	return dir
}

// inProject is a ref within a project.
func inProject(project, ref string) string {
	if project == "" {
		return ref
	}
	return project + ":" + strings.TrimPrefix(ref, "memory://")
}

// splitTags reads tags that came as one text with commas. Of a list each item is one tag.
func splitTags(tags []string) []string {
	if len(tags) > 1 {
		return tags
	}
	var out []string
	for _, t := range tags {
		for part := range strings.SplitSeq(t, ",") {
			if part = strings.TrimSpace(part); part != "" {
				out = append(out, part)
			}
		}
	}
	return out
}

func noteWriters() []*Tool {
	return []*Tool{
		adapt(notesTool("write_note", "Write a note", "Write a note under its title. An existing one needs overwrite or expected_version.", ofNew), writeNote,
			func(in writeNoteInput) (noteWriteInput, error) {
				return noteWriteInput{
					Title: in.Title, Content: in.Content, Directory: in.Directory, Type: in.Type, Tags: splitTags(in.Tags),
					Metadata: in.Metadata, Overwrite: in.Overwrite, Space: in.Project, writeOptions: writeOptions{WriteOptions: api.WriteOptions{Expected: in.Expected}},
				}, nil
			},
			func(in writeNoteInput, w noteWritten) (textResult, error) {
				c := changeOf(w)
				return formatted(cmp.Or(in.Format, asJSON), c, c.words), nil
			}, formats, anyValue("metadata"), AtLeast("expected_version", 0)),
		adapt(notesTool("canvas", "Write a canvas", "Write a JSON Canvas (.canvas) of notes and cards.", ofNew), writeCanvas,
			func(in canvasTool) (canvasInput, error) {
				return canvasInput{
					Title: in.Title, Nodes: in.Nodes, Edges: in.Edges, Directory: in.Directory, Overwrite: in.Overwrite, Space: in.Project,
				}, nil
			},
			func(in canvasTool, w noteWritten) (textResult, error) {
				c := changeOf(w)
				return formatted(cmp.Or(in.Format, asJSON), c, c.words), nil
			}, formats, anyValue("nodes"), anyValue("edges")),
		adapt(notesTool("edit_note", "Edit a note", "Change part of a note; the rest stays byte for byte. Give operation and content, or content_updates, or metadata.", ofNote), editNote,
			func(in editNoteInput) (noteEditInput, error) {
				if in.Operation == note.Update && in.Content != "" && in.Updates != "" {
					return noteEditInput{}, misuse{"content_updates", errors.New("content and content_updates are one: give one of them")}
				}
				return noteEditInput{
					Ref: in.Path, Operation: in.Operation, Content: cmp.Or(in.Content, in.Updates), Section: in.Section, Find: in.Find, Count: in.Count,
					KeepSubsections: in.Subsections != nil && !*in.Subsections, Metadata: in.Metadata, Space: in.Project,
					writeOptions: writeOptions{WriteOptions: api.WriteOptions{Expected: in.Expected}},
				}, nil
			},
			func(in editNoteInput, w noteWritten) (textResult, error) {
				c := changeOf(w)
				return formatted(cmp.Or(in.Format, asJSON), c, c.words), nil
			}, formats, anyValue("metadata"), AtLeast("expected_version", 0), AtLeast("expected_replacements", 1),
			OneOf("operation", note.Append, note.Prepend, note.FindReplace, note.ReplaceSection, note.InsertBefore, note.InsertAfter)),
		adapt(notesTool("move_note", "Move a note", "Move a note or a directory; links to it follow.", ofMove), editPage,
			func(in moveNoteInput) (editInput, error) {
				if (in.To == "") == (in.Into == "") {
					return editInput{}, misuse{"destination_path", errors.New("give destination_path or destination_folder")}
				}
				to := strings.TrimPrefix(in.To, "/")
				if in.Into != "" {
					to = strings.Trim(in.Into, "/") + "/"
				}
				return editInput{Ref: inProject(in.Project, below(in.Path, in.Directory)), Edits: []edit{{Do: moveTo, Text: scalar{text: to, given: true}}}}, nil
			},
			func(in moveNoteInput, w partly) (textResult, error) {
				m := movedOf(w.written, kb.Moved)
				return formatted(cmp.Or(in.Format, asJSON), m, m.words), nil
			}, formats),
		adapt(notesTool("delete_note", "Delete a note", "Delete a note or a directory, in one write that undo takes back.", ofNote), editPage,
			func(in deleteNoteInput) (editInput, error) {
				return editInput{Ref: inProject(in.Project, below(in.Path, in.Directory)), Edits: []edit{{Do: deleteIt}}}, nil
			},
			func(in deleteNoteInput, w partly) (textResult, error) {
				m := movedOf(w.written, kb.Deleted)
				return formatted(cmp.Or(in.Format, asJSON), m, m.words), nil
			}, formats),
	}
}

type listDirectoryInput struct {
	Path     string `json:"path,omitempty"`
	Depth    int    `json:"depth,omitempty" jsonschema:"levels, default 1"`
	Glob     string `json:"file_name_glob,omitempty" jsonschema:"of all files below: *.md"`
	Project  string `json:"project,omitempty"`
	Page     int    `json:"page,omitempty"`
	PageSize int    `json:"page_size,omitempty" jsonschema:"default 50"`
	Format   format `json:"output_format,omitempty"`
}

type directoryNode struct {
	Name      string `json:"name"`
	Type      string `json:"type"` // directory, file
	Path      string `json:"directory_path,omitempty"`
	FilePath  string `json:"file_path,omitempty"`
	Title     string `json:"title,omitempty"`
	Permalink string `json:"permalink,omitempty"`
	NoteType  string `json:"note_type,omitempty"`
	Pages     *int   `json:"pages,omitempty"` // below a directory
	UpdatedAt string `json:"updated_at,omitempty"`
}

type directory struct {
	Nodes []directoryNode `json:"nodes"`
	Total int             `json:"total"`
	Left  int             `json:"left_out"`
	Next  int             `json:"next_page,omitempty"`
	Notes []string        `json:"notes,omitempty"`
}

type recentActivityInput struct {
	Timeframe string `json:"timeframe,omitempty" jsonschema:"7d, 24h, last week (default 1 day)"`
	Project   string `json:"project,omitempty"`
	Page      int    `json:"page,omitempty"`
	PageSize  int    `json:"page_size,omitempty" jsonschema:"default 10"`
	Format    format `json:"output_format,omitempty"`
}

// recentNote is a note that changed.
type recentNote struct {
	Type      string `json:"type"`
	NoteType  string `json:"note_type,omitempty"`
	Title     string `json:"title"`
	Permalink string `json:"permalink"`
	FilePath  string `json:"file_path"`
	Ref       string `json:"ref"`
	UpdatedAt string `json:"updated_at"`
}

type recentNotes struct {
	Results []recentNote `json:"results"`
	Total   int          `json:"total"`
	Left    int          `json:"left_out"`
	Next    int          `json:"next_page,omitempty"`
	Notes   []string     `json:"notes,omitempty"`
}

// paged converts a page number and size into the number of remaining results
// and the next page.
func paged(page, size, shown, total int) (left, next int) {
	page = max(page, 1)
	if left = max(0, total-(page-1)*size-shown); left > 0 {
		next = page + 1
	}
	return left, next
}

func noteLists() []*Tool {
	return []*Tool{
		adapt(notesTool("list_directory", "List a directory", "Files and folders of a project.", ofDirectory), browse,
			func(in listDirectoryInput) (browseInput, error) {
				size := cmp.Or(in.PageSize, 50)
				out := browseInput{What: viewTree, Path: strings.Trim(in.Path, "/"), Space: in.Project, Limit: size, Offset: (max(in.Page, 1) - 1) * size, depth: in.Depth}
				if in.Glob != "" {
					out.What, out.Path = viewPages, path.Join(out.Path, "**", in.Glob)
				}
				return out, nil
			},
			func(in listDirectoryInput, b browseAnswer) (textResult, error) {
				out := directory{Nodes: []directoryNode{}, Total: b.Total, Notes: b.Notes}
				for _, p := range b.Items {
					n := directoryNode{Name: path.Base(p.Path), Type: "directory", Path: "/" + strings.Trim(p.Path, "/"), Pages: p.Pages}
					switch {
					case p.Type == typeFile && p.Ref == "":
						n = directoryNode{Name: path.Base(p.Path), Type: typeFile, FilePath: p.Path}
					case p.Ref != "":
						n = directoryNode{Name: path.Base(p.Path), Type: "file", FilePath: p.Path, Title: p.Title, Permalink: p.page.Permalink, NoteType: p.Type, UpdatedAt: p.page.UpdatedAt.UTC().Format(timeLayout)}
					}
					out.Nodes = append(out.Nodes, n)
				}
				out.Left, out.Next = paged(in.Page, cmp.Or(in.PageSize, 50), len(out.Nodes), out.Total)
				return formatted(cmp.Or(in.Format, asJSON), out, out.words), nil
			}, formats, Between("depth", 1, 10), AtLeast("page", 1), Between("page_size", 1, 500)),
		adapt(notesTool("recent_activity", "Recent activity", "Notes that changed lately, newest first; of all projects where none is chosen.", ofProject), recentPages,
			func(in recentActivityInput) (recentInput, error) {
				size := cmp.Or(in.PageSize, 10)
				return recentInput{Since: in.Timeframe, Space: in.Project, Limit: size, Offset: (max(in.Page, 1) - 1) * size}, nil
			},
			func(in recentActivityInput, r recentAnswer) (textResult, error) {
				out := recentNotes{Results: []recentNote{}, Total: r.Total, Notes: r.Notes}
				for _, p := range r.Items {
					out.Results = append(out.Results, recentNote{"entity", p.Type, p.Title, p.permalink, p.Path, p.Ref, p.UpdatedAt})
				}
				out.Left, out.Next = paged(in.Page, cmp.Or(in.PageSize, 10), len(out.Results), out.Total)
				return formatted(cmp.Or(in.Format, asJSON), out, out.words), nil
			}, formats, AtLeast("page", 1), Between("page_size", 1, 100)),
	}
}

func (d directory) words() string {
	var text strings.Builder
	for _, n := range d.Nodes {
		if n.Type == "directory" {
			fmt.Fprintf(&text, "%s/ (%d)\n", strings.TrimPrefix(n.Path, "/"), *n.Pages)
			continue
		}
		text.WriteString(strings.TrimSpace(n.FilePath+"  "+n.Title) + "\n")
	}
	return text.String() + leftOut(d.Left, d.Next, d.Notes)
}

func (r recentNotes) words() string {
	var text strings.Builder
	for _, n := range r.Results {
		fmt.Fprintf(&text, "- %s (%s) %s\n", n.Title, n.Ref, n.UpdatedAt)
	}
	return text.String() + leftOut(r.Left, r.Next, r.Notes)
}

// leftOut describes the omitted part of a list.
func leftOut(left, next int, notes []string) string {
	var text strings.Builder
	if left > 0 {
		fmt.Fprintf(&text, "%d more: page %d\n", left, next)
	}
	for _, n := range notes {
		fmt.Fprintf(&text, "note: %s\n", n)
	}
	return text.String()
}
