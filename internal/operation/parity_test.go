package operation_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/operation"
)

// tools says which operation offers a method of app, or after "no: " why none
// does.
var tools = map[string]string{
	"Attach":    "no: adding a directory is for the person whose files they are",
	"Backlinks": "browse", "Backup": "no: writes a file where a person wants it",
	"Changed": "no: for the process that watches", "Directories": "no: for the process that watches",
	"Rules":   "no: for the process that watches",
	"Changes": "no: the stream of events, for programs that follow a memory",
	"Close":   "no: of the process", "Compact": "no: upkeep of the file, for a person",
	"Current": "status", "CurrentName": "status", "Delete": "delete", "Diff": "diff", "Dir": "browse", "Doctor": "doctor",
	"Dump": "no: writes a stream of everything", "Edit": "edit",
	"EditText": "no: gives the text to an editor", "Embed": "no: takes minutes; what a tool writes is embedded at once",
	"EmbedSoon": "no: follows each write by itself", "EmbedSynced": "no: as Embed",
	"For": "no: a view", "Freshen": "browse", "Get": "read", "History": "history", "In": "no: a view",
	"Gaps": "gaps", "GapApprove": "gap_approve", "GapLog": "gap_log", "GapNote": "gap_note", "GapRemove": "gap_remove",
	"GapResolve": "gap_resolve",
	"Link":       "link", "LinkClose": "link", "Links": "browse",
	"Maintain": "no: a timer or cairn serve does it, so that no agent waits for it",
	"Mend":     "no: a person agrees to repairs", "Move": "move", "Pages": "browse",
	"Prune": "no: what is forgotten for good is for a person to decide",
	"Prime": "no: put into a session by its hook", "Primed": "no: put into a session by its hook",
	"Put": "write", "Query": "recall", "Recent": "browse",
	"Recovered": "no: a notice for the command that opened the memory", "Refs": "no: completion",
	"Remember": "remember", "RestIfIdle": "no: processes that wait ask for it", "Restore": "restore", "Search": "no: recall searches by words and meaning",
	"SpaceAdd": "no: spaces are set up by a person", "SpaceDefault": "no: spaces are set up by a person",
	"SpaceList": "spaces", "SpaceMap": "no: spaces are set up by a person",
	"SpaceMaps": "no: spaces are set up by a person", "SpaceRemove": "no: spaces are set up by a person",
	"SpaceShow": "spaces", "SpaceUnmap": "no: spaces are set up by a person",
	"State": "status", "Stats": "status", "Status": "no: edit sets the property status",
	"Sync": "sync", "Tag": "tag", "Tags": "no: recall and browse show tags with their pages",
	"Timeline": "timeline", "TimelineAdd": "timeline_add", "Undo": "undo", "Unlink": "link",
	"Unresolved": "links", "Validate": "doctor",
	"ModelAdd":    "no: the embedding model is a person's choice",
	"ModelList":   "no: the embedding model is a person's choice",
	"ModelRemove": "no: the embedding model is a person's choice",
	"ModelUse":    "no: the embedding model is a person's choice",
	"ModelVerify": "no: the embedding model is a person's choice",
}

// A use case that agents cannot reach is left out on purpose, or not at all.
func TestEveryUseCaseHasATool(t *testing.T) {
	methods, used := reflect.TypeFor[*app.App](), map[string]bool{}
	for i := range methods.NumMethod() {
		name := methods.Method(i).Name
		tool, ok := tools[name]
		if !ok {
			t.Errorf("App.%s has neither a tool nor a reason why there is none", name)
		}
		used[name] = true
		if strings.HasPrefix(tool, "no: ") || !ok {
			continue
		}
		if _, err := operation.Find(tool); err != nil {
			t.Errorf("App.%s: %v", name, err)
		}
	}
	for name := range tools {
		if !used[name] {
			t.Errorf("App.%s is in the table and is not there any more", name)
		}
	}
}
