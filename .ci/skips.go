// Command skips reads the events of "go test -json" on standard input, prints
// them as "go test" does, and fails when a test was skipped that the list it
// is given does not name. A check that skips itself checks nothing.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

type event struct {
	Action, Package, Test, Output string
	ImportPath                    string // of build output
}

func main() {
	allowed, err := list(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	var (
		output            = map[string][]string{} // of each test that has not ended
		skipped, unlisted []string
		failed            bool
		packages          int
	)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var e event
		if err := json.Unmarshal(in.Bytes(), &e); err != nil {
			fmt.Println(in.Text()) // not an event: the Go command's own words
			continue
		}
		key := e.Package + " " + e.Test
		switch e.Action {
		case "build-output":
			fmt.Print(e.Output)
		case "build-fail":
			failed = true
		case "output":
			switch {
			case e.Test == "" && e.Output == "PASS\n": // go test leaves it out, too
			case e.Test == "":
				fmt.Print(e.Output)
			default:
				output[key] = append(output[key], e.Output)
			}
		case "fail":
			failed = true
			if e.Test == "" { // a test that its package did not survive ends without a word
				for key, said := range output {
					if pkg, _, _ := strings.Cut(key, " "); pkg == e.Package {
						fmt.Print(strings.Join(said, ""))
					}
				}
			}
			fmt.Print(strings.Join(output[key], ""))
			delete(output, key)
		case "skip":
			if e.Test != "" {
				skipped = append(skipped, key)
				if !slices.ContainsFunc(allowed, func(a string) bool { return matches(a, key) }) {
					unlisted = append(unlisted, key)
				}
			}
			delete(output, key)
		case "pass":
			if e.Test == "" {
				packages++
			}
			delete(output, key)
		}
	}
	if err := in.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	for _, s := range skipped {
		fmt.Println("skipped:", s)
	}
	for _, s := range unlisted {
		fmt.Fprintf(os.Stderr, "error: %s was skipped and is not in %s\n", s, os.Args[1])
	}
	if packages == 0 {
		fmt.Fprintln(os.Stderr, "error: no package passed its tests")
	}
	if failed || len(unlisted) > 0 || packages == 0 {
		os.Exit(1)
	}
}

// matches compares "package test" with an entry, whose test may start with a
// star for whatever stands before its last part.
func matches(entry, key string) bool {
	pkg, test, any := strings.Cut(entry, " */")
	if !any {
		return entry == key
	}
	return strings.HasPrefix(key, pkg+" ") && strings.HasSuffix(key, "/"+test)
}

// list reads "package test", one a line; what follows # is the reason.
func list(name string) ([]string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		entry, reason, _ := strings.Cut(strings.TrimSpace(line), "#")
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		if strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("%s: %q has no reason", name, entry)
		}
		out = append(out, strings.Join(strings.Fields(entry), " "))
	}
	return out, nil
}
