package gap_test

import (
	"context"
	"fmt"
	"github.com/cairn-kb/cairn/internal/memory"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/gap"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

const (
	unknown = "Who negotiated the Zanzibar contract?"
	known   = "When does the ferry to Naxos leave?"
)

// askedBed is a memory that knows one thing, in a space that notes as gaps what it
// does not know.
func askedBed(t *testing.T) *apptest.Bed {
	b := apptest.New(t)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Name: "memory", Database: true}))(t)
	for i := range 12 {
		apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: fmt.Sprintf("days/%d", i), Text: []byte("An empty day on the island.\n")}))(t)
	}
	apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: "ferry", Text: []byte("The ferry to Naxos leaves at dawn.\n")}))(t)
	return b
}

// gapsAfter puts questions to a memory of its own, and returns which are gaps when it is
// closed.
func gapsAfter(b *apptest.Bed, opts func(*memory.Options), requests ...retrieve.SearchRequest) []api.Gap {
	b.T.Helper()
	ctx := context.Background()
	o := b.Opts
	if opts != nil {
		opts(&o)
	}
	a := apptest.OK(memory.Open(ctx, o, false))(b.T)
	for _, r := range requests {
		apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: r}))(b.T)
	}
	if err := a.Close(); err != nil {
		b.T.Fatal(err)
	}
	return apptest.OK(gap.List(ctx, b.Open(), gap.ListRequest{All: true}))(b.T).Items
}

func words(question string) retrieve.SearchRequest {
	return retrieve.SearchRequest{Query: question, Mode: api.ModeWords}
}

func TestUnansweredQuestionsAreNoted(t *testing.T) {
	t.Parallel()
	b := askedBed(t)
	gaps := gapsAfter(b, nil, words(unknown), words(known), words("who negotiated  THE zanzibar contract"))
	if len(gaps) != 1 || gaps[0].Count != 2 || gaps[0].Hash != kb.QuestionHash(unknown).String() || gaps[0].Space != "memory" ||
		gaps[0].Confidence == nil || *gaps[0].Confidence >= 0.25 || gaps[0].Sensitivity != kb.GapInternal || gaps[0].Candidate != "" {
		t.Fatalf("noted %+v", gaps)
	}
	if gaps[0].Words != unknown {
		t.Errorf("its words are %q", gaps[0].Words)
	}
	// Answered well it has a candidate, and stays open.
	a := b.Open()
	apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: "deal", Text: []byte("Ada negotiated the Zanzibar contract.\n")}))(t)
	gaps = gapsAfter(b, nil, words(unknown))
	if len(gaps) != 1 || gaps[0].Candidate != "memory:deal" || gaps[0].Count != 2 || *gaps[0].Confidence < 0.25 || gaps[0].ResolvedAt != nil {
		t.Fatalf("asked again: %+v", gaps)
	}
	apptest.OK(change.Move(t.Context(), a, change.MoveRequest{Ref: "deal", To: "deals/zanzibar.md"}))(t)
	if gaps = gapsAfter(b, nil); gaps[0].Candidate != "memory:deals/zanzibar" {
		t.Errorf("after a move: %+v", gaps)
	}
}

func TestWhatIsNoPlainQuestionIsNotNoted(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		opts func(*memory.Options)
		req  retrieve.SearchRequest
	}{
		"a server that only reads": {func(o *memory.Options) { o.ReadOnly = true }, words(unknown)},
		"of the past":              {nil, retrieve.SearchRequest{Query: unknown, Mode: api.ModeWords, AsOf: "2126-01-01"}},
		"the next part":            {nil, retrieve.SearchRequest{Query: unknown, Mode: api.ModeWords, Offset: 5}},
		"titles alone":             {nil, retrieve.SearchRequest{Query: unknown, Mode: api.ModeExact}},
		"a filter":                 {nil, words("zanzibar tag:deal")},
		"a filter beside":          {nil, retrieve.SearchRequest{Query: unknown, Mode: api.ModeWords, Narrow: retrieve.Narrow{Types: []string{"deal"}}}},
		"a condition":              {nil, retrieve.SearchRequest{Query: unknown, Mode: api.ModeWords, Narrow: retrieve.Narrow{Where: []string{"-path:days"}}}},
		"an exclusion":             {nil, words("zanzibar contract -island")},
		"alternatives":             {nil, words("zanzibar OR contract")},
		"filters alone":            {nil, words("tag:deal")},
	} {
		t.Run(name, func(t *testing.T) {
			b := askedBed(t)
			if gaps := gapsAfter(b, tt.opts, tt.req); len(gaps) > 0 {
				t.Errorf("noted %+v", gaps)
			}
		})
	}
	b := askedBed(t)
	apptest.OK(b.Open().Spaces.Set(t.Context(), space.SetRequest{Name: "memory", Key: "gap_threshold", Unset: true}))(t)
	if gaps := gapsAfter(b, nil, words(unknown)); len(gaps) > 0 {
		t.Errorf("noted without a threshold: %+v", gaps)
	}
}

