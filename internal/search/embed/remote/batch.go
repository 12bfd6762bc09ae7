package remote

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed"
)

// batch is the content of one request.
type batch struct {
	kind   embed.Kind
	first  int      // index of the first text in the call
	texts  []string // as passed by the caller
	inputs []string // as sent
	all    []string // inputs of the whole call, which must not appear in an error
}

// part returns the texts [from, to).
func (b batch) part(from, to int) batch {
	return batch{kind: b.kind, first: b.first + from, texts: b.texts[from:to], inputs: b.inputs[from:to], all: b.all}
}

// batches cuts texts into runs of at most count texts and size bytes, but at least one text.
// It returns the starts of the runs, and the end.
func batches(texts []string, count, size int) []int {
	bounds := []int{0}
	bytes := 0
	for i, text := range texts {
		n := i - bounds[len(bounds)-1]
		if n > 0 && (n == count || bytes+len(text) > size) {
			bounds = append(bounds, i)
			bytes = 0
		}
		bytes += len(text)
	}
	if len(texts) > 0 {
		bounds = append(bounds, len(texts))
	}
	return bounds
}

// embedBatch embeds a batch. If the server finds it too large or refuses a text in it, the
// batch is halved until it succeeds or a single text is left; see alone.
func (e *Embedder) embedBatch(ctx context.Context, b batch) ([][]float32, error) {
	answer, failed := e.attempts(ctx, b)
	if failed == nil {
		return e.read(answer, len(b.texts))
	}
	if !failed.size || ctx.Err() != nil {
		return nil, e.gaveUp(ctx, failed, b)
	}
	if err := e.service.Explain(failed.Refusal); err != nil {
		return nil, err
	}
	if len(b.texts) == 1 {
		return e.alone(ctx, failed, b)
	}
	middle := len(b.texts) / 2
	vectors, err := e.embedBatch(ctx, b.part(0, middle))
	if err != nil {
		return nil, err
	}
	rest, err := e.embedBatch(ctx, b.part(middle, len(b.texts)))
	if err != nil {
		return nil, err
	}
	return append(vectors, rest...), nil
}

// gaveUp returns the error for a request that failed permanently, or was given up.
func (e *Embedder) gaveUp(ctx context.Context, f *failure, b batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return e.report(f, b)
}

// attempts posts a batch until it is answered or patience ends.
func (e *Embedder) attempts(ctx context.Context, b batch) ([]byte, *failure) {
	body, err := json.Marshal(e.service.Request(b.inputs))
	if err != nil {
		return nil, &failure{err: err}
	}
	patience := patienceFor(b.kind)
	for attempt := 1; ; attempt++ {
		answer, failed := e.post(ctx, body, e.answerLimit(len(b.texts)))
		if failed == nil || ctx.Err() != nil {
			return answer, failed
		}
		if !failed.again || e.service.Explain(failed.Refusal) != nil && failed.Status != 0 {
			return nil, failed
		}
		wait, again := patience.wait(attempt, failed.asked, e.world.Chance())
		if !again {
			return nil, failed
		}
		if err := e.world.Wait(ctx, wait); err != nil {
			return nil, failed // ctx is done, which the caller notices
		}
	}
}

// read decodes an answer to unit vectors.
func (e *Embedder) read(answer []byte, n int) ([][]float32, error) {
	vectors, err := e.service.Vectors(answer, n)
	if err != nil {
		return nil, e.unreadable(err)
	}
	if problem := check(vectors, n, e.spec.Dimensions); problem != nil {
		problem.Message = e.server() + " answered with " + problem.Message
		return nil, problem
	}
	out := make([][]float32, n)
	for i, v := range vectors {
		out[i] = unit(v)
	}
	return out, nil
}

// tooLong returns the error for a text that is too long by the estimate.
func (e *Embedder) tooLong(index, tokens int, kind embed.Kind) error {
	limit := e.maxTokens(kind)
	return kb.Errorf(kb.Invalid, "text %d has about %d tokens; %s takes %d", index, tokens, e.spec.Name, limit).
		WithHint("split the text into parts of at most %d tokens", limit).
		With("index", index).With("tokens", tokens).With("max_tokens", limit)
}

// shortTokens is an estimate below which no text is too long for a model: the smallest
// contexts have 128 tokens, and the estimate may be half of the real number.
const shortTokens = 64

// controlText is a text that every working embedding server accepts.
const controlText = "cairn"

// alone interprets the refusal of a single text. Status 413 means that it is too long,
// unless it is short and a single word is refused as well, for example by a proxy that
// refuses all requests. 400 and 422 may also be about the server, such as a model that is
// not loaded yet: a request with one word shows whether it accepts anything, and then the
// text is sent again.
func (e *Embedder) alone(ctx context.Context, f *failure, b batch) ([][]float32, error) {
	short, large := Estimate(b.texts[0]) < shortTokens, f.Status == http.StatusRequestEntityTooLarge
	if large && !short {
		return nil, e.refused(f, b)
	}
	word := b
	word.texts, word.inputs = []string{controlText}, []string{controlText}
	if _, failed := e.attempts(ctx, word); failed != nil {
		return nil, e.gaveUp(ctx, failed, b)
	}
	answer, failed := e.attempts(ctx, b)
	switch {
	case failed == nil:
		return e.read(answer, 1)
	case !failed.size || ctx.Err() != nil:
		return nil, e.gaveUp(ctx, failed, b)
	}
	if short && !large {
		return nil, e.notTaken(f, b)
	}
	return nil, e.refused(f, b)
}

// refused returns the error for a single text that the server refuses.
func (e *Embedder) refused(f *failure, b batch) error {
	tokens, limit := Estimate(b.texts[0]), e.maxTokens(b.kind)
	return kb.Errorf(kb.Invalid, "%s refused text %d of about %d tokens%s",
		e.server(), b.first, tokens, e.said(f.Refusal, b)).
		WithHint("the text may be longer than the model takes: split it into smaller parts").
		With("index", b.first).With("tokens", tokens).With("max_tokens", limit).With("status", f.Status)
}

// notTaken returns the error for a single text that the server refuses although it is not
// too long.
func (e *Embedder) notTaken(f *failure, b batch) error {
	return kb.Errorf(kb.Internal, "%s took other texts, and did not take text %d of about %d tokens (status %d)%s",
		e.server(), b.first, Estimate(b.texts[0]), f.Status, e.said(f.Refusal, b)).
		Because(embed.ErrNotTaken).
		WithHint("see the server's log for the reason; the text is tried again when pages are embedded next").
		With("index", b.first).With("status", f.Status)
}
