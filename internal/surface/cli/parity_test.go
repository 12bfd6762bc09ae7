package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// offered names the command that offers each operation, or gives a reason after "no: ".
var offered = map[string]string{
	"activity":        "activity",
	"assert":          "assert",
	"assert_close":    "assert-close",
	"assertions":      "assertions",
	"blame":           "blame",
	"briefing":        "briefing",
	"browse":          "ls",
	"build_context":   "build-context",
	"canvas_write":    "no: put does it",
	"capture":         "capture",
	"change":          "change",
	"check":           "check",
	"commit":          "commit",
	"compact":         "compact",
	"compact_plan":    "compact --plan",
	"contest":         "contest",
	"context":         "context",
	"curate":          "curate",
	"curate_decide":   "curate merge",
	"daily":           "daily",
	"delete":          "rm",
	"diff":            "diff",
	"dismiss":         "check --dismiss",
	"distil":          "sessions distil",
	"doctor":          "doctor",
	"edit":            "edit",
	"facets":          "search --facets",
	"fields":          "query --rank",
	"file":            "no: a file is there to be opened",
	"find":            "search",
	"gap_approve":     "gap approve",
	"gap_log":         "gap log",
	"gap_note":        "gap note",
	"gap_remove":      "gap rm",
	"gap_resolve":     "gap resolve",
	"gaps":            "gaps",
	"graph":           "graph",
	"history":         "history",
	"inbox":           "inbox",
	"index":           "index",
	"ingest":          "ingest",
	"inject":          "context --inject",
	"link":            "link",
	"link_close":      "link-close",
	"links":           "links",
	"lint":            "lint",
	"map":             "map",
	"mentions":        "backlinks --unlinked",
	"move":            "mv",
	"new_page":        "new",
	"note":            "no: get and links print what it says",
	"note_edit":       "no: edit does it",
	"note_write":      "no: put does it",
	"project_slug":    "project",
	"projects":        "no: a command is a process of its own",
	"pull":            "pull",
	"push":            "push",
	"raw":             "raw",
	"raw_store":       "raw",
	"read":            "get",
	"recall":          "query",
	"recent_pages":    "ls",
	"redo":            "redo",
	"remember":        "capture",
	"resolve":         "check --resolve",
	"restore":         "restore",
	"review":          "review",
	"reviewed":        "review",
	"routine":         "routine show",
	"rows":            "list --columns",
	"schema_diff":     "schema diff",
	"schema_infer":    "schema infer",
	"schema_validate": "schema validate",
	"unreviewed":      "unreviewed",
	"sessions":        "sessions",
	"show":            "show",
	"source_add":      "source add",
	"space_create":    "no: space add does it",
	"space_remove":    "space rm",
	"spaces":          "space list",
	"stale":           "stale",
	"stale_apply":     "stale --apply",
	"status":          "space show",
	"sync":            "sync",
	"table":           "table",
	"tag":             "tag",
	"take_back":       "undo --last",
	"tasks":           "tasks",
	"timeline":        "timeline",
	"timeline_add":    "timeline-add",
	"today":           "today",
	"undo":            "undo",
	"unlinked":        "links --unlinked",
	"write":           "put",
}

