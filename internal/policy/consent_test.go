package policy_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/policy"
)

// holdAtOnce are the keys of a policy that need no acceptance, each with the reason. A
// table without a dot stands for all its keys.
var holdAtOnce = map[string]string{
	"id": "who the space is", "name": "who the space is", "preset": "for people only", "description": "shown as data",
	"format": "how new pages look", "type": "how new pages look", "folder": "where new pages are, in the space", "names": "how new pages look",
	"syntax": "how pages are read", "days": "how pages are read", "wing": "how pages are read", "room": "how pages are read", "directory": "how new pages look",
	"alias": "other names of pages", "predicates": "which statements contradict each other", "table": "how pages are shown", "stamp": "how new pages look",
	"time_zone": "when days begin; nothing happens then before rotation is accepted", "day": "as the time zone",
	"gap_threshold": "what the memory records for its user", "gap_hash_only": "records less",
	"schema": "takes rights", "permissions": "takes rights, and loosens nothing that a person accepted", "ownership": "takes rights", "timeline": "takes rights",
	"lint": "takes rights", "revision": "takes rights", "api.read_only": "takes rights", "secrets.rule": "takes rights",
	"secrets.action": "either action keeps the credential out", "inbox": "acts when a person sorts a page", "curation": "reminds of a pass",
	"capture": "what is answered to a capture", "search": "how searches of the space work", "brief.limit": "how many pages a session is shown there",
}

// Each key of a policy waits for a person, unless it is listed here with a reason: also one
// that a later version adds. The same holds for a change from outside of an accepted policy.
func TestEachKeyWaits(t *testing.T) {
	t.Parallel()
	none := &policy.Policy{}
	used := map[string]bool{}
	holds := func(key string) bool {
		for name := key; ; {
			if holdAtOnce[name] != "" {
				used[name] = true
				return true
			}
			i := strings.LastIndexByte(name, '.')
			if i < 0 {
				return false
			}
			name = name[:i]
		}
	}
	n := 0
	eachKey(reflect.ValueOf(&policy.Policy{}).Elem(), "", func(key string, index []int) {
		if n++; holds(key) {
			return
		}
		field := func(p *policy.Policy) reflect.Value { return reflect.ValueOf(p).Elem().FieldByIndex(index) }
		come := &policy.Policy{}
		fill(field(come), 1)
		if got := come.Within(nil, none); !field(got).IsZero() && key != "secrets.allow" || len(got.Secrets.Allow) > 0 || len(got.Waiting) != 1 {
			t.Errorf("%s: %v is in force before anybody accepted it; %v waits", key, field(got), got.Waiting)
		}
		if strings.HasPrefix(key, "secrets.") {
			return // the stricter holds: TestWithinBinds
		}
		accepted, changed := &policy.Policy{}, &policy.Policy{}
		fill(reflect.ValueOf(accepted).Elem(), 1)
		fill(reflect.ValueOf(changed).Elem(), 1)
		fill(field(changed), 2)
		if field(changed).Kind() == reflect.Bool { // true is the one that acts
			field(accepted).SetBool(false)
		}
		got := changed.Within(accepted, none)
		if !reflect.DeepEqual(field(got).Interface(), field(accepted).Interface()) || len(got.Waiting) != 1 {
			t.Errorf("%s: %v is in force though %v was accepted; %v waits", key, field(got), field(accepted), got.Waiting)
		}
	})
	if n < 60 {
		t.Errorf("only %d keys were looked at", n)
	}
	for name := range holdAtOnce {
		if !used[name] {
			t.Errorf("no policy has the key %s: remove its row", name)
		}
	}
}

// eachKey calls f with every key of a table, and of the tables in it.
func eachKey(table reflect.Value, prefix string, f func(key string, index []int)) {
	for i := range table.NumField() {
		name, _, _ := strings.Cut(table.Type().Field(i).Tag.Get("toml"), ",")
		switch {
		case name == "-" || name == "":
		case table.Field(i).Kind() == reflect.Struct:
			eachKey(table.Field(i), prefix+name+".", func(key string, index []int) { f(key, append([]int{i}, index...)) })
		default:
			f(prefix+name, []int{i})
		}
	}
}

// fill sets a value, and all within it, to the nth of its kind.
func fill(v reflect.Value, n int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(strings.Repeat("x", n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int64:
		v.SetInt(int64(n))
	case reflect.Float64:
		v.SetFloat(float64(n) / 4)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), n)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, n)
		fill(value, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("toml") != "-" {
				fill(v.Field(i), n)
			}
		}
	}
}
