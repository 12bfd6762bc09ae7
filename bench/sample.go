package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// minSample is the size from which a note has something to say.
const minSample = 400

var longWord = regexp.MustCompile(`\b[a-z]{6,12}\b`)

// sampleNote picks a note to get and a word of it to search for: the first
// note of some size by path, so that every run picks the same.
func sampleNote(dir string) (ref, word string, err error) {
	err = eachNote(dir, func(path string, _ fs.DirEntry) error {
		b, err := os.ReadFile(path)
		if err != nil || len(b) < minSample {
			return err
		}
		if word = longWord.FindString(string(b)); word == "" {
			return nil
		}
		if ref, err = filepath.Rel(dir, path); err != nil {
			return err
		}
		ref = filepath.ToSlash(ref)
		return fs.SkipAll
	})
	if err == nil && ref == "" {
		err = errors.New("no note of some size in " + dir)
	}
	return ref, word, err
}
