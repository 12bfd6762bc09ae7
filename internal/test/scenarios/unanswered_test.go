package scenarios_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/surface/operation"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// people are pages on whom questions are asked.
var people = map[string]string{
	"people/bo-lind": "# Bo Lind\n\nChief executive of Tidal Labs, which he founded with his sister in Bergen. He rows on Saturdays and never takes meetings before nine.\n",
	"people/ada":     "# Ada Okafor\n\nHead of procurement at Brightwater Mills. She wants three offers for each purchase and prefers a phone call on Thursday mornings.\n",
	"tidal-labs":     "# Tidal Labs\n\nMakes sensors for fish farms. Forty people, head office in Bergen.\n",
	"backups":        "# Backups\n\nDatabases are saved each night and kept for 35 days. A copy goes to a second provider in Helsinki.\n",
}

func peopleBed(t *testing.T) (*memory.Session, context.Context) {
	t.Helper()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	a, ctx := apptest.New(t).Open(), context.Background()
	for ref, text := range people {
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: ref, Text: []byte(text)}))(t)
	}
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	return a, ctx
}

// opened is a memory that is open.
type opened struct{ session *memory.Session }

func (o opened) Session(context.Context, bool) (*memory.Session, error) { return o.session, nil }

// That a page is known does not mean that it answers: confidence is that of what is asked
// besides its name.
func TestConfidenceIsOfWhatIsAsked(t *testing.T) {
	t.Parallel()
	a, ctx := peopleBed(t)
	of := func(question string) float64 {
		t.Helper()
		return *apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: question, Mode: api.ModeHybrid}))(t).Confidence
	}
	for _, tc := range []struct{ there, missing string }{
		{"Which sport does Bo Lind do on Saturdays?", "What is Bo Lind's email address?"},
		{"Where is the head office of Tidal Labs?", "Which car does Bo Lind drive?"},
		{"When does Ada Okafor like to be called?", "How tall is Ada Okafor?"},
		{"What does Tidal Labs make?", "Which patents does Tidal Labs hold?"},
	} {
		if there, missing := of(tc.there), of(tc.missing); there <= missing || there < 0.2 || missing >= 0.5 {
			t.Errorf("%q has %.2f, and %q %.2f", tc.there, there, tc.missing, missing)
		}
	}
	if c := of("Bo Lind"); c != 1 {
		t.Errorf("the name of a page has %.2f", c)
	}
}

// A question that nothing fits costs an agent little: no text, and the nearest page by name.
func TestNoAnswerCostsLittle(t *testing.T) {
	t.Parallel()
	a, ctx := peopleBed(t)
	got := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: "Which wine goes best with roasted duck?"}}))(t)
	if got.Match != "none" || len(got.Items) != 0 || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "nearest is memory:") {
		t.Errorf("%+v", got)
	}
	tool, err := operation.FindTool("recall")
	if err != nil {
		t.Fatal(err)
	}
	out := apptest.OK(tool.Run(ctx, opened{a}, memory.Caller{}, json.RawMessage(`{"query":"Which wine goes best with roasted duck?"}`)))(t)
	text, err := json.Marshal(out)
	if n := retrieve.CountTokens(string(text)); err != nil || n > 60 {
		t.Errorf("%d tokens: %s, %v", n, text, err)
	}
}

// A page that shares nothing with a question but the space is no hit of a hybrid search.
func TestUnrelatedPagesAreNoHits(t *testing.T) {
	t.Parallel()
	a, ctx := peopleBed(t)
	got := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "backups", Mode: api.ModeHybrid}))(t)
	if len(got.Items) != 1 || got.Total != 1 || got.Items[0].Slug != "backups" {
		t.Errorf("%d of %d: %+v", len(got.Items), got.Total, got.Items)
	}
	none := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: "zebra"}}))(t)
	if text := apptest.OK(json.Marshal(none))(t); !strings.Contains(string(text), `"items":[],"total":0`) {
		t.Errorf("no hits are %s", text)
	}
}

// To a question in a script that the model does not know all texts in the script are near: its
// words alone say whether a page answers it.
func TestQuestionsInUnknownScripts(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	a := inMemory(t, map[string]string{
		"returns": "退货期限是15天，生鲜不退。\n", "post": "包邮门槛提高到300元，新疆和西藏除外。\n",
		"invoices": "发票由财务每周五统一开具。\n", "store": "杭州仓库的负责人是陈璐。\n", "crane": "Crane 3 lifts 12 tonnes.\n",
		"cat": "# 猫\n\n家里的猫喜欢吃鱼。\n", "contract": "Контракт с поставщиком подписан в марте.\n", "lease": "# Договор аренды\n\nСрок до июня 2027 года.\n",
		"symvasi": "Η σύμβαση με τον προμηθευτή υπογράφηκε τον Μάρτιο.\n", "hoze": "החוזה עם הספק נחתם במרץ.\n",
	})
	apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{}))(t)
	for question, want := range map[string]string{
		"退货要几天？": "weak returns", "新疆包邮吗？": "weak post", "谁管杭州的库房？": "weak store", "杭州仓库的负责人是谁？": "strong store",
		"怎么做红烧肉？": "none", "我的狗需要打什么疫苗？": "none", "Кто победил на чемпионате мира?": "none",
		"猫吃什么": "weak cat", "Кто подписал контракты?": "weak contract", "Когда истекает аренда?": "weak lease",
		"πότε υπογράφηκαν οι συμβάσεις;": "weak symvasi", "מתי נחתמו החוזים": "weak hoze", "Когда открывается музей?": "none",
	} {
		found := apptest.OK(read.Query(t.Context(), a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: question}}))(t)
		got := found.Match
		for _, h := range found.Items {
			got += " " + h.Slug
		}
		if got != want {
			t.Errorf("%s: %q at %v, want %q", question, got, *found.Confidence, want)
		}
	}
}
