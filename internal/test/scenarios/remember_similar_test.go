package scenarios_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/search/embed/embedtest"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// Only what is about the same is called similar, since the agent is to merge it.
func TestSimilarIsAboutTheSame(t *testing.T) {
	t.Parallel()
	for _, embedded := range []bool{false, true} {
		a := meaningBed(t)
		ctx := context.Background()
		remember := func(title, text string, dry bool) []api.Hit {
			return apptest.OK(ingest.Capture(ctx, a, api.CaptureRequest{Title: title, Text: text, WriteOptions: api.WriteOptions{DryRun: dry}}))(t).Similar
		}
		remember("Deploy", "Deploys go through staging first, then production on Tuesdays.", false)
		remember("Cache", "The agora server caches rendered nodes for 5 minutes; restart to flush.", false)
		if embedded {
			apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
		}
		for _, text := range []string{"Quaternion multiplication is not commutative.", "The cat prefers tuna over chicken.", "The user likes the dark mode of the editor.",
			"Before production, every deployment is tried on staging."} { // 0.72 is a page of the same subject
			if got := remember("", text, true); len(got) != 0 {
				t.Errorf("embedded %v: %q is similar to %s, %.2f", embedded, text, got[0].Path, got[0].Score)
			}
		}
		got := remember("", "The agora server keeps a cache of rendered nodes for 5 minutes.", true)
		if len(got) != 1 || got[0].Path != "cache.md" || got[0].Score < 0.8 || got[0].Score > 1 {
			t.Errorf("embedded %v: the same in other words is similar to %+v", embedded, got)
		}
	}
}

// A page with the words of a short text all over it does not say it; one that has them in one
// place does, also with the words in its heading.
func TestSimilarHasTheWordsInOnePlace(t *testing.T) {
	t.Parallel()
	a, ctx := meaningBed(t), context.Background()
	similar := func(text string) []api.Hit {
		return apptest.OK(ingest.Capture(ctx, a, api.CaptureRequest{Text: text, WriteOptions: api.WriteOptions{DryRun: true}}))(t).Similar
	}
	apptest.OK(ingest.Capture(ctx, a, api.CaptureRequest{Title: "Contract", Text: `# Contract

The same for every agent. Agents may add to this page; only people change it.

## Write

- The command remember checks and lists what it writes, so that nobody makes files by other means.
- Without a summary of its own a page has the first sentence of its text, where that is short.
- Related pages are linked by their ids, with a label before the link where one of these fits.

## Releases

Every second Tuesday after the tests of the night have passed on all three systems.`}))(t)
	for _, text := range []string{"Write pages short.", "Agents make short files.", "People write a summary before the release."} {
		if got := similar(text); len(got) != 0 {
			t.Errorf("%q is similar to %s, %.2f", text, got[0].Path, got[0].Score)
		}
	}
	for _, text := range []string{"Related pages are linked by ids.", "Releases: every second Tuesday, after the tests have passed."} {
		if got := similar(text); len(got) != 1 {
			t.Errorf("%q is similar to %+v", text, got)
		}
	}
}

// A text that is remembered with the heading of a page about the same makes no second page of
// that title. One about something else does, so does a first sentence, and a captured text is
// always stored.
func TestTextWithTheTitleOfAPage(t *testing.T) {
	t.Parallel()
	a, ctx := meaningBed(t), context.Background()
	capture := func(req api.CaptureRequest) ingest.CaptureAnswer {
		return apptest.OK(ingest.Capture(ctx, a, req))(t)
	}
	capture(api.CaptureRequest{Title: "Deploy rule", Text: "Deploys of the shop are on Tuesdays at noon."})
	for _, tc := range []struct {
		text             string
		heading, answers bool
	}{
		{"# Deploy rule\n\nDeploys of the shop are on Thursdays at noon.", true, true},
		{"## Deploy rule\n\nDeploys of the shop are on Thursdays at noon.", true, true},
		{"# Deploy rule\n\nDeploys of the shop are on Thursdays at noon.", false, false},
		{"# Deploy rule\n\nDeploys of the shop are on Fridays.", true, true},
		{"# Deploy rule\n\nThe cat prefers tuna over chicken.", true, false},
		{"Deploy rule. Deploys of the shop are on Thursdays at noon.", true, false},
	} {
		got := capture(api.CaptureRequest{Text: tc.text, Heading: tc.heading, WriteOptions: api.WriteOptions{DryRun: true}})
		if (len(got.Existing) > 0) != tc.answers || got.Dropped() != tc.answers || (len(got.Pages) == 0) != tc.answers {
			t.Errorf("%q, heading %v: existing %+v, pages %+v", tc.text, tc.heading, got.Existing, got.Pages)
		}
		if tc.answers && *got.Existing[0].Text != "Deploys of the shop are on Tuesdays at noon." {
			t.Errorf("%q: the page says %q", tc.text, *got.Existing[0].Text)
		}
	}
}

