package kb

import (
	"fmt"
	"maps"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb/safetext"
)

// Reason names a situation with advice that depends on how the memory is used: with
// commands, with tools, or otherwise. An error has a reason instead of a hint that
// names commands, flags or tools; each surface has its own words for every reason.
type Reason string

// Facts are the parameters of the advice for a reason, such as the name of a
// model. Like a hint they never contain a page's content or a secret.
type Facts map[string]any

// Reasons. Comments list their facts.
const (
	// Pages and writes.
	PageNotFound     Reason = "page_not_found"
	PageDeleted      Reason = "page_deleted" // actor, when, version: the last one with its text
	PageExists       Reason = "page_exists"
	NameTaken        Reason = "name_taken"  // ref: of the page with the name
	NoteExists       Reason = "note_exists" // ref: of the note with the title
	TitleTaken       Reason = "title_taken" // ref: of the page with the title of a new page
	NameShared       Reason = "name_shared"
	SimilarFound     Reason = "similar_found" // ref: of the most similar page
	BrokenPlan       Reason = "broken_plan"
	NoSummary        Reason = "no_summary"
	PageWithoutName  Reason = "page_without_name"
	SummaryMissing   Reason = "summary_missing"
	NothingToEdit    Reason = "nothing_to_edit"
	LinkWithoutType  Reason = "link_without_type"
	NoRelation       Reason = "no_relation" // slug, ref: of the page at its start
	TagInText        Reason = "tag_in_text" // tag, line
	MetadataReplaced Reason = "metadata_replaced"
	LinksProtected   Reason = "links_protected"
	EvidenceKept     Reason = "evidence_kept"    // ref: of the page with the entries
	EvidenceDeleted  Reason = "evidence_deleted" // ref: of the deleted page with the entries
	SourceStored     Reason = "source_stored"
	NoSuchSource     Reason = "no_such_source" // ref
	NoSuchLink       Reason = "no_such_link"
	AssertedNowhere  Reason = "asserted_nowhere"
	WrittenUnread    Reason = "written_unread"
	NotPermitted     Reason = "not_permitted"
	SecretFound      Reason = "secret_found" // rules, mark: the marker that allows it
	SecretsTooMany   Reason = "secrets_too_many"
	NoSuchDirectory  Reason = "no_such_directory"
	NoSuchSchema     Reason = "no_such_schema" // type: of notes without a schema
	SchemaExists     Reason = "schema_exists"  // type: of notes with a schema
	NoSuchType       Reason = "no_such_type"
	NoSuchLine       Reason = "no_such_line"
	ToolNotOffered   Reason = "tool_not_offered" // set, tool: the set that has the tool, and its name
	OnlyReading      Reason = "only_reading"

	// History.
	NoSuchVersion Reason = "no_such_version"
	VersionPruned Reason = "version_pruned"
	PathTaken     Reason = "path_taken"
	NoSuchWrite   Reason = "no_such_write"
	NothingToUndo Reason = "nothing_to_undo"
	NothingToRedo Reason = "nothing_to_redo"
	UndoUnbounded Reason = "undo_unbounded"
	NotCompacted  Reason = "not_compacted"

	// Questions.
	BadSimilarity Reason = "bad_similarity"
	ModelSlow     Reason = "model_slow"
	NoSuchGap     Reason = "no_such_gap"

	// Spaces and their directories.
	NoSpace          Reason = "no_space"
	NoSpaceYet       Reason = "no_space_yet"
	NoDefaultSpace   Reason = "no_default_space"
	SpaceUndecided   Reason = "space_undecided" // spaces, first
	SpaceNameTaken   Reason = "space_name_taken"
	WhichImport      Reason = "which_import"
	NoSpaceDirectory Reason = "no_space_directory"
	MappedTooWide    Reason = "mapped_too_wide"
	PolicyMissing    Reason = "policy_missing" // root
	DirectoryEmpty   Reason = "directory_empty"
	SpaceElsewhere   Reason = "space_elsewhere" // space, host: of its directory
	SpaceCopied      Reason = "space_copied"    // space, host: of the original directory of this copy
	MassDeletion     Reason = "mass_deletion"

	// Git repositories of guarded spaces.
	MayContest      Reason = "may_contest" // path
	SourceTooLarge  Reason = "source_too_large"
	NoRepository    Reason = "no_repository"
	OtherRepository Reason = "other_repository"
	UnsavedEdits    Reason = "unsaved_edits"
	GitUnderway     Reason = "git_underway"
	GitDetached     Reason = "git_detached"
	GitNoUpstream   Reason = "git_no_upstream"
	GitDiverged     Reason = "git_diverged"
	GitBehind       Reason = "git_behind"
	GitInTheWay     Reason = "git_in_the_way"
	GitRewritten    Reason = "git_rewritten"
	GitUnreachable  Reason = "git_unreachable"
	GitStaged       Reason = "git_staged"
	GitIgnored      Reason = "git_ignored"
	GitSparse       Reason = "git_sparse"
	HookRefused     Reason = "hook_refused"
	GitLocked       Reason = "git_locked"
	GitPrograms     Reason = "git_programs" // root
	PolicyWaits     Reason = "policy_waits" // root

	// The memory as a whole.
	NoMemory        Reason = "no_memory"
	NoDatabase      Reason = "no_database"
	NoDatabasePath  Reason = "no_database_path"
	NotAFile        Reason = "not_a_file"
	NotAMemory      Reason = "not_a_memory"
	ForeignDatabase Reason = "foreign_database"
	NewerSchema     Reason = "newer_schema"
	MemoryCorrupt   Reason = "memory_corrupt"
	MemoryInvalid   Reason = "memory_invalid"
	MemoryFailed    Reason = "memory_failed"
	FilesReplaced   Reason = "files_replaced"
	ListDamaged     Reason = "list_damaged"
	VersionDamaged  Reason = "version_damaged"
	JournalDamaged  Reason = "journal_damaged"

	// A memory on a database server.
	InvalidDatabaseURL  Reason = "invalid_database_url"
	PasswordInURL       Reason = "password_in_url"
	DatabaseDown        Reason = "database_down"
	DatabaseLogin       Reason = "database_login"
	DatabaseMissing     Reason = "database_missing"
	DatabaseRole        Reason = "database_role"
	DatabaseConnections Reason = "database_connections"
	DatabaseDiskFull    Reason = "database_disk_full"
	DatabaseResources   Reason = "database_resources"
	DatabaseReadOnly    Reason = "database_read_only"
	DatabaseConflict    Reason = "database_conflict"
	DatabaseTooLong     Reason = "database_too_long"
	DatabaseDamaged     Reason = "database_damaged"
	DatabaseLockLost    Reason = "database_lock_lost"
	DatabaseOld         Reason = "database_old"
	DatabaseEncoding    Reason = "database_encoding"
	DatabaseUnsure      Reason = "database_unsure"
	BackupSealed        Reason = "backup_sealed"
	DatabaseTool        Reason = "database_tool" // command: of PostgreSQL, for an operation that cairn does not support

	// Embedding models.
	NoBuiltInModel    Reason = "no_built_in_model"
	NoSuchModel       Reason = "no_such_model" // models
	ModelInUse        Reason = "model_in_use"
	ModelChanged      Reason = "model_changed" // model, url, key_env, active, other: a model to use in the meantime
	ModelFilesGone    Reason = "model_files_gone"
	ModelNeedsFile    Reason = "model_needs_file" // model, file
	ModelNeedsSum     Reason = "model_needs_sum"
	ModelOtherSum     Reason = "model_other_sum"
	ModelSettingsLost Reason = "model_settings_lost" // model
	ModelWithoutKey   Reason = "model_without_key"   // model: its name on the server
	ModelRedirected   Reason = "model_redirected"    // model
	OllamaDimensions  Reason = "ollama_dimensions"   // model
	OpenAIDimensions  Reason = "openai_dimensions"   // model
	VectorsDamaged    Reason = "vectors_damaged"
	SettingDerived    Reason = "setting_derived"

	// Servers and clients.
	NoToken        Reason = "no_token"    // agent: the owner of the missing token, "" for the memory's owner
	TokenUnfit     Reason = "token_unfit" // agent
	PersonOnly     Reason = "person_only" // command: to be typed by a person, without the program name
	NoService      Reason = "no_service"
	NoSuchSkill    Reason = "no_such_skill"
	NoHome         Reason = "no_home"
	NoProjectScope Reason = "no_project_scope"
	PassingProgram Reason = "passing_program"
)

