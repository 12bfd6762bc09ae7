package space

import (
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

const writtenThere kb.ID = "3f2b8c1e-77f1-4f7e-9c39-5d2f3a1b0c4d"

func directory(row int64, id kb.ID, name, root string) kb.Space {
	return kb.Space{Row: row, ID: id, Name: name, Kind: kb.DirectorySpace, Root: root, Origin: writtenThere}
}

// TestWhosePlaceADirectoryIs decides about the directory /src/new, which brings
// an id.
func TestWhosePlaceADirectoryIs(t *testing.T) {
	t.Parallel()
	const root = "/src/new"
	second := placeID(writtenThere, root, 0)
	first := directory(1, writtenThere, "notes", "/src/main")
	wt := directory(2, "id-of-wt", "notes@wt", "/src/wt")
	old := first
	old.Origin = "" // from before it was kept
	database := kb.Space{Row: 8, ID: "db", Name: "memory", Kind: kb.DatabaseSpace}
	away := directory(5, "id-of-away", "notes@away", "")
	away.Kind, away.There, away.Host = kb.RemoteSpace, "/src/main", "ada"
	origin := away
	origin.ID = writtenThere
	dropped := origin
	dropped.Forgotten = time.Unix(1e9, 0)
	stranger := directory(9, "another", "x", "/x")
	stranger.Origin = "another"

	for name, tc := range map[string]struct {
		all  []kb.Space
		look map[int64]placeState // here where it is not said
		row  int64
		id   kb.ID
		from string
		of   string // the first place
		away bool   // which is not where it was
		copy bool   // of a space of another machine
	}{
		"the first":                         {all: []kb.Space{database, stranger}, id: writtenThere},
		"the second":                        {all: []kb.Space{database, first}, id: second, of: "notes"},
		"the third":                         {all: []kb.Space{wt, first}, id: second, of: "notes"},
		"the first was forgotten":           {all: []kb.Space{wt}, id: writtenThere, of: "notes@wt"},
		"the first is from before":          {all: []kb.Space{old}, id: second, of: "notes"},
		"another was once at this path":     {all: []kb.Space{first, directory(4, second, "notes@new", "/src/newer")}, id: placeID(writtenThere, root, 1), of: "notes"},
		"moved":                             {all: []kb.Space{first, wt}, look: map[int64]placeState{1: moved}, row: 1, id: writtenThere, from: "/src/main"},
		"deleted and cloned again":          {all: []kb.Space{first, wt}, look: map[int64]placeState{1: copied}, row: 1, id: writtenThere, from: "/src/main"},
		"the id alone":                      {all: []kb.Space{first, wt}, look: map[int64]placeState{1: gone}, id: second, of: "notes", away: true},
		"a second place cloned again":       {all: []kb.Space{first, wt}, look: map[int64]placeState{2: copied}, id: second, of: "notes"},
		"cloned, and a second place moved":  {all: []kb.Space{first, wt}, look: map[int64]placeState{1: copied, 2: moved}, row: 2, id: "id-of-wt", from: "/src/wt"},
		"a second place moved":              {all: []kb.Space{first, wt}, look: map[int64]placeState{2: moved}, row: 2, id: "id-of-wt", from: "/src/wt"},
		"a second place was deleted":        {all: []kb.Space{first, wt}, look: map[int64]placeState{2: gone}, id: second, of: "notes"},
		"all are gone, one has its files":   {all: []kb.Space{first, wt}, look: map[int64]placeState{1: gone, 2: moved}, row: 2, id: "id-of-wt", from: "/src/wt"},
		"all are gone":                      {all: []kb.Space{wt, first}, look: map[int64]placeState{1: gone, 2: gone}, id: second, of: "notes", away: true},
		"known under another path":          {all: []kb.Space{first, wt}, look: map[int64]placeState{1: gone, 2: sameFiles}, row: 2, id: "id-of-wt"},
		"a copy of another machine's":       {all: []kb.Space{database, origin}, copy: true},
		"of another machine's second place": {all: []kb.Space{away, first}, copy: true},
		"a place here moved, not a copy":    {all: []kb.Space{origin, wt}, look: map[int64]placeState{2: moved}, row: 2, id: "id-of-wt", from: "/src/wt"},
		"another machine's was forgotten":   {all: []kb.Space{dropped}, id: second, of: "notes@away"},
		"a stranger's directory is no loss": {all: []kb.Space{stranger, first}, look: map[int64]placeState{9: gone}, id: second, of: "notes"},
	} {
		t.Run(name, func(t *testing.T) {
			got := decidePlace(root, writtenThere, tc.all, func(s kb.Space) placeState { return tc.look[s.Row] })
			of := ""
			if got.first != nil {
				of = got.first.Name
			}
			if got.space.Row != tc.row || got.space.ID != tc.id || got.from != tc.from || of != tc.of || got.away != tc.away || (got.elsewhere != nil) != tc.copy {
				t.Errorf("got row %d, id %s, from %q, place of %q, copy of %v", got.space.Row, got.space.ID, got.from, of, got.elsewhere)
			}
		})
	}
}

func TestNamesOfPlaces(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ first, firstRoot, root, taken, want string }{
		{"notes", "/home/ada/notes", "/home/ada/wt", "", "notes@wt"},
		{"notes", "/home/ada/notes", "/home/ada/wt", "notes@wt", "notes@wt-2"},
		{"docs", "/src/loom/docs", "/src/loom-fix/docs", "", "docs@loom-fix"},
		{"notes", "/home/ada/notes", "/mnt/stick/notes", "", "notes@stick"},
		{"notes", "/notes", "/a/notes", "", "notes@a"},
		{"notes", "/a/notes", "/notes", "", "notes@notes"},
		{"notes@wt", "/home/ada/wt", "/home/ada/main", "", "notes@main"},
		{"notes", "/home/ada/notes", "/home/ada/Fix: the Loom!", "", "notes@fix-the-loom"},
		{"notes", "/home/ada/notes", "/home/ada/!!", "", "notes@copy"},
	} {
		got := placeName(kb.Space{Name: tc.first, Root: tc.firstRoot}, tc.root, func(name string) bool { return name == tc.taken })
		if got != tc.want {
			t.Errorf("%s in %s, and %s: %s, want %s", tc.first, tc.firstRoot, tc.root, got, tc.want)
		}
	}
}

