package app

import (
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/knowledge/assertion"
	"github.com/cairn-kb/cairn/internal/knowledge/compact"
	"github.com/cairn-kb/cairn/internal/knowledge/conformity"
	"github.com/cairn-kb/cairn/internal/knowledge/curate"
	"github.com/cairn-kb/cairn/internal/knowledge/gap"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/transfer/exporter"

	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"

	"github.com/cairn-kb/cairn/internal/memory/lintpages"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"

	"github.com/cairn-kb/cairn/internal/calendar/presets"

	"github.com/cairn-kb/cairn/internal/calendar/routine"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"

	"github.com/cairn-kb/cairn/internal/calendar/tables"
	"github.com/cairn-kb/cairn/internal/calendar/tree"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/transfer/importer"
)

// What answers are made of, by the names that surfaces know.
type (
	Check = api.Check

	Assertion          = api.Assertion
	AssertionList      = api.Assertions
	AssertionStatus    = api.AssertionStatus
	AssertRequest      = assertion.AddRequest
	AssertionsRequest  = assertion.ListRequest
	AssertCloseRequest = assertion.CloseRequest

	CheckRequest      = contradiction.Request
	Contradiction     = api.Contradiction
	ContradictionList = api.Contradictions
	ContradictionSide = api.Side
	ResolveRequest    = contradiction.ResolveRequest
	Project           = api.Project
	MergeRequest      = gitsync.MergeRequest
	FieldsRequest     = retrieve.FieldsRequest
	FieldHits         = api.FieldHits
	FieldHit          = api.FieldHit
	ContestRequest    = change.ContestRequest

	Conformity        = api.Conformity
	PageConformity    = api.PageConformity
	ConformityRequest = conformity.Request
	FieldUse          = api.FieldUse
	InferredSchema    = api.InferredSchema
	InferRequest      = conformity.InferRequest
	SchemaDrift       = api.SchemaDrift
	Fault             = api.Fault
	Faults            = api.Faults
	LintRequest       = lintpages.Request
	CommitRequest     = gitsync.Request
	GitCommit         = api.GitCommit
	GitPush           = api.GitPush
	KeptSource        = api.Source
	SourceRequest     = ingest.SourceRequest
	PullRequest       = gitsync.PullRequest
	GitPull           = api.GitPull
	GitConflict       = api.GitConflict
	GitState          = api.GitState
	Curation          = api.Curation
	CurationDue       = api.CurationDue
	CurationItem      = api.CurationItem
	CurationKind      = api.CurationKind
	CurationReason    = api.CurationReason
	CurateRequest     = curate.Request
	CurationDecision  = curate.Decision
	CurationVerb      = curate.Verb
	Briefing          = api.Briefing
	BriefingRequest   = brief.Request
	BriefingSection   = api.BriefingSection

	CaptureRequest = ingest.CaptureRequest
	CaptureAnswer  = ingest.CaptureAnswer
	Captured       = ingest.Captured
	CaptureCall    = ingest.Call

	IngestRequest = ingest.Request
	IngestSource  = ingest.Kept
	IngestPage    = ingest.Page
	IngestAnswer  = ingest.Answer
	IngestLeft    = ingest.Left
	IngestMention = ingest.Mentioned
	IngestOf      = ingest.Source

	JournalRequest = exporter.JournalRequest
	JournalExport  = exporter.Export

	ImportRequest = importer.Request
	ImportReceipt = importer.Receipt
	NodeOfKT      = importer.Node
	ProjectOfKT   = importer.Project
	ExportRequest = importer.ExportRequest
	ExportOf      = importer.Program
	Imported      = importer.Imported
	OutRequest    = exporter.Request
	Exported      = exporter.Result
	Comparison    = exporter.Comparison

	ContextRequest = brief.GistRequest
	ContextBrief   = brief.Brief
	ShownPage      = brief.Shown

	Count        = api.Count
	Dir          = api.Dir
	Heading      = api.Heading
	Task         = api.Task
	Entry        = api.Entry
	Evidence     = api.Evidence
	Activity     = api.Activity
	FileEvent    = api.FileEvent
	Serving      = api.Serving
	Watch        = api.Watch
	Hit          = api.Hit
	Item         = api.Item
	Link         = api.Link
	LinkList     = api.LinkList
	UnlinkedName = api.UnlinkedName
	Graph        = api.Graph
	GraphNode    = api.GraphNode
	GraphLink    = api.GraphLink
	Temporal     = api.Temporal
	Direction    = links.Direction
	Mapping      = api.Mapping
	Mode         = api.Mode
	Moved        = api.Moved
	Page         = api.Page
	SearchResult = api.SearchResult
	Skipped      = api.Skipped
	Space        = api.Space
	State        = api.State
	Stats        = api.Stats
	Breakdown    = api.Breakdown
	SyncReport   = api.SyncReport
	Text         = api.Text
	Twin         = api.Twin
	Version      = api.Version
	Warning      = api.Warning
	Why          = api.Why
	WriteOptions = api.WriteOptions
	Written      = api.Written
	WrittenPage  = api.WrittenPage

	List[T any] = api.List[T]

	SpaceAdd = space.AddRequest
	SpaceSet = space.SetRequest

	SpaceRewrite   = space.RewriteRequest
	SpaceRewritten = space.Rewritten
	LaidOut        = api.LaidOut
	Routine        = routine.Routine
	Brought        = presets.Brought
	MigrateRequest = presets.MigrateRequest
	Migration      = presets.Migration
	MigratedPage   = presets.MigratedPage
	Tables         = tables.Engine
	Table          = tables.Table
	TableRow       = tables.Row
	TableRequest   = tables.Request
	Tree           = *tree.Engine
	TreePlace      = tree.Place
	TreeFile       = tree.File
	TreeListing    = tree.Listing
	TreeRequest    = tree.Request

	Injected     = brief.Injected
	Prime        = brief.Prime
	PrimeRequest = brief.PrimeRequest

	Mended  = doctor.Mended
	Receipt = doctor.Receipt

	JobFailure      = jobs.JobFailure
	JobReport       = jobs.JobReport
	JobState        = jobs.JobState
	MaintainRequest = jobs.MaintainRequest
	MaintainResult  = jobs.MaintainResult

	ListRequest     = retrieve.ListRequest
	TasksRequest    = retrieve.TasksRequest
	TimelineRequest = retrieve.TimelineRequest
	Within          = retrieve.Within
	SearchRequest   = retrieve.SearchRequest
	Narrow          = retrieve.Narrow
	Fusion          = retrieve.Fusion
	QueryRequest    = retrieve.QueryRequest
	QueryResult     = retrieve.QueryResult
	Served          = retrieve.Served
	Depth           = retrieve.Depth

	EmbedRequest = embedding.Request
	EmbedReport  = embedding.Report
	Model        = embedding.Model
	ModelAdd     = embedding.ModelAdd
	TextEmbedder = embedding.TextEmbedder
	TextVector   = embedding.TextVector

	Gap               = gap.Gap
	GapsRequest       = gap.ListRequest
	GapLogRequest     = gap.LogRequest
	GapNoteRequest    = gap.NoteRequest
	GapApproveRequest = gap.ApproveRequest

	DiffResult    = history.DiffResult
	PruneResult   = history.PruneResult
	PrunedSpace   = history.PrunedSpace
	RecentRequest = history.RecentRequest
	RedoRequest   = history.RedoRequest
	UndoRequest   = history.UndoRequest
)

