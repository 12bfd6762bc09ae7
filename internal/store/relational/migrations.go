package relational

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Migration is one step of the schema.
type Migration struct {
	Number   int
	Name     string
	SQL      string
	Checksum string
}

// ReadMigrations reads NNNN_name.sql files; numbers count from 1 without gaps.
func ReadMigrations(fsys fs.FS) ([]Migration, error) {
	files, err := fs.Glob(fsys, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	var out []Migration
	for i, file := range files { // sorted by name
		number, name, ok := strings.Cut(strings.TrimSuffix(path.Base(file), ".sql"), "_")
		n, err := strconv.Atoi(number)
		if !ok || err != nil || n != i+1 {
			return nil, fmt.Errorf("migration %s: want number %04d", file, i+1)
		}
		sql, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(sql)
		out = append(out, Migration{Number: n, Name: name, SQL: string(sql), Checksum: hex.EncodeToString(sum[:])})
	}
	if len(out) == 0 {
		return nil, errors.New("no migrations")
	}
	return out, nil
}
