package vault

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Limits of names, in bytes: those of Linux and macOS; NTFS's (255 UTF-16
// units) is no stricter.
const (
	maxElementBytes = 255
	maxPathBytes    = 4095
)

// badChars cannot be in names on Windows. The backslash, which is one of
// them, has a text of its own.
const badChars = `<>:"|?*`

// CheckPath reports whether cairn may create a file at a path, so that the name
// works on every system and is the same file on each. The error has code
// invalid and names the broken rule.
func CheckPath(name string) error {
	if err := CheckExisting(name); err != nil {
		return err
	}
	for _, r := range name {
		switch {
		case r == '\\':
			return bad(name, "has a backslash", "Separate directories with a forward slash.")
		case unicode.IsControl(r):
			return bad(name, "has a control character", "Leave out line breaks, tabs and the like.")
		case strings.ContainsRune(badChars, r):
			return bad(name, "has one of the characters "+badChars, "Windows cannot have them in names; use a hyphen.")
		}
	}
	if r, found := kb.Invisible(name); found {
		return bad(name, fmt.Sprintf("has an invisible character, %U", r), "Type the name instead of pasting it.")
	}
	for element := range strings.SplitSeq(name, "/") {
		if err := checkElement(name, element); err != nil {
			return err
		}
	}
	return nil
}

func checkElement(name, element string) error {
	switch {
	case element[0] == '.':
		return bad(name, "is hidden: a part of it starts with a dot", "Hidden files are not notes; leave out the dot.")
	case strings.HasSuffix(element, "."):
		return bad(name, "has a part that ends in a dot", "Windows drops a dot at the end; leave it out.")
	case strings.TrimSpace(element) != element:
		return bad(name, "has a part that starts or ends with a blank", "Leave out the blank.")
	case isGit(element):
		return bad(name, "has the part "+element, "Windows takes it for .git, and git keeps no such file; choose another name.")
	case reservedName(element):
		return bad(name, "has a part that Windows takes for a device", "Choose another word than CON, PRN, AUX, NUL, COM1 and the like.")
	}
	return nil
}

// CheckExisting reports whether a path may be passed to the file system: it is
// relative, stays inside the root, and is a possible name. It accepts the name
// of every existing file of a space. The error has code invalid.
func CheckExisting(name string) error {
	switch {
	case name == "":
		return kb.Errorf(kb.Invalid, "the path is empty").WithHint("Give a path such as notes/idea.md.")
	case !utf8.ValidString(name):
		return kb.Errorf(kb.Invalid, "the path is not valid UTF-8").WithHint("Rename the file first.")
	case strings.IndexByte(name, 0) >= 0:
		return bad(name, "has a NUL character", "Leave it out.")
	case name[0] == '/':
		return bad(name, "is absolute", "Give it relative to the space.")
	case driveLetter(name):
		return bad(name, "has a drive letter", "Give it relative to the space, with forward slashes.")
	case len(name) > maxPathBytes:
		return kb.Errorf(kb.Invalid, "the path is longer than %d bytes", maxPathBytes).WithHint("Choose a shorter one.")
	}
	for element := range strings.SplitSeq(name, "/") {
		switch {
		case element == "":
			return bad(name, "has an empty part", "Write one slash between directories, and no slash at the end.")
		case element == "." || element == "..":
			return bad(name, "has the part "+element, "Give the path from the root of the space downwards.")
		case len(element) > maxElementBytes:
			return kb.Errorf(kb.Invalid, "a part of the path is longer than %d bytes", maxElementBytes).WithHint("Choose a shorter name.")
		}
	}
	return nil
}

// driveLetter reports whether a path starts as C:\ or C:/ does. A colon
// elsewhere is for CheckPath, since files on other systems can have it.
func driveLetter(name string) bool {
	return len(name) >= 3 && isLetter(name[0]) && name[1] == ':' && (name[2] == '\\' || name[2] == '/')
}

func bad(name, what, hint string) error {
	return kb.Errorf(kb.Invalid, "the path %q %s", name, what).WithHint("%s", hint)
}
