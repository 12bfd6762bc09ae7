package generated

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/doc/sentence"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/glob"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

// entry is a listed page.
type entry struct {
	*kb.Page
	values map[string][]string // of its metadata, if requested
}

// shower renders a list of pages within a page.
type shower struct {
	policy *policy.Policy
	region policy.Region
	at     string // path of the page
	format doc.Format
	pages  []kb.Page // all pages of the space
}

// show returns the text between the marks: lines, or nothing.
func (s shower) show(pages []entry) string {
	switch s.region.Show {
	case policy.ViewCredentials:
		return s.credentials()
	case policy.ViewCatalog:
		return s.flows() + s.catalog(pages)
	case policy.ViewTree:
		return s.tree(pages)
	}
	if len(s.region.Groups) == 0 {
		return s.part(pages)
	}
	var parts []string
	for _, g := range s.region.Groups {
		var in []entry
		for _, p := range pages {
			if g.Has(p.values[g.Key]) {
				in = append(in, p)
			}
		}
		body := s.part(in)
		if body == "" {
			body = "None.\n"
		}
		parts = append(parts, s.heading(g.Heading)+"\n"+body)
	}
	return strings.Join(parts, "\n")
}

// part renders pages as a list or a table.
func (s shower) part(pages []entry) string {
	if len(pages) == 0 {
		return ""
	}
	more := ""
	if n := len(pages) - s.region.Limit; s.region.Limit > 0 && n > 0 {
		pages, more = pages[:s.region.Limit], fmt.Sprintf("- and %d more\n", n)
	}
	var out strings.Builder
	if s.region.Show == policy.ViewTable {
		out.WriteString(s.row(s.region.Columns) + s.rule(len(s.region.Columns)))
		for _, p := range pages {
			cells := make([]string, len(s.region.Columns))
			for i, column := range s.region.Columns {
				cells[i] = s.cell(p, column)
			}
			out.WriteString(s.row(cells))
		}
		if more != "" {
			more = "\n" + more
		}
		return out.String() + more
	}
	for _, p := range pages {
		out.WriteString("- " + s.link(p.Path, p.Title) + summary(p) + "\n")
	}
	return out.String() + more
}

func summary(p entry) string {
	text := sentence.Shorten(strings.Join(strings.Fields(p.Summary), " "), 120)
	if text == "" {
		return ""
	}
	return ": " + text
}

func (s shower) cell(p entry, column string) string {
	switch column {
	case "title":
		return s.link(p.Path, p.Title)
	case "path":
		return p.Path
	}
	return strings.Join(p.values[column], ", ")
}

// row renders a row of a table.
func (s shower) row(cells []string) string {
	bar := `\|`
	if s.format == doc.Org {
		bar = `\vert{}`
	}
	out := "|"
	for _, c := range cells {
		if c = strings.Join(strings.Fields(strings.ReplaceAll(c, "|", bar)), " "); c != "" {
			out += " " + c
		}
		out += " |"
	}
	return out + "\n"
}

func (s shower) rule(columns int) string {
	if s.format == doc.Org {
		return "|" + strings.Repeat("---+", columns-1) + "---|\n"
	}
	return "|" + strings.Repeat("---|", columns) + "\n"
}

func (s shower) heading(text string) string {
	if s.format == doc.Org {
		return "** " + text + "\n"
	}
	return "### " + text + "\n"
}

// link returns a link from the page to another one.
func (s shower) link(to, title string) string {
	target := link.Relative(s.at, to)
	title = strings.Join(strings.Fields(title), " ")
	if s.format == doc.Org {
		return "[[file:" + target + "][" + strings.NewReplacer("[", "{", "]", "}").Replace(title) + "]]"
	}
	return "[" + strings.NewReplacer("[", `\[`, "]", `\]`).Replace(title) + "](" +
		strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29").Replace(target) + ")"
}

// tree lists the pages and subdirectories of the page's directory.
func (s shower) tree(pages []entry) string {
	prefix := path.Dir(s.at) + "/"
	if prefix == "./" {
		prefix = ""
	}
	var beside []entry
	below, index := map[string]int{}, map[string]string{}
	for _, p := range pages {
		first, rest, deeper := strings.Cut(strings.TrimPrefix(p.Path, prefix), "/")
		switch {
		case !deeper:
			beside = append(beside, p)
		case path.Base(rest) == path.Base(s.at): // an index page itself
			if below[first] += 0; rest == path.Base(s.at) {
				index[first] = p.Path
			}
		default:
			below[first]++
		}
	}
	var out strings.Builder
	for _, dir := range slices.Sorted(maps.Keys(below)) {
		name := dir + "/"
		if index[dir] != "" {
			name = s.link(index[dir], name)
		}
		fmt.Fprintf(&out, "- %s: %s\n", name, api.Plural(below[dir], "page"))
	}
	s.region.Show = policy.ViewList
	return out.String() + s.part(beside)
}

// catalog lists all pages by directory.
func (s shower) catalog(pages []entry) string {
	var out strings.Builder
	s.region.Show = policy.ViewList
	for len(pages) > 0 {
		dir := path.Dir(pages[0].Path)
		n := slices.IndexFunc(pages, func(p entry) bool { return path.Dir(p.Path) != dir })
		if n < 0 {
			n = len(pages)
		}
		name := dir + "/"
		if dir == "." {
			name = "At the top"
		}
		fmt.Fprintf(&out, "\n%s\n%s", s.heading(name), s.part(pages[:n]))
		pages = pages[n:]
	}
	return strings.TrimPrefix(out.String(), "\n")
}

// flows lists the pages that are injected into each flow, and those that it may
// read.
func (s shower) flows() string {
	names := map[string]bool{}
	for _, in := range s.policy.Inject {
		for _, f := range slices.Concat(in.Flows, in.Except) {
			if !strings.ContainsAny(f, glob.Special) {
				names[f] = true
			}
		}
	}
	if len(s.policy.Inject) == 0 {
		return ""
	}
	there := make(map[string]bool, len(s.pages))
	for _, p := range s.pages {
		there[p.Path] = true
	}
	of := func(flow string, onDemand bool) string {
		var out []string
		for _, in := range s.policy.Inject {
			if in.OnDemand != onDemand || !in.For(flow) {
				continue
			}
			name := strings.TrimSuffix(in.Path, path.Ext(in.Path))
			if there[in.Path] {
				name = s.link(in.Path, name)
			}
			out = append(out, name)
		}
		return strings.Join(out, ", ")
	}
	var out strings.Builder
	out.WriteString(s.heading("What each flow is given") + "\n" + s.row([]string{"flow", "is given", "may read"}) + s.rule(3))
	out.WriteString(s.row([]string{"any other", of("", false), of("", true)}))
	for _, flow := range slices.Sorted(maps.Keys(names)) {
		out.WriteString(s.row([]string{flow, of(flow, false), of(flow, true)}))
	}
	return out.String() + "\n"
}

// credentials lists what the secret scan finds in the space.
func (s shower) credentials() string {
	var out strings.Builder
	for _, r := range slices.Concat(secrets.Rules(), s.policy.Secrets.Rules) {
		if !slices.Contains(s.policy.Secrets.Allow, r.ID) {
			fmt.Fprintf(&out, "- `%s`: %s\n", r.ID, r.Kind)
		}
	}
	return out.String()
}
