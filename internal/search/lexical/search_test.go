package lexical

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/search/query"
)

// TestManyDocuments compares with the definitions where terms have several
// blocks of postings and streams several pages.
func TestManyDocuments(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	rnd := rand.New(rand.NewPCG(5, 5))
	m, x := newMemory(), New(1<<20)
	truth := &naive{docs: make(map[int64]*naiveDoc)}
	for range 12 {
		b := NewBatch()
		for range 150 {
			d := randomDocument(rnd, rnd.Int64N(1500))
			// Rare words fill the dictionary.
			d.Texts = append(d.Texts, Text{Timeline, fmt.Sprintf("rare%d %x %x", d.ID, rnd.Uint64(), rnd.Uint64())})
			b.Put(d)
			truth.docs[d.ID] = analyse(d)
		}
		if err := x.Apply(ctx, m, b); err != nil {
			t.Fatal(err)
		}
	}
	for _, merged := range []bool{false, true} {
		if merged {
			if err := x.Merge(ctx, m); err != nil {
				t.Fatal(err)
			}
			for _, s := range []Stream{streamTerms, streamPostings, streamPositions} {
				if p, _ := m.Pages(ctx, m.last, s, 1, 2); len(p) == 0 {
					t.Fatalf("stream %d has one page", s)
				}
			}
		}
		for _, text := range []string{`"run running"`, `"the a" -cafe`, "node.js run", "r*", "rare7* run", "日本", "rare700"} {
			root := query.Parse(text, time.Time{}).Root
			got, err := x.Search(ctx, m, root, Options{Limit: 5000})
			if err != nil {
				t.Fatal(err)
			}
			if err := sameHits(got.Hits, truth.search(root, nil)); err != nil || got.Total == 0 {
				t.Errorf("%s: total %d, %v", text, got.Total, err)
			}
		}
	}
}

// texts indexes one document for each text, numbered from 0.
func texts(t *testing.T, texts ...string) (*memory, *Index) {
	t.Helper()
	m, x, b := newMemory(), New(1<<20), NewBatch()
	for i, text := range texts {
		b.Put(Document{ID: int64(i), Texts: []Text{{Truth, text}}})
	}
	if err := x.Apply(context.Background(), m, b); err != nil {
		t.Fatal(err)
	}
	return m, x
}

func TestWhatIsFound(t *testing.T) {
	t.Parallel()
	m, x := texts(t,
		"C++ has templates",            // 0
		"C has none",                   // 1
		"a machine-learning model",     // 2
		"machine learning for all",     // 3
		"a machine that is learning",   // 4
		"node.js and std::vector<int>", // 5
		"日本語を勉強する",                     // 6
		"the runners were running",     // 7
		"a café in Łódź",               // 8
		"party 🎉 time",                 // 9
		"ship it: v1.2.3",              // 10
		"it's John's",                  // 11
	)
	for text, want := range map[string][]int64{
		"C++":                    {0},
		"c":                      {1},
		"machine-learning":       {2, 3},
		"machine learning":       {2, 3, 4},
		`"machine learning"`:     {2, 3},
		"machine_learned":        {2, 3},
		"node.js":                {5},
		"std::vector<T>":         nil,
		"std::vector":            {5},
		"日本":                     {6},
		"勉強する":                   {6},
		"本日":                     nil,
		"る":                      {6},
		"強":                      {6},
		"run":                    {7},
		"runners":                {7},
		`"runner"`:               nil,
		"CAFE lodz":              {8},
		"🎉":                      {9},
		"v1.2":                   {10},
		"john":                   {11},
		"!!!":                    nil,
		"-machine -c++ -a":       {1, 5, 6, 7, 9, 10, 11},
		"learn* NOT (for OR is)": {2},
		"truth:x OR ship":        {10},
	} {
		got, err := x.Search(context.Background(), m, query.Parse(text, time.Time{}).Root, Options{Limit: 20})
		if err != nil {
			t.Fatal(err)
		}
		ids := make(map[int64]bool)
		for _, h := range got.Hits {
			ids[h.ID] = true
		}
		wanted := make(map[int64]bool)
		for _, id := range want {
			wanted[id] = true
		}
		if !reflect.DeepEqual(ids, wanted) || got.Total != len(want) {
			t.Errorf("%s finds %v, want %v", text, got.Hits, want)
		}
	}
}

func TestOrderOfHits(t *testing.T) {
	t.Parallel()
	m, x, b := newMemory(), New(1<<20), NewBatch()
	b.Put(Document{ID: 1, Texts: []Text{{Title, "Other"}, {Truth, "about indexing things"}}})
	b.Put(Document{ID: 2, Texts: []Text{{Title, "Index"}, {Truth, "about other things"}}})
	b.Put(Document{ID: 3, Texts: []Text{{Title, "Other"}, {Truth, "about index things"}}})
	b.Put(Document{ID: 4, Texts: []Text{{Title, "Other"}, {Truth, "about index things"}}})
	b.Put(Document{ID: 5, Texts: []Text{{Tags, "one"}, {Tags, "two"}}})
	if err := x.Apply(context.Background(), m, b); err != nil {
		t.Fatal(err)
	}
	res, err := x.Search(context.Background(), m, &query.Word{Text: "index"}, Options{Limit: 9})
	if err != nil {
		t.Fatal(err)
	}
	var ids []int64
	for _, h := range res.Hits {
		ids = append(ids, h.ID)
	}
	if !reflect.DeepEqual(ids, []int64{2, 3, 4, 1}) {
		t.Errorf("order %v", ids)
	}
	if top := res.Hits[0]; top.Fields.String() != "title" || top.Coverage != 1 || top.Terms[0] != "index" {
		t.Errorf("why: %+v", top)
	}
	res, err = x.Search(context.Background(), m, &query.Phrase{Text: "one two"}, Options{})
	if err != nil || res.Total != 0 {
		t.Errorf("a phrase matches across tags: %d, %v", res.Total, err)
	}
}

