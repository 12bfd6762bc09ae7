package embedding

import (
	"context"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/embed/packed"
)

// maxAsked is the maximum number of tokens of a question that are embedded on this
// machine. Twice as many take more than twice the time, and the beginning of a
// page-long question has its subject.
const maxAsked = 256

// Question embeds a question. For an overlong question it embeds the start, as far
// as allowed, and says so in note.
func Question(ctx context.Context, m embed.Embedder, text string) (vector []float32, note string, err error) {
	kind := questionKind(m, text)
	if !IsRemote(m) && len(text) > maxAsked {
		tokens, err := m.CountTokens(text)
		if err != nil {
			return nil, "", err
		}
		if tokens > maxAsked {
			return startOfQuestion(ctx, m, text, kind, tokens, maxAsked)
		}
	}
	vectors, err := m.Embed(ctx, []string{text}, kind)
	if err == nil {
		return vectors[0], "", nil
	}
	e := kb.AsError(err)
	limit, _ := e.Details["max_tokens"].(int)
	tokens, _ := e.Details["tokens"].(int)
	switch {
	case e.Code != kb.Invalid || limit <= 0:
		return nil, "", err
	case tokens <= limit: // the server has other counts, and did not report them
		return nil, "", kb.Errorf(kb.Invalid, "the question may be longer than %s takes: %s", m.Model(), e.Message).
			WithHint("ask a shorter question")
	}
	return startOfQuestion(ctx, m, text, kind, tokens, limit)
}

// startOfQuestion embeds the start of a question that has more tokens than the limit.
func startOfQuestion(ctx context.Context, m embed.Embedder, text string, kind embed.Kind, tokens, limit int) ([]float32, string, error) {
	start, err := startOf(text, limit, m.CountTokens)
	if err != nil {
		return nil, "", err
	}
	vectors, err := m.Embed(ctx, []string{start}, kind)
	if err != nil {
		return nil, "", err
	}
	return vectors[0], fmt.Sprintf("the question has %d tokens: semantic search uses only its start, %d of them", tokens, limit), nil
}

// longQuestion is the number of words from which a question is specific enough by
// itself.
const longQuestion = 8

// questionKind returns the kind of input for a question. The authors of the
// built-in model recommend a prefix for short questions. Longer ones find more
// without it, in two thirds of the time: see docs/benchmarks.md. Other models use
// their own convention.
func questionKind(m embed.Embedder, text string) embed.Kind {
	if IsBuiltIn(m) && len(strings.Fields(text)) >= longQuestion {
		return embed.Passage
	}
	return embed.Query
}

// startOf returns about the longest start of a text with at most limit tokens. It
// ends at a word boundary if there is one in its second half.
func startOf(text string, limit int, count func(string) (int, error)) (string, error) {
	const tokenBytes = 64 // more than nearly all tokens have
	text = Clip(text, limit*tokenBytes)
	n := sort.Search(len(text), func(n int) bool {
		tokens, err := count(Clip(text, n+1))
		return err != nil || tokens > limit
	})
	start := Clip(text, n)
	if space := strings.LastIndexByte(start, ' '); n < len(text) && text[n] != ' ' && space > n/2 {
		start = start[:space]
	}
	for {
		tokens, err := count(start)
		if err != nil || tokens <= limit {
			return start, err
		}
		start = Clip(start, len(start)*9/10) // a truncated word may have more tokens than the whole
	}
}

// Clip cuts text to at most n bytes, at a character boundary if possible.
func Clip(text string, n int) string {
	if n >= len(text) {
		return text
	}
	for least := n - utf8.UTFMax; n > max(least, 0) && !utf8.RuneStart(text[n]); {
		n--
	}
	return text[:n]
}

// IsBuiltIn reports whether a model is the built-in one.
func IsBuiltIn(m embed.Embedder) bool {
	e, ok := m.(*embedder)
	return ok && e.of.Source == sourceBuiltIn
}

// TokenModel returns the built-in model, which also computes vectors of tokens: the
// active model, if it is the built-in one.
func TokenModel(sess *memory.Session, active embed.Embedder) (*packed.Embedder, error) {
	if IsBuiltIn(active) {
		return active.(*embedder).Embedder.(*packed.Embedder), nil
	}
	return bge.New(sess.Place.Env(kernel.EnvVar), sess.Workers)
}

// IsRemote reports whether a model runs on a server.
func IsRemote(m embed.Embedder) bool {
	e, ok := m.(*embedder)
	return ok && (e.of.Source == SourceOllama || e.of.Source == SourceOpenAI)
}

// Nearest returns the settings for semantic search: the maximum number of pages,
// and the minimum similarity.
func Nearest(sess *memory.Session) (most int, least float64, err error) {
	text, err := sess.Place.Setting("vector_k")
	if err == nil {
		most, err = strconv.Atoi(text)
	}
	if err != nil {
		return 0, 0, err
	}
	if text, err = sess.Place.Setting("min_similarity"); err == nil {
		least, err = strconv.ParseFloat(text, 64)
	}
	return most, least, err
}

// QuestionWait is the timeout of a question for a model on a server.
func QuestionWait(sess *memory.Session) (time.Duration, error) {
	text, err := sess.Place.Setting("question_wait")
	if err != nil {
		return 0, err
	}
	return time.ParseDuration(text)
}