// A title in the form of a ref means the page, as a title does that says the same: an agent
// copies it from an answer.
func TestTitleIsARef(t *testing.T) {
	t.Parallel()
	a, ctx := meaningBed(t), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Name: "other", Preset: "capture", Database: true}))(t)
	here := apptest.OK(ingest.Capture(ctx, a, api.CaptureRequest{Space: "notes", Title: "Deploy rule", Text: "Deploys are on Tuesdays at noon."}))(t)
	there := apptest.OK(ingest.Capture(ctx, a, api.CaptureRequest{Space: "other", Title: "Cat food", Text: "The cat prefers tuna."}))(t)
	for title, want := range map[string]string{
		here.Ref: here.Ref, here.Space + ":DEPLOY Rule": here.Ref, "memory://" + here.Space + "/deploy-rule": here.Ref, "[[Deploy rule]]": here.Ref,
		"deploy-rule.md": here.Ref, here.Pages[0].Short: here.Ref, there.Ref: there.Ref,
		"Cat food": "", "other:Dog food": "", "[[Dog food]]": "", "memory://horse": "",
	} {
		got := apptest.OK(ingest.Capture(ctx, a, api.CaptureRequest{Space: "notes", Title: title, Text: "Something else holds now.", WriteOptions: api.WriteOptions{DryRun: true}}))(t)
		if want == "" && len(got.Existing) > 0 || want != "" && (len(got.Existing) != 1 || got.Ref != want) {
			t.Errorf("%q: got %q, %+v, want %q", title, got.Ref, got.Existing, want)
		}
	}
}

// A text that is similar to a page that another one replaces is added to the other one.
func TestSimilarIsThePageThatHolds(t *testing.T) {
	t.Parallel()
	a, ctx := meaningBed(t), context.Background()
	capture := func(req api.CaptureRequest) ingest.CaptureAnswer {
		return apptest.OK(ingest.Capture(ctx, a, req))(t)
	}
	old := capture(api.CaptureRequest{Title: "Deploy day", Text: "We deploy the shop on Tuesdays at noon."})
	capture(api.CaptureRequest{Title: "Deploy day of 2026", Text: "Freeze: ask Ines before anything goes out.", Supersedes: []string{old.Ref}})
	last := capture(api.CaptureRequest{Title: "Release rule", Text: "Ines releases it.", Supersedes: []string{"deploy-day-of-2026"}})
	text := "We deploy the shop on Tuesdays at noon, mostly."
	got := capture(api.CaptureRequest{Text: text})
	if len(got.Similar) == 0 || got.Similar[0].Ref != last.Ref || got.Similar[0].Snippet != "Ines releases it" ||
		slices.ContainsFunc(got.Similar, func(h api.Hit) bool { return h.Ref == old.Ref }) {
		t.Errorf("similar: %+v, want %s", got.Similar, last.Ref)
	}
	if len(got.Calls) != 2 || got.Calls[0].Capture.Extend != last.Ref || got.Calls[1].Capture.Update != last.Ref {
		t.Errorf("calls: %+v, want %s", got.Calls, last.Ref)
	}
	_, err := ingest.Capture(ctx, a, api.CaptureRequest{Text: text + " Always.", Ask: true})
	if e := kb.AsError(err); e.Reason != kb.SimilarFound || strings.Contains(e.Error(), old.Ref+",") || !strings.Contains(e.Error(), last.Ref) {
		t.Errorf("a capture that asks: %v", err)
	}
}

