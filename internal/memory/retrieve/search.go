package retrieve

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/turn"
	"github.com/cairn-kb/cairn/internal/search/language"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/search/rank"
	"github.com/cairn-kb/cairn/internal/search/snippet"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
)

// SearchRequest asks the full text.
type SearchRequest struct {
	Query         string
	Narrow        Narrow
	All           bool     // search every space
	Limit, Offset int      // Limit 0 is 10
	Sync          bool     // first sync the current space, when it is a directory
	SnippetLen    int      // characters of a snippet; 0 is 200
	AsOf          string   // a time or date phrase: searches the state of then; "" is now
	Mode          api.Mode // "" is what the policies of the spaces say, else ModeWords
	Fusion        Fusion
	MinSimilarity *float64      // from 0 to 1: pages that are less near are not found by meaning; nil is the setting
	Explain       bool          // say in every hit what it was ranked by
	Exhaustive    bool          // return every page that bears on the query, and say how that was decided
	ExactTotal    bool          // count all pages with the words; else as far as counted
	Embed         time.Duration // where meaning counts, first embed pages that wait, for at most this long
	Progress      func(space, phase string, done, total int)

	only *kb.Space // the one space to search; nil for the selected ones
}

const (
	defaultHits    = 10
	defaultSnippet = 200

	// counted is how many pages are counted that words find, unless the total is to be
	// exact: a reader of such a total rarely needs to know how many more. To
	// count all is most of the work where words are frequent.
	counted = 1000

	// endless is more pages than there are, and few enough to count on from.
	endless = 1 << 29
)

// check fills in defaults, and refuses unknown values.
func (r *SearchRequest) check() error {
	if r.Limit <= 0 {
		r.Limit = defaultHits
	}
	r.Limit, r.Offset = min(r.Limit, endless), min(max(r.Offset, 0), endless)
	if r.SnippetLen <= 0 {
		r.SnippetLen = defaultSnippet
	}
	switch r.Mode {
	case api.ModeText:
		r.Mode = api.ModeWords
	case api.ModeSemantic:
		r.Mode = api.ModeVector
	case "", api.ModeWords, api.ModeVector, api.ModeHybrid, api.ModeExact, api.ModeTitle, api.ModePermalink:
	default:
		return kb.Errorf(kb.Usage, "there is no search mode %q", r.Mode).WithHint("Modes are fts, vector, hybrid, exact, title, permalink.")
	}
	if least := r.MinSimilarity; least != nil && !(*least >= 0 && *least <= 1) {
		return kb.Errorf(kb.Usage, "similarity %v is out of range", *least).WithReason(kb.BadSimilarity)
	}
	if !slices.Contains([]Fusion{Weighted, RRF, SetUnion, Mean}, r.Fusion) {
		return kb.Errorf(kb.Usage, "there is no fusion %q", r.Fusion).WithHint("Strategies are weighted, rrf, set-union, mean.")
	}
	return nil
}

// byMeaning reports whether the request needs vectors.
func (r *SearchRequest) byMeaning() bool { return r.Mode == api.ModeHybrid || r.Mode == api.ModeVector }

// parse reads the query. The modes that look for what pages are called are the full
// text with other words.
func (r *SearchRequest) parse(now time.Time) query.Query {
	switch mode := r.Mode; mode {
	case api.ModeTitle:
		r.Mode = api.ModeWords
		q := query.Parse(r.Query, now)
		q.Root = query.InField(q.Root, query.Title)
		return q
	case api.ModePermalink:
		r.Mode = api.ModeWords
		q := query.Query{Root: &query.All{}}
		if name := strings.TrimPrefix(strings.TrimSpace(r.Query), "memory://"); name != "" {
			q.Filters = []query.Filter{{Key: query.Permalink, Value: name}}
		}
		return q
	}
	return query.Parse(r.Query, now)
}

