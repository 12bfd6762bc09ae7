package command

import (
	"maps"
	"slices"
	"strings"
)

// commands are the names that other programs, such as git, zk, Obsidian and the
// shell, use for what cairn's commands do, the best match first. They are
// checked before edit distance, which would suggest "link" for "find".
var commands = map[string][]string{
	"cat": {"get"}, "view": {"get"}, "read": {"get"}, "print": {"get"}, "page": {"get"}, "less": {"get"}, "head": {"get"},
	"open": {"edit", "get"}, "vi": {"edit"}, "vim": {"edit"}, "append": {"edit"}, "replace": {"edit"}, "set": {"edit"}, "update": {"edit", "sync"}, "prepend": {"edit"},
	"create": {"put", "capture", "new"}, "template": {"new"}, "write": {"put"}, "save": {"put", "capture"}, "touch": {"put"},
	"add": {"capture", "put", "space add"}, "note": {"capture"}, "store": {"capture"}, "memo": {"capture"}, "remind": {"capture"},
	"find": {"search", "query", "find-all"}, "grep": {"search"}, "rg": {"search"}, "lookup": {"search"}, "fzf": {"search"}, "locate": {"search"},
	"ask": {"query"}, "answer": {"query"}, "recall": {"query"}, "question": {"query"}, "similar": {"query"}, "exhaustive": {"find-all"}, "semantic": {"query"},
	"log": {"recent", "history"}, "changes": {"recent"}, "events": {"recent"}, "versions": {"history"}, "annotate": {"blame"},
	"day": {"daily", "recent"}, "yesterday": {"recent"},
	"tree": {"ls", "list"}, "dir": {"ls"}, "browse": {"ls", "list"}, "pages": {"list"}, "notes": {"list"}, "all": {"list"}, "files": {"ls"},
	"todo": {"tasks"}, "todos": {"tasks"}, "task": {"tasks"}, "agenda": {"tasks"},
	"rename": {"mv"}, "retag": {"tag-rename"}, "rename-tag": {"tag-rename"}, "remove": {"rm"}, "del": {"rm"}, "trash": {"rm", "restore"}, "undelete": {"restore"},
	"revert": {"undo", "restore"}, "rollback": {"undo", "restore"}, "reset": {"undo", "restore"}, "checkout": {"restore"}, "compare": {"diff"},
	"references": {"backlinks"}, "orphans": {"list", "links"}, "broken": {"links"}, "relate": {"link"},
	"attach": {"space add"}, "vault": {"space"}, "vaults": {"space list"}, "spaces": {"space list"}, "projects": {"space list"},
	"reindex": {"sync"}, "scan": {"sync"}, "refresh": {"sync"}, "watch": {"serve"}, "daemon": {"serve"}, "server": {"serve"}, "start": {"serve"},
	"info": {"status"}, "verify": {"doctor"}, "fsck": {"doctor"}, "repair": {"doctor"}, "gc": {"maintain", "db compact"}, "vacuum": {"db compact"}, "cleanup": {"maintain"},
	"backup": {"db backup"}, "dump": {"db dump"}, "database": {"db"}, "settings": {"config"}, "models": {"model"}, "embeddings": {"embed"}, "tools": {"tools-json"},
	"install": {"setup"}, "connect": {"setup"}, "integrate": {"setup"}, "inject": {"prime"}, "man-page": {"man"}, "manual": {"man"},
}

// Commands returns the commands that somebody who is used to another program
// means by a name, as paths such as "space add"; nil for a name of no meaning.
func Commands(name string) []string { return commands[strings.ToLower(name)] }

// Names returns all names that have a meaning.
func Names() []string { return slices.Sorted(maps.Keys(commands)) }
