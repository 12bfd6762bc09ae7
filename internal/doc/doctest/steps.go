package doctest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// page is the initial page of the suite in every format.
var page = doc.NewPage{
	ID: "3f1c2a4e-0d5b-4c1e-9a77-5b2f6f0c8d11", Title: "Ada Lovelace", Type: "person", Status: "active",
	Created: "2026-01-15", Summary: "Wrote the first program.", Tags: []string{"maths", "history"},
	Metadata: []doc.Property{{Key: "born", Values: []string{"1815-12-10"}}},
	Body:     "Text of the page.\n",
}

// testPage checks that a new page reads back as its input.
func testPage(t *testing.T, codec doc.Codec) {
	d, n := create(t, codec, page)
	for _, c := range []struct{ what, got, want string }{
		{"id", n.ID, page.ID}, {"title", n.Title, page.Title}, {"type", n.Type, page.Type},
		{"status", n.Status, page.Status}, {"summary", n.Summary, page.Summary},
		{"created", n.Created.Format("2006-01-02"), page.Created},
		{"body", strings.TrimSpace(d.Slice(n.Truth)), strings.TrimSpace(page.Body)},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, c.got, c.want)
		}
	}
	if !slices.Contains(n.Tags, "maths") || !slices.Contains(n.Tags, "history") {
		t.Errorf("tags: %q", n.Tags)
	}
	if !hasValue(n, "born", "1815-12-10") {
		t.Errorf("metadata: %+v", n.Metadata)
	}
}

func create(t *testing.T, codec doc.Codec, p doc.NewPage) (*doc.Document, *doc.Node) {
	t.Helper()
	source, err := codec.New(p)
	if err != nil {
		t.Fatal(err)
	}
	d := Identity(t, codec, Fixture{"page" + codec.Extensions()[0], source})
	return d, &d.Nodes[0]
}

// hasValue compares keys in any case, since drawers write them in capitals.
func hasValue(n *doc.Node, key, value string) bool {
	return slices.ContainsFunc(n.Metadata, func(p doc.Property) bool {
		return strings.EqualFold(p.Key, key) && slices.Equal(p.Values, []string{value})
	})
}

// facts lists the facts of a node, one per line, in the same form for every format.
func facts(n *doc.Node) []string {
	out := []string{"title " + n.Title}
	for _, t := range n.Tags {
		// Inline tags come and go with the text, in the formats that have them.
		if !slices.ContainsFunc(n.InlineTags, func(in doc.InlineTag) bool { return in.Name == t }) {
			out = append(out, "tag "+t)
		}
	}
	for _, o := range n.Observations {
		out = append(out, fmt.Sprintf("observation %s|%s|%s|%s", o.Category, o.Text, strings.Join(o.Tags, ","), o.Context))
	}
	for _, r := range n.Relations {
		out = append(out, fmt.Sprintf("relation %s|%s|%s..%s|%s", r.Type, r.Target.Name, r.From, r.Until, r.Context))
	}
	for _, e := range n.Entries {
		out = append(out, fmt.Sprintf("entry %s|%s|%s|%s", e.Date, e.Source, e.Text, e.Detail))
	}
	return out
}

