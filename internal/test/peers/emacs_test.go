package peers

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/cairn-kb/cairn/cmd/cairn/cairntest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// emacs runs Emacs in batch with the directory of cairn.el on its path, and returns what
// it printed.
func emacs(t *testing.T, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("emacs"); err != nil {
		lacking(t, "emacs is not installed: apt-get install emacs-nox elpa-org-roam elpa-package-lint")
	}
	dir, err := filepath.Abs(filepath.Join("..", "..", "..", "emacs"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := newUser(t).command("emacs", append([]string{"--batch", "-L", dir}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Env, "CAIRN="+cairntest.Binary(t))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("emacs %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// The tests of cairn.el, with the real cairn, git and org-roam.
func TestEmacs(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "runs Emacs")
	out := emacs(t, "-l", "cairn-test.el", "-f", "ert-run-tests-batch-and-exit")
	if regexp.MustCompile(`(?m)^Ran [1-9][0-9]* tests, `).FindString(out) == "" {
		t.Errorf("no test ran:\n%s", out)
	}
	if skipped := regexp.MustCompile(`(?m)^ *skipped .*$`).FindString(out); skipped != "" {
		lacking(t, "org-roam is not installed: apt-get install elpa-org-roam: %s", skipped)
	}
}

// cairn.el compiles without a warning whether org-roam is there or not, and is as the
// checkers of packages want it.
func TestEmacsPackage(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "runs Emacs")
	compile := []string{
		"--eval", `(setq byte-compile-error-on-warn t byte-compile-dest-file-function (lambda (f) (make-temp-file "cairn" nil ".elc")))`,
		"-f", "batch-byte-compile", "cairn.el",
	}
	emacs(t, append([]string{"-Q"}, compile...)...)
	emacs(t, append([]string{"-f", "package-initialize"}, compile...)...)
	out := emacs(t, "--eval", `(progn (require 'checkdoc) (find-file "cairn.el") (checkdoc-current-buffer t)
  (let ((found (get-buffer "*Style Warnings*"))) (when found (princ (with-current-buffer found (buffer-string))))))`)
	if found := regexp.MustCompile(`(?m)^.*cairn\.el:\d+: .*$`).FindAllString(out, -1); len(found) > 0 {
		t.Errorf("checkdoc: %q", found)
	}
	if out := emacs(t, "-f", "package-initialize", "--eval", `(princ (if (require 'package-lint nil t) "here" "none"))`); regexp.MustCompile(`none$`).MatchString(out) {
		lacking(t, "package-lint is not installed: apt-get install elpa-package-lint")
	}
	emacs(t, "-f", "package-initialize", "-l", "package-lint", "-f", "package-lint-batch-and-exit", "cairn.el")
}
