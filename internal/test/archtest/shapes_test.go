package archtest

import (
	"go/ast"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// shape is a named struct with its fields as "Name type", sorted. Types are
// written with the full paths of their packages, and aliases are resolved.
type shape struct {
	pkg, name string
	fields    []string
}

// shapes returns every named struct of the packages outside of their tests.
func shapes(all []*pkg) (out []shape) {
	resolve := aliases(all)
	for _, p := range all {
		if p.support() || roomOf(p) == "test" {
			continue
		}
		for _, f := range p.files {
			if f.test {
				continue
			}
			ast.Inspect(f.tree, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				if st, ok := spec.Type.(*ast.StructType); ok {
					out = append(out, shape{p.path, spec.Name.Name, fields(st, p, f, resolve)})
				}
				return true
			})
		}
	}
	return out
}

// aliases maps the full name of each alias of the module to what it stands for.
func aliases(all []*pkg) map[string]string {
	out := map[string]string{}
	for _, p := range all {
		for _, f := range p.files {
			for _, d := range f.tree.Decls {
				g, ok := d.(*ast.GenDecl)
				if !ok {
					continue
				}
				for _, s := range g.Specs {
					if spec, ok := s.(*ast.TypeSpec); ok && spec.Assign.IsValid() {
						out[p.path+"."+spec.Name.Name] = typeString(spec.Type, p, f, nil)
					}
				}
			}
		}
	}
	return out
}

func fields(st *ast.StructType, p *pkg, f *file, resolve map[string]string) (out []string) {
	for _, field := range st.Fields.List {
		typ := typeString(field.Type, p, f, resolve)
		for _, name := range field.Names {
			if name.Name != "_" {
				out = append(out, name.Name+" "+typ)
			}
		}
		if len(field.Names) == 0 {
			out = append(out, path.Base(typ)+" embedded "+typ)
		}
	}
	slices.Sort(out)
	return out
}

// typeString writes a type with the full paths of packages.
func typeString(e ast.Expr, p *pkg, f *file, resolve map[string]string) string {
	full := func(name string) string {
		for i := 0; i < 5 && resolve[name] != ""; i++ {
			name = resolve[name]
		}
		return name
	}
	var b strings.Builder
	var write func(ast.Expr)
	write = func(e ast.Expr) {
		switch e := e.(type) {
		case *ast.Ident:
			if types.Universe.Lookup(e.Name) != nil {
				b.WriteString(e.Name)
				return
			}
			b.WriteString(full(p.path + "." + e.Name))
		case *ast.SelectorExpr:
			b.WriteString(full(f.importOf(types.ExprString(e.X)) + "." + e.Sel.Name))
		case *ast.StarExpr:
			b.WriteString("*")
			write(e.X)
		case *ast.ArrayType:
			b.WriteString("[")
			if e.Len != nil {
				b.WriteString(types.ExprString(e.Len))
			}
			b.WriteString("]")
			write(e.Elt)
		case *ast.MapType:
			b.WriteString("map[")
			write(e.Key)
			b.WriteString("]")
			write(e.Value)
		case *ast.IndexExpr:
			write(e.X)
			b.WriteString("[")
			write(e.Index)
			b.WriteString("]")
		default:
			b.WriteString(types.ExprString(e))
		}
	}
	write(e)
	return b.String()
}

// importOf returns the path of the package that a file calls by a name, within
// the module where it is one of ours.
func (f *file) importOf(name string) string {
	for _, s := range f.tree.Imports {
		full, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			continue
		}
		if s.Name != nil && s.Name.Name == name || s.Name == nil && path.Base(full) == name {
			return strings.TrimPrefix(full, module+"/")
		}
	}
	return name
}

