package vault

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/cairn-kb/cairn/internal/kb"
)

// NoteExt returns the extension of name if it is one of the given ones, as written in name.
// It returns "" for other extensions and for a name that is only an extension.
func NoteExt(name string, extensions []string) string {
	base := name[strings.LastIndexByte(name, '/')+1:]
	dot := strings.LastIndexByte(base, '.')
	if dot <= 0 {
		return ""
	}
	for _, ext := range extensions {
		if strings.EqualFold(base[dot:], ext) && (ext != ".txt" || kb.IsTextNote(base)) {
			return base[dot:]
		}
	}
	return ""
}

// maxNameBytes is the maximum length of the name of a new file, including its extension.
// File systems allow 255 bytes; the rest is for a number that avoids collisions and for the
// suffixes of sync programs.
const maxNameBytes = 200

// FileName returns the file name for a new note with a title: the title in lower case, with
// a hyphen for each run of characters that are not letters or digits in any script, and the
// extension. It passes CheckPath for any title; a title without letters and digits becomes
// "untitled".
func FileName(title, ext string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFC.String(strings.ToLower(strings.ToValidUTF8(title, " "))) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r):
		case unicode.IsMark(r) && b.Len() > 0 && !gap:
			// An accent or vowel sign belongs to the letter before it.
		default:
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	slug := cut(norm.NFC.String(b.String()), maxNameBytes-len(ext))
	if slug == "" {
		slug = "untitled"
	}
	if reservedName(slug) {
		slug += "-note"
	}
	return slug + ext
}

// TitledName returns a file name for a new note that keeps its title: characters that are
// invalid in file names or end a link are dropped or become hyphens. It passes CheckPath for
// any title; a title without remaining characters becomes "untitled".
func TitledName(title, ext string) string {
	title = strings.NewReplacer(": ", " - ", ":", "-", "/", "-", `\`, "-").Replace(norm.NFC.String(strings.ToValidUTF8(title, " ")))
	title = kb.WithoutInvisible(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case strings.ContainsRune(badChars+"#^[]", r):
			return -1
		}
		return r
	}, title))
	title = strings.Trim(strings.Join(strings.Fields(title), " "), ". ")
	if limit := maxNameBytes - len(ext); len(title) > limit {
		for !utf8.RuneStart(title[limit]) {
			limit--
		}
		if i := strings.LastIndexByte(title[:limit], ' '); i > limit/2 {
			limit = i
		}
		title = strings.Trim(title[:limit], ". ")
	}
	if title == "" {
		title = "untitled"
	}
	if reservedName(title) {
		title += "-note"
	}
	return title + ext
}

// cut shortens a slug to at most size bytes, at a hyphen if there is one in
// the second half, and never within a character.
func cut(slug string, size int) string {
	if len(slug) <= size {
		return slug
	}
	for size > 0 && !utf8.RuneStart(slug[size]) {
		size--
	}
	if slug[size] != '-' {
		if hyphen := strings.LastIndexByte(slug[:size], '-'); hyphen > size/2 {
			size = hyphen
		}
	}
	return strings.Trim(slug[:size], "-")
}

// reservedName reports whether Windows takes a file's name for a device, with
// any extension.
func reservedName(name string) bool {
	stem, _, _ := strings.Cut(path.Base(name), ".")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	for _, port := range []string{"COM", "LPT"} {
		if n, ok := strings.CutPrefix(stem, port); ok && len([]rune(n)) == 1 && strings.Contains("0123456789¹²³", n) {
			return true
		}
	}
	return false
}
