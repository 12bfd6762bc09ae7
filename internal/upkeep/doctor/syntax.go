package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/space"
)

// checkSyntax reports a directory with a syntax in cairn that differs from that of
// the program that keeps it, for example because cairn did not support that program
// when the directory was added.
func checkSyntax(ctx context.Context, l *Look, in *inspected) ([]api.Check, error) {
	w := in.w
	if w.Files == nil {
		return nil, nil
	}
	lacking, err := space.Misread(ctx, w.Files, w.Policy)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil || len(lacking) == 0 {
		return nil, nil // an unreadable configuration is no evidence
	}
	var fix, remedy []string
	for _, s := range lacking {
		fix = append(fix, fmt.Sprintf("%s = %q", s.Key, s.Value))
		remedy = append(remedy, fmt.Sprintf("cairn space set %s %s '%s'", w.Name, s.Key, s.Value))
	}
	return []api.Check{{
		Name: "syntax " + w.Name, State: "warning",
		Reason: fmt.Sprintf("%s says how its notes are written, and the space's policy lacks %s", lacking[0].Mark, strings.Join(fix, ", ")),
		Remedy: "set it: " + strings.Join(remedy, "; "),
		Fix:    "set " + strings.Join(fix, ", ") + " in its policy, and read its notes again",
		Mend: func(ctx context.Context) error {
			for _, s := range lacking {
				if _, err := l.Spaces.Set(ctx, space.SetRequest{Name: w.Name, Key: s.Key, Value: s.Value}); err != nil {
					return err
				}
			}
			return syncSpace(l.Session, w.Row)(ctx)
		},
	}}, nil
}