// Search is one search.
type Search struct {
	engine   *memory.Session
	req      SearchRequest
	query    query.Query
	kinds    []string // of lines, or lines and pages, that are hits; nil is pages
	spaces   []kb.Space
	models   []store.Model // that are registered, of a search by meaning
	question question
	out      api.SearchResult
	perPage  time.Duration // that each page took which the question embedded; 0 where it did none

	index     *vector.Index           // that meaning is asked of; nil where it is not
	embedded  embedding.Coverage      // pages of the spaces
	mark      int64                   // what Changed said before tx began
	tx        store.Tx                // that run works in
	allowed   *lexical.IDs            // pages that may be answered; nil is all
	hidden    map[int64][]kb.Status   // statuses of pages that a space leaves out, by its row
	met       map[string]*lexical.IDs // pages that meet filters within the query, by its text
	textOver  bool                    // reading pages for filters took too long
	unread    map[int64]bool          // pages that were not read for filters
	skipped   int                     // files that look like pages and were not read
	stale     int                     // spaces that could not be synced
	intent    intent                  // evidence of the query other than its words, once boost read it
	found     query.Query             // with the words that found the hits: as asked, or looser
	languages []*language.Language    // other than English, that pages are in
	asked     *language.Language      // the one of them that the question is in; nil if unknown
	english   bool                    // the question is in English
	total     int                     // pages found
	more      bool                    // or more
	fitness   rank.Fit                // how well the answer fits the question
	turns     turns                   // of dialogues among the passages of the answer
	nothing   bool                    // as far as words and meaning show, nothing answers the question
	byName    bool                    // the list is one of names, without any question

	reranker string // the setting rerank

	bearing   *thresholds // of an exhaustive search
	countedBy string      // model that counts tokens; "" for an estimate

	texts       map[int64]*pageText       // that were read, by page
	documents   map[textKey]*doc.Document // of them
	forms       *wordForms                // nil until one is looked up
	sharedLines *sharedLines              // nil until one is looked up
	brief       *briefPages               // of a search for facets
	matcher     *snippet.Matcher          // of the words that passages are ranked by
}

