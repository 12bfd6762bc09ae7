package archtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// room is one directory of internal/. Its packages import each other, without
// cycles, and those of the rooms that it names.
type room struct {
	name, may, because string
}

// rooms are in order: a room imports only rooms above it.
var rooms = []room{
	{"kb", "", "nouns and error codes are shared by every room"},
	{"doc", "kb", "documents are bytes in, bytes out, without a store or a disk"},
	{"policy", "doc kb", "rules are data; deciders take documents and return decisions"},
	{"files", "kb", "the disk does not depend on the contents of files"},
	{"search", "kb", "ranking works on terms and vectors, without a store"},
	{"store", "files kb search", "rows in, rows out; search for the shape of full-text rows"},
	{"api", "kb store", "requests and answers are one set of values, below every use case"},
	{"memory", "api doc files kb policy presets search store", "what every use case needs knows no use case"},
	{"knowledge", "api doc files kb memory policy search store", "what is known is independent of the calendar and of maintenance"},
	{"calendar", "api doc files kb memory policy presets store", "work that dates trigger changes pages as any caller does"},
	{"transfer", "api doc files kb knowledge memory policy store", "importers and exporters change pages as any caller does"},
	{"upkeep", "api calendar doc files kb knowledge memory policy search store transfer", "maintenance runs what the other rooms do, and lists the hooks"},
	{"brief", "api calendar doc files kb knowledge memory policy search store upkeep", "what a session reads at its start is a sum of the rooms above"},
	{"surface", "api brief calendar doc emacs files kb knowledge memory policy presets transfer upkeep", "a surface calls use cases and contains no logic"},
	{"test", "files kb memory store upkeep", "suites over the whole"},
}

// others are the packages outside of internal/ and what they import.
var others = []room{
	{"presets", "", "presets are data"},
	{"emacs", "", "the Emacs client is text"},
	{"cmd/cairn", "files surface", "main puts the surfaces together, and ends what git runs when the process must end"},
	{"cmd/cairn/cairntest", "", "go test must see the packages of the binary, to run its tests again when they change"},
}

// apart are packages that must not import each other although their rooms allow it.
var apart = []struct{ pkg, not, because string }{
	{"memory/retrieve", "memory/write memory/change", "reading never writes"},
	{"memory/index", "files/fsys files/vault", "derived rows are a function of documents and paths"},
	{"memory/unsaved", "files/fsys", "a text of an editor is compared with the index, not with files"},
	{"memory/reconcile", "memory/change", "files changed by others are indexed, never written"},
	{"surface/mcpserver", "surface/cli surface/httpapi surface/lsp", "no surface imports another"},
	{"surface/httpapi", "surface/cli surface/lsp surface/mcpserver", "no surface imports another"},
	{"surface/webui", "surface/cli surface/httpapi surface/lsp surface/mcpserver", "no surface imports another"},
	{"surface/lsp", "surface/cli surface/httpapi surface/mcpserver surface/webui", "no surface imports another"},
	{"surface/operation", "surface/cli surface/httpapi surface/lsp surface/mcpserver", "operations do not depend on the surfaces that offer them"},
	{"surface/cli/read", "surface/cli/write surface/cli/history surface/cli/spaces surface/cli/agents surface/cli/care surface/cli/kt", "a group of commands imports no other group"},
	{"surface/cli/write", "surface/cli/read surface/cli/history surface/cli/spaces surface/cli/agents surface/cli/care surface/cli/kt", "a group of commands imports no other group"},
	{"surface/cli/history", "surface/cli/read surface/cli/write surface/cli/spaces surface/cli/agents surface/cli/care surface/cli/kt", "a group of commands imports no other group"},
	{"surface/cli/spaces", "surface/cli/read surface/cli/write surface/cli/history surface/cli/agents surface/cli/care surface/cli/kt", "a group of commands imports no other group"},
	{"surface/cli/agents", "surface/cli/read surface/cli/write surface/cli/history surface/cli/spaces surface/cli/care surface/cli/kt", "a group of commands imports no other group"},
	{"surface/cli/care", "surface/cli/read surface/cli/write surface/cli/history surface/cli/spaces surface/cli/agents surface/cli/kt", "a group of commands imports no other group"},
	{"surface/cli/kt", "surface/cli/read surface/cli/write surface/cli/history surface/cli/spaces surface/cli/agents surface/cli/care", "a group of commands imports no other group"},
}