// steps are made in order on the same page; after each one the facts are the
// previous ones without "gone" and with "come".
var steps = []struct {
	edit       doc.Edit
	gone, come []string
}{
	{edit: doc.SetTitle{Title: "Ada, Countess: of Lovelace"}, gone: []string{"title Ada Lovelace"}, come: []string{"title Ada, Countess: of Lovelace"}},
	{edit: doc.AddTag{Tag: "#computing"}, come: []string{"tag computing"}},
	{edit: doc.AddTag{Tag: "computing"}},
	{edit: doc.AddTag{Tag: "Computing"}},
	{edit: doc.RenameTag{Old: "Computing", New: "machines"}, gone: []string{"tag computing"}, come: []string{"tag machines"}},
	{edit: doc.RenameTag{Old: "machines", New: "computing"}, gone: []string{"tag machines"}, come: []string{"tag computing"}},
	{edit: doc.RemoveTag{Tag: "history"}, gone: []string{"tag history"}},
	{edit: doc.SetProperty{Key: "born", Value: "1815"}},
	{edit: doc.SetProperty{Key: "place", Value: "London"}},
	{edit: doc.RemoveProperty{Key: "place"}},
	{edit: doc.AddRelation{Type: "knew", Target: "Charles Babbage", From: "1833", Context: "met at a party"}, come: []string{"relation knew|Charles Babbage|1833..|met at a party"}},
	{edit: doc.AddRelation{Type: "child of", Target: "Lord Byron"}, come: []string{"relation child of|Lord Byron|..|"}},
	{edit: doc.CloseRelation{Type: "knew", Target: "charles babbage", Until: "1852-11-27"},
		gone: []string{"relation knew|Charles Babbage|1833..|met at a party"},
		come: []string{"relation knew|Charles Babbage|1833..1852-11-27|met at a party"}},
	{edit: doc.CloseRelation{Target: "Lord Byron", Until: "1824-04"}, gone: []string{"relation child of|Lord Byron|..|"}, come: []string{"relation child of|Lord Byron|..1824-04|"}},
	{edit: doc.SetInterval{Type: "child of", Target: "Lord Byron", Was: kb.Interval{Until: "1824-04"}, Is: kb.Interval{From: "1815-12-10", Until: "1824"}},
		gone: []string{"relation child of|Lord Byron|..1824-04|"}, come: []string{"relation child of|Lord Byron|1815-12-10..1824|"}},
	{edit: doc.AddRelation{Type: "knew", Target: "Charles Babbage"}, come: []string{"relation knew|Charles Babbage|..|"}},
	{edit: doc.RemoveRelation{Target: "Lord Byron"}, gone: []string{"relation child of|Lord Byron|1815-12-10..1824|"}},
	{edit: doc.AddObservation{Category: "work", Text: "Wrote notes on the engine", Tags: []string{"engine", "notes"}, Context: "1843"},
		come: []string{"observation work|Wrote notes on the engine|engine,notes|1843"}},
	{edit: doc.AddObservation{Category: "work", Text: "Wrote notes on the engine", Tags: []string{"engine", "notes"}, Context: "1843"}}, // a call that is repeated
	{edit: doc.AddObservation{Category: "work", Text: "Wrote  notes on\tthe engine ", Tags: []string{"Engine", "notes"}, Context: " 1843"}},
	{edit: doc.AddObservation{Category: "fact", Text: "Spoke French"}, come: []string{"observation fact|Spoke French||"}},
	{edit: doc.RemoveObservation{Category: "fact", Text: "Spoke French"}, gone: []string{"observation fact|Spoke French||"}},
	{edit: doc.AddEntry{Date: "1843-09-01", Source: "journal", Text: "Notes printed"}, come: []string{"entry 1843-09-01|journal|Notes printed|"}},
	{edit: doc.AddEntry{Date: "1852-11-27", Text: "Died", Detail: "In London."}, come: []string{"entry 1852-11-27||Died|In London."}},
	{edit: doc.AddEntry{Date: "1815-12-10", Text: "Born"}, come: []string{"entry 1815-12-10||Born|"}},
	{edit: doc.Append{Text: "The last words."}},
	{edit: doc.Prepend{Text: "The first words."}},
	{edit: doc.Append{Section: "Relations", Text: "Words under relations."}},
	{edit: doc.Prepend{Section: "Relations", Text: "Words before relations."}},
	{edit: doc.InsertBefore{Section: "Observations", Text: "Words before the section."}},
	{edit: doc.InsertAfter{Section: "Observations", Text: "Words after the section."}},
	{edit: doc.Replace{Old: "words", New: "Words", Expect: 2}},
	{edit: doc.ReplaceSection{Section: "Observations", Text: "Nothing to see."}, gone: []string{"observation work|Wrote notes on the engine|engine,notes|1843"}},
	{edit: doc.SetTruth{Text: "All new."}, gone: []string{
		"relation knew|Charles Babbage|1833..1852-11-27|met at a party", "relation knew|Charles Babbage|..|"}},
}

// testSteps applies the steps to a plain page, with each line ending.
func testSteps(t *testing.T, codec doc.Codec) {
	for _, eol := range []string{"\n", "\r\n"} {
		p := page
		p.Body = strings.ReplaceAll(p.Body, "\n", eol)
		d, n := create(t, codec, p)
		known := facts(n)
		for i, s := range steps {
			out, err := codec.Apply(d, "", s.edit)
			if err != nil {
				t.Fatalf("step %d, %#v: %v\n%s", i, s.edit, err, d.Text)
			}
			Edit(t, codec, Fixture{d.Path, d.Source}, s.edit)
			d = Identity(t, codec, Fixture{d.Path, out})
			for _, gone := range s.gone {
				known = slices.DeleteFunc(known, func(f string) bool { return f == gone })
			}
			known = append(known, s.come...)
			got := facts(&d.Nodes[0])
			if !sameFacts(got, known) {
				t.Fatalf("step %d, %#v:\ngot  %q\nwant %q\n%s", i, s.edit, got, known, d.Text)
			}
		}
		checkEnd(t, d)
	}
}