// Plan reads a request, as of the last sync of the directories that it is about.
// A caller that syncs them first reports it with Freshened.
func Plan(ctx context.Context, sess *memory.Session, req SearchRequest) (*Search, error) {
	settings, err := space.Load(sess.Place)
	if err != nil {
		return nil, err
	}
	fusion, err := settings.Value("fusion")
	if err != nil {
		return nil, err
	}
	reranker, err := settings.Value("rerank")
	if err != nil {
		return nil, err
	}
	req.Fusion = cmp.Or(req.Fusion, Fusion(fusion), Weighted)
	if err := req.check(); err != nil {
		return nil, err
	}
	q := req.parse(sess.Now())
	if err := req.Narrow.apply(&q, sess.Now()); err != nil {
		return nil, err
	}
	q.Notes = append(q.Notes, comparedAsText(q.Filters)...)
	asked := q.String()
	q = query.WithParts(q, sess.Now())
	kinds, filters := kindsOf(q.Filters)
	q.Filters = filters
	s := &Search{engine: sess, req: req, query: q, kinds: kinds, found: q, reranker: reranker, unread: map[int64]bool{}, texts: map[int64]*pageText{}, documents: map[textKey]*doc.Document{}, out: api.SearchResult{
		List: api.List[api.Hit]{Items: []api.Hit{}}, Query: asked, Notes: q.Notes, Spaces: []string{},
	}}
	if err := s.checkExhaustive(); err != nil {
		return nil, err
	}
	err = sess.DB.View(ctx, func(tx store.Tx) (err error) {
		if err := store.Foresee(ctx, tx, func() {
			sess.Spaces.AskedAhead(ctx, tx)
			// What the answer asks first, in its own View.
			_, _ = sess.Index.Text().Languages(ctx, tx.Lexical())
			s.tx = tx
			if s.spaces, err = searchSpaces(ctx, sess, tx, q, req.All); err == nil {
				_, _ = s.named(ctx)
			}
		}); err != nil {
			return err
		}
		if req.only != nil {
			s.spaces = []kb.Space{*req.only}
		} else if s.spaces, err = searchSpaces(ctx, sess, tx, q, req.All); err != nil {
			return err
		}
		s.rules(ctx)
		for i, x := range s.query.Filters {
			if x.Key == query.Path {
				s.query.Filters[i].Value = aliased(ctx, sess, s.spaces, x.Value)
			}
		}
		if s.out.Mode = s.req.Mode; !s.req.byMeaning() {
			return nil
		}
		s.models, err = tx.Models().All(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	if s.req.byMeaning() {
		store.Part(ctx, sess.DB) // it may take long to embed the question
	}
	for _, sp := range s.spaces {
		s.out.Spaces = append(s.out.Spaces, sp.Name)
	}
	if !req.Sync {
		s.asIndexed(s.spaces)
	}
	return s, nil
}

// searchSpaces returns the spaces that a query is about: all where it names
// some, else the selected ones.
func searchSpaces(ctx context.Context, sess *memory.Session, tx store.Tx, q query.Query, everywhere bool) ([]kb.Space, error) {
	if (everywhere || query.Names(q, query.Space)) && sess.Spaces.Pinned == "" {
		all, err := tx.Spaces().All(ctx)
		if err == nil && len(all) == 0 {
			err = space.Undecided(all)
		}
		return all, err
	}
	return sess.Spaces.AskedTx(ctx, tx)
}

// Spaces returns the spaces that are searched.
func (s *Search) Spaces() []kb.Space { return s.spaces }

// Answer searches.
func (s *Search) Answer(ctx context.Context) (api.SearchResult, error) {
	_, err := s.run(ctx, nil)
	return s.out, err
}

// run searches, and returns what the hits of its answer were made of. With them it calls
// then, if that is not nil, before its view of the memory ends.
func (s *Search) run(ctx context.Context, then func([]found) error) (hits []found, err error) {
	s.ask(ctx, false)
	err = s.reading(ctx, func(ctx context.Context, tx store.Tx, changed int64) error {
		s.tx, s.mark = tx, changed
		if s.kinds != nil {
			hits, err = byLine{s}.find(ctx)
			return err
		}
		list, err := s.list(ctx, s.req.Offset+s.req.Limit)
		if err != nil {
			return err
		}
		if hits, err = s.answer(ctx, list); err != nil {
			return err
		}
		if s.stateCompleteness(); then == nil {
			return nil
		}
		return then(hits)
	})
	return hits, err
}

// reading calls do in a view of the memory, and again with the turn where it found a large page,
// which it then reads.
func (s *Search) reading(ctx context.Context, do func(context.Context, store.Tx, int64) error) error {
	planned := *s
	return turn.Reading(ctx, s.engine.DB, func(ctx context.Context) error {
		*s = planned
		return store.ViewAt(ctx, s.engine.DB, func(tx store.Tx, changed int64) error { return do(ctx, tx, changed) })
	})
}

// list returns the pages that are found. Of a list by name it returns no more than most.
func (s *Search) list(ctx context.Context, most int) (list []candidate, err error) {
	if list, s.byName, err = s.listed(ctx, most); err != nil || s.byName {
		return list, err
	}
	if s.allowed, err = s.mayBeAnswered(ctx); err != nil {
		return nil, err
	}
	if err = s.readLanguage(ctx); err != nil {
		return nil, err
	}
	return s.candidates(ctx)
}

// candidate is a page that was found, with the evidence for it.
type candidate struct {
	page     kb.Page
	score    float64
	words    *lexical.Hit   // nil when no word matched
	near     *lexical.Close // words that are close together; nil when none are
	wordRank int            // among the pages with words, counted from 1
	loose    bool           // found by some of the words, after those with all
	meaning  *nearest       // nil when its meaning is not near
	votes    []rank.Vote    // of the lists that were fused, if any were
	borrowed []borrowed     // the votes among them that other pages lent
	name     string         // "title", "slug" or "alias" when the query is that

	successor string // ref of the page that replaces it; "" for none
	kin       bool   // it may have a word of the question in another form: see isKin
	follows   bool   // the query did not find it: it replaces or contradicts a page that it found
	counted   bool   // it follows, and is in the total
}

// candidates returns the pages of the mode that was asked for, best first: of
// the full text, only as many as are to be shown. A query without words has
// nothing to be near to: it lists what its filters let through.
func (s *Search) candidates(ctx context.Context) ([]candidate, error) {
	switch {
	case s.req.Mode == api.ModeExact:
		return nil, nil
	case s.question.asked:
		return s.byMeaning(ctx)
	}
	w, err := s.byWords(ctx, s.req.Offset+s.req.Limit+maxNamed)
	s.total, s.more = w.total, w.more
	return w.list, err
}
