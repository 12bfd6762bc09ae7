package app

import (
	"context"
	"errors"
	"sort"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/config"
	"github.com/cairn-kb/cairn/internal/embed"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// question is a query as the model sees it. It is computed before the
// transaction of the search: a model may take its time.
type question struct {
	asked  bool
	model  embed.Embedder
	vector []float32
	err    error // why meaning cannot be asked for
}

// ask has the query embedded, once, where the search goes by meaning and the
// query has words. A model on a server is waited for no longer than a person
// would: words can answer without it.
func (s *searching) ask(ctx context.Context) {
	if s.asked.asked || !s.req.byMeaning() || len(query.Terms(s.query.Root)) == 0 {
		return
	}
	s.asked.asked = true
	m, err := s.a.activeModel(ctx)
	if err != nil {
		s.asked.err = err
		return
	}
	s.asked.model = m
	soon, cancel := ctx, context.CancelFunc(func() {})
	wait := time.Duration(0)
	if isRemote(m) {
		if wait, err = s.a.questionWait(); err != nil {
			s.asked.err = err
			return
		}
		soon, cancel = context.WithTimeout(ctx, wait)
	}
	defer cancel()
	// In a process that has just begun, to read what the question will be
	// compared with takes as long as to embed it.
	var beside sync.WaitGroup
	var loadErr error
	beside.Go(func() { loadErr = s.a.loadVectors(ctx, m, s.rows()) })
	vector, err := s.embedQuestion(soon, m, wordsOf(s.query.Root))
	beside.Wait()
	switch {
	case err == nil:
		s.asked.vector, s.asked.err = vector, loadErr
	case errors.Is(soon.Err(), context.DeadlineExceeded) && ctx.Err() == nil:
		s.asked.err = kb.Errorf(kb.Internal, "%s did not answer within %v", m.Model(), wait).
			WithHint("it may be loading the model: ask again, or wait longer: cairn config set question_wait 10s").
			WithToolHint("it may be loading the model: ask again")
	default:
		s.asked.err = err
	}
}

// embedQuestion embeds a question, of one that is too long for the model as much
// as fits, from its start.
func (s *searching) embedQuestion(ctx context.Context, m embed.Embedder, text string) ([]float32, error) {
	kind := questionKind(m, text)
	vectors, err := m.Embed(ctx, []string{text}, kind)
	if err == nil {
		return vectors[0], nil
	}
	e := kb.AsError(err)
	limit, _ := e.Details["max_tokens"].(int)
	tokens, _ := e.Details["tokens"].(int)
	switch {
	case e.Code != kb.Invalid || limit <= 0:
		return nil, err
	case tokens <= limit: // a server counts otherwise, and did not say how
		return nil, kb.Errorf(kb.Invalid, "the question may be longer than %s takes: %s", m.Model(), e.Message).
			WithHint("ask a shorter question")
	}
	start, err := startOf(text, limit, m.CountTokens)
	if err != nil {
		return nil, err
	}
	if vectors, err = m.Embed(ctx, []string{start}, kind); err != nil {
		return nil, err
	}
	s.note("the question has %d tokens, and %s takes %d: meaning goes by its start", tokens, m.Model(), limit)
	return vectors[0], nil
}

// longQuestion is how many words a question has that says enough by itself.
const longQuestion = 8

// questionKind is how a model is asked. The authors of the built-in one have a
// sentence put before short questions. Longer ones find more without it, in two
// thirds of the time: see docs/benchmarks.md. Other models are asked as they say.
func questionKind(m embed.Embedder, text string) embed.Kind {
	if isBuiltIn(m) && len(strings.Fields(text)) >= longQuestion {
		return embed.Passage
	}
	return embed.Query
}

// startOf returns about the longest start of a text that has at most limit
// tokens. It ends with a word where a word ends in its second half.
func startOf(text string, limit int, count func(string) (int, error)) (string, error) {
	const tokenBytes = 64 // more than nearly all tokens have
	text = clip(text, limit*tokenBytes)
	n := sort.Search(len(text), func(n int) bool {
		tokens, err := count(clip(text, n+1))
		return err != nil || tokens > limit
	})
	start := clip(text, n)
	if space := strings.LastIndexByte(start, ' '); n < len(text) && text[n] != ' ' && space > n/2 {
		start = start[:space]
	}
	for {
		tokens, err := count(start)
		if err != nil || tokens <= limit {
			return start, err
		}
		start = clip(start, len(start)*9/10) // a word that is cut may have more tokens than the whole
	}
}

// clip cuts text to at most n bytes, at the end of a character where it has any.
func clip(text string, n int) string {
	if n >= len(text) {
		return text
	}
	for least := n - utf8.UTFMax; n > max(least, 0) && !utf8.RuneStart(text[n]); {
		n--
	}
	return text[:n]
}

// isBuiltIn reports whether a model is the one in the binary.
func isBuiltIn(m embed.Embedder) bool {
	e, ok := m.(*embedder)
	return ok && e.of.Source == sourceBuiltIn
}

// isRemote reports whether a model runs on a server.
func isRemote(m embed.Embedder) bool {
	e, ok := m.(*embedder)
	return ok && (e.of.Source == sourceOllama || e.of.Source == sourceOpenAI)
}

// questionWait is how long a question waits for a model on a server.
func (a *App) questionWait() (time.Duration, error) {
	cfg, err := config.Load(a.opts.Place)
	if err != nil {
		return 0, err
	}
	text, _, err := cfg.Get("question_wait")
	if err != nil {
		return 0, err
	}
	wait, err := time.ParseDuration(text)
	if err != nil || wait <= 0 {
		return 0, kb.Errorf(kb.Usage, "the setting question_wait is %q", text).WithHint("write how long, such as 2s or 500ms")
	}
	return wait, nil
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
