package day

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/org"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/presets"
)

var (
	codecs = []doc.Codec{markdown.Codec{}, org.Codec{}}
	noon   = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

func newSpace(t *testing.T, format string) *write.Space {
	t.Helper()
	text, ok := presets.Text("memory")
	if !ok {
		t.Fatal("no preset memory")
	}
	p, err := policy.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	p.Format = format
	return &write.Space{Policy: p}
}

// Every template makes a page that is read as it is meant, in both formats alike; what
// it asks for is a comment, which nobody takes for what the page says.
func TestTemplates(t *testing.T) {
	t.Parallel()
	want := map[string]struct{ dir, kind string }{
		"action": {"actions", "action_item"}, "commitment": {"commitments", "commitment"}, "company": {"companies", "company"},
		"concept": {"concepts", "concept"}, "deal": {"deals", "deal"}, "decision": {"decisions", "decision"},
		"meeting": {"meetings", "source"}, "original": {"originals", "original"}, "person": {"people", "person"},
	}
	names := presets.Templates()
	if len(names) != len(want) {
		t.Errorf("templates %q", names)
	}
	const title = `Say "it": [x] # & {{title}}`
	for _, name := range names {
		sections := map[string]string{}
		for format, codec := range map[string]doc.Codec{"markdown": codecs[0], "org": codecs[1]} {
			page, err := TemplatePlanner{codecs}.Plan(t.Context(), newSpace(t, format), noon, TemplateRequest{
				Name: name, Title: " " + title + "\t", Set: map[string]string{"owner": "people/ada", "tags": "a, b"},
			})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if page.Path != want[name].dir+"/say-it-x-title"+codec.Extensions()[0] {
				t.Errorf("%s: goes to %s", name, page.Path)
			}
			d := codec.Parse(page.Path, page.Bytes)
			n := d.Nodes[0]
			if n.Title != title || n.Type != want[name].kind || len(d.Warnings) > 0 || n.Summary != "" || len(n.Tasks) > 0 || len(n.Observations) > 0 {
				t.Errorf("%s in %s: title %q, type %q, summary %q, warnings %v\n%s", name, format, n.Title, n.Type, n.Summary, d.Warnings, page.Bytes)
			}
			if tags := strings.Join(n.Tags, " "); tags != "a b" && tags != "meeting a b" || n.Timeline.End == 0 {
				t.Errorf("%s in %s: tags %q, timeline %v\n%s", name, format, n.Tags, n.Timeline, page.Bytes)
			}
			if strings.Contains(string(page.Bytes), "{{date}}") || !strings.Contains(string(page.Bytes), "people/ada") {
				t.Errorf("%s in %s is not filled in:\n%s", name, format, page.Bytes)
			}
			for _, h := range n.Headings {
				if h.Text != title {
					sections[format] += h.Text + ", "
				}
			}
		}
		if sections["markdown"] != sections["org"] {
			t.Errorf("%s: sections %q and %q", name, sections["markdown"], sections["org"])
		}
	}
}

func TestOwnTemplates(t *testing.T) {
	t.Parallel()
	files := fsys.NewMem(func() time.Time { return noon })
	for name, text := range map[string]string{
		"person.md": "---\ntitle: \"Who: {{title}}\"\ntype: person\ntags: [met]\n---\nMet on {{date}}.\n",
		"note.org":  "#+title: {{title}}\n\nOf {{date:YYYY}}.\n",
		"idea.md":   "---\ntype: project\n---\n# {{title}}\n",
		"owl.md":    "---\ntype: zebra\n---\n# 🦉 {{title}} of the barn\n\n## {{title}}\n",
		"skip.txt":  "no template",
	} {
		if err := fsys.WriteAtomic(t.Context(), files, ".cairn/templates/"+name, []byte(text), fsys.Absent(), fsys.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	s := newSpace(t, "markdown")
	s.Files = files
	for name, tc := range map[string]struct {
		req         TemplateRequest
		path, bytes string
	}{
		"wins over ours":      {TemplateRequest{Name: "person", Title: "Ada"}, "people/ada.md", "---\ntitle: \"Who: Ada\"\ntype: person\ntags: [met]\n---\nMet on 2026-03-01.\n"},
		"of the other format": {TemplateRequest{Name: "note", Title: "A day"}, "a-day.org", "#+title: A day\n\nOf 2026.\n"},
		"set":                 {TemplateRequest{Name: "person", Title: "Ada", Set: map[string]string{"tags": "one,two", "born": "1815"}}, "people/ada.md", "---\ntitle: \"Who: Ada\"\ntype: person\ntags: [met, one, two]\nborn: 1815\n---\nMet on 2026-03-01.\n"},
		"by its type":         {TemplateRequest{Name: "idea", Title: "Kite"}, "ideas/kite.md", "---\ntype: project\ntitle: Kite\nstatus: idea\n---\n# Kite\n"},
		"another type":        {TemplateRequest{Name: "idea", Title: "Kite", Set: map[string]string{"type": "concept"}}, "concepts/kite.md", "---\ntype: concept\ntitle: Kite\n---\n# Kite\n"},
		"a type of ours":      {TemplateRequest{Name: "idea", Title: "Kite", Set: map[string]string{"Type": "company"}}, "companies/kite.md", "---\ntype: company\ntitle: Kite\n---\n# Kite\n"},
		"no directory for it": {TemplateRequest{Name: "idea", Title: "Kite", Set: map[string]string{"type": "zebra"}}, "kite.md", "---\ntype: zebra\ntitle: Kite\n---\n# Kite\n"},
		"in the heading":      {TemplateRequest{Name: "owl", Title: "Ada"}, "ada.md", "---\ntype: zebra\ntitle: 🦉 Ada of the barn\n---\n# 🦉 Ada of the barn\n\n## Ada\n"},
		"the same title":      {TemplateRequest{Name: "person", Title: "Ada", Set: map[string]string{"title": "Ada"}}, "people/ada.md", "---\ntitle: \"Who: Ada\"\ntype: person\ntags: [met]\n---\nMet on 2026-03-01.\n"},
	} {
		page, err := TemplatePlanner{codecs}.Plan(t.Context(), s, noon, tc.req)
		if err != nil || page.Path != tc.path || string(page.Bytes) != tc.bytes {
			t.Errorf("%s: %s, %q, %v", name, page.Path, page.Bytes, err)
		}
	}
	for name, req := range map[string]TemplateRequest{
		"no such":  {Name: "nothing", Title: "x"},
		"no title": {Name: "person", Title: " "},
		"lines":    {Name: "person", Title: "a\nb"},
		"outside":  {Name: "../templates/person", Title: "x"},
		"no name":  {Name: "", Title: "x"},
		"renamed":  {Name: "person", Title: "Ada", Set: map[string]string{"title": "Bob"}},
		"Renamed":  {Name: "person", Title: "Ada", Set: map[string]string{"Title": "Bob"}},
	} {
		_, err := TemplatePlanner{codecs}.Plan(t.Context(), s, noon, req)
		if kb.CodeOf(err) != kb.Usage {
			t.Errorf("%s: %v", name, err)
		}
		if name == "no such" && !strings.Contains(kb.AsError(err).Hint, "meeting, note, original") {
			t.Errorf("the hint does not name the templates: %s", kb.AsError(err).Hint)
		}
	}
	s.Policy.Directories, s.Policy.Folder = nil, "inbox"
	if page, err := (TemplatePlanner{codecs}).Plan(t.Context(), s, noon, TemplateRequest{Name: "deal", Title: "Brex"}); err != nil || page.Path != "inbox/brex.md" {
		t.Errorf("without directories: %s, %v", page.Path, err)
	}
}

// A template does nothing until a person accepts it as it is.
func TestOwnTemplatesNeedAcceptance(t *testing.T) {
	t.Parallel()
	files := fsys.NewMem(func() time.Time { return noon })
	for _, name := range []string{"idea", "meeting"} {
		if err := fsys.WriteAtomic(t.Context(), files, ".cairn/templates/"+name+".md", []byte("# {{title}}\n\nOf a stranger.\n"), fsys.Absent(), fsys.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	s := newSpace(t, "markdown")
	s.Files = files
	s.Accepted = func(context.Context, string) ([]string, error) { return []string{"0123", "4567"}, nil }
	page, err := (TemplatePlanner{codecs}).Plan(t.Context(), s, noon, TemplateRequest{Name: "idea", Title: "Kite"})
	if kb.CodeOf(err) != kb.Refused || kb.AsError(err).Reason != kb.PolicyWaits {
		t.Errorf("a template that nobody accepted: %+v, %v", page, err)
	}
	page, err = (TemplatePlanner{codecs}).Plan(t.Context(), s, noon, TemplateRequest{Name: "meeting", Title: "Kite"})
	if err != nil || strings.Contains(string(page.Bytes), "stranger") || !page.Waits {
		t.Errorf("one with the name of ours: %+v, %v", page, err)
	}
	_, err = (TemplatePlanner{codecs}).Plan(t.Context(), s, noon, TemplateRequest{Name: "nothing", Title: "Kite"})
	if strings.Contains(kb.AsError(err).Hint, "idea") {
		t.Errorf("the hint names a template that waits: %s", kb.AsError(err).Hint)
	}
}
