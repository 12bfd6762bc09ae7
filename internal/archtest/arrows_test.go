package archtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// arrow says what of ours one package may import. Tests may import more: what
// they need to build a memory, but never a surface above them, since Go allows
// no cycles.
type arrow struct {
	pkg, may, because string
}

// arrows are DESIGN's
//
//	kb ← {doc, policy, store, embed, fsys} ← {vault, git, search, lifecycle}
//	   ← write ← reconcile ← app ← surfaces ← cmd
//
// with the packages born since. Every package has a row here, and a new one
// gets its row together with its first file.
var arrows = []arrow{
	{"kb", "", "nouns know nothing of who uses them, so everyone can share them"},

	{"glob", "kb", "what a pattern matches is decided on text, for policies, filters and directories alike"},

	{"doc", "kb", "the document model is pure: bytes in, bytes out"},
	{"doc/markdown", "doc kb", "a format knows the model and no other format"},
	{"doc/bases", "doc kb", "a format knows the model and no other format"},
	{"doc/canvas", "doc kb", "a format knows the model and no other format"},
	{"doc/org", "doc kb", "a format knows the model and no other format"},
	{"doc/doctest", "doc kb", "the suite must not favour one format"},

	{"doc/grid", "doc kb", "a table is read from bytes, whatever its rows are for"},
	{"doc/merge", "doc", "what a merge makes of a page depends on its text and format alone"},

	{"doc/sidecar", "doc kb", "what stands beside a document is read as the document is: bytes in, bytes out"},

	{"calendar", "", "which day it is and what is due is decided on times alone, so that it can be tested on years of them"},

	{"policy", "calendar glob kb policy/secrets", "rules are data; who acts on them is elsewhere"},
	{"policy/secrets", "kb", "a scan of text needs nothing but the text"},
	{"fsys", "kb", "files are reached through one small interface that knows no documents"},
	{"fsys/fsystest", "fsys", "the suite sees an implementation as its users do"},

	{"safetext", "", "what is safe to show is decided on the text alone, for every surface alike"},

	{"chunk", "doc kb", "how a page is cut depends on its text, and on no model or codec"},
	{"embed", "", "what an embedder is does not depend on any"},
	{"embed/embedtest", "embed kb", "the suite must not favour one embedder"},
	{"embed/kernel", "kb", "arithmetic knows of no text"},
	{"embed/model", "embed/kernel kb", "the model computes on tokens; it neither reads text nor knows where its weights lie"},
	{"embed/tokenizer", "kb", "tokens are a function of the text"},
	{"embed/bge", "embed embed/kernel embed/model embed/tokenizer kb", "the one that puts weights, tokens and model together"},

	{"embed/remote", "embed kb", "what servers have in common is one package, so that each is only its own words"},
	{"embed/ollama", "embed/remote kb", "a server knows no other"},
	{"embed/openai", "embed/remote kb", "a server knows no other"},
	{"embed/modeldir", "embed embed/kernel embed/model embed/safetensors embed/tokenizer kb", "puts the parts of a directory together, as embed/bge does those of the binary"},
	{"embed/safetensors", "kb", "a file of tensors is read without knowing what they are for"},

	{"link", "doc kb", "where a link leads is decided without a database, so that it can be tested on tables"},
	{"lifecycle", "calendar kb", "what time does to knowledge is decided on data, so that it can be tested on tables"},
	{"search/analysis", "", "what a term is must be the same for documents and queries, whoever asks"},
	{"search/query", "glob kb", "the grammar does not know how text is indexed or stored"},
	{"search/lexical", "kb search/analysis search/query", "the index declares the storage it needs; importing a store would tie it to one"},
	{"search/vector", "kb", "nearness is arithmetic; who stores the vectors is elsewhere"},
	{"search/rank", "", "fusion sees scores and nothing of where they come from"},
	{"search/snippet", "search/analysis search/query", "showing a passage must not need the index"},

	{"store", "kb search/lexical", "search/lexical only, for the shape of the full-text rows"},
	{"store/sqlite", "fsys glob kb search/lexical store store/sqlite/assertion store/sqlite/batch store/sqlite/claim store/sqlite/clause store/sqlite/dbfile store/sqlite/directory store/sqlite/entry store/sqlite/fact store/sqlite/life store/sqlite/pool", "rows in, rows out: an implementation decides nothing about pages; fsys for its files"},
	{"store/sqlite/assertion", "kb store store/sqlite/clause", "what a subject of its own asks is apart from how statements are run"},
	{"store/sqlite/batch", "kb store store/sqlite/clause", "what a subject of its own asks is apart from how statements are run"},
	{"store/sqlite/claim", "kb store store/sqlite/clause", "what a subject of its own asks is apart from how statements are run"},
	{"store/sqlite/clause", "glob kb store", "parts of statements are made without running any"},
	{"store/sqlite/entry", "kb store store/sqlite/clause", "what a subject of its own asks is apart from how statements are run"},
	{"store/sqlite/fact", "kb store", "what a subject of its own asks is apart from how statements are run"},
	{"store/sqlite/life", "kb store store/sqlite/clause", "what a subject of its own asks is apart from how statements are run"},
	{"store/sqlite/dbfile", "fsys kb store", "files are put in place without looking into a database; store for the modes of locks"},
	{"store/sqlite/pool", "", "connections are kept without knowing what is on the other side"},
	{"store/sqlite/directory", "glob store", "what a subject of its own asks is apart from how statements are run"},
	{"store/open", "kb store store/sqlite", "the only one that knows which databases there are"},
	{"store/storetest", "kb store", "the suite must not favour one implementation"},

	{"vault", "fsys kb", "which files are notes does not depend on what is in them or known of them"},
	{"vault/changes", "fsys kb vault", "what happened is told without knowing what becomes of it"},
	{"vault/watch", "fsys vault vault/changes", "that something changed is told without knowing what becomes of it"},
	{"index", "doc doc/sidecar kb lifecycle link search/lexical store", "derived rows are a function of documents and paths; files stay out of reach"},
	{"git", "fsys kb", "what is kept in git is bytes at paths, whatever they mean"},
	{"lint", "doc doc/grid kb policy policy/secrets", "what is wrong is decided on documents and rows, so that it can be tested on tables"},
	{"catalog", "kb", "an index is made of what pages say, so that it can be tested on tables"},
	{"stamp", "doc kb policy", "what cairn fills in is decided on documents, so that it can be tested on tables"},
	{"write", "catalog doc doc/sidecar fsys git index kb lifecycle link lint policy policy/secrets schema schema/finder stamp store vault write/held", "the one path of change stands below every surface"},
	{"write/held", "kb store", "what waits is a list, whoever makes it shorter"},
	{"write/writetest", "doc doc/markdown doc/org fsys fsys/fsystest index kb policy store store/sqlite vault write", "tests need a real memory"},
	{"reconcile", "doc fsys index kb store vault vault/changes write", "outside changes are read and indexed; they are never written, so there is no policy to ask here"},

	{"api", "kb store", "what all surfaces print is one set of values, below every use case"},
	{"config", "fsys kb store", "where cairn's own files are does not depend on what is in the memory"},
	{"space", "api config doc fsys glob index kb link policy presets store vault write", "which spaces there are is known without knowing what is asked of them"},
	{"ref", "doc glob kb link space store", "which page is meant is known without knowing what for"},
	{"embedding", "api chunk config doc embed embed/bge embed/kernel embed/modeldir embed/ollama embed/openai embed/remote fsys index kb policy/secrets ref search/vector space store", "pages are embedded without knowing what is asked of them"},
	{"retrieve", "api chunk doc embed embed/bge embedding index kb link policy/secrets ref search/analysis search/lexical search/query search/rank search/snippet search/vector space store", "a question is answered without a page being written, whoever asks"},
	{"health", "api check chunk config doc doc/sidecar embed embed/bge embedding fsys index inspect kb lifecycle link lint policy policy/secrets reconcile search/vector space store vault write", "what is wrong is found, and mended, without knowing who asks"},
	{"jobs", "ageing api calendar compaction config embed/bge embedding expiry guard health history index kb policy region rotation routine space store", "what is done on a schedule is the sum of what others do"},
	{"prime", "api chunk config doc embed/bge embed/kernel fsys gist glob kb link policy policy/secrets retrieve safetext search/query space store write", "the start of a session is told from the index alone"},
	{"graph", "api doc kb link ref space store", "what is linked is read without knowing who asks; the edit that ends a relation is planned, and only change applies it"},
	{"freshness", "api fsys index kb reconcile ref space store vault write", "the index is made to agree with files before a question is answered, whoever asks"},
	{"daily", "doc fsys kb store write", "where a day's note is, and what makes it, is planned as data; only change applies a plan"},
	{"template", "daily doc fsys kb policy presets space write", "what a new page is made of is planned as data; only change applies a plan"},
	{"ingest", "api change doc doc/sidecar embedding kb lifecycle link ref space store write", "what an agent made of a source is planned as one change set; change applies it"},
	{"export", "api doc fsys kb space store vault write", "what is exported is what the memory has, and no import knows of it"},
	{"transfer/jsonfile", "kb", "how JSON of any size is read is apart from what it says"},
	{"transfer", "api capture change doc doc/sidecar embedding export fsys ingest kb link policy policy/secrets ref space store store/sqlite/basicmemory store/sqlite/kt store/sqlite/quaid transfer/jsonfile vault write", "what other programs know is planned as pages, and pages are shown as theirs; change applies it"},
	{"layout", "api change daily doc fsys glob history kb lint policy region space store write", "what a space begins with is made through change, whoever adds the space"},
	{"store/sqlite/foreign", "", "how another program's database is opened is apart from what it holds"},
	{"store/sqlite/basicmemory", "kb store/sqlite/foreign", "another program's database is read as values, by those alone who import it"},
	{"store/sqlite/kt", "kb store/sqlite/foreign", "another program's database is read as values, by those alone who import it"},
	{"store/sqlite/quaid", "kb store/sqlite/foreign", "another program's database is read as values, by those alone who import it"},
	{"store/sqlite/quaid/quaidtest", "", "tests of importers need what they import"},
	{"store/sqlite/kt/kttest", "", "tests of importers need what they import"},
	{"gist", "api check doc graph kb policy retrieve space store", "what a space knows is told in one way, to sessions and to who asks"},
	{"tagging", "kb", "what a text is tagged with depends on the text and on what is known, so that it can be tested on tables"},
	{"capture", "api change doc freshness kb link policy ref retrieve space store tagging write", "what becomes of a captured text is decided in one place, whoever captures it"},
	{"schema", "kb", "what a schema says is decided on data; where notes and schemas are found is elsewhere"},
	{"schema/finder", "doc kb schema store", "the schema of a page is found alike for who looks and for who writes"},
	{"note", "api change doc kb link ref search/query space store vault write", "what a note says is read from its document and written through change, whatever the tool is called"},
	{"curate", "api assertion change doc embed embedding fsys inspect kb lifecycle link lint policy ref space store write", "what is worth a look is told, and what a person decides is planned as one change set; change applies it"},
	{"conform", "api change doc kb schema schema/finder space store", "which note keeps to its schema is found without knowing who asks"},
	{"guard", "api catalog doc doc/merge doc/sidecar fsys git history index inspect kb lint policy space store vault write write/held", "what keeps a space and its repository in step does not know by which timer, or who asks"},
	{"source", "api doc fsys git kb lint policy space write", "what pages are made from is kept without knowing which pages there are, or how files are committed"},
	{"inspect", "api doc fsys index kb lint space store write", "what is wrong with documents is read without knowing who asks, or what is done about it"},
	{"ageing", "api change doc kb lifecycle policy retrieve store write", "what time does to pages is carried out without knowing who asks, or by which timer"},
	{"expiry", "api calendar change doc kb policy ref store write", "what is over is let go of without knowing by which timer"},
	{"region", "api change doc glob kb link policy policy/secrets store write", "what is made from other pages is made without knowing what changed, or by which timer"},
	{"tree", "api change doc fsys kb policy space store write", "what stands at a path is told without knowing by which program"},
	{"routine", "api calendar change config doc glob kb policy safetext store write", "what is due is told without knowing who does it"},
	{"journal", "change doc fsys kb policy policy/secrets store write", "what of a journal leaves the memory is decided on documents, and written without knowing who asks"},
	{"table", "api change doc doc/grid kb lint policy write", "what stands in the rows of a page is told without knowing what it is for"},
	{"rotation", "api calendar change doc kb policy store write", "a day is turned over without knowing who looked first, or by which timer"},
	{"compaction/author", "embed/remote kb", "who writes a summary sees the pages it is of and nothing else"},
	{"compaction", "api change compaction/author config doc embed embedding kb lifecycle link policy policy/secrets ref space store write", "what becomes one page is decided and written without knowing who asks, or who sums it up"},
	{"app", "ageing api assertion briefing capture change check compaction config conform curate daily doc doc/bases doc/canvas doc/markdown doc/org doc/sidecar embedding expiry export freshness fsys gap gist graph guard health history index ingest inspect jobs journal kb layout note policy/secrets presets prime reconcile ref region retrieve rotation routine source space store store/open table template transfer tree vault write", "app wires everything"},
	{"change", "api check doc freshness glob history index kb link policy policy/secrets ref search/query space store vault write", "what a caller changes is carried out in one place; what else is planned is handed to it"},
	{"check", "api doc doc/sidecar index kb lifecycle link policy policy/secrets space store", "what contradicts itself is found, and what settles it planned, without knowing who asks; edits are handed to it as a function"},
	{"briefing", "api check chunk doc gap index kb lifecycle search/query space store", "what needs attention is the sum of what others find; it reads only"},
	{"check/checktest", "", "pages to find contradictions in are text, whoever looks into them"},
	{"assertion", "api change doc doc/sidecar index kb link policy ref space store write", "what is asserted is read and written as one use case, which app hands out"},
	{"gap", "api kb policy policy/secrets space store", "what could not be answered is kept without knowing how it was searched for; a page that answers it is handed in"},
	{"history", "api doc doc/merge kb link policy ref search/query space store vault write", "it reads what was and plans what takes it back; only change applies a plan"},
	{"apptest", "app config fsys/fsystest kb store store/sqlite", "tests of app and of what stands above it start from the same memory"},
	{"operation", "app doc kb operation/budget operation/hint operation/input", "what a program can ask for is said once, above the use cases and below every surface"},
	{"operation/cost", "app operation", "what tools cost is counted from outside"},
	{"operation/budget", "api", "what is too long is left out whatever the answer is"},
	{"operation/hint", "kb", "what to do about an error is known from its reason alone"},
	{"operation/input", "kb", "what the arguments are for is not known where they are read"},
	{"operation/operationtest", "", "tests of surfaces look into answers and docs, whoever gave them"},
	{"mcpserver", "app kb operation skills", "a surface offers operations; it has no way around app, and knows no other surface; prompts say what the skills say"},
	{"httpapi", "app doc kb operation operation/input", "a surface offers operations; what else it serves is handed to it as a handler"},
	{"skills", "doc/markdown fsys kb", "what agents are taught stands apart from where clients look for it"},
	{"setup", "fsys kb skills", "the files of clients are no documents, and a client is set up before there is a memory"},
	{"setup/probe", "setup", "what a client would start is started apart from what writes its files"},
	{"service", "fsys kb", "what a system starts is written without a memory, for one that may not be there yet"},
	{"server", "app kb vault/watch", "what runs by itself asks app as a surface does; only the watching is its own"},
	{"manual", "", "help is rendered without knowing whose it is"},
	{"terminal", "fsys kb safetext", "how text is shown depends on the text and the terminal, and not on what it is about"},
	{"cli/habit", "", "what names mean is data, apart from the commands that it names"},
	{"cli/edits", "doc kb", "what flags change is said without knowing of which page"},
	{"cli/explain", "app", "words for evidence need nothing of the command that shows it"},
	{"cli/command", "app cli/habit config kb operation operation/hint safetext service setup setup/probe terminal", "what commands share asks app, and knows none of them"},
	{"cli/commandtest", "safetext", "what a terminal obeys is looked for without knowing who printed it"},
	{"cli/sketch", "app kb", "how a graph is drawn depends on the graph alone"},
	{"cli/read", "app cli/command cli/explain cli/sketch kb safetext terminal", "a group of commands asks app; it knows what commands share, and no other group"},
	{"cli/write", "app cli/command cli/edits kb presets terminal", "a group of commands asks app; it knows what commands share, and no other group"},
	{"cli/history", "app cli/command kb terminal", "a group of commands asks app; it knows what commands share, and no other group"},
	{"cli/spaces", "app cli/command config kb safetext server service terminal", "a group of commands asks app; it knows what commands share, and no other group"},
	{"cli/agents", "app cli/command emacs kb operation operation/cost operation/input setup setup/probe skills terminal", "a group of commands asks app; it knows what commands share, and no other group"},
	{"cli/care", "app cli/command config fsys kb manual safetext service setup setup/probe terminal", "a group of commands asks app; it knows what commands share, and no other group"},
	{"cli/kt", "app cli/command kb terminal", "another program's commands ask app as a group of cairn's does, and know none of these"},
	{"cli", "cli/agents cli/care cli/command cli/history cli/kt cli/read cli/spaces cli/write", "the whole is its groups of commands, and decides nothing itself"},
	{"cmd/cairn", "cli cli/command httpapi mcpserver terminal", "main puts the surfaces together and is nothing else"},
	{"cmd/cairn/cairntest", "cli httpapi mcpserver", "go test must see what the binary is made of, to run its tests again when that changes"},
	{"peers", "", "it has tests only, and those use the binary as clients do"},
	{"torture", "", "it has tests only, and those use what a user has"},
	{"presets", "", "presets are data"},
	{"emacs", "", "the client for Emacs is text; it uses the binary as a client does"},
	{"archtest", "", "the rules stand outside of what they rule"},
}