// commandsOnly are the other commands: with "as " an operation that another command
// offers, too, else the reason why there is none.
var commandsOnly = map[string]string{
	"backlinks":                   "as links",
	"call":                        "calls any operation",
	"collection add":              "spaces are set up by a person",
	"collection list":             "as spaces",
	"config get":                  "settings are a person's",
	"config list":                 "settings are a person's",
	"config path":                 "settings are a person's",
	"config set":                  "settings are a person's",
	"config unset":                "settings are a person's",
	"curate split":                "as curate_decide",
	"curate stamp":                "as curate_decide",
	"curate supersede":            "as curate_decide",
	"db copy":                     "moving a memory is for the person whose it is",
	"db path":                     "of the file on this machine",
	"db restore":                  "replaces the memory, for a person",
	"find-all":                    "as recall",
	"forget":                      "what is forgotten for good is for a person to decide",
	"emacs":                       "installs a client on this machine",
	"import basic-memory":         "imports are a person's",
	"import claude conversations": "imports are a person's",
	"import claude projects":      "imports are a person's",
	"import memory-json":          "imports are a person's",
	"import quaid":                "imports are a person's",
	"inbox done":                  "as inbox",
	"space move-host":             "moves a directory between machines, for a person on the new one",
	"init":                        "sets up this machine",
	"list":                        "as browse",
	"man":                         "manual pages",
	"lsp":                         "is the server of editors",
	"mcp":                         "is the server of the operations",
	"merge-driver":                "git calls it",
	"pipe":                        "is the server of the operations",
	"recent":                      "as browse",
	"routine done":                "as routine",
	"routine due":                 "as routine",
	"web":                         "a browser calls the operations",
	"serve token":                 "tokens are a person's",
	"skills doctor":               "files of clients on this machine",
	"skills install":              "files of clients on this machine",
	"skills list":                 "files of clients on this machine",
	"skills show":                 "files of clients on this machine",
	"space restore":               "spaces are a person's",
	"space policy":                "policies are a person's",
	"space upgrade":               "policies are a person's",
	"stats":                       "as status",
	"table rm":                    "as table",
	"table set":                   "as table",
	"tags":                        "as browse",
	"tools-json":                  "describes the operations",
	"unlink":                      "as link",
	"untag":                       "as tag",
	"tag-rename":                  "as edit",
	"uninstall":                   "takes cairn out, which a person does",
	"version":                     "of this binary",
	"upgrade":                     "of this binary",
	"completion":                  "completion",
	"db backup":                   "writes a file where a person wants it",
	"db compact":                  "upkeep of the file, for a person",
	"db dump":                     "writes a stream of everything",
	"db prune":                    "what is forgotten for good is for a person to decide",
	"db validate":                 "it compares directories, which a person exported",
	"doctor --fix":                "a person agrees to repairs",
	"embed":                       "takes minutes; what a tool writes is embedded at once",
	"export":                      "it writes files where a person wants them",
	"import chatgpt":              "moving a memory is for the person whose it is",
	"import kt":                   "moving a memory is for the person whose it is",
	"imports":                     "moving a memory is for the person whose it is",
	"journal export":              "it writes files where a person wants them",
	"maintain":                    "a timer or cairn serve does it, so that no agent waits for it",
	"model add":                   "the embedding model is a person's choice",
	"model list":                  "the embedding model is a person's choice",
	"model rm":                    "the embedding model is a person's choice",
	"model use":                   "the embedding model is a person's choice",
	"model verify":                "the embedding model is a person's choice",
	"prime":                       "put into a session by its hook",
	"prime --end":                 "shown to a person by a hook",
	"search --in":                 "adding a directory is for the person whose files they are",
	"setup":                       "for setup, which a person runs",
	"space add":                   "spaces are set up by a person",
	"space default":               "spaces are set up by a person",
	"space edit":                  "spaces are set up by a person",
	"space map":                   "spaces are set up by a person",
	"space migrate":               "spaces are set up by a person",
	"space set":                   "spaces are set up by a person",
	"space unmap":                 "spaces are set up by a person",
	"status":                      "edit sets the property status",
}

// People and agents can do the same, but for what is listed with a reason.
func TestEveryOperationIsOffered(t *testing.T) {
	t.Parallel()
	var tried trees
	known := map[string]bool{}
	for _, op := range operation.All() {
		known[op.Name] = true
		use, ok := offered[op.Name]
		if !ok {
			t.Errorf("operation %s has no row: name the command that offers it, or the reason for none", op.Name)
			continue
		}
		if why, none := strings.CutPrefix(use, "no: "); none {
			if why == "" {
				t.Errorf("operation %s has no command and no reason", op.Name)
			}
		} else if err := (commandLine{text: use}).parses(&tried, words(use)); err != nil {
			t.Errorf("operation %s: %v", op.Name, err)
		}
		if !slices.ContainsFunc(operation.Tools(), func(tool *operation.Tool) bool { return tool.Operation == op }) {
			t.Errorf("no tool offers %s", op.Name)
		}
	}
	for name := range offered {
		if !known[name] {
			t.Errorf("operation %s is gone: remove its row", name)
		}
	}
}

func TestEveryCommandIsOffered(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{}
	for _, use := range offered {
		covered[path(use)] = true
	}
	only := map[string]bool{}
	for use, why := range commandsOnly {
		if op, as := strings.CutPrefix(why, "as "); why == "" || as && offered[op] == "" {
			t.Errorf("command %s: %q is no reason and no operation", use, why)
		}
		only[path(use)] = true
	}
	leaves := map[string]bool{}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
		if name := strings.TrimPrefix(cmd.CommandPath(), "cairn "); cmd.Runnable() && !cmd.HasSubCommands() && !cmd.Hidden {
			leaves[name] = true
			if !covered[name] && !only[name] {
				t.Errorf("command %s offers no operation: list it in commandsOnly with the reason", name)
			}
		}
	}
	walk(newRoot(&command.Program{}))
	for name := range only {
		if !leaves[name] {
			t.Errorf("command %s is gone: remove its row", name)
		}
	}
}

// path returns the command of a command line, without flags.
func path(line string) string {
	before, _, _ := strings.Cut(line, " --")
	return before
}