// checkEnd checks the text after the steps.
func checkEnd(t *testing.T, d *doc.Document) {
	t.Helper()
	n := &d.Nodes[0]
	if got := strings.TrimSpace(d.Slice(n.Truth)); got != "All new." {
		t.Errorf("truth at the end: %q", got)
	}
	var dates []string
	for _, e := range n.Entries {
		dates = append(dates, e.Date)
	}
	if want := []string{"1852-11-27", "1843-09-01", "1815-12-10"}; !slices.Equal(dates, want) {
		t.Errorf("entries are not newest first: %q", dates)
	}
	if !hasValue(n, "born", "1815") {
		t.Errorf("metadata at the end: %+v", n.Metadata)
	}
}

func sameFacts(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// testErrors checks the codes of failing edits on a plain page.
func testErrors(t *testing.T, codec doc.Codec) {
	d, _ := create(t, codec, page)
	var err error
	var source []byte
	if source, err = codec.Apply(d, "",
		doc.AddRelation{Type: "knew", Target: "Charles", From: "1833", Until: "1840"},
		doc.AddRelation{Type: "knew", Target: "Charles"}, doc.AddRelation{Type: "taught by", Target: "Charles"},
		doc.AddEntry{Date: "1843", Source: "letter", Text: "Wrote"}, doc.AddEntry{Date: "1843", Source: "a letter", Text: "Wrote twice"},
		doc.AddObservation{Category: "a", Text: "b"}); err != nil {
		t.Fatal(err)
	}
	d = codec.Parse(d.Path, source)
	for _, c := range []struct {
		edit doc.Edit
		want kb.Code
	}{
		{doc.RemoveTag{Tag: "absent"}, kb.NotFound},
		{doc.AddTag{Tag: " # "}, kb.Usage},
		{doc.SetTitle{Title: "two\nlines"}, kb.Invalid},
		{doc.SetTitle{Title: " "}, kb.Usage},
		{doc.AddRelation{Type: "knew", Target: "charles"}, kb.Conflict},
		{doc.AddRelation{Type: "knew", Target: " charles "}, kb.Conflict},
		{doc.AddRelation{Type: "knew", Target: "Charles ", From: "1833", Until: "1840"}, kb.Conflict},
		{doc.AddRelation{Type: "taught  by ", Target: "Charles", Context: "as  a boy"}, kb.Conflict},
		{doc.AddRelation{Type: "knew"}, kb.Usage},
		{doc.AddRelation{Type: "what [is] this", Target: "x"}, kb.Invalid},
		{doc.AddRelation{Type: "knew", Target: "x", From: "yesterday"}, kb.Invalid},
		{doc.AddRelation{Type: "knew", Target: "x", From: "2024", Until: "2020"}, kb.Invalid},
		{doc.AddRelation{Type: "knew", Target: "x", From: "2024-05", Until: "2024-04-30"}, kb.Invalid},
		{doc.AddRelation{Type: "knew", Target: "x", Context: "a\nb"}, kb.Invalid},
		{doc.AddRelation{Type: "knew", Target: "x]] and [[y"}, kb.Invalid},
		{doc.CloseRelation{Target: "Charles", Until: "1850"}, kb.Ambiguous},
		{doc.CloseRelation{Target: "Nobody", Until: "1850"}, kb.NotFound},
		{doc.CloseRelation{Type: "knew", Target: "Charles", Until: "soon"}, kb.Invalid},
		{doc.SetInterval{Type: "knew", Target: "Charles", Line: 1, Is: kb.Interval{Until: "1850"}}, kb.Conflict},
		{doc.SetInterval{Type: "knew", Target: "Charles", Was: kb.Interval{From: "1833"}, Is: kb.Interval{Until: "1850"}}, kb.Conflict},
		{doc.SetInterval{Type: "knew", Target: "Charles", Is: kb.Interval{From: "1850", Until: "1833"}}, kb.Invalid},
		{doc.SetInterval{Type: "knew", Target: "Charles", Is: kb.Interval{Until: "soon"}}, kb.Invalid},
		{doc.SetInterval{Type: "knew", Target: "Charles"}, kb.Invalid},
		{doc.RemoveRelation{Target: "Charles", Line: 1}, kb.Conflict},
		{doc.RemoveRelation{Target: "Nobody"}, kb.NotFound},
		{doc.AddObservation{Category: "x", Text: "y"}, kb.Invalid}, // a checkbox
		{doc.AddObservation{Category: "c", Text: "two\nlines"}, kb.Invalid},
		{doc.AddObservation{Category: "c"}, kb.Usage},
		{doc.RemoveObservation{Category: "a", Text: "c"}, kb.NotFound},
		{doc.AddEntry{Date: "1843", Source: "letter", Text: "Wrote"}, kb.Conflict},
		{doc.AddEntry{Date: "1843", Source: "a  letter", Text: "Wrote\ttwice "}, kb.Conflict},
		{doc.AddEntry{Date: "some day", Text: "x"}, kb.Invalid},
		{doc.AddEntry{Date: "1843-13", Text: "x"}, kb.Invalid},
		{doc.AddEntry{Date: "1843"}, kb.Usage},
		{doc.Append{Section: "No such", Text: "x"}, kb.NotFound},
		{doc.Append{Text: " \n"}, kb.Usage},
		{doc.ReplaceSection{Section: "No such", Text: "x"}, kb.NotFound},
		{doc.Replace{Old: "absent", New: "x"}, kb.Conflict},
		{doc.Replace{Old: "", New: "x"}, kb.Usage},
		{doc.Append{Text: "nul \x00 byte"}, kb.Invalid},
		{doc.Append{Text: "bad \xff byte"}, kb.Invalid},
		{doc.SetProperty{Key: " ", Value: "x"}, kb.Usage},
		{doc.Retarget{Links: []doc.RetargetOne{{At: doc.Span{Start: 0, End: 1}, Raw: "x"}}}, kb.Conflict},
	} {
		if out, err := codec.Apply(d, "", c.edit); kb.CodeOf(err) != c.want {
			t.Errorf("%#v: got %v, want %s\n%s", c.edit, err, c.want, out)
		}
	}
	if _, err := codec.Apply(d, "no-such-node", doc.Append{Text: "x"}); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("edit of no node: %v", err)
	}
	// A relation to a part of a page can also be a duplicate and can also be ended.
	for _, target := range []string{"Diary#May", "Diary#^entry1", "diary.org::*May"} {
		relation := doc.AddRelation{Type: "cites", Target: target}
		if out, err := codec.Apply(d, "", relation, relation); kb.CodeOf(err) != kb.Conflict {
			t.Errorf("%s twice: got %v, want a conflict\n%s", target, err, out)
		}
		if _, err := codec.Apply(d, "", relation, doc.AddRelation{Type: "cites", Target: target + "s"}); err != nil {
			t.Errorf("%s and another part: %v", target, err)
		}
		if _, err := codec.Apply(d, "", relation, doc.CloseRelation{Type: "cites", Target: target, Until: "1850"}); err != nil {
			t.Errorf("ending %s: %v", target, err)
		}
	}
	// Adding a relation that was created automatically makes it explicit; no other line
	// changes.
	made, err := codec.Apply(d, "", doc.AddRelation{Type: "related", Target: "Diary", Context: doc.Automatic(0.83)}, doc.Append{Text: "(auto 0.83)"})
	if err != nil {
		t.Fatal(err)
	}
	for context, want := range map[string]string{"": "", "both (of us)": " (both (of us))"} {
		out, err := codec.Apply(codec.Parse(d.Path, made), "", doc.AddRelation{Type: "related", Target: "Diary", Context: context})
		if text := strings.Replace(string(made), " (auto 0.83)", want, 1); err != nil || string(out) != text {
			t.Errorf("a relation that was automatic: %v\n%s\nnot\n%s", err, out, text)
		}
	}
	if out, err := codec.Apply(codec.Parse(d.Path, made), "", doc.AddRelation{Type: "related", Target: "Diary", Context: "auto 0.90"}); kb.CodeOf(err) != kb.Conflict {
		t.Errorf("an automatic relation twice: %v\n%s", err, out)
	}
	// All or nothing.
	if out, err := codec.Apply(d, "", doc.Append{Text: "done"}, doc.RemoveTag{Tag: "absent"}); err == nil || out != nil {
		t.Errorf("half of the edits were done")
	}
}

// testOpaque checks that binary data is not a page and takes no edits.
func testOpaque(t *testing.T, codec doc.Codec) {
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01"
	d := Identity(t, codec, Fixture{"picture" + codec.Extensions()[0], []byte(png)})
	if d.Encoding != doc.Opaque || len(d.Text) > 0 || len(d.Warnings) == 0 || d.Nodes[0].Title != "picture" {
		t.Errorf("binary data was read as %q", d.Encoding)
	}
	if _, err := codec.Apply(d, "", doc.Append{Text: "x"}); kb.CodeOf(err) != kb.Invalid {
		t.Errorf("binary data was edited: %v", err)
	}
}