// alone are structs that share fields with others and stay apart, each for a
// reason: mostly formats of other programs, where names, order and types are
// fixed.
var alone = []struct{ name, because string }{
	{"surface/operation.rememberInput", "a tool of the core set describes its arguments in fewer words than a capture does"},
	{"transfer/foreign.Assertion", "a row of a database of quaid"},
	{"transfer/foreign.Gap", "a row of a database of quaid"},
	{"transfer/foreign.Node", "a row of a database of kt"},
	{"transfer/foreign.QuaidLink", "a row of a database of quaid"},
	{"transfer/importer.Node", "a node as kt prints it, key for key"},
	{"memory/write.record", "the format of journal entries"},
	{"upkeep/doctor.dumpPage", "the format of dumps: its bytes are compared between memories"},
	{"upkeep/doctor.dumpLink", "the format of dumps"},
	{"upkeep/doctor.dumpObservation", "the format of dumps"},
	{"knowledge/note.Item", "an item as tools of Basic Memory answer it"},
	{"knowledge/note.Head", "a page as tools of Basic Memory answer it"},
	{"surface/operation.searchResult", "a hit as tools of Basic Memory answer it"},
	{"surface/operation.directoryNode", "a page as tools of Basic Memory answer it"},
	{"surface/operation.recentNote", "a page as tools of Basic Memory answer it"},
	{"surface/operation.editNoteInput", "arguments of a tool of Basic Memory"},
	{"surface/operation.searchNotesInput", "arguments of a tool of Basic Memory"},
	{"surface/operation.writeNoteInput", "arguments of a tool of Basic Memory"},
	{"surface/operation.memoryHit", "a hit as tools of quaid answer it"},
	{"surface/operation.memoryPage", "a page as tools of quaid answer it"},
	{"surface/operation.memoryListed", "a page as tools of quaid answer it"},
	{"surface/operation.memoryLink", "arguments of a tool of quaid"},
	{"surface/operation.memoryPut", "arguments of a tool of quaid"},
	{"surface/operation.memoryTimelineAdd", "arguments of a tool of quaid"},
	{"surface/operation.memoryLinked", "a link as tools of quaid answer it"},
	{"surface/operation.memoryGapRow", "a gap as tools of quaid answer it"},
	{"surface/operation.memoryCounts", "counts as tools of quaid answer them"},
}