// WithReason sets the reason, without facts, and returns the error. An existing
// hint stays and is shown before the surface's advice.
func (e *Error) WithReason(r Reason) *Error {
	e.Reason, e.Facts = r, nil
	return e
}

// WithFact adds a parameter of the reason's advice, and returns the error.
func (e *Error) WithFact(name string, value any) *Error {
	if e.Facts == nil {
		e.Facts = Facts{}
	}
	e.Facts[name] = value
	return e
}

// WithHintOf sets the hint and the reason of another error, and returns the
// error.
func (e *Error) WithHintOf(err error) *Error {
	from := AsError(err)
	e.Hint, e.Reason, e.Facts = from.Hint, from.Reason, maps.Clone(from.Facts)
	return e
}

// Wording is a surface's advice for one reason.
type Wording func(Facts) string

// Words returns a wording with a fixed text. In it {name} is replaced by a fact,
// and {word:name} by a fact quoted as one word of a command line.
func Words(text string) Wording {
	return func(f Facts) string {
		var pairs []string
		for name, value := range f {
			text := fmt.Sprint(value)
			pairs = append(pairs, "{"+name+"}", text, "{word:"+name+"}", safetext.Word(text))
		}
		return strings.NewReplacer(pairs...).Replace(text)
	}
}

// Hint returns the whole hint of an error: its own hint, then the advice for
// its reason.
func (w Wording) Hint(e *Error) string {
	words := w(e.Facts)
	if e.Hint == "" {
		return words
	}
	return e.Hint + " " + words
}

// Hinter returns the hint of an error in the words of a surface.
type Hinter func(*Error) string

// Of returns the hint of an error. A nil Hinter returns the error's own hint.
func (h Hinter) Of(e *Error) string {
	if h == nil {
		return e.Hint
	}
	return h(e)
}
