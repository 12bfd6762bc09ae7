package model

import (
	"context"
	"math"
)

// layer is one encoder layer, ready to run.
type layer struct {
	qkv, query, keyValue linear // query and keyValue are views of qkv
	out, up, down        linear
	attentionNorm, norm  Norm
}

// tokenTable gives the embedding of a token.
type tokenTable interface {
	lookup(dst []float32, id int32)
}

// floatTable is a table of float embeddings.
type floatTable []float32

func (t floatTable) lookup(dst []float32, id int32) {
	copy(dst, t[int(id)*len(dst):])
}

// int8Table is a table of embeddings with one step a row.
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

// forward runs a chunk of texts through all layers and writes their vectors.
// Texts lie one after the other in the workspace, without padding: a row of a
// matrix product does not care which text it belongs to.
func (m *Model) forward(ctx context.Context, ws *workspace, chunk [][]int32, vectors [][]float32) error {
	tokens := m.embedTokens(ws, chunk)
	for n := range m.layers {
		// A layer of a full chunk takes milliseconds: often enough to ask.
		if err := ctx.Err(); err != nil {
			return err
		}
		l := &m.layers[n]
		if n == len(m.layers)-1 && m.info.Pooling == CLS {
			m.attendFirst(ws, l, chunk, tokens)
			tokens = len(chunk)
		} else {
			m.attendAll(ws, l, chunk, tokens)
		}
		m.feedForward(ws, l, tokens)
	}
	h, row := m.info.Hidden, 0
	for i, ids := range chunk {
		rows := 1 // what attendFirst leaves
		if m.info.Pooling == Mean {
			rows = len(ids)
		}
		vectors[i] = unit(addRows(ws.x[row*h:(row+rows)*h], h))
		row += rows
	}
	return nil
}

// addRows adds all rows to the first, which points where their mean does, and
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

// embedTokens fills ws.x with the sum of token and position embeddings and
// returns the number of rows.
func (m *Model) embedTokens(ws *workspace, chunk [][]int32) int {
	h, row := m.info.Hidden, 0
	for _, ids := range chunk {
		for position, id := range ids {
			x := ws.x[row*h : (row+1)*h]
			m.tokens.lookup(x, id)
			m.kernels.AddNorm(x, m.positions[position*h:(position+1)*h], m.norm.Gamma, m.norm.Beta, m.info.NormEpsilon)
			row++
		}
	}
	return row
}

// attendAll runs the attention of a layer with every token as a query.
func (m *Model) attendAll(ws *workspace, l *layer, chunk [][]int32, tokens int) {
	h := m.info.Hidden
	m.apply(ws, l.qkv, ws.qkv, 3*h, ws.x, tokens)
	row := 0
	for _, ids := range chunk {
		n := len(ids)
		qkv := ws.qkv[row*3*h : (row+n)*3*h]
		m.attend(ws, ws.context[row*h:], qkv, 3*h, n, qkv, n)
		row += n
	}
}

// attendFirst runs the attention of the last layer with only the first token
// of each text as a query, because only its row becomes the vector. It leaves
// one row per text in ws.x and ws.context.
func (m *Model) attendFirst(ws *workspace, l *layer, chunk [][]int32, tokens int) {
	h := m.info.Hidden
	m.apply(ws, l.keyValue, ws.qkv[h:], 3*h, ws.x, tokens)
	row := 0
	for i, ids := range chunk {
		copy(ws.x[i*h:(i+1)*h], ws.x[row*h:(row+1)*h])
		row += len(ids)
	}
	m.apply(ws, l.query, ws.delta, h, ws.x, len(chunk))
	row = 0
	for i, ids := range chunk {
		n := len(ids)
		m.attend(ws, ws.context[i*h:], ws.delta[i*h:], h, 1, ws.qkv[row*3*h:(row+n)*3*h], n)
		row += n
	}
}

// feedForward finishes a layer for the rows in ws.x and ws.context.
func (m *Model) feedForward(ws *workspace, l *layer, rows int) {
	h := m.info.Hidden
	m.apply(ws, l.out, ws.delta, h, ws.context, rows)
	m.addNorm(ws, rows, l.attentionNorm)
	for from := 0; from < rows; from += blockRows {
		count := min(blockRows, rows-from)
		l.up.apply(m.kernels, ws, ws.wide, m.info.Intermediate, ws.x[from*h:], count, false)
		l.down.apply(m.kernels, ws, ws.delta[from*h:], h, ws.wide, count, true)
	}
	m.addNorm(ws, rows, l.norm)
}

// apply multiplies any number of rows, a block at a time.
func (m *Model) apply(ws *workspace, l linear, dst []float32, ldd int, x []float32, rows int) {
	h := m.info.Hidden
	for from := 0; from < rows; from += blockRows {
		l.apply(m.kernels, ws, dst[from*ldd:], ldd, x[from*h:], min(blockRows, rows-from), false)
	}
}

// addNorm adds ws.delta to ws.x and normalises.
func (m *Model) addNorm(ws *workspace, rows int, n Norm) {
	h := m.info.Hidden
	for r := range rows {
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