// A mapping of what is in a directory is one of the directory, too.
func TestMappingsOfADirectory(t *testing.T) {
	t.Parallel()
	for glob, dirs := range map[string]struct{ in, out []string }{
		"/h/x":     {in: []string{"/h/x", "/h/x/y", "/h/x/y/z"}, out: []string{"/h", "/h/xy"}},
		"/h/x/":    {in: []string{"/h/x", "/h/x/y"}, out: []string{"/h"}},
		"/h/x/*":   {in: []string{"/h/x", "/h/x/y", "/h/x/y/z"}, out: []string{"/h", "/h/xy"}},
		"/h/x/**":  {in: []string{"/h/x", "/h/x/y", "/h/x/y/z"}, out: []string{"/h", "/h/xy"}},
		"/h/*/**":  {in: []string{"/h/x", "/h/x/y"}, out: []string{"/h", "/i"}},
		"/h/x*":    {in: []string{"/h/x", "/h/xy", "/h/xy/z"}, out: []string{"/h", "/h/y"}},
		"/h/x/*.d": {in: []string{"/h/x/a.d", "/h/x/a.d/b"}, out: []string{"/h/x", "/h/x/a"}},
		"/h/*":     {in: []string{"/h/x"}, out: []string{"/h"}}, // the home directory never matches
	} {
		maps := []store.Mapping{{Glob: glob, Space: 1}}
		all := []kb.Space{{Row: 1, Name: "x"}}
		check := func(dirs []string, want bool) {
			for _, dir := range dirs {
				if s, _ := spaceOfDir(all, maps, []string{dir}, []string{"/h"}); (s.Row == 1) != want {
					t.Errorf("%s is about %s: %v", glob, dir, !want)
				}
			}
		}
		check(dirs.in, true)
		check(dirs.out, false)
	}
}

// Two machines have different directories at one path. The first one that the memory sees
// has the id of the path.
func TestDerivedIDsOfTwoHosts(t *testing.T) {
	t.Parallel()
	const root = "/home/ada/notes"
	ada := derivedSpaceID(root, "ada", nil)
	there := kb.Space{ID: ada, Kind: kb.RemoteSpace, There: root, Host: "ada"}
	bob := derivedSpaceID(root, "bob", []kb.Space{there})
	eve := derivedSpaceID(root, "eve", []kb.Space{there})
	if ada != derivedSpaceID(root, "bob", nil) {
		t.Error("the id of a path depends on the machine where no other has it")
	}
	if ada == bob || ada == eve || bob == eve {
		t.Errorf("ids %s, %s, %s", ada, bob, eve)
	}
	if again := derivedSpaceID(root, "bob", []kb.Space{there, {ID: bob, Kind: kb.RemoteSpace}}); again != bob {
		t.Errorf("bob has %s and then %s", bob, again)
	}
}