// A question to several spaces is noted in the first that notes gaps, and its candidate
// may be a page of another.
func TestUnansweredQuestionsToSeveralSpacesAreNoted(t *testing.T) {
	t.Parallel()
	b, ctx := askedBed(t), t.Context()
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Name: "alpha", Database: true}))(t)
	apptest.OK(a.Spaces.Set(ctx, space.SetRequest{Name: "alpha", Key: "gap_threshold", Unset: true}))(t)
	every := words(unknown)
	every.All = true
	gaps := gapsAfter(b, nil, every, every)
	if len(gaps) != 1 || gaps[0].Space != "memory" || gaps[0].Count != 2 {
		t.Fatalf("noted %+v", gaps)
	}
	apptest.OK(change.Put(ctx, b.Open(), change.PutRequest{Ref: "alpha:deal", Text: []byte("Ada negotiated the Zanzibar contract.\n")}))(t)
	if gaps = gapsAfter(b, nil, every); len(gaps) != 1 || gaps[0].Candidate != "alpha:deal" {
		t.Errorf("asked again: %+v", gaps)
	}
}

// stuck is a memory in which, once it is open, no write ends until it may, and then
// fails.
type stuck struct {
	store.Engine
	open  *atomic.Bool
	began chan struct{}
	may   chan struct{}
}

func (s stuck) Update(ctx context.Context, f func(store.Tx) error) error {
	if !s.open.Load() {
		return s.Engine.Update(ctx, f)
	}
	s.began <- struct{}{}
	select {
	case <-s.may:
	case <-ctx.Done():
	}
	return kb.Errorf(kb.Internal, "the disk is full")
}

// A gap that cannot be noted neither slows nor fails the answer.
func TestAnswersDoNotWaitForGaps(t *testing.T) {
	t.Parallel()
	b := askedBed(t)
	s := stuck{open: &atomic.Bool{}, began: make(chan struct{}, 1), may: make(chan struct{})}
	opts := b.Opts
	opts.WrapFiles, opts.WrapDatabase = nil, func(db store.Engine) store.Engine {
		s.Engine = db
		return s
	}
	a := apptest.OK(memory.Open(t.Context(), opts, false))(t)
	apptest.OK(read.Query(t.Context(), a, retrieve.QueryRequest{SearchRequest: words(known)}))(t) // the first one chooses a model
	s.open.Store(true)
	ctx, cancel := context.WithCancel(t.Context())
	apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: words(unknown)}))(t)
	cancel() // as that of a call whose answer is out
	select {
	case <-s.began:
	case <-time.After(10 * time.Second):
		t.Fatal("nothing was noted")
	}
	close(s.may)
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if notes := a.Notes(); len(notes) != 1 || !strings.Contains(notes[0], "the disk is full") {
		t.Errorf("notes %q", notes)
	}
}

// An agent that asks and then logs what was not answered has asked once; logged by
// another, or much later, it is asked again.
func TestNotedGapsAreLoggedOnce(t *testing.T) {
	t.Parallel()
	b, ctx := askedBed(t), context.Background()
	gapsAfter(b, nil, words(unknown))
	now, score := time.Now(), .4
	log := func(actor kb.Actor, later time.Duration) api.Gap {
		o := b.Opts
		o.Actor, o.Now = actor, func() time.Time { return now.Add(later) }
		a := apptest.OK(memory.Open(ctx, o, false))(t)
		g := apptest.OK(gap.Log(ctx, a, gap.LogRequest{Question: unknown, Context: "the lease", Score: &score}))(t)
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		return g
	}
	if g := log(b.Opts.Actor, time.Minute); g.Count != 1 || g.Context != "the lease" || g.Score == nil || *g.Score != score || g.Confidence == nil {
		t.Errorf("by who asked: %+v", g)
	}
	if g := log(b.Opts.Actor, time.Hour); g.Count != 2 {
		t.Errorf("much later: %+v", g)
	}
	if g := log(kb.Actor{Kind: kb.Agent, Name: "other"}, time.Hour); g.Count != 3 {
		t.Errorf("by another: %+v", g)
	}
}