func TestArrows(t *testing.T) {
	for _, fault := range arrowFaults(packages(t), arrows) {
		t.Error(fault)
	}
}

// arrowFaults compares what packages import with the rows: an import without an
// allowance is a fault, and so is an allowance without an import, which would
// let an arrow back in that was taken out.
func arrowFaults(all []*pkg, rows []arrow) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	rules := map[string]arrow{}
	for _, a := range rows {
		if _, twice := rules[a.pkg]; twice {
			fault("%s has two rows", a.pkg)
		}
		rules[a.pkg] = a
		if find(all, a.pkg) == nil {
			fault("%s is gone: take its row out of arrows", a.pkg)
		}
	}
	for _, p := range all {
		a, ok := rules[p.short()]
		if !ok {
			fault("%s has no row in arrows: say what it may import, and why", p.short())
			continue
		}
		may, does := strings.Fields(a.may), ours(p, false)
		for _, name := range does {
			if !slices.Contains(may, name) {
				fault("%s must not import %s: %s", a.pkg, name, a.because)
			}
		}
		for _, name := range may {
			switch {
			case find(all, name) == nil:
				fault("%s may import %s, which is gone", a.pkg, name)
			case !slices.Contains(does, name):
				fault("%s may import %s and does not: take it out of its row", a.pkg, name)
			}
		}
	}
	return faults
}

