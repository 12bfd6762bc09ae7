package model

import (
	"context"
	"math"
	"slices"
	"sync"
)

// shareRows is the minimum number of rows of a thread's share of a chunk: fewer leave the
// kernels' row blocks empty, and waiting for other threads costs more than it saves.
const shareRows = 8

// layer is one encoder layer, ready to run.
type layer struct {
	qkv, query, keyValue linear // query and keyValue are views of qkv
	out, up, down        linear
	attentionNorm, norm  Norm
}

// tokenTable returns the embedding of a token.
type tokenTable interface {
	lookup(dst []float32, id int32)
}

// floatTable is a table of float embeddings.
type floatTable []float32

func (t floatTable) lookup(dst []float32, id int32) {
	copy(dst, t[int(id)*len(dst):])
}

// int8Table is a table of embeddings with one step per row.
type int8Table struct {
	q     []int8
	steps []float32
}

func (t int8Table) lookup(dst []float32, id int32) {
	row := t.q[int(id)*len(dst):][:len(dst)]
	for i := range dst {
		dst[i] = float32(row[i]) * t.steps[id]
	}
}

// forward runs a chunk of texts through all layers with one thread per workspace, and writes
// the texts' vectors. Texts are concatenated in the first workspace, without padding: a row
// of a matrix product does not depend on its text or its thread.
func (m *Model) forward(ctx context.Context, team []*workspace, chunk [][]int32, vectors [][]float32, what output) error {
	tokens := 0
	for _, ids := range chunk {
		tokens += len(ids)
	}
	team = team[:max(1, min(len(team), tokens/shareRows))]
	each := (tokens + len(team) - 1) / len(team)
	team[0].room(m.info, tokens)
	meet := newMeeting(len(team))
	var wg sync.WaitGroup
	for i, own := range team[1:] {
		ws := *own
		ws.activations = team[0].activations
		wg.Go(func() { m.encode(ctx, &ws, meet, chunk, (i+1)*each, min((i+2)*each, tokens), what) })
	}
	stopped := m.encode(ctx, team[0], meet, chunk, 0, each, what)
	wg.Wait()
	if stopped {
		return ctx.Err()
	}
	h, row := m.info.Hidden, 0
	for i, ids := range chunk {
		rows := len(ids)
		if m.firstOnly(what) {
			rows = 1 // attendFirst leaves one row
		}
		x := team[0].x[row*h : (row+rows)*h]
		switch what {
		case textVector:
			vectors[i] = unit(m.project(addRows(x, h), rows))
		case tokenVectors:
			vectors[i] = make([]float32, 0, len(x))
			for at := 0; at < len(x); at += h {
				vectors[i] = append(vectors[i], unit(x[at:at+h])...)
			}
		case plainResult:
			vectors[i] = slices.Clone(m.project(x[:h], 1))
		}
		row += rows
	}
	return nil
}

// firstOnly reports whether only the first token's row of the last layer is needed.
func (m *Model) firstOnly(what output) bool { return what != tokenVectors && m.info.Pooling == CLS }

// encode computes the rows [from, to) of a chunk in all layers, in parallel with the threads
// for the other rows. In the last layer only the first thread does the work after the
// product. It reports whether it stopped because ctx is done.
func (m *Model) encode(ctx context.Context, ws *workspace, meet *meeting, chunk [][]int32, from, to int, what output) (stopped bool) {
	h := m.info.Hidden
	m.embedTokens(ws, chunk, from, to)
	for n := range m.layers {
		l, qkv := &m.layers[n], ws.qkv[n%2]
		first := n == len(m.layers)-1 && m.firstOnly(what)
		if first {
			m.apply(ws, l.keyValue, qkv[h:], 3*h, ws.x, from, to)
		} else {
			m.apply(ws, l.qkv, qkv, 3*h, ws.x, from, to)
		}
		// A layer of a full chunk takes milliseconds: often enough to check.
		if meet.wait(ctx.Err() != nil) {
			return true
		}
		if !first {
			m.attendAll(ws, qkv, chunk, from, to)
			m.feedForward(ws, l, from, to)
		} else if from == 0 {
			m.attendFirst(ws, l, qkv, chunk)
			m.feedForward(ws, l, 0, len(chunk))
		}
	}
	return false
}

