package language

import "testing"

func named(t *testing.T, name string) *Language {
	t.Helper()
	for _, l := range All {
		if l.Name == name {
			return l
		}
	}
	t.Fatalf("no language %s", name)
	return nil
}

// Inflections have one stem, as the index folds them.
func TestStem(t *testing.T) {
	t.Parallel()
	for name, groups := range map[string][][]string{
		"German":  {{"haus", "hauses"}, {"arbeit", "arbeiten"}, {"komposthaufen", "komposthaufens"}},
		"Russian": {{"аренда", "аренды", "аренде"}, {"новыи", "новая", "новои"}, {"ключ", "ключи", "ключеи"}},
		"French":  {{"plante", "plantes", "plantees"}, {"rosier", "rosiers"}},
		"Swedish": {{"bok", "boken"}},
		"Spanish": {{"casa", "casas"}},
		"Arabic":  {{"كتاب", "الكتاب", "كتابها"}, {"معلم", "المعلمون"}},
		"Irish":   {{"muinteoir", "muinteoireacht"}, {"bliain", "bhliain"}},
		"Tamil":   {{"வீடு", "வீடுகளில்", "வீட்டில்"}, {"புத்தகம்", "புத்தகங்கள்", "புத்தகத்தை"}},
	} {
		l := named(t, name)
		for _, words := range groups {
			for _, w := range words[1:] {
				if a, b := l.Stem(words[0]), l.Stem(w); a != b {
					t.Errorf("%s: %s has the stem %s, %s %s", name, words[0], a, w, b)
				}
			}
		}
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	for _, l := range All {
		if len(l.Marks) != MostMarks {
			t.Errorf("%s has %d marks", l.Name, len(l.Marks))
		}
		for w := range l.stop() {
			if l.full == nil && l.Stem(w) == "" {
				t.Errorf("%s: %s has no stem", l.Name, w)
			}
		}
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	german, french := named(t, "German"), named(t, "French")
	english := func(w string) bool { return w == "the" || w == "is" || w == "in" }
	for _, c := range []struct {
		words []string
		want  *Language
	}{
		{[]string{"wie", "heiss", "soll", "das", "wasser"}, german},
		{[]string{"the", "die", "is", "cast"}, nil},
		{[]string{"comment", "tailler", "les", "rosiers"}, french},
		{[]string{"wasser"}, nil},
	} {
		if got := Of(c.words, []*Language{german, french}, english); got != c.want {
			t.Errorf("%q: %+v", c.words, got)
		}
	}
}