func TestArrowFaults(t *testing.T) {
	all := parsed(t, map[string]string{
		"internal/low/low.go":       "package low",
		"internal/mid/mid.go":       "package mid\nimport _ \"" + module + "/internal/low\"",
		"internal/mid/mid_test.go":  "package mid\nimport _ \"" + module + "/internal/top\"",
		"internal/top/top.go":       "package top\nimport _ \"fmt\"",
		"internal/top/top_linux.go": "package top\nimport _ \"" + module + "/internal/mid\"",
	})
	low, mid, top := arrow{"low", "", "below"}, arrow{"mid", "low", "between"}, arrow{"top", "mid", "above"}
	for _, tt := range []struct {
		name string
		rows []arrow
		want []string
	}{
		{"as they are", []arrow{low, mid, top}, nil},
		{"not allowed", []arrow{low, {"mid", "", "between"}, top}, []string{"mid must not import low: between"}},
		{"not used", []arrow{low, mid, {"top", "low mid", "above"}}, []string{"top may import low and does not: take it out of its row"}},
		{"used by a test", []arrow{low, {"mid", "low top", "between"}, top}, []string{"mid may import top and does not: take it out of its row"}},
		{"gone", []arrow{low, mid, {"top", "mid old", "above"}}, []string{"top may import old, which is gone"}},
		{"no row", []arrow{low, mid}, []string{"top has no row in arrows: say what it may import, and why"}},
		{"two rows", []arrow{low, low, mid, top}, []string{"low has two rows"}},
		{"no package", []arrow{low, mid, top, {"old", "", ""}}, []string{"old is gone: take its row out of arrows"}},
	} {
		if got := arrowFaults(all, tt.rows); !slices.Equal(got, tt.want) {
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
	all := packages(t)
	for _, rule := range []struct {
		imp, may, because string
		tests             bool // the rule holds for tests, too
	}{
		{"modernc.org/sqlite", "store/sqlite", "one package knows which SQLite there is", true},
		{"database/sql", "store/sqlite store/sqlite/assertion store/sqlite/basicmemory store/sqlite/batch store/sqlite/claim store/sqlite/directory store/sqlite/entry store/sqlite/fact store/sqlite/foreign store/sqlite/kt store/sqlite/kt/kttest store/sqlite/life store/sqlite/quaid store/sqlite/quaid/quaidtest", "SQL is the business of store", true},
		{"github.com/spf13/", "cli cli/agents cli/care cli/command cli/edits cli/history cli/kt cli/read cli/spaces cli/write manual", "flags are the command line's; their help is rendered by a package of its own", true},
		{"charm.land/", "terminal", "colours are for terminals", true},
		{"github.com/charmbracelet/x/ansi", "terminal", "widths are for terminals", false},
		{"github.com/charmbracelet/x/term", "cmd/cairn", "the size of a terminal comes in through command.Env", false},
		{"github.com/vbauerster/mpb", "terminal", "progress bars are for terminals", true},
		{"github.com/mattn/go-isatty", "cmd/cairn", "what a stream is comes in through command.Env", false},
		{"go.yaml.in/yaml", "doc/bases doc/markdown", "YAML is read where it is metadata, or a base; nothing writes it", false},
		{"github.com/pelletier/go-toml", "config policy policy/secrets setup", "TOML is for policies and the configuration, ours and that of clients", false},
		{"github.com/tailscale/hujson", "setup", "JSON with comments is what clients have; ours has none", true},
		{"github.com/gofrs/flock", "fsys", "locks are files", true},
		{"github.com/fsnotify/fsnotify", "vault/watch", "watching has pitfalls that are to be met in one place", true},
		{"github.com/clipperhouse/uax29", "embed/tokenizer", "characters are told apart where models were trained on that", false},
		{"golang.org/x/sys", "fsys vault/changes embed/kernel embed/model", "fsys wraps what systems offer, but for the queue of changes, which only Linux has; embed asks what the processor can do", false},
		{"os/exec", "compaction/author git routine setup/probe terminal", "the only other programs that run are git, the person's editor and pager, a client's entry when it is checked, and the programs that the configuration lets write summaries and do routines", false},
		{"os/signal", "cmd/cairn", "signals arrive as a cancelled context", false},
		{"math/rand", "", "results do not depend on chance; what must be random is crypto/rand", false},
		{"net/http", "compaction compaction/author embed/remote embed/ollama embed/openai embed/embedtest mcpserver httpapi cmd/cairn torture", "only servers that somebody configured are called, for embeddings and for summaries, which tests of compaction stand in for; mcpserver is a handler, httpapi serves it, and cmd/cairn puts them together", true},
		{"net", "httpapi torture", "cairn makes no network call unless it is configured to; one package listens, when it is told to", true},
		{"github.com/modelcontextprotocol", "mcpserver peers setup/probe", "one package knows the protocol; peers and setup/probe try it as a client does", true},
		{"github.com/google/jsonschema-go", "operation operation/cost operation/input operation/operationtest", "schemas are made in one place", true},
		{"plugin", "", "the binary is static", true},
		{"log", "httpapi", "what is worth telling is told on the streams of command.Env; net/http is given a log that goes nowhere", false},
		{"log/slog", "cli/command cli/spaces httpapi mcpserver", "a log is made where the streams are, and handed to who is told to log; it holds no content", false},
		{"reflect", "", "values are told apart by types", false},
		{"unsafe", "embed/model search/vector fsys", "bytes are copied where they must be; weights and vectors are read in place, being many, and so are the names of files in a call of the system", false},
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