// addRows adds all rows to the first, which then has the direction of their mean, and
// returns it.
func addRows(x []float32, width int) []float32 {
	sum := x[:width]
	for at := width; at < len(x); at += width {
		for i, v := range x[at : at+width] {
			sum[i] += v
		}
	}
	return sum
}

// embedTokens fills rows of ws.x with the sum of token and position embeddings.
func (m *Model) embedTokens(ws *workspace, chunk [][]int32, from, to int) {
	h, row := m.info.Hidden, 0
	for _, ids := range chunk {
		next := 0
		for _, id := range ids {
			position := m.positions[next*h : (next+1)*h]
			if p := m.padding; p != nil && id == p.Token {
				position = p.Position
			} else {
				next++
			}
			if from <= row && row < to {
				x := ws.x[row*h : (row+1)*h]
				if of := int32(m.info.Vocabulary); id < of {
					m.tokens.lookup(x, id)
				} else {
					m.tokens.lookup(x, id-of)
					for i, v := range m.second {
						x[i] += v
					}
				}
				m.kernels.AddNorm(x, position, m.norm.Gamma, m.norm.Beta, m.info.NormEpsilon)
			}
			row++
		}
	}
}

// attendAll runs the attention of a layer with the tokens [from, to) as queries.
func (m *Model) attendAll(ws *workspace, qkv []float32, chunk [][]int32, from, to int) {
	h, row := m.info.Hidden, 0
	for _, ids := range chunk {
		n := len(ids)
		if lo, hi := max(from, row), min(to, row+n); lo < hi {
			m.attend(ws, ws.context[lo*h:], qkv[lo*3*h:], 3*h, lo-row, hi-lo, qkv[row*3*h:(row+n)*3*h], n)
		}
		row += n
	}
}

// attendFirst runs the attention of the last layer with only the first token
// of each text as a query, because only its row becomes the vector. It leaves
// one row per text in ws.x and ws.context.
func (m *Model) attendFirst(ws *workspace, l *layer, qkv []float32, chunk [][]int32) {
	h, row := m.info.Hidden, 0
	for i, ids := range chunk {
		copy(ws.x[i*h:(i+1)*h], ws.x[row*h:(row+1)*h])
		row += len(ids)
	}
	m.apply(ws, l.query, ws.delta, h, ws.x, 0, len(chunk))
	row = 0
	for i, ids := range chunk {
		n := len(ids)
		m.attend(ws, ws.context[i*h:], ws.delta[i*h:], h, 0, 1, qkv[row*3*h:(row+n)*3*h], n)
		row += n
	}
}

// feedForward finishes a layer for rows of ws.x and ws.context.
func (m *Model) feedForward(ws *workspace, l *layer, from, to int) {
	h := m.info.Hidden
	m.apply(ws, l.out, ws.delta, h, ws.context, from, to)
	m.addNorm(ws, from, to, l.attentionNorm)
	for ; from < to; from += blockRows {
		end := min(from+blockRows, to)
		l.up.apply(m.kernels, ws, ws.wide, m.info.Intermediate, ws.x[from*h:], end-from, false)
		l.down.apply(m.kernels, ws, ws.delta[from*h:], h, ws.wide, end-from, true)
		m.addNorm(ws, from, end, l.norm)
	}
}

// apply multiplies rows of x, a block at a time.
func (m *Model) apply(ws *workspace, l linear, dst []float32, ldd int, x []float32, from, to int) {
	h := m.info.Hidden
	for ; from < to; from += blockRows {
		l.apply(m.kernels, ws, dst[from*ldd:], ldd, x[from*h:], min(blockRows, to-from), false)
	}
}

// addNorm adds rows of ws.delta to ws.x and normalises.
func (m *Model) addNorm(ws *workspace, from, to int, n Norm) {
	h := m.info.Hidden
	for r := from; r < to; r++ {
		m.kernels.AddNorm(ws.x[r*h:(r+1)*h], ws.delta[r*h:(r+1)*h], n.Gamma, n.Beta, m.info.NormEpsilon)
	}
}

// unit returns a copy of v with length one.
func unit(v []float32) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	scale := float32(1 / math.Sqrt(max(sum, 1e-24)))
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = x * scale
	}
	return out
}
