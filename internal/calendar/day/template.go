package day

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/presets"
)

// TemplateRequest asks for a new page.
type TemplateRequest struct {
	Name  string            // of the template
	Title string            // of the page
	Set   map[string]string // keys of the metadata; the values of a list and added tags are separated by commas
}

// Page is a new page to be written.
type Page struct {
	Title string // from the template
	Path  string
	Bytes []byte
	Waits bool // the built-in template was used, since nobody accepted the one of the space
}

// TemplatePlanner creates pages from templates.
type TemplatePlanner struct{ Codecs []doc.Codec }

// Plan returns the page of a request in a space. Its directory depends on the type
// set by its template. The errors are kb.Usage for an invalid title or an unknown
// template.
func (p TemplatePlanner) Plan(ctx context.Context, s *write.Space, now time.Time, req TemplateRequest) (Page, error) {
	req.Title = strings.TrimSpace(req.Title)
	if req.Title == "" || strings.ContainsAny(req.Title, "\r\n") {
		return Page{}, kb.Errorf(kb.Usage, "a new page needs a title of one line").WithHint("Give one, such as Ada Lovelace.")
	}
	t, err := p.find(ctx, s, req.Name)
	if err != nil {
		return Page{}, err
	}
	page, err := p.fill(s, t.codec.In(s.Syntax), t.text, now, req)
	page.Waits = t.waits
	return page, err
}

// found is the text of a template and the codec of its format.
type found struct {
	text  []byte
	codec doc.Codec
	waits bool // the space has a template of that name that nobody accepted
}

// find finds a template. Templates of the space come before built-in ones, and
// those in the space's format before the other format.
func (p TemplatePlanner) find(ctx context.Context, s *write.Space, name string) (found, error) {
	codecs := slices.Clone(p.Codecs)
	slices.SortStableFunc(codecs, func(a, b doc.Codec) int {
		return boolInt(string(b.Format()) == s.Policy.Format) - boolInt(string(a.Format()) == s.Policy.Format)
	})
	own, err := space.Templates(ctx, s)
	if err != nil {
		return found{}, err
	}
	var out found
	for _, c := range codecs {
		i := slices.IndexFunc(own, func(t space.Template) bool { return t.File == name+c.Extensions()[0] })
		switch {
		case i < 0:
		case own[i].Accepted:
			return found{text: own[i].Text, codec: c}, nil
		default:
			out.waits = true
		}
	}
	for _, c := range codecs {
		if text, ok := presets.Template(name, c.Extensions()[0]); ok {
			out.text, out.codec = text, c
			return out, nil
		}
	}
	if out.waits {
		return out, kb.Errorf(kb.Refused, "nobody accepted the template %q as it is in the directory of %s", name, s.Name).
			WithReason(kb.PolicyWaits).WithFact("root", s.Root)
	}
	return out, kb.Errorf(kb.Usage, "there is no template %q", name).WithHint("Templates are %s.", strings.Join(Names(own), ", "))
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Names returns the sorted names of a space's templates. Of its own templates it
// includes only the accepted ones.
func Names(own []space.Template) []string {
	names := presets.Templates()
	for _, t := range own {
		if t.Accepted {
			names = append(names, strings.TrimSuffix(t.File, path.Ext(t.File)))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// titled is the placeholder for the title in a template.
const titled = "{{title}}"

// fill fills in a template. The title is set in the metadata with an edit, since it
// may contain syntax characters.
func (p TemplatePlanner) fill(s *write.Space, codec doc.Codec, text []byte, now time.Time, req TemplateRequest) (Page, error) {
	ext := codec.Extensions()[0]
	at := "new" + ext
	d := codec.Parse(at, text)
	head, body := string(d.Text[:d.Nodes[0].Head.End]), string(d.Text[d.Nodes[0].Head.End:])
	out := Page{Title: req.Title}
	if named := templateTitle(d); strings.Contains(named, titled) {
		out.Title = strings.ReplaceAll(named, titled, req.Title)
	}
	name, kind := req.Name, d.Nodes[0].Type
	for _, key := range slices.Sorted(maps.Keys(req.Set)) {
		value := strings.TrimSpace(req.Set[key])
		switch {
		case strings.EqualFold(key, "title") && value != req.Title && value != out.Title:
			return out, kb.Errorf(kb.Usage, "the page has two titles: %s and %s", req.Title, value).
				WithHint("Leave title out of the fields, and give the page the title that it should have.")
		case strings.EqualFold(key, "type") && value != "" && !strings.EqualFold(value, kind):
			name, kind = value, value // the type decides the directory, with any template
		}
	}
	out.Path = space.PathIn(s, folder(s.Policy, name, kind), req.Title, ext)
	d = codec.Parse(at, []byte(Fill(head, now, now, titled)+Fill(body, now, now, req.Title)))
	edits := []doc.Edit{doc.SetTitle{Title: out.Title}}
	lists, have := map[string]bool{}, map[string]string{} // by lower-case key
	for _, m := range d.Nodes[0].Metadata {
		key := strings.ToLower(m.Key)
		lists[key], have[key] = m.List, m.Key
	}
	set := maps.Clone(req.Set)
	_, more := s.Policy.NewPage(out.Path)
	for key, value := range more {
		if _, asked := set[key]; !asked && have[strings.ToLower(key)] == "" {
			if set == nil {
				set = map[string]string{}
			}
			set[key] = value
		}
	}
	for _, key := range slices.Sorted(maps.Keys(set)) {
		switch {
		case strings.EqualFold(key, "title"): // the page has it already
		case strings.EqualFold(key, "tags"): // each format stores tags in its own way
			for _, tag := range values(set[key]) {
				edits = append(edits, doc.AddTag{Tag: tag})
			}
		case lists[strings.ToLower(key)]:
			edits = append(edits, doc.SetList{Key: have[strings.ToLower(key)], Values: values(set[key])})
		default:
			edits = append(edits, doc.SetProperty{Key: cmp.Or(have[strings.ToLower(key)], key), Value: set[key]})
		}
	}
	var err error
	out.Bytes, err = codec.Apply(d, "", edits...)
	return out, err
}

// templateTitle returns the title that a template has for its pages, with its placeholder: that of
// the metadata, else the first heading, which names a page without one.
func templateTitle(d *doc.Document) string {
	n := &d.Nodes[0]
	if slices.ContainsFunc(n.Metadata, func(p doc.Property) bool { return strings.EqualFold(p.Key, "title") }) || len(n.Headings) == 0 || n.Headings[0].Level != 1 {
		return n.Title
	}
	return n.Headings[0].Text
}

// values splits a list at its commas.
func values(text string) (out []string) {
	for v := range strings.SplitSeq(text, ",") {
		if v = strings.TrimSpace(v); v != "" {
			out = append(out, v)
		}
	}
	return out
}

// folder returns the directory that the policy has for a type. Of several, it
// prefers the one named after the template, else it uses the first.
func folder(p *policy.Policy, name, kind string) string {
	found := ""
	for _, d := range p.Directories {
		if !strings.EqualFold(d.Type, kind) && !strings.EqualFold(d.Type, name) {
			continue
		}
		if strings.HasPrefix(path.Base(d.Path), name) {
			return d.Path
		}
		if found == "" {
			found = d.Path
		}
	}
	if found == "" {
		return p.Folder
	}
	return found
}
