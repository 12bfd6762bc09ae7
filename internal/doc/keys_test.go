package doc

import "testing"

func TestKeysEditOnlyTheirKey(t *testing.T) {
	t.Parallel()
	text := []byte("a: 1\r\nb:2\r\na+: 3\r\nc: 4")
	k := Keys{Text: text, EOL: "\r\n", Gap: " ", All: []Key{
		{Name: "a", Value: Span{3, 4}, Span: Span{0, 6}},
		{Name: "b", Value: Span{8, 9}, Span: Span{6, 11}},
		{Name: "a", Value: Span{15, 16}, Span: Span{11, 18}, More: true},
		{Name: "c", Value: Span{21, 22}, Span: Span{18, 22}},
	}}
	for _, test := range []struct {
		name    string
		splices []Splice
		want    string
	}{
		{"set", k.Set(k.Named("a"), "x"), "a: x\r\nb:2\r\nc: 4"},
		{"set without a blank", k.Set(k.Named("b"), "x"), "a: 1\r\nb: x\r\na+: 3\r\nc: 4"},
		{"remove", k.Remove("a"), "b:2\r\nc: 4"},
		{"remove nothing", k.Remove("d"), string(text)},
		{"insert", []Splice{k.Insert(6, "d: 5\ne: 6")}, "a: 1\r\nd: 5\r\ne: 6\r\nb:2\r\na+: 3\r\nc: 4"},
		{"insert at the end", []Splice{k.Insert(22, "d: 5")}, string(text) + "\r\nd: 5"},
	} {
		got, err := ApplySplices(text, test.splices)
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %q, %v, want %q", test.name, got, err, test.want)
		}
	}
}
