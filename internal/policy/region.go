package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/glob"
)

// Region is a part of pages that is generated from other pages. It is enclosed by a
// line <!-- MARK --> and a line <!-- /MARK -->.
type Region struct {
	Page string `toml:"page"`           // path or glob of the pages with the region
	Mark string `toml:"mark,omitempty"` // reconciler-section when empty
	Show View   `toml:"show,omitempty"` // ViewList when empty

	// Paths are globs of the pages to list, and Except of pages to leave out; {dir}
	// is the directory of the page. Without Paths, all pages below its directory
	// are listed.
	Paths  []string `toml:"paths,omitempty"`
	Except []string `toml:"except,omitempty"`

	Columns []string `toml:"columns,omitempty"` // of a table: title, path, or a key of the metadata
	Groups  []Group  `toml:"groups,omitempty"`  // each is listed under its heading
	Limit   int      `toml:"limit,omitempty"`   // of pages in one list; 0 is all

	// Text is the initial text of a missing page, which is created when there is
	// content for it.
	Text string `toml:"text,omitempty"`
}

// View is the format of a region.
type View string

// Views.
const (
	ViewList        View = "list"        // the pages, by path
	ViewTree        View = "tree"        // the pages in the same directory, and the subdirectories with their counts
	ViewTable       View = "table"       // a row for each page
	ViewCatalog     View = "catalog"     // the injected pages of each flow, and all pages by directory
	ViewCredentials View = "credentials" // findings of the secret scan
)

// Group is a part of the pages of a region.
type Group struct {
	Heading string   `toml:"heading"`
	Key     string   `toml:"key"`              // of the metadata
	Values  []string `toml:"values,omitempty"` // it must have one of these; when empty, any value not in Except
	Except  []string `toml:"except,omitempty"`
}

// Has reports whether a page with these values of the key is in the group.
func (g Group) Has(values []string) bool {
	in := func(of []string) bool {
		return slices.ContainsFunc(values, func(v string) bool { return slices.Contains(of, v) })
	}
	if len(g.Values) > 0 {
		return in(g.Values)
	}
	return !in(g.Except)
}

// Of returns the globs of the pages that the region of a page lists and leaves out.
func (r Region) Of(page string) (paths, except []string) {
	dir := path.Dir(page)
	within := func(globs []string) (out []string) {
		for _, g := range globs {
			if dir == "." {
				g = strings.ReplaceAll(g, "{dir}/", "")
			}
			out = append(out, strings.ReplaceAll(g, "{dir}", dir))
		}
		return out
	}
	if paths = within(r.Paths); len(paths) == 0 {
		paths = within([]string{"{dir}/**"})
	}
	return paths, append(within(r.Except), page)
}

// Rebuilds reports whether cairn generates a page, or parts of it: one with a
// region, or a kept daily page.
func (p *Policy) Rebuilds(page string) bool {
	return slices.ContainsFunc(p.Regions, func(r Region) bool { return glob.Match(r.Page, page) }) ||
		slices.ContainsFunc(p.Rotate, func(r Rotation) bool { return r.To == page })
}

// Shows reports whether a page is listed.
func Shows(paths, except []string, page string) bool {
	return matchesAny(paths, page) && !matchesAny(except, page)
}

func (p *Policy) validateRegions() error {
	taken := map[string]bool{}
	for i := range p.Regions {
		r := &p.Regions[i]
		if r.Mark == "" {
			r.Mark = "reconciler-section"
		}
		if r.Show == "" {
			r.Show = ViewList
		}
		if err := r.validate(); err != nil {
			return err
		}
		if taken[r.Page+"\n"+r.Mark] {
			return kb.Errorf(kb.Invalid, "region in the space's policy names %s twice", r.Page)
		}
		taken[r.Page+"\n"+r.Mark] = true
	}
	return nil
}

func (r Region) validate() error {
	bad := func(format string, args ...any) *kb.Error {
		return kb.Errorf(kb.Invalid, "region of "+r.Page+" in the space's policy: "+format, args...)
	}
	for _, g := range slices.Concat([]string{r.Page}, r.Paths, r.Except) {
		if g == "" || !glob.Valid(g) {
			return bad("%q is not a valid pattern", g)
		}
	}
	switch views := []View{ViewList, ViewTree, ViewTable, ViewCatalog, ViewCredentials}; {
	case !slices.Contains(views, r.Show):
		return bad("show is %q, not one of %v", r.Show, views)
	case !tagName().MatchString(strings.ReplaceAll(r.Mark, "-", "_")):
		return bad("%q is not a valid mark", r.Mark).WithHint("Use small letters, digits, - and _.")
	case (r.Show == ViewTable) != (len(r.Columns) > 0):
		return bad("a table has columns, and nothing else has")
	case r.Limit < 0:
		return bad("limit is %d", r.Limit)
	}
	for _, g := range r.Groups {
		if g.Heading == "" || g.Key == "" {
			return bad("a group needs a heading and a key")
		}
	}
	return nil
}
