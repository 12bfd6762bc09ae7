package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// walkCommand makes this program a bare walk, so that the walks which cairn
// is compared with are whole processes too.
const walkCommand = "walk"

// extensions are those of notes.
var extensions = []string{".md", ".markdown", ".org"}

// walkMain is `bench walk stat|hash DIR`.
func walkMain(args []string) error {
	if len(args) != 2 || args[0] != "stat" && args[0] != "hash" {
		return errors.New("usage: bench walk stat|hash DIR")
	}
	n, bytes, err := walk(args[1], args[0] == "hash")
	if err != nil {
		return err
	}
	_, err = fmt.Println(n, bytes)
	return err
}

// eachNote visits the notes of a directory in the order of their paths. What is
// hidden, or in a hidden directory, is none.
func eachNote(dir string, visit func(path string, e fs.DirEntry) error) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.HasPrefix(e.Name(), ".") && path != dir {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !e.Type().IsRegular() || !slices.Contains(extensions, strings.ToLower(filepath.Ext(path))) {
			return nil
		}
		return visit(path, e)
	})
}

// walk takes the size and time of the notes of a directory in one goroutine;
// with hash it reads each and computes the hash that cairn knows documents by.
// It returns the number of notes and their bytes.
func walk(dir string, hash bool) (notes int, bytes int64, err error) {
	err = eachNote(dir, func(path string, e fs.DirEntry) error {
		info, err := e.Info()
		if err != nil {
			return err
		}
		notes++
		bytes += info.Size()
		if !hash {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		_ = sha256.Sum256(b) // a call that the compiler does not leave out
		return nil
	})
	return notes, bytes, err
}
