package importer

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// csvWith returns the CSV files that have all given columns.
func csvWith(t *tree, columns ...string) (out []File) {
	for _, f := range t.named("*.csv") {
		first, _, _ := strings.Cut(string(f.head()), "\n")
		first = strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(first, "\ufeff"), `"`, ""))
		have := strings.Split(strings.TrimSpace(first), ",")
		if !slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(have, c) }) {
			out = append(out, f)
		}
	}
	return out
}

// records calls do for each row of a CSV file; get returns the value of a column.
func records(ctx context.Context, f File, do func(get func(string) string) error) error {
	var head map[string]int
	return eachRow(ctx, f, func(row []string) error {
		if head == nil {
			head = map[string]int{}
			for i, name := range row {
				head[strings.ToLower(strings.TrimSpace(name))] = i
			}
			return nil
		}
		return do(func(name string) string {
			if i, there := head[name]; there && i < len(row) {
				return strings.TrimSpace(row[i])
			}
			return ""
		})
	})
}

// eachRow calls do with each row of a CSV file.
func eachRow(ctx context.Context, f File, do func([]string) error) (err error) {
	m, err := f.metered()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	rows := csv.NewReader(m)
	rows.FieldsPerRecord, rows.LazyQuotes, rows.ReuseRecord = -1, true, true
	for first := true; ; first = false {
		if err := ctx.Err(); err != nil {
			return err
		}
		row, err := rows.Read()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return kb.Errorf(kb.Invalid, "%s cannot be read: %w", f.name, err)
		}
		m.end = rows.InputOffset() + maxElement
		if first && len(row) > 0 {
			row[0] = strings.TrimPrefix(row[0], "\ufeff")
		}
		for _, cell := range row {
			if strings.ToValidUTF8(cell, "") != cell {
				return kb.Errorf(kb.Invalid, "%s is not UTF-8 text", f.name)
			}
		}
		if err := do(row); err != nil {
			return err
		}
	}
}
