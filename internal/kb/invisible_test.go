package kb

import "testing"

func TestInvisible(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"", "a.md", "naïve", "two\twords", "two\nlines", "two\r\nlines", "no\u00a0break", "全\u3000角", "e\u0301", "日本語", "Привет", "שלום", "مرحبا",
		"می\u200cخواهم",           // Persian: the letters do not join
		"क्\u200dष", "ශ්\u200dරී", // Hindi, Sinhala
		"❤\ufe0f", "👩\u200d💻", "👩🏽\u200d💻", "🏳\ufe0f\u200d🌈", "1\ufe0f\u20e3", "‼\ufe0f", "©\ufe0f",
		"🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", // the flag of England
		"葛\U000e0100", "﨑\ufe00", "ᠠ\u180b",
	} {
		if r, found := Invisible(name); found {
			t.Errorf("%+q: %U", name, r)
		}
		if got := WithoutInvisible(name); got != name {
			t.Errorf("%+q becomes %+q", name, got)
		}
	}
	for name, want := range map[string]rune{
		"a\u200bb": 0x200b, "a\u200cb": 0x200c, "a\u200db": 0x200d, "ab\u200d": 0x200d, "\u200dab": 0x200d, "👩\u200d": 0x200d,
		"می\u200c": 0x200c, "a\u2060b": 0x2060, "\ufeffa": 0xfeff, "a\u00adb": 0xad, "a\u034fb": 0x34f,
		"a\u202eb": 0x202e, "a\u202ab": 0x202a, "a\u2066b": 0x2066, "a\u200fb": 0x200f, "a\u061cb": 0x61c,
		"a\x00b": 0, "a\x07b": 7, "a\x1b[1mb": 0x1b, "a\x7fb": 0x7f, "a\u0085b": 0x85, "a\u009bb": 0x9b,
		"a\u2028b": 0x2028, "a\u2029b": 0x2029, "a\u180eb": 0x180e, "a\u115fb": 0x115f, "a\u3164b": 0x3164, "a\uffa0b": 0xffa0, "a\u2800b": 0x2800,
		"a\ufe0fb": 0xfe0f, "a\ufe01b": 0xfe01, "a\U000e0100b": 0xe0100, "a\U000e0041b": 0xe0041, "a\U000e0001b": 0xe0001,
		"a\u2064b": 0x2064, "a\ufffbb": 0xfffb, "👍\u200b": 0x200b,
	} {
		got, found := Invisible(name)
		if !found || got != want {
			t.Errorf("%+q: %U, %v", name, got, found)
		}
		if _, left := Invisible(WithoutInvisible(name)); left {
			t.Errorf("%+q becomes %+q", name, WithoutInvisible(name))
		}
	}
}
