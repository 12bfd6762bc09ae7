package archtest

import (
	"go/ast"
	"strings"
	"testing"
)

// formats are the packages outside of api and kb whose structs have JSON tags,
// because they read or write a format that is not one of our answers.
var formats = []struct{ name, because string }{
	{"calendar/routine", "the settings that remember which routines were announced"},
	{"doc/sidecar", "sidecars"},
	{"doc/transcript", "transcripts of clients, and how far they were read"},
	{"knowledge/compact", "plans of a compaction, and what summary programs and servers read and write"},
	{"knowledge/ingest", "the object around a plan"},
	{"knowledge/note", "answers of the tools of Basic Memory, and JSON Canvas"},
	{"memory/embedding", "settings of models in the database"},
	{"memory/review", "marks of persons in the settings"},
	{"memory/write", "the journal, commits that wait, and details of errors"},
	{"search/embed/model", "the header of packed models"},
	{"search/embed/modeldir", "configuration files of models"},
	{"search/embed/remote", "requests and answers of model servers"},
	{"search/embed/safetensors", "the header of safetensors files"},
	{"search/embed/tokenizer", "tokenizer.json"},
	{"surface/cli/agents", "answers about clients and tools, which only the command line gives; lines of pipe and of emacs"},
	{"surface/cli/care", "answers about the program's own files, which only the command line gives"},
	{"surface/cli/command", "errors, notes and the version as the command line prints them"},
	{"surface/cli/kt", "answers of kt, key for key"},
	{"surface/cli/read", "answers to hooks of clients"},
	{"surface/cli/spaces", "answers about servers and new memories, which only the command line gives"},
	{"surface/httpapi", "problem documents, health, and the routes of context vaults"},
	{"surface/lsp", "the messages of the Language Server Protocol"},
	{"surface/mcpserver", "a cancelled request of MCP"},
	{"surface/operation", "arguments and answers of operations and tools"},
	{"surface/server", "event lines of serve"},
	{"surface/setup", "configuration files of clients"},
	{"surface/skills", "the list of skills, which only the command line gives"},
	{"transfer/exporter", "exports of other programs, and the journal of exports"},
	{"transfer/foreign", "columns of other programs with JSON in them"},
	{"transfer/importer", "exports of other programs, and answers of kt"},
	{"knowledge/sessions", "the file that remembers what was read"},
	{"upkeep/doctor", "dumps"},
	{"upkeep/forget", "an unfinished removal in the settings"},
	{"upkeep/gitsync", "state of repositories in the settings of a space"},
	{"upkeep/runs", "state of jobs in the settings"},
}

// The names of JSON are a promise to programs. In one package they are seen
// side by side, and a shape is not made a second time.
func TestJSONTagsAreInAPI(t *testing.T) {
	t.Parallel()
	tagged := map[string]bool{}
	for _, p := range packages(t) {
		if p.support() || roomOf(p) == "test" {
			continue
		}
		if jsonTag(p) != "" {
			tagged[p.short()] = true
		}
	}
	for _, name := range []string{"api", "kb"} {
		if !tagged[name] {
			t.Errorf("%s has no JSON tags: the rule finds none", name)
		}
		delete(tagged, name)
	}
	for _, row := range formats {
		if !tagged[row.name] {
			t.Errorf("%s has no JSON tags any more: remove its row", row.name)
		}
		delete(tagged, row.name)
	}
	for name := range tagged {
		t.Errorf("%s: structs with JSON tags belong in api, kb or a package of a format", find(packages(t), name).path)
	}
}

// jsonTag returns the name of a file of the package with a JSON tag, "" for none.
func jsonTag(p *pkg) (name string) {
	for _, f := range p.files {
		if f.test {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && field.Tag != nil && strings.Contains(field.Tag.Value, "json:\"") {
				name = f.name
			}
			return name == ""
		})
	}
	return name
}

func TestJSONTag(t *testing.T) {
	t.Parallel()
	all := parsed(t, map[string]string{
		"internal/a/a.go":      "package a\ntype T struct { A int `json:\"a\"` }",
		"internal/b/b.go":      "package b\ntype T struct { A int `toml:\"a\"` }",
		"internal/b/b_test.go": "package b\ntype U struct { A int `json:\"a\"` }",
	})
	if a, b := jsonTag(all[0]), jsonTag(all[1]); a != "internal/a/a.go" || b != "" {
		t.Errorf("got %q and %q", a, b)
	}
}