func TestRooms(t *testing.T) {
	t.Parallel()
	all := packages(t)
	for _, fault := range roomFaults(all, append(slices.Clone(rooms), others...)) {
		t.Error(fault)
	}
	for i, r := range rooms {
		for _, above := range strings.Fields(r.may) {
			at := slices.IndexFunc(rooms, func(o room) bool { return o.name == above })
			if at >= i {
				t.Errorf("%s may import %s, which is below it", r.name, above)
			}
		}
	}
	for _, rule := range apart {
		p := find(all, rule.pkg)
		if p == nil {
			t.Errorf("%s is gone: remove its rules", rule.pkg)
			continue
		}
		for _, not := range strings.Fields(rule.not) {
			if find(all, not) == nil {
				t.Errorf("%s must not import %s, which is gone", rule.pkg, not)
			}
			if slices.Contains(ours(p, false), not) {
				t.Errorf("%s must not import %s: %s", rule.pkg, not, rule.because)
			}
		}
	}
}

// roomOf returns the room of a package, or the package itself outside of
// internal/.
func roomOf(p *pkg) string {
	if rest, ok := strings.CutPrefix(p.path, "internal/"); ok {
		name, _, _ := strings.Cut(rest, "/")
		return name
	}
	return p.path
}

// roomFaults compares the imports of packages with the rows. An import without
// permission is a fault, and so is a permission without an import.
func roomFaults(all []*pkg, rows []room) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	does := map[string]map[string]string{} // room, imported room, one package that does
	for _, p := range all {
		r := roomOf(p)
		if does[r] == nil {
			does[r] = map[string]string{}
		}
		if p.support() && r != "test" {
			continue // suites and builders of tests may see more
		}
		for _, name := range ours(p, false) {
			to := find(all, name)
			if to == nil || roomOf(to) == r {
				continue
			}
			does[r][roomOf(to)] = p.short()
		}
	}
	known := map[string]bool{}
	for _, row := range rows {
		if known[row.name] {
			fault("%s has two rows", row.name)
		}
		known[row.name] = true
		if does[row.name] == nil {
			fault("%s is gone: remove its row", row.name)
			continue
		}
		may := strings.Fields(row.may)
		for name, by := range does[row.name] {
			if !slices.Contains(may, name) {
				fault("%s must not import %s: %s", by, name, row.because)
			}
		}
		for _, name := range may {
			if does[row.name][name] == "" {
				fault("%s may import %s and does not", row.name, name)
			}
		}
	}
	for name := range does {
		if !known[name] {
			fault("%s has no row in rooms", name)
		}
	}
	slices.Sort(faults)
	return faults
}

