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
	"github.com/cairn-kb/cairn/internal/operation"
)

// useCase says which command and which operation offer a method of app, or
// after "no: " why none does.
type useCase struct{ command, operation string }

var useCases = map[string]useCase{
	"Attach":       {"search --in", "no: adding a directory is for the person whose files they are"},
	"Backlinks":    {"backlinks", "browse"},
	"Backup":       {"db backup", "no: writes a file where a person wants it"},
	"Change":       {"no: mv, rm, tag and untag do each a part of it", "edit"},
	"Changed":      {"no: package server asks, for serve", "no: for the process that watches"},
	"Changes":      {"no: the stream of events of serve --http", "no: the stream of events, for programs that follow a memory"},
	"Close":        {"no: of the process", "no: of the process"},
	"Compact":      {"db compact", "no: upkeep of the file, for a person"},
	"Current":      {"space show", "status"},
	"CurrentName":  {"no: Current says it, too", "status"},
	"Daily":        {"daily", "daily"},
	"Delete":       {"rm", "delete"},
	"Diff":         {"diff", "diff"},
	"Dir":          {"ls", "browse"},
	"Directories":  {"no: package server asks, for serve", "no: for the process that watches"},
	"Doctor":       {"doctor", "doctor"},
	"Dump":         {"db dump", "no: writes a stream of everything"},
	"Edit":         {"edit", "edit"},
	"EditText":     {"edit", "no: gives the text to an editor"},
	"Embed":        {"embed", "no: takes minutes; what a tool writes is embedded at once"},
	"EmbedSoon":    {"no: after every command that writes", "no: follows each write by itself"},
	"EmbedSynced":  {"embed", "no: as Embed"},
	"For":          {"no: a view", "no: a view"},
	"Freshen":      {"no: before lists, by themselves", "browse"},
	"GapApprove":   {"gap approve", "gap_approve"},
	"GapLog":       {"gap log", "gap_log"},
	"GapNote":      {"gap note", "gap_note"},
	"GapRemove":    {"gap rm", "gap_remove"},
	"GapResolve":   {"gap resolve", "gap_resolve"},
	"Gaps":         {"gaps", "gaps"},
	"Get":          {"get", "read"},
	"History":      {"history", "history"},
	"In":           {"no: a view", "no: a view"},
	"Link":         {"link", "link"},
	"LinkClose":    {"link-close", "link"},
	"Links":        {"links", "browse"},
	"Maintain":     {"maintain", "no: a timer or cairn serve does it, so that no agent waits for it"},
	"Mend":         {"doctor --fix", "no: a person agrees to repairs"},
	"ModelAdd":     {"model add", "no: the embedding model is a person's choice"},
	"ModelList":    {"model list", "no: the embedding model is a person's choice"},
	"ModelRemove":  {"model rm", "no: the embedding model is a person's choice"},
	"ModelUse":     {"model use", "no: the embedding model is a person's choice"},
	"ModelVerify":  {"model verify", "no: the embedding model is a person's choice"},
	"Move":         {"mv", "move"},
	"Pages":        {"list", "browse"},
	"Prime":        {"prime", "no: put into a session by its hook"},
	"Primed":       {"prime", "no: put into a session by its hook"},
	"Prune":        {"db prune", "no: what is forgotten for good is for a person to decide"},
	"Put":          {"put", "write"},
	"Query":        {"query", "recall"},
	"Recent":       {"recent", "browse"},
	"Notes":        {"no: a notice of every command", "no: notes in the answers of others"},
	"Recovered":    {"no: a notice of every command", "no: a notice for the command that opened the memory"},
	"Redo":         {"redo", "redo"},
	"Refs":         {"completion", "no: completion"},
	"Remember":     {"capture", "remember"},
	"RestIfIdle":   {"no: processes that wait ask for it", "no: processes that wait ask for it"},
	"Restore":      {"restore", "restore"},
	"Rules":        {"no: package server asks, for serve", "no: for the process that watches"},
	"Search":       {"search", "no: recall searches by words and meaning"},
	"SpaceAdd":     {"space add", "no: spaces are set up by a person"},
	"SpaceDefault": {"space default", "no: spaces are set up by a person"},
	"SpaceList":    {"space list", "spaces"},
	"SpaceMap":     {"space map", "no: spaces are set up by a person"},
	"SpaceMaps":    {"space map", "no: spaces are set up by a person"},
	"SpaceRemove":  {"space rm", "no: spaces are set up by a person"},
	"SpaceSet":     {"space set", "no: spaces are set up by a person"},
	"SpaceShow":    {"space show", "spaces"},
	"SpaceUnmap":   {"space unmap", "no: spaces are set up by a person"},
	"State":        {"status", "status"},
	"Stats":        {"stats", "status"},
	"Status":       {"status", "no: edit sets the property status"},
	"Sync":         {"sync", "sync"},
	"Tag":          {"tag", "tag"},
	"Tags":         {"tags", "browse"},
	"Tasks":        {"tasks", "tasks"},
	"Timeline":     {"timeline", "timeline"},
	"TimelineAdd":  {"timeline-add", "timeline_add"},
	"Undo":         {"undo", "undo"},
	"Unlink":       {"unlink", "link"},
	"Unresolved":   {"links --unresolved", "links"},
	"Validate":     {"db validate", "doctor"},
}

// A use case that people, agents or programs cannot reach is left out on
// purpose, or not at all.
func TestEveryUseCaseIsOffered(t *testing.T) {
	code := source(t)
	methods, there := reflect.TypeFor[*app.App](), map[string]bool{}
	for i := range methods.NumMethod() {
		name := methods.Method(i).Name
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
			if !regexp.MustCompile(`\ba(pp)?\.` + name + `\b`).MatchString(code) {
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

// left reports whether a use case is left out on purpose.
func left(offer string) bool {
	why, out := strings.CutPrefix(offer, "no: ")
	return out && why != ""
}

// An operation is of a use case that people can reach, too, and is offered to
// agents. That each has a route is held where they are.
func TestEveryOperationIsOffered(t *testing.T) {
	for _, op := range operation.All() {
		command := false
		for _, use := range useCases {
			command = command || use.operation == op.Name && !left(use.command)
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
	names, err := filepath.Glob("*.go")
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
