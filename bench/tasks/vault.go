package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// makeVault writes the notes that the tasks are about, among others.
func makeVault(dir string) error {
	files := map[string]string{
		"decisions/database.md":  "---\ntype: decision\ndate: 2026-03-02\n---\n# Database of Atlas\n\n[[Project Atlas]] stores its data in PostgreSQL, since several servers write.\n",
		"decisions/database2.md": "---\ntype: decision\ndate: 2026-06-11\n---\n# Storage of Atlas\n\n[[Project Atlas]] stores its data in SQLite, since one server is enough.\n",
		"decisions/retries.md":   "---\ntype: decision\ndate: 2026-04-20\n---\n# Retry policy\n\nImports of [[Project Atlas]] are retried three times, then a person looks.\n",
		"projects/Project Atlas.md": "# Project Atlas\n\nThe relaunch of the catalogue. The office is at Torstrasse 5.\n\n" +
			"- [ ] Order the labels 📅 2026-12-01\n- [ ] Ask Ada about the budget\n- [x] Move the imports\n",
		"people/Ada Byron.md":    "# Ada Byron\n\nLeads the relaunch. Office: Torstrasse 5, second floor.\n",
		"people/Carl Brandt.md":  "# Carl Brandt\n\nRuns the warehouse. Letters go to Torstrasse 5.\n",
		"log/2022-03-05.md":      "# 2022-03-05\n\nMet Carl about the warehouse. The scanner broke.\n",
		"log/2022-03-19.md":      "# 2022-03-19\n\nCounted the stock: 412 boxes.\n",
		"log/2026-11-27.md":      "# Work on the importer\n\nToday the importer reads CSV. Next: XLSX, then dates in German form.\n",
		"guides/Handbook.md":     handbook(),
		"people/Grace.md":        "# Grace\n\nWrites the manuals.\n",
		"people/Grace Hopper.md": "# Grace Hopper\n\nWrote the first compiler. Likes [[Ada Byron]].\n",
		"refs/compiler.md":       "# Compilers\n\nSee [[Grace]] for manuals.\n",
	}
	for i := range 15 {
		files[fmt.Sprintf("inbox/item-%02d.md", i)] = fmt.Sprintf("# Item %d\n\nSomething to sort, number %d. #evergreen\n", i, i)
	}
	for i := range 30 {
		files[fmt.Sprintf("papers/paper-%02d.md", i)] = fmt.Sprintf("---\nyear: %d\nstage: read\n---\n# Paper %d\n\nOn method %d of sampling, with a table of %d rows.\n", 1990+i, i, i, i*7)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// handbook is a page of some 6,000 tokens.
func handbook() string {
	var b strings.Builder
	b.WriteString("# Handbook\n")
	for i := range 40 {
		fmt.Fprintf(&b, "\n## Chapter %d\n\n", i)
		for j := range 6 {
			fmt.Fprintf(&b, "Step %d of chapter %d: check shelf %d, write the count on sheet %d, and sign it.\n", j, i, i*6+j, j)
		}
		if i == 31 {
			b.WriteString("The key of the cold store is with the porter.\n")
		}
	}
	return b.String()
}