// twins are pairs of structs that share fields and stay two, each for a reason.
var twins = []struct{ a, b, because string }{
	{"api.AssertRequest", "kb.Assertion", "a question, with phrases for dates; the row has its values"},
	{"api.AssertRequest", "kb.Statement", "a question, with phrases for dates and names of its own in JSON; Statement is the format of sidecars and plans"},
	{"api.Assertion", "kb.Assertion", "a row has numbers where the printed assertion has refs"},
	{"api.Assertion", "kb.Statement", "printed with refs and status among the fields; Statement is the format of sidecars and plans"},
	{"api.CaptureRequest", "kb.Page", "arguments of a write beside the row of a page"},
	{"api.CaptureRequest", "memory/change.PutRequest", "a text that is captured is composed into a page, which is put"},
	{"api.CaptureRequest", "surface/operation.rememberInput", "a tool of the core set: few arguments in few words"},
	{"api.Entry", "kb.Entry", "a row has numbers where the printed value has refs"},
	{"api.FieldHit", "doc/indexfile.Entry", "a hit with what matched; an entry is what a line of an index file says"},
	{"api.Fit", "search/rank.Fit", "what of the evidence is printed; the evidence says which values are known"},
	{"api.Gap", "kb.Gap", "a row has numbers where the printed value has refs"},
	{"api.Gap", "knowledge/gap.ApproveRequest", "arguments of an approval, not a gap"},
	{"api.Link", "kb.Link", "a row has numbers where the printed value has refs"},
	{"api.Page", "doc.Node", "a document has text and spans; a row has values that were checked"},
	{"api.Page", "kb.Page", "a row has numbers where the printed value has refs"},
	{"api.Page", "knowledge/ingest.Mentioned", "a short answer for agents: other words, and in another order"},
	{"api.Page", "memory/change.PutRequest", "arguments of a write, not a page"},
	{"api.Page", "surface/operation.briefPage", "a short answer for agents: other words, and in another order"},
	{"api.Page", "surface/operation.place", "a short answer for agents: other words, and in another order"},
	{"api.Page", "surface/operation.readAnswer", "a short answer for agents: other words, and in another order"},
	{"api.Page", "surface/operation.recentPage", "a short answer for agents: other words, and in another order"},
	{"api.SearchResult", "surface/operation.findAnswer", "a short answer for agents: other words, and in another order"},
	{"api.SearchResult", "surface/operation.recallAnswer", "a short answer for agents: other words, and in another order"},
	{"api.Side", "kb.Assertion", "a side of a contradiction may be a relation, a property or a text"},
	{"api.Side", "kb.Statement", "a side of a contradiction may be a relation, a property or a text"},
	{"api.Stats", "store.Stats", "a database counts rows; the printed counts have what policies and files add"},
	{"api.Task", "doc.Task", "a document has text and spans; a row has values that were checked"},
	{"api.Task", "kb.Item", "a row has numbers where the printed value has refs"},
	{"api.Version", "kb.Version", "a row has numbers where the printed value has refs"},
	{"api.Version", "surface/operation.place", "a short answer for agents: other words, and in another order"},
	{"api.WrittenPage", "surface/operation.changed", "a short answer for agents: other words, and in another order"},
	{"doc.NewPage", "doc/indexfile.Entry", "a page that is composed, not a line of an index file"},
	{"doc.Node", "doc/indexfile.Entry", "a parsed page, not a line of an index file"},
	{"doc.Node", "kb.Page", "a document has text and spans; a row has values that were checked"},
	{"api.PastSession", "doc/transcript.Session", "a reader continues with a session, and an answer shows a part of it"},
	{"doc.Task", "kb.Item", "a document has text and spans; a row has values that were checked"},
	{"doc/link.Page", "kb.Page", "what a link is resolved by, read for all pages of a space at once"},
	{"doc/link.Page", "store.Target", "what a link is resolved by; a target has its keys besides"},
	{"api.CaptureRequest", "transfer/importer.agentItem", "what cairn is asked, and a memory as agentmemory exports it"},
	{"doc.NewPage", "transfer/importer.agentItem", "a page to be made, and a memory as agentmemory exports it"},
	{"doc/transcript.block", "transfer/importer.claudeBlock", "a transcript of a client, and an export of the web service"},
	{"kb.Batch", "transfer/importer.Imported", "a row has numbers where the printed value has refs"},
	{"kb.Link", "store.Candidate", "the columns that are read when pages come or go"},
	{"kb.Page", "store.Document", "a document holds several pages"},
	{"kb.Page", "store.FileState", "the columns that a scan compares"},
	{"kb.Page", "store.Life", "the columns that ageing reads"},
	{"kb.Page", "store.Target", "the columns that links are resolved by"},
	{"kb.Page", "surface/operation.briefPage", "a short answer for agents: other words, and in another order"},
	{"kb.Version", "store.Document", "a version is of one page, and stays when the document is gone"},
	{"kb.Version", "store.FileState", "a version is of one page, and stays when the document is gone"},
	{"knowledge/sessions.ListRequest", "surface/operation.sessionsInput", "a tool has each filter as an argument of its own"},
	{"knowledge/note.EditRequest", "surface/operation.noteEditInput", "the metadata comes as JSON of any form, which the operation reads"},
	{"knowledge/note.WriteRequest", "memory/change.PutRequest", "a note is composed into a page, which is put"},
	{"knowledge/note.WriteRequest", "surface/operation.noteWriteInput", "the metadata comes as JSON of any form, which the operation reads"},
	{"memory.Session", "memory/space.Registry", "a session is built around a registry"},
	{"memory/change.PutRequest", "surface/operation.writeInput", "a put has bytes, which need not be text"},
	{"memory/retrieve.Narrow", "store.Filter", "a question, with phrases for dates; a filter has its values"},
	{"memory/retrieve.Narrow", "surface/operation.findInput", "a tool has each filter as an argument of its own"},
	{"memory/retrieve.TasksRequest", "surface/operation.tasksInput", "a tool has each filter as an argument of its own"},
	{"surface/cli/command.HTTPSession", "surface/httpapi.Options", "no surface imports another: cmd/cairn puts them together"},
	{"surface/cli/command.HTTPSession", "surface/mcpserver.Options", "no surface imports another: cmd/cairn puts them together"},
	{"surface/cli/command.MCPSession", "surface/mcpserver.Options", "no surface imports another: cmd/cairn puts them together"},
}

