package operation

import (
	"fmt"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Offered reports whether a caller has the tool of a name; nil is for one that has all.
type Offered func(tool string) bool

// ForTool suggests to a program that calls tools how to handle an error. It
// names only tools that the program has.
func ForTool(e *kb.Error, has Offered) string {
	if tool, _ := e.Facts["tool"].(string); e.Reason == kb.ToolNotOffered && instead[tool] != "" {
		if words, ok := withTools(instead[tool], has); ok {
			return words + " " + ForUser(e)
		}
	}
	if a := toolHints[e.Reason]; len(a) > 0 {
		if words := a.words(has); words != "" {
			return kb.Words(words).Hint(e)
		}
	}
	return ForUser(e)
}

// advice are sentences for a program that calls tools.
type advice []sentence

// sentence is a sentence in several forms. The first form with tools that the
// caller has is used. In <a|b> the first tool that the caller has is used.
type sentence []string

// words returns the sentences that name only tools of the caller.
func (a advice) words(has Offered) string {
	var out []string
	for _, s := range a {
		for _, form := range s {
			if text, ok := withTools(form, has); ok {
				out = append(out, text)
				break
			}
		}
	}
	return strings.Join(out, " ")
}

// withTools puts in the tools that a caller has; ok is false where it has none of those
// that are to choose from.
func withTools(form string, has Offered) (text string, ok bool) {
	ok = true
	text = marked().ReplaceAllStringFunc(form, func(m string) string {
		for _, name := range strings.Split(m[1:len(m)-1], "|") {
			if has == nil || has(name) {
				return name
			}
		}
		ok = false
		return ""
	})
	return text, ok
}

// marked are the names of tools in a sentence.
var marked = lazyregexp.New(`<[a-z_|]+>`)

// ForUser suggests what to do about an error that only the user can resolve at
// a command line. Programs pass it on; the command line prints it too.
func ForUser(e *kb.Error) string {
	if w, ok := userHints[e.Reason]; ok {
		return w.Hint(e)
	}
	return e.Hint
}

// IsForUser reports whether ForUser has words for a reason of its own.
func IsForUser(r kb.Reason) bool { return userHints[r] != nil }

// firstPage says with which tools a memory begins.
var firstPage = advice{
	{"<remember|write|write_note|memory_put|capture> stores the first page."},
	{"Notes in a directory are added by the user: cairn space add DIR"},
}

// recent says where writes are found, with their numbers.
var recent = sentence{"<browse> with what set to recent shows the latest writes, with their numbers.", "<recent_activity> shows the latest writes."}

// ownText is how an agent writes over a page that there is.
var ownText = sentence{"Read it with <read|read_note|memory_get>, and write with its version as expected_version."}

// part is how it changes a part of a page.
var part = sentence{"<edit|edit_note> changes a part of it."}

// takeOut is the whole hint about secrets: only the user learns how to allow
// one.
const takeOut = "Take the value out and note where it is stored instead. Only the user can let it pass."

// toolHints name tools and their arguments, or suggest questions to the user. A
// program may have the tools and no command line.
var toolHints = map[kb.Reason]advice{
	kb.PageNotFound:     {{"Search for it with <recall|search_notes|memory_query>."}},
	kb.PageDeleted:      {{"{actor} deleted it at {when}; its version {version} has its text."}},
	kb.PageExists:       {part, ownText},
	kb.NameTaken:        {{"It is {ref}."}, part, ownText, {"For another page give new."}},
	kb.NoteExists:       {{"<edit_note> changes a part of {ref}."}, {"Read it with <read_note>, and write with its version as expected_version, or with overwrite."}},
	kb.NoSuchSchema:     {{"<schema_infer> makes one of what they hold."}},
	kb.SchemaExists:     {{"Nothing was changed."}, {"<schema_diff> shows what to change in it."}},
	kb.NoSuchLine:       {{"Any other text is added with <daily>."}},
	kb.NoSuchType:       {{"Types in use are counted by <status|memory_stats>."}},
	kb.TitleTaken:       {{"Edit {ref}, or give another title."}},
	kb.NameShared:       {{"For another page give new."}},
	kb.SimilarFound:     {{"Nothing was stored. Capture again with extend or update set to {ref}, or with keep for a page of its own."}},
	kb.NoSummary:        {{"Nothing was changed, and it can be tried again."}, {"Or write the summaries yourself: <compact_plan>, then <compact> with clusters."}},
	kb.BrokenPlan:       {{"Take clusters from <compact_plan>, and give each a title and a summary.", "Give each cluster a title and a summary."}},
	kb.PageWithoutName:  {{"Give ref, such as ideas/cairn, or title."}},
	kb.SummaryMissing:   {{"Nothing was written. Give summary, or that property in the metadata of the text: one line about the page, written to be found."}},
	kb.NothingToEdit:    {{"Give at least one edit."}},
	kb.LinkWithoutType:  {{"Give type, such as works_at."}},
	kb.TagInText:        {{"Edit the text of the page instead."}},
	kb.MetadataReplaced: {{"Nothing was changed. Change a property with do set, and the text with replace in a section."}},
	kb.NoRelation:       {{"<browse> with what set to links and ref {ref} lists its links.", "<links|memory_links> lists the links of {ref}."}},
	kb.LinksProtected:   {{"Move with keep_links, or inform the user."}},
	kb.SourceStored:     {{"Nothing was written. Give overwrite to replace it."}},
	kb.AssertedNowhere:  {{"Give on, the ref of the page."}},
	kb.NoSuchSource:     {{"<raw|memory_raw> without source lists what there is."}},
	kb.NoSuchLink:       {{"<links|memory_links> lists the links of a page with their ids."}},
	kb.EvidenceKept:     {{"Keep the entries, and add a new one about the change."}},
	kb.EvidenceDeleted:  {{"Bring the page back with <restore> (ref {ref}) and edit it, or write a text that has the entries.", "Write a text that has the entries."}},
	kb.WrittenUnread:    {recent},
	kb.NotPermitted:     {{"Nothing was changed; the space's policy does not allow it. Inform the user."}},
	kb.SecretFound:      {{takeOut}},
	kb.SecretsTooMany:   {{takeOut}},
	kb.NoSuchDirectory:  {{"<browse> with what set to tree lists the top without a path.", "<list_directory> lists the top without a path."}},

	kb.NoSuchVersion: {{"<history> lists them."}},
	kb.VersionPruned: {{"It was pruned by the space's retention."}, {"<history> shows which versions have their text."}},
	kb.PathTaken:     {{"Move the existing page away with <move|move_note>, and restore again."}, {"Or read the old text with version."}},
	kb.NoSuchWrite:   {recent},
	kb.NothingToUndo: {recent},
	kb.NothingToRedo: {{"What <undo> took back can be redone until something else is written; then it takes the undo back by its number."}, recent},
	kb.UndoUnbounded: {{"Give both actor and since, or write alone."}},

	kb.BadSimilarity: {{"It is from 0 to 1."}},
	kb.ModelSlow:     {{"it may be loading the model: ask again"}},
	kb.NoSuchGap:     {{"<gaps|memory_gaps> lists them."}},

	kb.NoMemory:        firstPage,
	kb.NoDatabase:      firstPage,
	kb.NoSpace:         firstPage,
	kb.NoSpaceYet:      {{"There are no spaces yet: leave space out, and the first page makes one."}},
	kb.NoDefaultSpace:  {{"Name a space, or ask the user to set one: cairn space default NAME"}},
	kb.SpaceUndecided:  {{"Name one as the argument project: <list_memory_projects> lists them. There are {spaces}.", "Name a space, before a ref ({first}:slug) or as the argument space where there is one. There are {spaces}."}},
	kb.MappedTooWide:   {{"Name a space in the call."}},
	kb.DirectoryEmpty:  {{"Inform the user that the files are missing."}},
	kb.SpaceElsewhere:  {{"Its pages can be searched and read here. Ask the user to make the change on {host}."}},
	kb.SpaceCopied:     {{"The pages of {space} can be searched and read here. Ask the user which machine is to write them."}},
	kb.MayContest:      {{"Nothing was changed."}, {"Append to it, or write what contradicts it as a page of its own and <contest> both; a person decides.", "Append to it, or write what contradicts it as a page of its own; a person decides."}},
	kb.SourceTooLarge:  {{"With full all of it is kept."}},
	kb.NoRepository:    {{"Ask the user to make a git repository of the directory."}},
	kb.OtherRepository: {{"Write to another path."}},
	kb.UnsavedEdits:    {{"Ask the user to save the file in Emacs, and try again."}},
	kb.GitUnderway:     {{"Ask the user to finish it; do not abort it for them."}},
	kb.GitDetached:     {{"Ask the user to check out a branch."}},
	kb.GitNoUpstream:   {{"Ask the user to push the branch once with git push -u."}},
	kb.GitDiverged:     {{"Bring the two together with <pull>, or ask the user to do it.", "Ask the user to bring the two together."}},
	kb.GitBehind:       {{"Bring them in with <pull>.", "Ask the user to bring them in."}},
	kb.GitInTheWay:     {{"Inform the user; with their consent, <commit> with all, and then <pull>.", "Inform the user."}},
	kb.GitRewritten:    {{"Inform the user: local commits have to be rebased on the remote ones, with git."}},
	kb.GitUnreachable:  {{"Go on: local commits are safe. Inform the user that the remote does not answer."}},
	kb.GitStaged:       {{"Ask the user to commit it."}},
	kb.GitIgnored:      {{"Write to another path, or ask the user whether git should ignore it."}},
	kb.GitSparse:       {{"Write to another path, or ask the user to add its directory to the checkout."}},
	kb.GitPrograms:     {{"Ask the user to look at what the repository names, and to accept it."}},
	kb.PolicyWaits:     {{"Ask the user to look at what the policy would do, and to accept it."}},
	kb.HookRefused:     {{"Change what it is about and try again."}},
	kb.GitLocked:       {{"Inform the user; do not remove the file."}},
	kb.MassDeletion:    {{"Ask the user whether the files were deleted on purpose."}},
}

// rebuild is what to do with a file that cannot be read as a memory.
const rebuild = "restore a backup with `cairn db restore`, or stop every cairn, move the file away together with those named after it (-wal, -shm), add the directories again and sync: documents in them are not affected"

// userHints concern settings that only a person at a command line can change:
// the location and file of the memory, its spaces and its model.
var userHints = map[kb.Reason]kb.Wording{
	kb.ToolNotOffered: kb.Words("The user can add the set: cairn setup CLIENT --toolsets core,{set}, or --toolsets of cairn mcp and cairn serve. Until then work with the tools that are listed."),
	kb.OnlyReading:    kb.Words("The user can start it without --read-only."),

	kb.NotCompacted: kb.Words("Run cairn db compact when nobody else uses the memory."),

	kb.WhichImport:      kb.Words("Give both: cairn export --raw --import-id ID. cairn imports lists the ids."),
	kb.SpaceNameTaken:   kb.Words("Choose another name."),
	kb.NoSpaceDirectory: kb.Words("For example: cairn space add ~/notes"),
	kb.PolicyMissing:    kb.Words("Put the file back, or add the space again: cairn space add {word:root}"),

	kb.NoDatabasePath:  kb.Words("Name the database with --db FILE or CAIRN_DB."),
	kb.NotAFile:        kb.Words("name the database file with --db"),
	kb.NotAMemory:      kb.Words("nothing was changed; name another file with --db, or: " + rebuild),
	kb.ForeignDatabase: kb.Words("name another file with --db"),
	kb.NewerSchema:     kb.Words("use the newer cairn that made it, or name another file with --db"),
	kb.MemoryCorrupt:   kb.Words("nothing was changed; " + rebuild),
	kb.MemoryInvalid:   kb.Words("Restore a backup (cairn db restore), or rebuild the memory from its directories: move the file away, add them again and sync."),
	kb.MemoryFailed:    kb.Words("nothing was lost; see whether the memory is sound: cairn db validate"),

	kb.InvalidDatabaseURL:  kb.Words("For example: postgres://user@host/database?memory=team"),
	kb.PasswordInURL:       kb.Words("Leave it out of the URL: put it in ~/.pgpass (PGPASSFILE), in a service file (PGSERVICEFILE), or in PGPASSWORD."),
	kb.DatabaseDown:        kb.Words("Nothing was changed. See whether the server runs and can be reached from here: pg_isready with the same host and port. For an error of TLS see docs/postgres.md."),
	kb.DatabaseLogin:       kb.Words("See that the role and its password are right (~/.pgpass, PGPASSFILE or PGPASSWORD), and that pg_hba.conf lets it in."),
	kb.DatabaseMissing:     kb.Words("Make it with createdb, or name another one in the URL."),
	kb.DatabaseRole:        kb.Words("The owner of the memory can grant it: see the roles in docs/postgres.md."),
	kb.DatabaseConnections: kb.Words("Try again in a moment. If it stays so, raise max_connections or put PgBouncer in front of the server."),
	kb.DatabaseDiskFull:    kb.Words("Nothing was changed. Make room on the disk of the server, then try again."),
	kb.DatabaseResources:   kb.Words("Nothing was changed. See the log of the server, then try again."),
	kb.DatabaseReadOnly:    kb.Words("Nothing was changed. Reading works here; name the primary server in the URL to write."),
	kb.DatabaseConflict:    kb.Words("Nothing was changed. Try again in a moment."),
	kb.DatabaseTooLong:     kb.Words("Nothing was changed. Shorten it to less than 2,700 bytes."),
	kb.DatabaseDamaged:     kb.Words("See the log of the server, and restore the database from its backup if needed."),
	kb.DatabaseLockLost:    kb.Words("Nothing was changed. The connection was cut or the process was stopped for too long. Try again."),
	kb.DatabaseOld:         kb.Words("cairn needs PostgreSQL 13 or newer."),
	kb.DatabaseEncoding:    kb.Words("Make a database with: createdb --encoding=UTF8 --template=template0 NAME"),
	kb.DatabaseUnsure:      kb.Words("Look for it before you write again: cairn recent"),
	kb.BackupSealed:        kb.Words("Give --identity FILE, or --passphrase."),
	kb.DatabaseTool:        kb.Words("Use the tool of the database: {command}"),

	kb.FilesReplaced:  kb.Words("Then check the memory: cairn db validate"),
	kb.ListDamaged:    kb.Words("run `cairn doctor`"),
	kb.VersionDamaged: kb.Words("other versions are not affected; run `cairn doctor`"),
	kb.JournalDamaged: kb.Words("Make a backup with `cairn db backup` and restore it: that leaves unfinished writes out. Then sync."),

	kb.NoBuiltInModel:    kb.Words("use a full build, or another model: cairn model add NAME"),
	kb.NoSuchModel:       kb.Words("models are: {models}; add one with: cairn model add NAME"),
	kb.ModelInUse:        kb.Words("use another one first: cairn model use NAME"),
	kb.SettingDerived:    kb.Words("activate another model with: cairn model use NAME"),
	kb.ModelChanged:      addAgain,
	kb.ModelFilesGone:    kb.Words("put its files back, or choose another model with: cairn model use NAME"),
	kb.ModelNeedsFile:    kb.Words("it is among the files of a release: cairn model add {model} {word:file}"),
	kb.ModelNeedsSum:     kb.Words("give its SHA-256 in hexadecimal: --sha256 SUM"),
	kb.ModelOtherSum:     kb.Words("nothing was changed; get the file of this release again, or give the checksum of yours: --sha256 SUM"),
	kb.ModelSettingsLost: kb.Words("give them again with: cairn model add {model}"),
	kb.ModelWithoutKey:   kb.Words("Behind a server that wants one, add openai/{model} with --url."),
	kb.ModelRedirected:   kb.Words("give the address that it leads to: cairn model add {model} --url ADDRESS"),
	kb.OllamaDimensions:  kb.Words("it is asked for them by: cairn model add ollama/{model}"),
	kb.OpenAIDimensions:  kb.Words("the server is asked for them by: cairn model add openai/{model}"),
	kb.VectorsDamaged:    kb.Words("recompute them with: cairn embed --all"),

	kb.NoToken:        makeToken,
	kb.PersonOnly:     func(f kb.Facts) string { return fmt.Sprintf("A person may do it: cairn %s", f["command"]) },
	kb.TokenUnfit:     func(f kb.Facts) string { return "Make a new one with: " + tokenCommand(f) + " --rotate" },
	kb.NoService:      kb.Words("Have the system run cairn serve when you log in."),
	kb.NoSuchSkill:    kb.Words("cairn skills list names them."),
	kb.NoHome:         kb.Words("Set HOME, or use --scope project."),
	kb.NoProjectScope: kb.Words("Leave --scope out."),
	kb.PassingProgram: kb.Words("Install cairn, then set up again: go install github.com/cairn-kb/cairn/cmd/cairn@latest. Or name a program that stays: --command PATH"),
}

// addAgain says how a model of a name is replaced by one of other dimensions:
// its vectors must go, and those of the model in use do not.
func addAgain(f kb.Facts) string {
	add := fmt.Sprintf("cairn model rm %s && cairn model add %s", f["model"], f["model"])
	if f["url"] != "" {
		add += fmt.Sprintf(" --url %s", f["url"])
	}
	if f["key_env"] != "" {
		add += fmt.Sprintf(" --key-env %s", f["key_env"])
	}
	if f["active"] != true {
		return "remove it with its vectors, and add it again: " + add
	}
	return fmt.Sprintf("remove it with its vectors, and add it again: cairn model use %s && %s && cairn model use %s && cairn embed --all",
		f["other"], add, f["model"])
}

// makeToken describes how to make a missing token.
func makeToken(f kb.Facts) string {
	if f["agent"] == "" {
		return "cairn serve --http makes it."
	}
	return tokenCommand(f) + " makes it."
}

// tokenCommand is about the token of an agent, or of the owner.
func tokenCommand(f kb.Facts) string {
	if f["agent"] == "" {
		return "cairn serve token"
	}
	return fmt.Sprintf("cairn serve token --agent %s", f["agent"])
}
