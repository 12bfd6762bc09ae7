package cli

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// useCase says which command and which operation offer a method of App or of a
// part that it hands out, or after "no: " why none does.
type useCase struct{ command, operation string }

var useCases = map[string]useCase{
	"Asked":                     {"no: package server asks, for serve", "no: for the process that embeds"},
	"Begin":                     {"no: a command is a process of its own", "no: every call says it"},
	"Compaction.Compact":        {"compact", "compact"},
	"Compaction.Due":            {"no: the job compact of maintain", "no: as a job of maintain"},
	"Compaction.Plan":           {"compact --plan", "compact_plan"},
	"Briefing":                  {"briefing", "briefing"},
	"Ageing.Pass":               {"stale --apply", "stale_apply"},
	"Ageing.SetStatus":          {"no: status does it", "no: edit sets the property status"},
	"Ageing.Stale":              {"stale", "stale"},
	"Change":                    {"no: mv, rm, tag and untag do each a part of it", "edit"},
	"Changed":                   {"no: package server asks, for serve", "no: for the process that watches"},
	"Close":                     {"no: of the process", "no: of the process"},
	"Days.Note":                 {"daily", "daily"},
	"Inbox.List":                {"inbox", "inbox"},
	"Inbox.Done":                {"inbox done", "inbox"},
	"Inject":                    {"context --inject", "inject"},
	"Days.Today":                {"today", "today"},
	"Days.Announced":            {"no: the stream of events of serve --http", "no: the stream of events, for programs that follow a memory"},
	"Days.Routine":              {"routine show", "routine"},
	"Days.Routines":             {"routine due", "routine"},
	"Days.RoutineDone":          {"routine done", "routine"},
	"New":                       {"new", "new_page"},
	"Delete":                    {"rm", "delete"},
	"Dir":                       {"ls", "browse"},
	"Edit":                      {"edit", "edit"},
	"EditText":                  {"edit", "no: gives the text to an editor"},
	"For":                       {"no: a view", "no: a view"},
	"Freshen":                   {"no: before lists, by themselves", "browse"},
	"Gaps.Approve":              {"gap approve", "gap_approve"},
	"Gaps.List":                 {"gaps", "gaps"},
	"Gaps.Log":                  {"gap log", "gap_log"},
	"Gaps.Note":                 {"gap note", "gap_note"},
	"Gaps.Remove":               {"gap rm", "gap_remove"},
	"Gaps.Resolve":              {"gap resolve", "gap_resolve"},
	"Get":                       {"get", "read"},
	"Transfers.Ingest":          {"ingest", "ingest"},
	"Transfers.ImportKT":        {"import kt", "no: moving a memory is for the person whose it is"},
	"Transfers.Compare":         {"db validate", "no: it compares directories, which a person exported"},
	"Transfers.ExportDirectory": {"export", "no: it writes files where a person wants them"},
	"Transfers.ExportJournal":   {"journal export", "no: it writes files where a person wants them"},
	"Transfers.ImportDirectory": {"import", "no: moving a memory is for the person whose it is"},
	"Transfers.Imports":         {"imports", "no: moving a memory is for the person whose it is"},
	"Transfers.ImportExport":    {"import chatgpt", "no: moving a memory is for the person whose it is"},
	"In":                        {"no: a view", "no: a view"},
	"Lint":                      {"lint", "lint"},
	"Transfers.NodesOfKT":       {"no: the program named kt shows them", "no: for programs that run kt"},
	"Transfers.ProjectOfKT":     {"no: the program named kt asks", "no: for programs that run kt"},
	"Links.Add":                 {"link", "link"},
	"Links.Around":              {"graph", "graph"},
	"Links.Close":               {"link-close", "link_close"},
	"Links.From":                {"links", "links"},
	"Links.Map":                 {"map", "map"},
	"Spaces.Project":            {"project", "project_slug"},
	"Links.Remove":              {"unlink", "link"},
	"Links.To":                  {"backlinks", "links"},
	"Links.Unlinked":            {"links --unlinked", "unlinked"},
	"Links.Unresolved":          {"links --unresolved", "links"},
	"Models.Add":                {"model add", "no: the embedding model is a person's choice"},
	"Models.Embed":              {"embed", "no: takes minutes; what a tool writes is embedded at once"},
	"Models.EmbedSoon":          {"no: after every command that writes", "no: follows each write by itself"},
	"Models.EmbedSynced":        {"embed", "no: as Embed"},
	"Models.List":               {"model list", "no: the embedding model is a person's choice"},
	"Models.Remove":             {"model rm", "no: the embedding model is a person's choice"},
	"Models.Use":                {"model use", "no: the embedding model is a person's choice"},
	"Models.Verify":             {"model verify", "no: the embedding model is a person's choice"},
	"Move":                      {"mv", "move"},
	"Notes":                     {"no: a notice of every command", "no: notes in the answers of others"},
	"Pages":                     {"list", "browse"},
	"Reminder":                  {"prime --end", "no: shown to a person by a hook"},
	"Prime":                     {"prime", "no: put into a session by its hook"},
	"Primed":                    {"prime", "no: put into a session by its hook"},
	"Put":                       {"put", "write"},
	"Query":                     {"query", "recall"},
	"Recovered":                 {"no: a notice of every command", "no: a notice for the command that opened the memory"},
	"Refs":                      {"completion", "no: completion"},
	"Capture":                   {"capture", "capture"},
	"Show":                      {"show", "show"},
	"Context":                   {"context", "context"},
	"RestIfIdle":                {"no: processes that wait ask for it", "no: processes that wait ask for it"},
	"Rules":                     {"no: package server asks, for serve", "no: for the process that watches"},
	"Search":                    {"search", "find"},
	"Spaces.Activity":           {"no: serve --http shows it at /healthz", "no: of a process that serves"},
	"Spaces.Watching":           {"no: a command is a process of its own", "projects"},
	"Spaces.Serving":            {"no: status says it, too", "projects"},
	"Spaces.Create":             {"no: space add does it", "space_create"},
	"Spaces.Add":                {"space add", "no: spaces are set up by a person"},
	"Spaces.Attach":             {"search --in", "no: adding a directory is for the person whose files they are"},
	"Spaces.Current":            {"space show", "status"},
	"Spaces.Closed":             {"setup", "no: for setup, which a person runs"},
	"Spaces.Skills":             {"skills", "no: for skills, which a person installs"},
	"Spaces.Commit":             {"commit", "commit"},
	"Spaces.Catalog":            {"index", "index"},
	"Spaces.Migrate":            {"space migrate", "no: spaces are set up by a person"},
	"Spaces.Pull":               {"pull", "pull"},
	"Spaces.Push":               {"push", "push"},
	"Links.Contest":             {"contest", "contest"},
	"Spaces.Fields":             {"query --rank", "fields"},
	"Spaces.Rank":               {"query", "no: programs say which operation they call"},
	"Spaces.AddSource":          {"source add", "source_add"},
	"Spaces.CurrentName":        {"no: Current says it, too", "status"},
	"Spaces.Default":            {"space default", "no: spaces are set up by a person"},
	"Spaces.Directories":        {"no: package server asks, for serve", "no: for the process that watches"},
	"Spaces.List":               {"space list", "spaces"},
	"Spaces.Map":                {"space map", "no: spaces are set up by a person"},
	"Spaces.Maps":               {"space map", "no: spaces are set up by a person"},
	"Spaces.Remove":             {"space rm", "space_remove"},
	"Spaces.Rewrite":            {"space edit", "no: spaces are set up by a person"},
	"Spaces.Set":                {"space set", "no: spaces are set up by a person"},
	"Spaces.Serve":              {"no: package server says that it serves", "no: for the process that serves"},
	"Spaces.Show":               {"space show", "spaces"},
	"Spaces.Tables":             {"table", "table"},
	"Spaces.Tree":               {"no: files are there by themselves", "no: /api/context serves it to programs that know paths only"},
	"Spaces.Unmap":              {"space unmap", "no: spaces are set up by a person"},
	"State":                     {"status", "status"},
	"Stats":                     {"stats", "status"},
	"Status":                    {"status", "no: edit sets the property status"},
	"Sync":                      {"sync", "sync"},
	"Tag":                       {"tag", "tag"},
	"Sidecars.Sources":          {"raw", "raw"},
	"Sidecars.Store":            {"raw", "raw_store"},
	"Tags":                      {"tags", "browse"},
	"Tasks":                     {"tasks", "tasks"},
	"Timeline":                  {"timeline", "timeline"},
	"TimelineAdd":               {"timeline-add", "timeline_add"},
	"Upkeep.Backup":             {"db backup", "no: writes a file where a person wants it"},
	"Upkeep.Compact":            {"db compact", "no: upkeep of the file, for a person"},
	"Upkeep.Curate":             {"curate", "curate"},
	"Upkeep.Decide":             {"curate merge", "curate_decide"},
	"Upkeep.Doctor":             {"doctor", "doctor"},
	"Upkeep.Dump":               {"db dump", "no: writes a stream of everything"},
	"Upkeep.Maintain":           {"maintain", "no: a timer or cairn serve does it, so that no agent waits for it"},
	"Upkeep.Mend":               {"doctor --fix", "no: a person agrees to repairs"},
	"Upkeep.Assertions":         {"db validate --assertions", "doctor"},
	"Upkeep.Embeddings":         {"db validate --embeddings", "doctor"},
	"Upkeep.Relations":          {"db validate --links", "doctor"},
	"Upkeep.Validate":           {"db validate", "doctor"},
	"Versions.Changes":          {"no: the stream of events of serve --http", "no: the stream of events, for programs that follow a memory"},
	"Versions.Diff":             {"diff", "diff"},
	"Versions.List":             {"history", "history"},
	"Versions.Prune":            {"db prune", "no: what is forgotten for good is for a person to decide"},
	"Versions.Recent":           {"recent", "browse"},
	"Versions.Redo":             {"redo", "redo"},
	"Versions.Restore":          {"restore", "restore"},
	"Versions.Undo":             {"undo", "undo"},

	"Notebook.Content":     {"no: a file is there to be opened", "file"},
	"Notebook.Context":     {"build-context", "build_context"},
	"Notebook.Edit":        {"no: edit does it", "note_edit"},
	"Notebook.Read":        {"no: get and links print what it says", "note"},
	"Notebook.Write":       {"no: put does it", "note_write"},
	"Notebook.WriteCanvas": {"no: put does it", "canvas_write"},

	"Schemas.Broken":   {"no: doctor lists them", "schema_validate"},
	"Schemas.Diff":     {"schema diff", "schema_diff"},
	"Schemas.Infer":    {"schema infer", "schema_infer"},
	"Schemas.Validate": {"schema validate", "schema_validate"},

	"Assertions.Add":   {"assert", "assert"},
	"Assertions.Close": {"assert-close", "assert_close"},
	"Assertions.List":  {"assertions", "assertions"},
	"Assertions.Move":  {"no: curate merge takes it over with the page", "no: curate_decide does, with the page"},

	"Contradictions.Conflicts":      {"no: a part of check", "no: a part of check"},
	"Contradictions.Dismiss":        {"check --dismiss", "dismiss"},
	"Contradictions.List":           {"check", "check"},
	"Contradictions.Count":          {"no: stats and status answer it", "no: status answers it"},
	"Contradictions.Mark":           {"no: what is found and read is marked", "no: what is found and read is marked"},
	"Contradictions.Of":             {"no: writes answer what they opened and closed", "no: writes answer what they opened and closed"},
	"Contradictions.Resolve":        {"check --resolve", "resolve"},
	"Contradictions.DismissBetween": {"no: import quaid dismisses what was resolved there", "no: for an import"},
}

