package retrieve

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// question is a query as the model sees it. It is computed before the
// transaction of the search: a model may take its time.
type question struct {
	asked  bool
	model  embed.Embedder
	vector []float32
	err    error   // why meaning cannot be asked for
	most   int     // how many pages are near at most
	least  float64 // how near the others are not
}

// Asked returns the question of a search where it is a plain one: nothing but words,
// put to all of its spaces, and for the first of what answers it.
func (s *Search) Asked() (text string, spaces []kb.Space, ok bool) {
	_, unlimited := query.Limits(s.query.Root).(*query.All)
	_, plain := plainText(s.query.Root)
	if !unlimited || !plain || len(s.query.Filters) > 0 ||
		s.req.Offset > 0 || s.req.Mode == api.ModeExact || len(query.Terms(s.query.Root)) == 0 {
		return "", nil, false
	}
	return s.req.Query, s.spaces, true
}

// Model returns the model of a search by meaning; nil before Ask, and where none
// can be had.
func (s *Search) Model() embed.Embedder { return s.question.model }

// Ask has the query embedded ahead of the search, also where nothing else is embedded yet,
// and reports whether meaning can be asked for.
func (s *Search) Ask(ctx context.Context) bool {
	s.ask(ctx, true)
	return s.question.vector != nil
}

// ask has the query embedded, once, where the search uses meaning and the
// query has words; ahead, also where no page has a vector to compare it with. A model on a
// server is waited for no longer than a person would: words can answer without it.
func (s *Search) ask(ctx context.Context, ahead bool) {
	if s.question.asked || !s.req.byMeaning() || len(query.Terms(s.query.Root)) == 0 {
		return
	}
	s.question.asked = true
	if s.question.most, s.question.least, s.question.err = embedding.Nearest(s.engine); s.question.err != nil {
		return
	}
	if s.bearing != nil {
		s.question.most = endless
	}
	if s.req.MinSimilarity != nil {
		s.question.least = *s.req.MinSimilarity
	}
	m, err := embedding.OpenActive(ctx, s.engine, s.models)
	if err != nil {
		s.question.err = err
		return
	}
	s.question.model = m
	soon, cancel := ctx, context.CancelFunc(func() {})
	wait := time.Duration(0)
	if embedding.IsRemote(m) {
		if wait, err = embedding.QuestionWait(s.engine); err != nil {
			s.question.err = err
			return
		}
		soon, cancel = context.WithTimeout(ctx, wait)
	}
	defer cancel()
	// In a process that has just begun, to read what the question will be
	// compared with takes as long as to embed it.
	var beside sync.WaitGroup
	var loadErr error
	needed := make(chan bool, 1)
	beside.Go(func() {
		defer close(needed)
		loadErr = embedding.Load(ctx, s.engine, m, s.rows(), func(any bool) bool {
			is := ahead || any
			select {
			case needed <- is:
			default: // the view was begun again
			}
			return is
		})
	})
	if !<-needed {
		beside.Wait()
		s.question.err = loadErr
		return
	}
	vector, note, err := embedding.Question(soon, m, wordsOf(s.query.Root))
	beside.Wait()
	if note != "" {
		s.note("%s", note)
	}
	switch {
	case err == nil:
		s.question.vector, s.question.err = vector, loadErr
	case errors.Is(soon.Err(), context.DeadlineExceeded) && ctx.Err() == nil:
		s.question.err = kb.Errorf(kb.Internal, "%s did not answer within %v", m.Model(), wait).
			WithReason(kb.ModelSlow)
	default:
		s.question.err = err
	}
}

// wordsOf returns the text that a query asks about, without what it excludes.
func wordsOf(root query.Node) string {
	var words []string
	for _, n := range query.Terms(root) {
		switch n := n.(type) {
		case *query.Word:
			words = append(words, n.Text)
		case *query.Phrase:
			words = append(words, n.Text)
		}
	}
	return strings.Join(words, " ")
}
