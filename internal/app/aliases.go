package app

import (
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/change"
	"github.com/cairn-kb/cairn/internal/check"
	"github.com/cairn-kb/cairn/internal/embedding"
	"github.com/cairn-kb/cairn/internal/gap"
	"github.com/cairn-kb/cairn/internal/graph"
	"github.com/cairn-kb/cairn/internal/health"
	"github.com/cairn-kb/cairn/internal/history"
	"github.com/cairn-kb/cairn/internal/jobs"
	"github.com/cairn-kb/cairn/internal/prime"
	"github.com/cairn-kb/cairn/internal/retrieve"
	"github.com/cairn-kb/cairn/internal/space"
)

// What answers are made of, by the names that surfaces know.
type (
	Check = api.Check

	CheckRequest      = check.Request
	Contradiction     = api.Contradiction
	ContradictionList = api.Contradictions
	ContradictionSide = api.Side

	Count        = api.Count
	Dir          = api.Dir
	Heading      = api.Heading
	Task         = api.Task
	Entry        = api.Entry
	Evidence     = api.Evidence
	Hit          = api.Hit
	Link         = api.Link
	LinkList     = api.LinkList
	Graph        = api.Graph
	GraphNode    = api.GraphNode
	GraphLink    = api.GraphLink
	Temporal     = api.Temporal
	Direction    = graph.Direction
	Mapping      = api.Mapping
	Mode         = api.Mode
	Moved        = api.Moved
	Page         = api.Page
	SearchResult = api.SearchResult
	Skipped      = api.Skipped
	Space        = api.Space
	State        = api.State
	Stats        = api.Stats
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

	Prime        = prime.Prime
	PrimeRequest = prime.PrimeRequest

	Mended  = health.Mended
	Receipt = health.Receipt

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

// The modes of a search.
const (
	ModeWords  = api.ModeWords
	ModeVector = api.ModeVector
	ModeHybrid = api.ModeHybrid
	ModeExact  = api.ModeExact
)

// Which links count, by when they hold, and which way they are followed.
const (
	Current    = api.Current
	Historical = api.Historical
	AllTimes   = api.AllTimes

	Out  = graph.Out
	In   = graph.In
	Both = graph.Both
)

// How many pages a graph has, and how far they are, unless that is asked for
// otherwise.
const (
	GraphDepth    = graph.DefaultDepth
	GraphMaxDepth = graph.MaxDepth
	GraphNodes    = graph.DefaultNodes
	GraphMaxNodes = graph.MaxNodes
)

// How the lists of a hybrid search become one.
const (
	Weighted = retrieve.Weighted
	RRF      = retrieve.RRF
	SetUnion = retrieve.SetUnion
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

// What is done to each of several pages.
type (
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
