package doctor

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// Question is a set of checks for one purpose. A run can combine several.
type Question uint

// Questions of the commands.
const (
	Daily      Question = 1 << iota // doctor
	Status                          // status: as Daily, without reading all documents
	Deep                            // doctor --deep, with Daily
	Stored                          // db validate
	Files                           // db validate --all, with Stored
	Links                           // db validate --links
	Assertions                      // db validate --assertions
	Embeddings                      // db validate --embeddings
	NoMemory                        // doctor when no memory exists
)

const everyday = Daily | Status

// Check is one row of the registry. It has at most one of the functions: a row
// without any describes results produced by another row.
type Check struct {
	Name   string // of its results; checks of a space append the space's name
	Passes string // text when it is ok; empty in a row that repeats a check for another question
	Repair string // action of doctor --fix, or of a person

	Asked Question
	Sound bool // requires an undamaged database

	Memory  func(context.Context, *Look) ([]api.Check, error)
	space   func(context.Context, *Look, *inspected) ([]api.Check, error)
	indexed func(context.Context, *memory.Session, store.Tx, kb.Space) (api.Check, error) // of a space; checks next to each other share a transaction, and are cached until the next commit
}

// Registry lists the checks of a memory in the order of their results. New checks
// are added here. The command line appends the checks of the machine.
func Registry() []Check {
	return []Check{
		{Name: "memory", Asked: everyday, Memory: one(checkMemory),
			Passes: "the database can be written", Repair: "no"},
		{Name: "permissions", Asked: everyday, Memory: ofFile(checkPermissions),
			Passes: "only you can read and write the files of the memory", Repair: "yes"},
		{Name: "files of the memory", Asked: everyday, Memory: ofFile(checkOpenFiles),
			Passes: "always; it lists the files that belong together", Repair: "no"},
		{Name: "disk of the memory", Asked: everyday, Memory: ofFile(checkDisk),
			Passes: "it is a local disk", Repair: "no: keep the memory on a local disk"},
		{Name: "journal", Asked: everyday, Memory: one(checkJournal),
			Passes: "no write is unfinished, and records of unfinished writes can be read",
			Repair: "no: see [above](#an-unfinished-write-that-cannot-be-read)"},
		{Name: "database", Asked: Deep | Stored, Memory: one(checkDatabase),
			Passes: "SQLite finds its structure whole, every reference leads somewhere, stored texts have their hashes, versions count from 1, names and tags are those of their pages",
			Repair: "rows that belong to nothing; names and tags. Otherwise restore a backup"},
		{Name: "journal", Asked: Stored, Sound: true, Memory: one(checkJournal)}, // reads the database
		{Name: "index of", Asked: Deep | Stored, Sound: true, Memory: checkIndex,
			Passes: "each document, derived again from its text, gives the same rows, the same full text (compared by a sum over all words and positions), and links that lead where their names say",
			Repair: "yes"},
		{Name: "history of",
			Passes: "it ends in the text that the document has", Repair: "no: save the document again"},
		{Name: "full text", Asked: everyday | Deep | Stored, Sound: true, Memory: one(checkFullText),
			Passes: "it has each page once", Repair: "yes"},
		{Name: "vectors", Asked: Deep | Stored, Sound: true, Memory: one(checkVectors),
			Passes: "each has its model's dimensions, the length one, an intact checksum, and of the active model a passage that the page has",
			Repair: "yes; `cairn embed` too"},
		{Name: "sync", Asked: Deep | Links | Assertions | Embeddings, space: checkUnindexed}, // the next checks read only the index
		{Name: "sync", Asked: Files, Sound: true, space: checkBytes},
		{Name: "relations", Asked: Files | Links, Sound: true, Memory: checkAllRelations},
		{Name: "assertions", Asked: Deep | Files | Assertions, Memory: checkAllAssertions,
			Passes: "none is kept twice, and superseded ones exist and have ended", Repair: "no: correct the sidecar"},
		{Name: "model", Asked: Embeddings, Memory: checkEmbeddings}, // and their vectors
		{Name: "default space", Asked: everyday, Memory: one(checkDefault),
			Passes: "none is set, or it exists", Repair: "yes"},
		{Name: "maintenance", Asked: everyday, Memory: one(checkMaintenance),
			Passes: "no job failed the last time", Repair: "no: `cairn maintain --force`"},
		{Name: "model", Asked: everyday, Memory: one(checkChosen),
			Passes: "one embedding model is active and can be used here", Repair: "no: `cairn model use`"},
		{Name: "long pages", Asked: everyday, Memory: one(checkLong),
			Passes: "every page can be embedded whole", Repair: "no: divide them"},
		{Name: "forgotten spaces", Asked: everyday, Memory: checkForgotten,
			Passes: "none was forgotten more than 30 days ago", Repair: "yes; `cairn maintain` too"},
		{Name: "unfinished removal", Asked: everyday, Memory: checkRemoval,
			Passes: "no `cairn forget` was interrupted", Repair: "no: the next `cairn forget` finishes it"},

		{Name: "space", Asked: everyday, space: checkOpen,
			Passes: "its directory and its policy can be read", Repair: "no"},
		{Name: "secret scan", Asked: everyday, space: checkScan,
			Passes: "the policy does not switch it off", Repair: "no"},
		{Name: "policy", Asked: everyday, space: checkAccepted,
			Passes: "a person accepted the parts that came with the directory", Repair: "no: `cairn space add`"},
		{Name: "syntax", Asked: everyday, space: checkSyntax,
			Passes: "notes are read in the syntax of the program that keeps the directory", Repair: "yes"},
		{Name: "disk of", Asked: everyday, space: checkSpaceDisk,
			Passes: "it is a local disk", Repair: "no"},
		{Name: "sidecars", Asked: everyday, space: checkSidecars,
			Passes: "every sidecar is used", Repair: "no: rename or move them"},
		{Name: "files", Asked: everyday, space: checkSkipped,
			Passes: "every file that looks like a note is read", Repair: "no: rename them, or list them in `.cairnignore`"},
		{Name: "leftovers", Asked: everyday, space: checkLeftovers,
			Passes: "no temporary files of killed processes exist", Repair: "yes; `cairn sync` too"},
		{Name: "sync", Asked: everyday, space: checkSynced,
			Passes: "no file changed since it was indexed; with `--all`, each file's bytes are those that are indexed",
			Repair: "yes; `cairn sync --full` too"},
		{Name: "failures", Asked: everyday, indexed: checkFailures,
			Passes: "every note could be indexed", Repair: "no: repair them"},
		{Name: "documents", Asked: everyday, indexed: checkWarnings,
			Passes: "every document was understood", Repair: "no: fix them in an editor"},
		{Name: "links", Asked: everyday, indexed: checkLinks,
			Passes: "no link may mean several pages", Repair: "no: write paths"},
		{Name: "relations", Asked: everyday, indexed: checkRelations,
			Passes: "none of one type holds twice at a time to one page, or ends before it begins", Repair: "no: correct the dates"},
		{Name: "ids", Asked: everyday, indexed: checkIDs,
			Passes: "no id is in two documents", Repair: "no: delete the copies"},
		{Name: "names", Asked: everyday, indexed: checkNames,
			Passes: "no name has invisible characters", Repair: "no: rename them"},
		{Name: "timelines", Asked: everyday, space: checkEvidence,
			Passes: "no other program altered or dropped entries of an append-only timeline", Repair: "no: `cairn restore`"},
		{Name: "lint", Asked: Daily, space: checkFaults,
			Passes: "no document breaks a fatal rule, where the policy enforces them", Repair: "no: `cairn lint` lists the faults"},
		{Name: "schemas", Asked: Daily, space: checkSchemas,
			Passes: "no document breaks a schema of the policy", Repair: "no: `cairn lint` lists the faults"},
		{Name: "notes", Asked: Daily, space: checkNotes,
			Passes: "no note breaks a strict schema", Repair: "no: `cairn schema validate` lists them"},
		{Name: "conflicts", Asked: everyday, space: checkConflicts,
			Passes: "no two pages contradict each other", Repair: "no"},
		{Name: "regions", Asked: everyday, space: checkRegions,
			Passes: "all generated parts of pages can be made", Repair: "no: correct the marks"},
		{Name: "git", Asked: everyday, space: checkGuard,
			Passes: "the repository is on a branch, clean and pushed", Repair: "no: it lists the command"},

		{Name: "sources", Asked: Daily, Memory: checkRemotes,
			Passes: "always; it lists how large the sources are", Repair: "no"},
		{Name: "remote",
			Passes: "it answers, and shows nothing to strangers", Repair: "no: make the repository private"},
		{Name: "git history",
			Passes: "with `--deep`: no version of a file has a credential", Repair: "no: replace the credential"},
	}
}

func checkRemotes(ctx context.Context, l *Look) ([]api.Check, error) {
	return gitsync.Doctor(ctx, l.Session, l.Asked&Deep != 0)
}