func TestFiltersInTheTree(t *testing.T) {
	t.Parallel()
	m, x := texts(t, "apple", "pear", "plum")
	root := query.Parse("apple OR tag:x", time.Time{}).Root
	search := func(f func(context.Context, query.Filter) (*IDs, error)) (*Result, error) {
		return x.Search(context.Background(), m, root, Options{Limit: 9, Filter: f})
	}
	res, err := search(func(_ context.Context, f query.Filter) (*IDs, error) {
		if f.Key != query.Tag || f.Value != "x" {
			t.Errorf("asked for %+v", f)
		}
		return NewIDs(2, 1<<40), nil
	})
	if err != nil || res.Total != 2 || res.Hits[0].ID != 0 || res.Hits[1].ID != 2 {
		t.Errorf("got %+v, %v", res, err)
	}
	if res, err = search(nil); err != nil || res.Total != 1 {
		t.Errorf("without a filter function: %+v, %v", res, err)
	}
	failure := errors.New("no")
	if _, err = search(func(context.Context, query.Filter) (*IDs, error) { return nil, failure }); !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
}

func TestSegmentsStayFew(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	m, x := newMemory(), New(1<<20)
	for i := range int64(600) {
		b := NewBatch()
		b.Put(Document{ID: i % 400, Texts: []Text{{Truth, strings.Repeat(fmt.Sprintf("w%d ", i), 20)}}})
		if err := x.Apply(ctx, m, b); err != nil {
			t.Fatal(err)
		}
		if len(m.segments) > 2*mergeWidth {
			t.Fatalf("%d segments after %d documents", len(m.segments), i)
		}
	}
	b := NewBatch()
	for i := range int64(400) {
		b.Delete(i)
	}
	if err := x.Apply(ctx, m, b); err != nil {
		t.Fatal(err)
	}
	if len(m.segments)+len(m.pages) != 0 {
		t.Errorf("an empty index has %d segments and %d pages", len(m.segments), len(m.pages))
	}
}

func sizes(n, size int) (all []*table) {
	for range n {
		all = append(all, &table{sizes: [streamCount]int{size}})
	}
	return all
}

// What was added is merged in parts, and once begun all of it.
func TestChoosePart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		tables []*table
		begun  bool
		want   int
	}{
		{"few", sizes(manySegments, 100), false, 0},
		{"many", sizes(manySegments+1, 100), false, manySegments + 1},
		{"many large", sizes(manySegments+1, partMerge/4), false, 4},
		{"many whole parts", sizes(manySegments+1, partMerge/2+1), false, 0},
		{"few that are left", sizes(3, 100), true, 3},
		{"one that is left", append(sizes(3, partMerge), sizes(1, 100)...), true, 0},
		{"two beside parts", append(sizes(3, partMerge), sizes(2, 100)...), true, 2},
	} {
		if got := len(choosePart(c.tables, c.begun, partMerge)); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	// It comes to an end, with as few segments as parts allow.
	tables := sizes(100, 3<<20)
	for begun := false; ; begun = true {
		chosen := choosePart(tables, begun, partMerge)
		if chosen == nil {
			break
		}
		total := 0
		for _, c := range chosen {
			total += c.size()
		}
		tables = append(slices.DeleteFunc(tables, func(x *table) bool { return slices.Contains(chosen, x) }), sizes(1, total)...)
	}
	if len(tables) != 10 {
		t.Errorf("%d segments are left", len(tables))
	}
}

func TestChooseMerge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		tables []*table
		want   int
	}{
		{"few", sizes(mergeWidth-1, 100), 0},
		{"a tier", sizes(mergeWidth, 100), mergeWidth},
		{"not with the tier above", append(sizes(mergeWidth, 100), sizes(3, firstTier)...), mergeWidth},
		{"two tiers", append(sizes(4, 100), sizes(4, firstTier)...), 0},
		{"too large", sizes(mergeWidth, smallMerge), 0},
		{"too many", sizes(maxSegments+1, smallMerge), maxSegments / 2},
	} {
		if got := len(chooseMerge(c.tables)); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestLengthCodes(t *testing.T) {
	t.Parallel()
	last := 0
	for code := range 256 {
		n := lengthOf(byte(code))
		if lengthCode(n) != byte(code) || code > 0 && n <= last {
			t.Errorf("code %d is length %d, after %d, which is code %d", code, n, last, lengthCode(n))
		}
		last = n
	}
	if lengthCode(math.MaxInt) != 255 {
		t.Error("a length out of range")
	}
}

func TestCacheStaysWithinItsLimit(t *testing.T) {
	t.Parallel()
	c := newCache(100)
	for i := range 50 {
		c.put(pageKey{page: i}, i, 30)
		c.get(pageKey{page: 0})
	}
	if len(c.entries) != 3 || c.used != 90 || c.order.Len() != 3 {
		t.Errorf("%d entries, %d bytes", len(c.entries), c.used)
	}
	if _, ok := c.get(pageKey{page: 0}); !ok {
		t.Error("what was used last is gone")
	}
}
