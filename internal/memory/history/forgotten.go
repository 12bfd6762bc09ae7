package history

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// forgottenKey is the settings key for the numbers of writes with forgotten data:
// ranges such as 3-7, separated by commas.
const forgottenKey = "forgotten.writes"

// NoteForgotten records that data of writes was forgotten. These writes cannot be
// undone.
func NoteForgotten(ctx context.Context, tx store.Tx, writes []int64) error {
	known, err := forgottenWrites(ctx, tx)
	if err != nil || len(writes) == 0 {
		return err
	}
	for _, w := range writes {
		known = append(known, span{w, w})
	}
	slices.SortFunc(known, func(a, b span) int { return int(a.first - b.first) })
	var text strings.Builder
	for i := 0; i < len(known); {
		s := known[i]
		for i++; i < len(known) && known[i].first <= s.last+1; i++ {
			s.last = max(s.last, known[i].last)
		}
		fmt.Fprintf(&text, "%d-%d,", s.first, s.last)
	}
	return tx.Settings().Set(ctx, forgottenKey, strings.TrimSuffix(text.String(), ","))
}

// span is a range of consecutive write numbers.
type span struct{ first, last int64 }

func forgottenWrites(ctx context.Context, tx store.Tx) (out []span, err error) {
	text, err := tx.Settings().Get(ctx, forgottenKey)
	if err != nil || text == "" {
		return nil, err
	}
	for _, part := range strings.Split(text, ",") {
		from, to, _ := strings.Cut(part, "-")
		first, err1 := strconv.ParseInt(from, 10, 64)
		last, err2 := strconv.ParseInt(to, 10, 64)
		if err1 != nil || err2 != nil {
			return nil, kb.Errorf(kb.Damaged, "the list of forgotten writes cannot be read")
		}
		out = append(out, span{first, last})
	}
	return out, nil
}

// UnfinishedRemoval is the settings key for the plan of an unfinished permanent
// removal.
const UnfinishedRemoval = "forget.unfinished"

// Removing reports whether a permanent removal was interrupted and not completed
// since.
func Removing(ctx context.Context, tx store.Tx) (bool, error) {
	plan, err := tx.Settings().Get(ctx, UnfinishedRemoval)
	return plan != "", err
}

// checkForgotten refuses to undo a range of writes if data of them was forgotten. A
// last of 0 is the first write, and a first of 0 means none.
func checkForgotten(ctx context.Context, tx store.Tx, first, last int64) error {
	if first == 0 {
		return nil
	}
	known, err := forgottenWrites(ctx, tx)
	if err != nil {
		return err
	}
	last = max(first, last)
	for _, s := range known {
		if s.first <= last && first <= s.last {
			return kb.Errorf(kb.Refused, "write %d was forgotten: its texts are gone for good", max(s.first, first)).
				WithHint("Nothing was changed. What a person forgot cannot be undone.")
		}
	}
	return nil
}