// A use case that people, agents or programs cannot reach is left out on
// purpose, or not at all.
func TestEveryUseCaseIsOffered(t *testing.T) {
	t.Parallel()
	code, there := source(t), map[string]bool{}
	for _, name := range methods() {
		there[name] = true
		use, ok := useCases[name]
		if !ok {
			t.Errorf("App.%s has no row: say which command and which operation offer it, or why there is none", name)
			continue
		}
		if !left(use.command) {
			line := commandLine{text: use.command}
			if err := line.parses(words(use.command)); err != nil {
				t.Errorf("App.%s: %v", name, err)
			}
			call := strings.ReplaceAll(name, ".", `\(\)\.`)
			if !regexp.MustCompile(`\ba(pp)?\.` + call + `\b`).MatchString(code) {
				t.Errorf("App.%s: no command asks for it", name)
			}
		}
		if !left(use.operation) && !slices.ContainsFunc(operation.All(), func(op *operation.Operation) bool { return op.Name == use.operation }) {
			t.Errorf("App.%s: there is no operation %q", name, use.operation)
		}
	}
	for name := range useCases {
		if !there[name] {
			t.Errorf("App.%s is in the table and is not there any more", name)
		}
	}
}

// methods returns the methods of App, and as Spaces.Add those of the parts that
// it hands out.
func methods() (names []string) {
	whole := reflect.TypeFor[*app.App]()
	for i := range whole.NumMethod() {
		m := whole.Method(i)
		if !part(m.Type) {
			names = append(names, m.Name)
			continue
		}
		of := m.Type.Out(0)
		for j := range of.NumMethod() {
			names = append(names, m.Name+"."+of.Method(j).Name)
		}
	}
	return names
}

