package lint

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/table"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

// warnings maps warnings of the codecs that are not only about style to rules.
var warnings = map[string]policy.LintRule{
	"drawer-malformed":     policy.LintDrawerMalformed,
	"drawer-unclosed":      policy.LintDrawerUnclosed,
	"drawer-misplaced":     policy.LintDrawerMisplaced,
	"block-unclosed":       policy.LintBlockUnclosed,
	"frontmatter-open":     policy.LintFrontmatter,
	"frontmatter-not-yaml": policy.LintFrontmatter,
	"frontmatter-not-map":  policy.LintFrontmatter,
	doc.KeyTwice:           policy.LintPropertyRepeated,
	"property-duplicate":   policy.LintPropertyRepeated,
	"id-duplicate":         policy.LintIDRepeated,
	"not-text":             policy.LintNoText,
	"encoding-unknown":     policy.LintNoText,
}

// Ready loads the rules of the secret scan, for callers that do other work
// first.
func Ready() { secrets.Ready() }

// Document returns the problems of a single document, under the policy of its
// space.
func Document(d *doc.Document, p *policy.Policy) []Finding {
	s := &sheet{rules: p.Lint, path: d.Path}
	if line := doc.ConflictLine(d.Text); line > 0 {
		s.add(policy.LintConflict, line, "conflict markers of a merge that is not finished")
	}
	for _, w := range d.Warnings {
		rule, ok := warnings[w.Code]
		switch {
		case strings.HasPrefix(w.Code, "frontmatter-not-"):
			rule = policy.LintFrontmatter
		case !ok:
			rule = policy.LintStyle
		}
		s.add(rule, w.Line, w.Text)
	}
	if d.Encoding == doc.Opaque {
		return s.found
	}
	if !s.unread(d) {
		s.identity(d)
		s.schemas(d, p)
	}
	s.tables(d, p)
	s.active(d)
	s.secrets(d.Text, p)
	Sort(s.found)
	return s.found
}

// metadataRules are the rules of faults that leave metadata unread.
var metadataRules = []policy.LintRule{policy.LintDrawerUnclosed, policy.LintDrawerMisplaced, policy.LintFrontmatter}

// unread reports whether a fatal fault prevents the metadata of the document from
// being read. Then missing properties are not reported as further faults.
func (s *sheet) unread(d *doc.Document) bool {
	if written, _ := idOf(d, &d.Nodes[0]); written != "" {
		return false
	}
	return slices.ContainsFunc(s.found, func(f Finding) bool { return f.Fatal() && slices.Contains(metadataRules, f.Rule) })
}

// identity checks the identity of nodes: ids and titles.
func (s *sheet) identity(d *doc.Document) {
	ids := 0
	for i := range d.Nodes {
		n := &d.Nodes[i]
		written, line := idOf(d, n)
		if written == "" {
			continue
		}
		ids++
		if _, ok := kb.ParseID(written); !ok {
			s.add(policy.LintIDInvalid, line, "the id is not a UUID")
		}
	}
	if ids == 0 {
		s.add(policy.LintIDMissing, 1, "the document has no id")
	}
	if p, ok := d.Nodes[0].Property("title"); !ok || len(p.Values) == 0 || strings.TrimSpace(p.Values[0]) == "" {
		s.add(policy.LintTitleMissing, 1, "the document has no title")
	}
}

// idOf returns the id as written in the document, with its line.
func idOf(d *doc.Document, n *doc.Node) (id string, line int) {
	for _, key := range []string{"id", "identifier"} {
		if p, ok := n.Property(key); ok && len(p.Values) > 0 {
			return p.Values[0], doc.LineAt(d.Text, p.Span.Start)
		}
	}
	return "", 0
}

// schemas checks the schemas of the policy.
func (s *sheet) schemas(d *doc.Document, p *policy.Policy) {
	for _, v := range p.Violations(Content(d)) {
		rule := policy.LintPropertyMissing
		if v.Value {
			rule = policy.LintValueInvalid
		}
		if v.Advice {
			rule = policy.LintStyle
		}
		line := 1
		if at, ok := d.Nodes[0].Property(v.Key); ok {
			line = doc.LineAt(d.Text, at.Span.Start)
		}
		s.add(rule, line, v.Key+" "+v.Problem)
	}
}

