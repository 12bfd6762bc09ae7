package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/cpu"
)

// report writes Markdown as results come in. The first error stays in err.
type report struct {
	w   io.Writer
	err error
}

func newReport(w io.Writer) *report { return &report{w: w} }

func (r *report) linef(format string, args ...any) {
	if r.err == nil {
		_, r.err = fmt.Fprintf(r.w, format+"\n", args...)
	}
}

// machine says what the numbers were taken on.
func (r *report) machine() {
	r.linef("%s %s/%s, %d processors, CPU features: %s", runtime.Version(), runtime.GOOS, runtime.GOARCH,
		runtime.NumCPU(), strings.Join(features(), " "))
}

func features() []string {
	var out []string
	for _, f := range []struct {
		name string
		has  bool
	}{
		{"AVX2", cpu.X86.HasAVX2}, {"AVX-512", cpu.X86.HasAVX512}, {"AVX512-VNNI", cpu.X86.HasAVX512VNNI},
		{"ASIMD", cpu.ARM64.HasASIMD}, {"ASIMDDP", cpu.ARM64.HasASIMDDP},
	} {
		if f.has {
			out = append(out, f.name)
		}
	}
	if len(out) == 0 {
		return []string{"none of those looked for"}
	}
	return out
}

// section begins a table of cases.
func (r *report) section(title string) {
	r.linef("\n### %s\n", title)
}

// turns writes the results of one group; ratios are to its first line.
func (r *report) turns(results []result) {
	r.linef("| case | wall | CPU | wall, ratio | CPU, ratio | aim |\n|---|---|---|---|---|---|")
	for _, x := range results {
		r.linef("| %s | %s | %s | %s | %s | %s |", x.name, short(x.wall), short(x.cpu), times(x.wallRatio), times(x.cpuRatio), x.aim)
	}
}

// latencies writes percentiles of single operations.
func (r *report) latencies(rows []latency) {
	r.linef("| operation | n | p50 | p95 | p50, ratio | aim |\n|---|---|---|---|---|---|")
	for _, x := range rows {
		r.linef("| %s | %d | %s | %s | %s | %s |", x.name, len(x.took), short(percentile(x.took, 50)), short(percentile(x.took, 95)),
			times(ratio(x.took, rows[0].took)), x.aim)
	}
}

// pairs writes percentiles of operations in pairs, each with its ratio to the first of
// its pair.
func (r *report) pairs(rows []latency) {
	r.linef("| operation | n | p50 | p95 | p50, ratio | p95, ratio | aim |\n|---|---|---|---|---|---|---|")
	for i, x := range rows {
		first := rows[i&^1].took
		r.linef("| %s | %d | %s | %s | %s | %s | %s |", x.name, len(x.took), short(percentile(x.took, 50)), short(percentile(x.took, 95)),
			times(ratio(x.took, first)), times(float64(percentile(x.took, 95))/float64(max(percentile(first, 95), 1))), x.aim)
	}
}

// latency is one kind of operation with all its times.
type latency struct {
	name, aim string
	took      []time.Duration
}

func times(x float64) string {
	if x == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f×", x)
}

// short prints three digits.
func short(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d >= 10*time.Millisecond:
		return fmt.Sprintf("%.0f ms", d.Seconds()*1e3)
	case d >= time.Millisecond:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1e3)
	}
	return fmt.Sprintf("%.0f µs", d.Seconds()*1e6)
}
