// Command skips reads the events of "go test -json" on standard input, prints
// them as "go test" does, and fails when a test was skipped without permission.
//
//	skips [-slow LIST] [-ran] ALLOWED
//
// ALLOWED names the tests that may be skipped, each with a reason. LIST is what
// ".ci/slow --list" prints: those may be skipped for being slow. With -ran each of
// them must have passed instead.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

type event struct {
	Action, Package, Test, Output string
	ImportPath                    string // of build output
}

// reading is what was found in the events so far.
type reading struct {
	output   map[string][]string // of each test that has not ended
	skipped  map[string]string   // tests and what they printed
	passed   map[string]bool     // tests
	packages int                 // that passed
	failed   bool
}

func main() {
	slowList := flag.String("slow", "", "file that lists the slow tests")
	ran := flag.Bool("ran", false, "fail unless each slow test passed")
	flag.Parse()
	if err := check(flag.Arg(0), *slowList, *ran); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func check(allowedList, slowList string, ran bool) error {
	allowed, err := list(allowedList, true)
	if err != nil {
		return err
	}
	var slow []string
	if slowList != "" {
		if slow, err = list(slowList, false); err != nil {
			return err
		}
	}
	r := reading{output: map[string][]string{}, skipped: map[string]string{}, passed: map[string]bool{}}
	if err := r.read(os.Stdin); err != nil {
		return err
	}
	var faults []string
	leftToSlow := 0
	for _, key := range slices.Sorted(maps.Keys(r.skipped)) {
		pkg, name, _ := strings.Cut(key, " ")
		name, _, _ = strings.Cut(name, "/")
		switch {
		case !ran && strings.Contains(r.skipped[key], ": slow: ") && slices.Contains(slow, pkg+" "+name):
			leftToSlow++
			continue
		case !slices.ContainsFunc(allowed, func(a string) bool { return matches(a, key) }):
			faults = append(faults, fmt.Sprintf("%s was skipped and is not in %s", key, allowedList))
		}
		fmt.Println("skipped:", key)
	}
	if leftToSlow > 0 {
		fmt.Printf("skipped: %d slow tests, which .ci/slow runs\n", leftToSlow)
	}
	for _, test := range slow {
		if ran && !r.passed[test] {
			faults = append(faults, test+" did not run to its end")
		}
	}
	if r.packages == 0 {
		faults = append(faults, "no package passed its tests")
	}
	if r.failed || len(faults) > 0 {
		return errors.New(strings.Join(append(faults, "the tests did not pass"), "\nerror: "))
	}
	return nil
}

// read prints the output of packages and of tests that fail, and notes the results.
func (r *reading) read(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Println(lines.Text()) // not an event: printed by the go command itself
			continue
		}
		key := e.Package + " " + e.Test
		switch e.Action {
		case "build-output":
			fmt.Print(e.Output)
		case "build-fail":
			r.failed = true
		case "output":
			switch {
			case e.Test == "" && e.Output == "PASS\n": // go test omits it as well
			case e.Test == "":
				fmt.Print(e.Output)
			default:
				r.output[key] = append(r.output[key], e.Output)
			}
		case "fail":
			r.failed = true
			if e.Test == "" { // a test during which the process ended has no event of its own
				for key, lines := range r.output {
					if pkg, _, _ := strings.Cut(key, " "); pkg == e.Package {
						fmt.Print(strings.Join(lines, ""))
					}
				}
			}
			fmt.Print(strings.Join(r.output[key], ""))
			delete(r.output, key)
		case "skip":
			if e.Test != "" {
				r.skipped[key] = strings.Join(r.output[key], "")
			}
			delete(r.output, key)
		case "pass":
			if e.Test == "" {
				r.packages++
			} else {
				r.passed[key] = true
			}
			delete(r.output, key)
		}
	}
	return lines.Err()
}

// matches compares "package test" with an entry, whose test may start with a
// star for anything before its last part.
func matches(entry, key string) bool {
	pkg, test, any := strings.Cut(entry, " */")
	if !any {
		return entry == key
	}
	return strings.HasPrefix(key, pkg+" ") && strings.HasSuffix(key, "/"+test)
}

// list reads "package test", one a line. What follows # is the reason.
func list(name string, reasons bool) ([]string, error) {
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
		if reasons && strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("%s: %q has no reason", name, entry)
		}
		out = append(out, strings.Join(strings.Fields(entry), " "))
	}
	return out, nil
}