// part reports whether a method only hands out a part of App: a struct of its
// package with methods of its own.
func part(method reflect.Type) bool {
	if method.NumIn() != 1 || method.NumOut() != 1 {
		return false
	}
	of := method.Out(0)
	return of.Kind() == reflect.Struct && of.PkgPath() == reflect.TypeFor[app.App]().PkgPath() && of.NumMethod() > 0
}

// left reports whether a use case is left out on purpose.
func left(offer string) bool {
	why, out := strings.CutPrefix(offer, "no: ")
	return out && why != ""
}

// short are operations that offer the use case of another one with fewer arguments,
// or in another shape.
var short = map[string]string{
	"remember": "capture", "note": "read", "note_write": "write", "canvas_write": "write", "note_edit": "edit", "recent_pages": "browse",
	"projects": "spaces", "space_create": "space_remove", "file": "read",
}

// An operation is of a use case that people can reach, too, and is offered to
// agents. That each has a route is held where they are.
func TestEveryOperationIsOffered(t *testing.T) {
	t.Parallel()
	for _, op := range operation.All() {
		command := false
		for _, use := range useCases {
			command = command || (use.operation == op.Name || use.operation == short[op.Name]) && !left(use.command)
		}
		if !command {
			t.Errorf("%s is of no use case that a command offers", op.Name)
		}
		if !slices.ContainsFunc(operation.Tools(), func(tool *operation.Tool) bool { return tool.Operation == op }) {
			t.Errorf("no tool offers %s", op.Name)
		}
	}
}

// source returns the code of the commands.
func source(t *testing.T) string {
	t.Helper()
	names, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(text)
	}
	return b.String()
}