// A text is no query: that something is NOT so excludes no page.
func TestSimilarReadsNoOperators(t *testing.T) {
	t.Parallel()
	a, ctx := meaningBed(t), context.Background()
	capture := func(text string) []api.Hit {
		return apptest.OK(ingest.Capture(ctx, a, api.CaptureRequest{Text: text}))(t).Similar
	}
	capture("We do NOT deploy on Fridays.")
	if got := capture("We do NOT deploy on Fridays, ever."); len(got) != 1 {
		t.Errorf("nearly the same text is similar to %+v", got)
	}
}

// behind is a memory whose transactions see no vectors of pages: as one that began before
// they were written, while another has brought them into memory.
type behind struct{ store.Engine }

func (b behind) View(ctx context.Context, f func(store.Tx) error) error {
	return b.Engine.View(ctx, func(tx store.Tx) error { return f(behindTx{tx}) })
}

type behindTx struct{ store.Tx }

func (tx behindTx) Vectors() store.Vectors { return noVectors{tx.Tx.Vectors()} }

type noVectors struct{ store.Vectors }

func (noVectors) Get(context.Context, string, int64) (store.PageVectors, error) {
	return store.PageVectors{}, kb.Errorf(kb.NotFound, "the page has no vectors")
}

// A page that is embedded between the transactions of a capture does not fail it.
func TestCaptureBesideEmbedding(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	b := apptest.New(t)
	b.Opts.WrapFiles, b.Opts.WrapDatabase = nil, func(db store.Engine) store.Engine { return behind{db} }
	a, ctx := b.Open(), context.Background()
	capture := func(text string) []api.Hit {
		return apptest.OK(ingest.Capture(ctx, a, api.CaptureRequest{Text: text}))(t).Similar
	}
	capture("The agora server caches rendered nodes for 5 minutes; restart to flush.")
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	capture("Deploys go through staging first.") // is not embedded
	if got := capture("The agora server keeps a cache of rendered nodes for 5 minutes."); len(got) != 1 {
		t.Errorf("similar are %+v", got)
	}
}

// The thresholds of a policy mean the same with each model: what one puts at 0.6, another
// puts at 0.8.
func TestSimilarOnTheScaleOfTheModel(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		model           string
		linked, similar bool // a page whose cosine is 0.57
	}{{"ollama/nomic-embed-text", false, false}, {"ollama/all-minilm", true, false}, {"ollama/not-known", false, false}} {
		t.Run(tc.model, func(t *testing.T) {
			a, ctx := apptest.New(t).Open(), context.Background()
			apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Name: "k", Database: true, Preset: "capture"}))(t)
			a = a.In("k")
			server := embedtest.Ollama(t, 2000, "")
			m := apptest.OK(embedding.AddModel(ctx, a, embedding.ModelAdd{Name: tc.model, URL: server.URL}))(t)
			apptest.OK(embedding.UseModel(ctx, a, m.Name))(t)
			capture := func(text string) ingest.CaptureAnswer {
				return apptest.OK(ingest.Capture(ctx, a, api.CaptureRequest{Text: text, NoAutoTags: true}))(t)
			}
			first := capture("kiln overshoots firing thermocouple glaze batch")
			apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
			got := capture("kiln overshoots firing umbrella sledge penguin")
			if tc.linked != (len(got.Links) == 1) || tc.similar != (len(got.Similar) == 1) {
				t.Fatalf("links %+v, similar %+v", got.Links, got.Similar)
			}
			if tc.linked && (got.Links[0].Ref != first.Ref || got.Links[0].Score < 0.75 || got.Links[0].Score >= 0.8) {
				t.Errorf("links %+v", got.Links)
			}
			apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
			if got := capture("kiln overshoots firing thermocouple glaze batch."); len(got.Similar) == 0 || got.Similar[0].Ref != first.Ref || got.Similar[0].Score < 0.9 {
				t.Errorf("nearly the same text: %+v", got.Similar)
			}
		})
	}
}