// tables reports the unreadable parts of the tables that the policy defines on the
// page.
func (s *sheet) tables(d *doc.Document, p *policy.Policy) {
	for _, t := range p.TablesOn(d.Path) {
		_, faults := Rows(table.Find(d, t.Section), t)
		for _, f := range faults {
			s.add(policy.LintValueInvalid, f.Line, "table "+t.Name+": "+f.Text)
		}
	}
}

// Rows returns the valid rows of a table, and the faults of the others.
func Rows(g *table.Grid, t policy.Table) (rows []table.Row, faults []table.Fault) {
	faults = slices.Clone(g.Faults)
	key := g.Column(t.Key())
	if g.Found && key < 0 {
		return nil, append(faults, table.Fault{Line: g.Line, Text: "it has no column " + t.Key()})
	}
	seen := map[string]bool{}
	for _, r := range g.Rows {
		name := table.Fold(r.Cells[key])
		if problem := RowFault(t, g.Columns, r.Cells, seen[name]); problem != "" {
			faults = append(faults, table.Fault{Line: r.Line, Text: problem, Cells: r.Cells})
			continue
		}
		seen[name] = true
		rows = append(rows, r)
	}
	slices.SortStableFunc(faults, func(a, b table.Fault) int { return a.Line - b.Line })
	return rows, faults
}

// RowFault returns why a row of a table, with cells in columns, is invalid, ""
// for a valid row; taken is whether another row has its key.
func RowFault(t policy.Table, columns, cells []string, taken bool) string {
	key := table.Column(columns, t.Key())
	hidden, invisible := kb.Invisible(cells[key])
	switch {
	case cells[key] == "":
		return "the row has no " + t.Key()
	case invisible:
		return fmt.Sprintf("the %s has an invisible character, %U", t.Key(), hidden)
	case table.IsRule(strings.Join(cells, "|")):
		return "the row would be read as a rule"
	case taken:
		return "there is a row " + cells[key] + " already"
	}
	for i, c := range cells {
		if problem := t.Fault(columns[i], c); problem != "" {
			return problem
		}
	}
	return ""
}

// Content returns the input of a policy's schemas for a document.
func Content(d *doc.Document) policy.Content {
	n := &d.Nodes[0]
	c := policy.Content{Path: d.Path, Type: n.Type, Metadata: map[string][]string{}}
	for _, p := range n.Metadata {
		key := strings.ToLower(p.Key)
		c.Metadata[key] = append(c.Metadata[key], p.Values...)
	}
	for _, h := range n.Headings {
		c.Headings = append(c.Headings, h.Text)
	}
	return c
}

// secrets scans for credentials.
func (s *sheet) secrets(text []byte, p *policy.Policy) {
	if p.Secrets.Off || s.rules.Severity(policy.LintSecret) == policy.Off {
		return
	}
	for _, f := range secrets.Scan(text, secrets.Options{Allow: p.Secrets.Allow, Rules: p.Secrets.Rules}) {
		s.add(policy.LintSecret, f.Line, "a credential: "+f.Kind)
	}
}

// Source returns the problems of a source file. Binary files, which are
// recognised by their bytes, not by their name, have none.
func Source(path string, text []byte, p *policy.Policy) []Finding {
	decoded, encoding := doc.Decode(text)
	if encoding == doc.Opaque || strings.ContainsRune(string(decoded[:min(len(decoded), sniffed)]), 0) {
		return nil
	}
	s := &sheet{rules: p.Lint, path: path}
	if line := doc.ConflictLine(decoded); line > 0 {
		s.add(policy.LintConflict, line, "conflict markers of a merge that is not finished")
	}
	s.secrets(decoded, p)
	Sort(s.found)
	return s.found
}

// LargeSource is the size in bytes above which a source is reported as large.
const LargeSource = 256 << 10

// Large returns the finding for a source of a given size.
func Large(p *policy.Policy, path string, size int64) []Finding {
	s := &sheet{rules: p.Lint, path: path}
	if size > LargeSource {
		s.add(policy.LintSourceLarge, 0, "the source has "+strconv.FormatInt(size>>10, 10)+" KB")
	}
	return s.found
}