// A question and an answer have one struct each, in package api or kb. Two
// structs with the same fields have to be copied into each other, and a new
// field is forgotten in one of them.
func TestOneShape(t *testing.T) {
	t.Parallel()
	all := shapes(packages(t))
	if len(all) < 1000 {
		t.Fatalf("only %d structs were found", len(all))
	}
	known, aside := map[[2]string]bool{}, map[string]bool{}
	for _, row := range twins {
		known[[2]string{row.a, row.b}] = false
		if row.because == "" {
			t.Errorf("%s and %s: say why they are two", row.a, row.b)
		}
	}
	for _, pair := range alike(all) {
		names := [2]string{pair.a.full(), pair.b.full()}
		apart := false
		for _, row := range alone {
			if slices.Contains(names[:], row.name) {
				aside[row.name], apart = true, true
			}
		}
		if _, ok := known[names]; ok {
			known[names] = true
		} else if !apart {
			t.Errorf("%s and %s share %d fields, use one type: %s", names[0], names[1], len(pair.common), strings.Join(pair.common, ", "))
		}
	}
	for _, row := range alone {
		if !aside[row.name] {
			t.Errorf("%s shares no fields with others any more: remove its row", row.name)
		}
	}
	for names, found := range known {
		if !found {
			t.Errorf("%s and %s do not share %d fields any more: remove the row", names[0], names[1], tooAlike)
		}
	}
}

// tooAlike is the number of common fields from which two structs are one.
const tooAlike = 5

type likeness struct {
	a, b   shape
	common []string
}

// alike returns the pairs of structs in different packages that share fields
// with the same name and type.
func alike(all []shape) (out []likeness) {
	for i, a := range all {
		for _, b := range all[i+1:] {
			if a.pkg == b.pkg {
				continue
			}
			var common []string
			for _, f := range a.fields {
				if slices.Contains(b.fields, f) {
					common = append(common, f)
				}
			}
			if len(common) >= tooAlike {
				out = append(out, likeness{a, b, common})
			}
		}
	}
	return out
}

func (s shape) full() string { return strings.TrimPrefix(s.pkg, "internal/") + "." + s.name }

func TestAlike(t *testing.T) {
	t.Parallel()
	all := parsed(t, map[string]string{
		"internal/a/a.go": `package a
			type ID string
			type Was = ID
			type Full struct { A, B int; C []ID; D map[string]*ID; E func() }
			type Other struct { A, B int; C []int; D map[string]*ID; E func() }
			type Few struct { A, B int; C []ID; D map[string]*ID }`,
		"internal/b/b.go": `package b
			import old "` + module + `/internal/a"
			type Same struct { E func(); D map[string]*old.ID; C []old.Was; B int; A int; F string }
			type Embeds struct { old.Full; F string }`,
		"internal/b/b_test.go": `package b
			type Tested struct { A, B int; C, D, E string }
			type Again struct { A, B int; C, D, E string }`,
	})
	var got []string
	for _, pair := range alike(shapes(all)) {
		got = append(got, pair.a.full()+" "+pair.b.full())
	}
	if want := []string{"a.Full b.Same"}; !slices.Equal(got, want) {
		t.Errorf("%q are alike, want %q", got, want)
	}
}
