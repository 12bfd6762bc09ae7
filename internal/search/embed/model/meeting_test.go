package model

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// No thread goes on before all are there, and one that wants to stop takes
// all along at the same meeting.
func TestMeeting(t *testing.T) {
	t.Parallel()
	const threads, meetings = 3, 200
	meet := newMeeting(threads)
	var came atomic.Int64
	var wg sync.WaitGroup
	for id := range threads {
		wg.Go(func() {
			for n := range meetings {
				came.Add(1)
				last := n == meetings-1
				stopped := meet.wait(last && id == 1)
				if got := came.Load(); got < int64((n+1)*threads) {
					t.Errorf("meeting %d: only %d came", n, got)
				}
				if stopped != last {
					t.Errorf("meeting %d: stopped %v", n, stopped)
				}
			}
		})
	}
	wg.Wait()
}

// One text is shared if it is long enough.
func TestSharesOneText(t *testing.T) {
	t.Parallel()
	file := packedTiny(t, tinyWeights(t, 2))
	for _, c := range []struct{ tokens, threads int }{{2*shareRows - 1, 1}, {2 * shareRows, 2}} {
		m := packedModel(t, file, fastest(t), 3)
		ws := []*workspace{}
		for range 3 {
			<-m.free
			ws = append(ws, newWorkspace(m.info))
		}
		if err := m.forward(t.Context(), ws, [][]int32{make([]int32, c.tokens)}, make([][]float32, 1), textVector); err != nil {
			t.Fatal(err)
		}
		used := 0
		for _, w := range ws {
			if w.params[0].Scale != 0 {
				used++
			}
		}
		if used != c.threads {
			t.Errorf("%d tokens: %d threads, want %d", c.tokens, used, c.threads)
		}
	}
}

// doneAfter is a context that is done when it has been asked that often.
type doneAfter struct {
	context.Context
	left atomic.Int64
}

func (c *doneAfter) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Whenever a thread learns that the context is done, all of them stop, and
// the model can be used again.
func TestCancelledWhileShared(t *testing.T) {
	t.Parallel()
	m := packedModel(t, packedTiny(t, tinyWeights(t, 3)), fastest(t), 3)
	text := [][]int32{make([]int32, tiny.MaxTokens)}
	for asked := range int64(3 * (tiny.Layers + 1)) {
		ctx := &doneAfter{Context: t.Context()}
		ctx.left.Store(asked)
		if _, err := m.Embed(ctx, text); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if _, err := m.Embed(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
}

// A process that embeds one question takes no memory for the longest text.
func TestRoomGrowsWithTexts(t *testing.T) {
	t.Parallel()
	m := packedModel(t, packedTiny(t, tinyWeights(t, 2)), fastest(t), 1)
	ws := newWorkspace(m.info)
	for _, c := range []struct{ texts, rows int }{{1, leastTokens}, {6, 2 * leastTokens}, {11, 4 * leastTokens}, {1, 4 * leastTokens}} {
		chunk := slices.Repeat([][]int32{make([]int32, 9)}, c.texts)
		if err := m.forward(t.Context(), []*workspace{ws}, chunk, make([][]float32, c.texts), textVector); err != nil {
			t.Fatal(err)
		}
		if rows := len(ws.x) / m.info.Hidden; rows != c.rows {
			t.Errorf("%d texts: room for %d tokens, want %d", c.texts, rows, c.rows)
		}
	}
}