// SchemaFrom is the share of notes from which a field is in a schema that is inferred.
const SchemaFrom = conformity.DefaultShare

// The modes of a search.
const (
	ModeWords  = api.ModeWords
	ModeVector = api.ModeVector
	ModeHybrid = api.ModeHybrid
	ModeExact  = api.ModeExact

	ModeTitle, ModePermalink, ModeText, ModeSemantic = api.ModeTitle, api.ModePermalink, api.ModeText, api.ModeSemantic
)

// Which links count, by when they hold, and which way they are followed.
const (
	Current    = api.Current
	Historical = api.Historical
	AllTimes   = api.AllTimes

	Out  = links.Out
	In   = links.In
	Both = links.Both
)

// AssertionHolds is the status of an assertion that holds.
const AssertionHolds = api.Holds

// AssertionStatuses are those that can be asked for.
func AssertionStatuses() []AssertionStatus { return assertion.Statuses() }

// How many pages a graph has, and how far they are, unless that is asked for
// otherwise.
const (
	GraphDepth    = links.DefaultDepth
	GraphMaxDepth = links.MaxDepth
	GraphNodes    = links.DefaultNodes
	GraphMaxNodes = links.MaxNodes
)

// BriefingBudget is how many tokens a briefing may have unless that is said.
const BriefingBudget = brief.DefaultBudget

// How the lists of a hybrid search become one.
const (
	Weighted = retrieve.Weighted
	RRF      = retrieve.RRF
	SetUnion = retrieve.SetUnion
	Mean     = retrieve.Mean
)

// The states of a job.
const (
	JobDone    = jobs.JobDone
	JobFailed  = jobs.JobFailed
	JobWaiting = jobs.JobWaiting
)

// How much of each page a query serves, from little to much.
const (
	DepthSummary = retrieve.DepthSummary
	DepthSection = retrieve.DepthSection
	DepthFull    = retrieve.DepthFull
	DepthAuto    = retrieve.DepthAuto
)

// MatchWeak is that of an answer which has something of what was asked for.
const MatchWeak = retrieve.MatchWeak

// What time does to pages.
type (
	StalePage     = ageing.StalePage
	StaleList     = ageing.StaleList
	StaleRequest  = ageing.StaleRequest
	StaleConflict = ageing.Conflict
	PassRequest   = ageing.PassRequest
	Passed        = ageing.Passed
	SpacePass     = ageing.SpacePass

	CompactPlan        = compact.Plan
	CompactPlanRequest = compact.PlanRequest
	CompactCluster     = compact.Cluster
	CompactMember      = compact.Member
	CompactRequest     = compact.Request
	Compacted          = compact.Result
	CompactDone        = compact.Done
)

// What is done to each of several pages.
type (
	PutRequest      = change.PutRequest
	EditTextRequest = change.EditTextRequest

	Step         = change.Step
	EditStep     = change.EditStep
	MoveStep     = change.MoveStep
	DeleteStep   = change.DeleteStep
	RestoreStep  = change.RestoreStep
	RelateStep   = change.RelateStep
	UnrelateStep = change.UnrelateStep
)

// CountTokens counts tokens as the built-in model does, or estimates them in a
// build without it.
func CountTokens(text string) int { return retrieve.CountTokens(text) }