func TestRoomFaults(t *testing.T) {
	t.Parallel()
	all := parsed(t, map[string]string{
		"internal/low/low.go":       "package low",
		"internal/mid/a/a.go":       "package a\nimport _ \"" + module + "/internal/low\"",
		"internal/mid/a/a_test.go":  "package a\nimport _ \"" + module + "/internal/top\"",
		"internal/mid/b/b.go":       "package b\nimport _ \"" + module + "/internal/mid/a\"",
		"internal/top/top.go":       "package top\nimport _ \"fmt\"",
		"internal/top/top_linux.go": "package top\nimport _ \"" + module + "/internal/mid/b\"",
	})
	low, mid, top := room{"low", "", "below"}, room{"mid", "low", "between"}, room{"top", "mid", "above"}
	for _, tt := range []struct {
		name string
		rows []room
		want []string
	}{
		{"all rows right", []room{low, mid, top}, nil},
		{"not allowed", []room{low, {"mid", "", "between"}, top}, []string{"mid/a must not import low: between"}},
		{"not used", []room{low, mid, {"top", "low mid", "above"}}, []string{"top may import low and does not"}},
		{"used by a test only", []room{low, {"mid", "low top", "between"}, top}, []string{"mid may import top and does not"}},
		{"no row", []room{low, mid}, []string{"top has no row in rooms"}},
		{"two rows", []room{low, low, mid, top}, []string{"low has two rows"}},
		{"no package", []room{low, mid, top, {"old", "", ""}}, []string{"old is gone: remove its row"}},
	} {
		if got := roomFaults(all, tt.rows); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// ours lists the packages of this module that p imports, by their short names.
func ours(p *pkg, tests bool) []string {
	var out []string
	for _, f := range p.files {
		if f.test != tests {
			continue
		}
		for _, imp := range f.imports() {
			if name, ok := strings.CutPrefix(imp, module+"/"); ok {
				out = append(out, strings.TrimPrefix(name, "internal/"))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// A suite or a builder of test memories that ships in the binary would drag
// package testing into it.
func TestSupportIsImportedByTestsOnly(t *testing.T) {
	t.Parallel()
	all := packages(t)
	seen := 0
	for _, p := range all {
		if p.support() {
			seen++
			continue
		}
		for _, name := range append(ours(p, false), standard(p)...) {
			if name == "testing" || strings.HasSuffix(name, "test") && find(all, name) != nil {
				t.Errorf("%s imports %s outside of its tests", p.path, name)
			}
		}
	}
	if seen == 0 {
		t.Error("there is no package that supports tests any more")
	}
}

// standard lists what p imports outside of its tests and outside of the
// module.
func standard(p *pkg) []string {
	var out []string
	for _, f := range p.files {
		if f.test {
			continue
		}
		for _, imp := range f.imports() {
			if !strings.HasPrefix(imp, module+"/") {
				out = append(out, imp)
			}
		}
	}
	return out
}

// TestReach holds which packages may import a package that is not ours, by a
// prefix of its path.
func TestReach(t *testing.T) {
	t.Parallel()
	all := packages(t)
	for _, rule := range []struct {
		imp, may, because string
		tests             bool // the rule holds for tests, too
	}{
		{"modernc.org/sqlite", "store/sqlite", "one package knows which SQLite there is", true},
		{"github.com/jackc/pgx", "store/postgres", "one package knows PostgreSQL, and dials it", true},
		{"database/sql", "store/relational store/sqlite transfer/foreign transfer/foreign/foreigntest", "SQL is the business of store", true},
		{"github.com/spf13/", "surface/cli surface/cli/agents surface/cli/care surface/cli/command surface/cli/history surface/cli/kt surface/cli/read surface/cli/spaces surface/cli/write surface/terminal", "flags are the command line's; their help is rendered by a package of its own", true},
		{"charm.land/", "surface/terminal", "colours are for terminals", true},
		{"github.com/charmbracelet/x/ansi", "surface/terminal", "widths are for terminals", false},
		{"github.com/charmbracelet/x/term", "cmd/cairn", "the size of a terminal comes in through command.Env", false},
		{"github.com/vbauerster/mpb", "surface/terminal", "progress bars are for terminals", true},
		{"github.com/mattn/go-isatty", "cmd/cairn", "what a stream is comes in through command.Env", false},
		{"go.yaml.in/yaml", "doc/bases doc/markdown", "YAML is read where it is metadata, or a base; nothing writes it", false},
		{"github.com/pelletier/go-toml", "doc/markdown memory/space policy policy/secrets surface/setup", "TOML is for policies and the configuration, ours and that of clients, and the frontmatter of some pages", false},
		{"github.com/aymanbagabas/go-udiff", "memory/history", "diffs of pages are made in one place", true},
		{"github.com/tailscale/hujson", "surface/setup", "JSON with comments is what clients have; ours has none", true},
		{"github.com/gofrs/flock", "files/fsys", "locks are files", true},
		{"github.com/fsnotify/fsnotify", "files/watch", "watching has pitfalls that are to be met in one place", true},
		{"github.com/blevesearch/snowballstem", "search/language", "languages are known in one place", true},
		{"github.com/clipperhouse/uax29", "search/embed/tokenizer", "characters are told apart where models were trained on that", false},
		{"golang.org/x/sys", "files/fsys files/watch search/embed/kernel search/embed/model", "fsys wraps what systems offer, but for the queue of changes, which only Linux has; embed asks what the processor can do", false},
		{"github.com/yuin/goldmark", "surface/webui/render", "HTML is made of documents in one place", true},
		{"github.com/niklasfasching/go-org", "surface/webui/render", "HTML is made of documents in one place", true},
		{"github.com/alecthomas/chroma", "surface/webui/render", "code is coloured in one place", true},
		{"golang.org/x/net", "surface/webui surface/webui/render transfer/markup", "HTML is sanitized in one place, and read into Markdown in one; tests read what is made", true},
		{"github.com/ledongthuc/pdf", "transfer/documents", "PDF is read in one place, where its panics end", true},
		{"html/template", "", "with it the linker keeps every method of every type, which is 3.6 MB; webui has a builder that escapes", true},
		{"os/exec", "calendar/routine files/git knowledge/compact surface/setup surface/terminal", "the only other programs that run are git, the person's editor, pager and browser, a client's entry when it is checked, and the programs that the configuration lets write summaries and do routines", false},
		{"os/signal", "cmd/cairn", "signals arrive as a cancelled context", false},
		{"math/rand", "", "results do not depend on chance; what must be random is crypto/rand", false},
		{"net/http", "cmd/cairn knowledge/compact search/embed/embedtest search/embed/remote surface/httpapi surface/mcpserver surface/webui test/peers test/torture", "only servers that somebody configured are called, for embeddings and for summaries, which tests of compaction stand in for; mcpserver and webui are handlers, httpapi serves them, and cmd/cairn puts them together, and asks whether a server of this machine answers", true},
		{"net", "store/postgres store/postgres/pgtest surface/httpapi test/torture", "cairn makes no network call unless it is configured to; one package dials, where the location of the memory is a URL, and one listens, when it is told to", true},
		{"github.com/modelcontextprotocol", "surface/mcpserver surface/setup test/peers", "one package knows the protocol; peers and setup/probe try it as a client does", true},
		{"github.com/google/jsonschema-go", "surface/operation surface/operation/operationtest", "schemas are made in one place", true},
		{"plugin", "", "the binary is static", true},
		{"log", "surface/httpapi surface/webui/render", "what is worth telling is told on the streams of command.Env; net/http and go-org are given a log that goes nowhere", false},
		{"log/slog", "surface/cli/command surface/cli/spaces surface/httpapi surface/mcpserver", "a log is made where the streams are, and handed to who is told to log; it holds no content", false},
		{"reflect", "policy store/sqlite surface/operation", "values are told apart by types; operations make schemas and inputs of theirs; the driver of SQLite does not show its connection", false},
		{"unsafe", "files/fsys memory/history search/embed/model search/vector store/sqlite", "a connection of SQLite is changed as an option of its open call would; large texts are compared in place; bytes are copied where they must be; weights and vectors are read in place, being many, and so are the names of files in a call of the system", false},
		{"C", "", "cairn builds without a C compiler", true},
	} {
		may := strings.Fields(rule.may)
		used := map[string]bool{}
		for _, p := range all {
			for _, f := range p.files {
				if f.test && !rule.tests || p.support() && !rule.tests {
					continue
				}
				for _, imp := range f.imports() {
					if imp != rule.imp && !strings.HasPrefix(imp, strings.TrimSuffix(rule.imp, "/")+"/") {
						continue
					}
					if rule.imp == "net" && (imp == "net/url" || strings.HasPrefix(imp, "net/http")) {
						continue // one opens no connection, the other has a rule of its own
					}
					if rule.imp == "log" && imp == "log/slog" {
						continue // has a rule of its own
					}
					used[p.short()] = true
					if !slices.Contains(may, p.short()) {
						t.Errorf("%s must not import %s: %s", f.name, imp, rule.because)
					}
				}
			}
		}
		for _, name := range may {
			if find(all, name) == nil {
				t.Errorf("%s may import %s, and is gone", name, rule.imp)
			} else if !used[name] {
				t.Errorf("%s does not import %s any more: change the rule", name, rule.imp)
			}
		}
	}
}