// WithSources is Document plus the problems of the sources in its metadata; has
// reports whether a file of the space exists.
func WithSources(d *doc.Document, p *policy.Policy, has func(path string) bool) []Finding {
	return append(Document(d, p), unsourced(d, p, has)...)
}

// unsourced returns the findings about the source that a document names, or must
// name.
func unsourced(d *doc.Document, p *policy.Policy, has func(path string) bool) []Finding {
	dir := p.Sources.Dir
	if dir == "" || d.Encoding == doc.Opaque {
		return nil
	}
	s := &sheet{rules: p.Lint, path: d.Path}
	line, named := 1, false
	if at, ok := d.Nodes[0].Property("source"); ok {
		line = doc.LineAt(d.Text, at.Span.Start)
		for _, v := range at.Values {
			for word := range strings.FieldsSeq(v) {
				at := path.Clean(strings.Trim(word, "[](),;\"'"))
				if !strings.HasPrefix(at, dir+"/") {
					continue
				}
				named = true
				if !has(at) {
					s.add(policy.LintSourceMissing, line, "the source "+at+" is not there")
				}
			}
		}
	}
	for key, values := range p.Sources.Needed {
		at, ok := d.Nodes[0].Property(key)
		if ok && !named && slices.ContainsFunc(at.Values, func(v string) bool { return slices.Contains(values, v) }) {
			s.add(policy.LintSourceMissing, line, key+" is "+at.Values[0]+", and source names no file in "+dir)
		}
	}
	return s.found
}

// Stale is the finding for an outdated index file.
func Stale(p *policy.Policy, path, how string) []Finding {
	s := &sheet{rules: p.Lint, path: path}
	s.add(policy.LintIndex, 0, "the index file "+how)
	return s.found
}

// sniffed is the number of bytes checked to distinguish text from binary data,
// as in Git.
const sniffed = 8000

// Dead returns the finding for a link to an unknown id.
func Dead(p *policy.Policy, path string, line int, id string) []Finding {
	s := &sheet{rules: p.Lint, path: path}
	s.add(policy.LintLinkDead, line, "no page has the id "+id)
	return s.found
}

// Anchorless returns the finding for a link to a missing heading or block.
func Anchorless(p *policy.Policy, path string, line int, page, part string) []Finding {
	s := &sheet{rules: p.Lint, path: path}
	s.add(policy.LintAnchorMissing, line, page+" has no heading or block "+part)
	return s.found
}

// Orphaned returns the finding for pages with links by id that break when a
// document is deleted or changes its id.
func Orphaned(p *policy.Policy, path, id string, linking []string) []Finding {
	s := &sheet{rules: p.Lint, path: path}
	shown := linking[:min(len(linking), maxNamed)]
	message := strings.Join(shown, ", ")
	if more := len(linking) - len(shown); more > 0 {
		message += " and " + strconv.Itoa(more) + " more"
	}
	s.add(policy.LintLinkDead, 0, message+" would link to the id "+id+", which no page would have")
	return s.found
}

// maxNamed limits the files listed in a finding.
const maxNamed = 5

// Repeated is the finding for a duplicate id, with one of its places in the
// document at path.
func Repeated(p *policy.Policy, path string, id kb.ID, places []string) []Finding {
	s := &sheet{rules: p.Lint, path: path}
	s.add(policy.LintIDRepeated, 0, "the id "+string(id)+" is in "+strings.Join(places, " and in "))
	return s.found
}

// LinkedID returns the id in a link, in canonical form if it is a UUID; ok is false
// for links by other names.
func LinkedID(l kb.Link) (id string, ok bool) {
	if u, is := kb.ParseID(l.Name); is {
		return string(u), true
	}
	return l.Name, l.Kind == string(doc.OrgID)
}

// Declared returns the ids written in a document.
func Declared(d *doc.Document) map[kb.ID]bool {
	out := map[kb.ID]bool{}
	for i := range d.Nodes {
		if id, ok := kb.ParseID(d.Nodes[i].ID); ok {
			out[id] = true
		}
	}
	return out
}

// Place parses "path" or "path:line", the form of places in findings of
// duplicate ids.
func Place(place string) (path string, line int) {
	i := strings.LastIndexByte(place, ':')
	if i < 0 {
		return place, 0
	}
	line, err := strconv.Atoi(place[i+1:])
	if err != nil {
		return place, 0
	}
	return place[:i], line
}
