package cli

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/app"
)

// commands says which command offers a method of app, or after "no: " why none
// does.
var commands = map[string]string{
	"Attach": "search --in", "Backlinks": "backlinks", "Backup": "db backup",
	"Changed": "no: package server asks, for serve", "Changes": "no: the stream of events of serve --http",
	"Close": "no: of the process", "Compact": "db compact", "Current": "space show", "CurrentName": "no: Current says it, too",
	"Delete": "rm", "Diff": "diff", "Dir": "ls", "Directories": "no: package server asks, for serve",
	"Doctor": "doctor", "Dump": "db dump", "Edit": "edit", "EditText": "edit",
	"Embed": "embed", "EmbedSoon": "no: after every command that writes", "EmbedSynced": "embed", "For": "no: a view", "Freshen": "no: before lists, by themselves",
	"Gaps": "gaps", "GapApprove": "gap approve", "GapLog": "gap log", "GapNote": "gap note", "GapRemove": "gap rm",
	"GapResolve": "gap resolve", "Get": "get", "History": "history", "In": "no: a view",
	"Link": "link", "LinkClose": "link-close", "Links": "links",
	"Maintain": "maintain", "Mend": "doctor --fix",
	"ModelAdd": "model add", "ModelList": "model list", "ModelRemove": "model rm", "ModelUse": "model use",
	"ModelVerify": "model verify", "Move": "mv", "Pages": "list", "Prime": "prime", "Primed": "prime",
	"Prune": "db prune", "Put": "put", "Query": "query", "Recent": "recent",
	"Recovered": "no: a notice of every command", "Refs": "completion", "Remember": "capture",
	"RestIfIdle": "no: processes that wait ask for it", "Restore": "restore", "Rules": "no: package server asks, for serve", "Search": "search",
	"SpaceAdd": "space add", "SpaceDefault": "space default", "SpaceList": "space list", "SpaceMap": "space map",
	"SpaceMaps": "space map", "SpaceRemove": "space rm", "SpaceShow": "space show", "SpaceUnmap": "space unmap",
	"State": "status", "Stats": "stats", "Status": "status", "Sync": "sync", "Tag": "tag", "Tags": "tags",
	"Timeline": "timeline", "TimelineAdd": "timeline-add", "Undo": "undo", "Unlink": "unlink",
	"Unresolved": "links --unresolved", "Validate": "db validate",
}

// A use case that people cannot reach is left out on purpose, or not at all.
func TestEveryUseCaseHasACommand(t *testing.T) {
	methods, there := reflect.TypeFor[*app.App](), map[string]bool{}
	code := source(t)
	for i := range methods.NumMethod() {
		name := methods.Method(i).Name
		there[name] = true
		command, ok := commands[name]
		if !ok {
			t.Errorf("App.%s has neither a command nor a reason why there is none", name)
			continue
		}
		if strings.HasPrefix(command, "no: ") {
			continue
		}
		line := commandLine{text: command}
		if err := line.parses(words(command)); err != nil {
			t.Errorf("App.%s: %v", name, err)
		}
		if !regexp.MustCompile(`\ba(pp)?\.` + name + `\b`).MatchString(code) {
			t.Errorf("App.%s: no command asks for it", name)
		}
	}
	for name := range commands {
		if !there[name] {
			t.Errorf("App.%s is in the table and is not there any more", name)
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
