package embedding

import (
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/doc/chunk"
)

func TestPace(t *testing.T) {
	t.Parallel()
	of := func(words int) []task {
		list := make([]task, 2*embedChunks)
		for i := range list {
			list[i].Chunk = chunk.Chunk{Text: strings.Repeat("word ", words)}
		}
		return list
	}
	for name, c := range map[string]struct {
		p    pace
		list []task
		want int
	}{
		"short texts":       {pace{}, of(5), paceChunks},
		"long texts":        {pace{}, of(150), 2},
		"very long ones":    {pace{}, of(1000), 1},
		"the last ones":     {pace{}, of(5)[:3], 3},
		"quick":             {pace{paceTokens, time.Second / 10}, of(150), 5},
		"as long as before": {pace{paceTokens, time.Second}, of(150), 2},
		"too long":          {pace{paceTokens, 3 * time.Second}, of(150), 0},
	} {
		if got := c.p.next(c.list, 2*time.Second); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestFew(t *testing.T) {
	t.Parallel()
	of := func(n, words int) []task {
		list := make([]task, n)
		for i := range list {
			list[i].Chunk = chunk.Chunk{Text: strings.Repeat("word ", words)}
		}
		return list
	}
	for name, c := range map[string]struct {
		list []task
		want int
	}{
		"none":            {nil, 0},
		"the last ones":   {of(3, 5), 3},
		"short texts":     {of(100, 5), embedChunks},
		"long texts":      {of(100, 300), 13},
		"a very long one": {of(2, 5000), 1},
	} {
		if got := few(c.list, embedTokens); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
