;;; cairn-test.el --- Tests of cairn.el with the real program  -*- lexical-binding: t; -*-

;;; Commentary:

;; emacs --batch -L emacs -l emacs/cairn-test.el -f ert-run-tests-batch-and-exit
;;
;; CAIRN names the program; git is needed, too.  Each test has a home and a space
;; of its own.  Those of org-roam are skipped where it is not installed.

;;; Code:

(require 'cairn)
(require 'cl-lib)
(require 'ert)
(require 'package)
(package-initialize)

(defvar org-roam-directory)
(defvar org-roam-db-location)
(defvar org-roam-dailies-directory)
(defvar org-roam-capture-templates)
(defvar org-roam-verbose)
(declare-function org-roam-db-query "ext:org-roam-db")

(defconst cairn-test--good
  ":PROPERTIES:
:ID: 5f0c2d7e-0000-4000-8000-00000000000%d
:SUMMARY: Note %d.
:CREATED: [2026-01-01 Thu]
:UPDATED: [2026-01-01 Thu]
:CREATED_BY: human
:CONFIDENCE: observed
:VISIBILITY: personal
:STATUS: current
:PROJECTS: :general:
:SOURCE: talk
:END:
#+title: Note %d
#+filetags: :procedure:

Text %d.
")

(defun cairn-test--text (n)
  "Return the text of note N."
  (format cairn-test--good n n n n))

(defun cairn-test--sh (&rest args)
  "Run ARGS in the space and return what they print; an error if they fail."
  (with-temp-buffer
    (let ((default-directory (cairn--root)))
      (unless (eq 0 (apply #'call-process (car args) nil t nil (cdr args)))
        (error "%s: %s" args (buffer-string))))
    (buffer-string)))

(defun cairn-test--log ()
  "Return the subjects of the commits, the newest first."
  (split-string (cairn-test--sh "git" "log" "--format=%s") "\n" t))

(defun cairn-test--wait (until)
  "Wait for what Emacs has under way, at most 20 s, UNTIL a function says so."
  (let ((end (+ (float-time) 20)))
    (while (and (not (funcall until)) (< (float-time) end))
      (accept-process-output nil 0.05)
      (sit-for 0.01))
    (should (funcall until))))

(defun cairn-test--idle-p ()
  "Return non-nil when nothing is to be committed any more."
  (not (or cairn--pending cairn--timer cairn--process)))

(defmacro cairn-test--with-space (&rest body)
  "Run BODY with a space of two notes."
  (declare (indent 0) (debug t))
  `(let* ((home (file-name-as-directory (make-temp-file "cairn-test" t)))
          (process-environment
           (append (list (concat "HOME=" home) "XDG_DATA_HOME" "XDG_CONFIG_HOME" "CAIRN_DB" "CLAUDECODE"
                         "GIT_CONFIG_NOSYSTEM=1")
                   process-environment))
          (cairn-program (or (getenv "CAIRN") "cairn"))
          (cairn-directory (concat home "kb/"))
          (cairn-database (concat home "roam.db"))
          (cairn-save-delay 0.05)
          (cairn-check-interval nil)
          (make-backup-files nil) (create-lockfiles t) (auto-save-default nil)
          (vc-handled-backends nil))
     (make-directory cairn-directory)
     (cairn-test--sh "git" "init" "-q" "-b" "main" ".")
     (cairn-test--sh "git" "config" "user.name" "A")
     (cairn-test--sh "git" "config" "user.email" "a@example.com")
     (dolist (n '(1 2))
       (with-temp-file (expand-file-name (format "note%d.org" n) cairn-directory)
         (insert (cairn-test--text n))))
     (cairn-test--sh cairn-program "space" "add" "." "--preset" "guarded")
     (cairn-test--sh cairn-program "commit" "--all")
     (cairn-global-mode 1)
     (unwind-protect (progn ,@body)
       (cairn-global-mode -1)
       (when cairn--profile (cairn--take-back))
       (dolist (buffer (buffer-list))
         (when (or (string-prefix-p home (or (buffer-file-name buffer) ""))
                   (string-prefix-p "*cairn" (buffer-name buffer)))
           (with-current-buffer buffer (set-buffer-modified-p nil))
           (kill-buffer buffer)))
       (delete-directory home t))))

(defun cairn-test--visit (name)
  "Visit the file NAME of the space and return its buffer."
  (set-buffer (find-file-noselect (expand-file-name name cairn-directory))))

(ert-deftest cairn-test-stamp-keeps-the-rest ()
  "A stamp replaces the day alone."
  (cl-letf (((symbol-function 'cairn-note-p) (lambda (&rest _) t))
            (cairn--inhibit nil)
            (day (format-time-string "%Y-%m-%d"))
            (name (let ((system-time-locale "C")) (format-time-string "%a"))))
    (dolist (c `(("---\nupdated: 2026-01-01 # set by hand\n---\n" . ,(format "---\nupdated: %s # set by hand\n---\n" day))
                 ("---\nupdated: \"2026-01-01\"\n---\n" . ,(format "---\nupdated: \"%s\"\n---\n" day))
                 (":PROPERTIES:\n:UPDATED: [2026-01-01 Thu]\n:END:\n" . ,(format ":PROPERTIES:\n:UPDATED: [%s %s]\n:END:\n" day name))
                 ("---\nupdated: 2026-01-01T10:00:00Z\n---\n" . "---\nupdated: 2026-01-01T10:00:00Z\n---\n")
                 ("---\nupdated: 2026-01-01 10:00\n---\n" . "---\nupdated: 2026-01-01 10:00\n---\n")
                 (":PROPERTIES:\n:UPDATED: [2026-01-01 Thu 10:00]\n:END:\n" . ":PROPERTIES:\n:UPDATED: [2026-01-01 Thu 10:00]\n:END:\n")))
      (with-temp-buffer
        (insert (car c))
        (cairn--stamp)
        (should (equal (buffer-string) (cdr c)))))))

(ert-deftest cairn-test-stamp-in-the-zone-of-the-space ()
  "The day of a stamp is that of the space, wherever the machine is."
  (let* ((home (make-temp-file "cairn-zone-" t))
         (cairn-directory home) (cairn--inhibit nil))
    (unwind-protect
        (cl-letf (((symbol-function 'cairn-note-p) (lambda (&rest _) t)))
          (make-directory (expand-file-name ".cairn" home))
          (dolist (zone '("Etc/GMT+12" "Etc/GMT-14")) ; no day is that of both
            (with-temp-file (expand-file-name ".cairn/space.toml" home)
              (insert (format "name = \"kb\"\ntime_zone = \"%s\"\n\n[guard]\ntime_zone = \"UTC\"\n" zone)))
            (with-temp-buffer
              (insert ":PROPERTIES:\n:UPDATED: [2026-01-01 Thu]\n:END:\n")
              (cairn--stamp)
              (should (equal (buffer-string)
                             (let ((system-time-locale "C"))
                               (format ":PROPERTIES:\n:UPDATED: [%s]\n:END:\n" (format-time-string "%Y-%m-%d %a" nil zone))))))))
      (delete-directory home t))))

(ert-deftest cairn-mode-of-notes ()
  "Notes have the mode; what is generated, sources, and other files have not."
  (cairn-test--with-space
    (make-directory (expand-file-name "raw" cairn-directory))
    (dolist (name '("note1.org" "new.org" "sub/deep.md"))
      (cairn-test--visit name)
      (should cairn-mode))
    (dolist (name '("index.org" "index-procedures.org" "raw/page.org" "notes.txt" ".hidden.org" "../other.org"))
      (cairn-test--visit name)
      (should-not cairn-mode))
    (let ((cairn-directory "/ssh:nobody@example.invalid:/kb/"))
      (should-not (cairn-note-p (find-buffer-visiting (expand-file-name "note1.org" (concat home "kb/"))))))))

(ert-deftest cairn-save-commits ()
  "What is saved is one commit, though it was saved twice, and with its index."
  (cairn-test--with-space
    (dolist (n '(1 2))
      (cairn-test--visit (format "note%d.org" n))
      (goto-char (point-max))
      (insert "More.\n")
      (save-buffer)
      (should (eq cairn--state 'running))
      (insert "Still more.\n")
      (save-buffer))
    (cairn-test--wait #'cairn-test--idle-p)
    (should (= (length (cairn-test--log)) 2))
    (should (equal (cairn-test--sh "git" "status" "--porcelain") ""))
    (dolist (n '(1 2))
      (cairn-test--visit (format "note%d.org" n))
      (should (null cairn--state))
      (should-not (buffer-modified-p))
      (should (string-match-p (format-time-string "^:UPDATED: \\[%Y-%m-%d .*\\]$") (buffer-string)))
      (should (string-match-p "^Cairn-Actor: human:emacs$" (cairn-test--sh "git" "log" "-1" "--format=%B")))
      (should (string-match-p "Still more" (cairn-test--sh "git" "show" (format "HEAD:note%d.org" n)))))))

(ert-deftest cairn-save-of-what-is-staged ()
  "What the user has staged is left to the user, and the mode line says so."
  (cairn-test--with-space
    (cairn-test--visit "note1.org")
    (goto-char (point-max))
    (insert "Staged.\n")
    (let ((cairn--inhibit t)) (save-buffer))
    (cairn-test--sh "git" "add" "note1.org")
    (insert "More.\n")
    (save-buffer)
    (cairn-test--wait #'cairn-test--idle-p)
    (should (string-match-p "staged" cairn--state))
    (should (= (length (cairn-test--log)) 1))))

(ert-deftest cairn-save-during-commit ()
  "What is saved while a commit runs is in the next one."
  (cairn-test--with-space
    (cairn-test--visit "note1.org")
    (goto-char (point-max))
    (insert "First.\n")
    (save-buffer)
    (cairn-test--wait (lambda () cairn--process))
    (insert "Second.\n")
    (save-buffer)
    (should cairn--pending)
    (cairn-test--wait #'cairn-test--idle-p)
    (should (equal (cairn-test--sh "git" "status" "--porcelain") ""))
    (should (string-match-p "Second" (cairn-test--sh "git" "show" "HEAD:note1.org")))))

(ert-deftest cairn-save-with-a-fault ()
  "A note with a fatal fault is saved and can be edited; the fault is listed, and is gone when it is mended."
  (cairn-test--with-space
    (let ((buffer (cairn-test--visit "note1.org")))
      (goto-char (point-max))
      (insert "See [[id:00000000-dead-4000-8000-000000000000][nothing]].\n")
      (save-buffer)
      (cairn-test--wait #'cairn-test--idle-p)
      (should (eq (current-buffer) buffer))
      (should-not buffer-read-only)
      (should (string-match-p "no page has the id" cairn--state))
      (should (string-match-p "!" (cairn--lighter)))
      (with-current-buffer "*cairn-lint*"
        (should (string-match-p "^note1\\.org:17: error: no page has the id" (buffer-string)))
        (should (derived-mode-p 'compilation-mode)))
      (should-not (string-match-p "nothing" (cairn-test--sh "git" "show" "HEAD:note1.org")))
      (should (string-match-p "nothing" (cairn-test--sh "cat" "note1.org")))
      (goto-char (point-max))
      (forward-line -1)
      (delete-region (point) (point-max))
      (insert "Nothing.\n")
      (save-buffer)
      (cairn-test--wait #'cairn-test--idle-p)
      (should (null cairn--state))
      (with-current-buffer "*cairn-lint*" (should (equal (buffer-string) "No faults.\n")))
      (should (string-match-p "Nothing" (cairn-test--sh "git" "show" "HEAD:note1.org"))))))

(ert-deftest cairn-save-without-a-program ()
  "A program that is missing, or fails, takes nothing from what was saved."
  (cairn-test--with-space
    (let ((cairn-program "/no/such/cairn"))
      (cairn-test--visit "note1.org")
      (goto-char (point-max))
      (insert "More.\n")
      (save-buffer)
      (cairn-test--wait #'cairn-test--idle-p)
      (should (stringp cairn--state))
      (should (string-match-p "More" (cairn-test--sh "cat" "note1.org"))))
    (delete-directory (expand-file-name ".git" cairn-directory) t)
    (insert "Again.\n")
    (save-buffer)
    (cairn-test--wait #'cairn-test--idle-p)
    (should (stringp cairn--state))
    (should (string-match-p "Again" (cairn-test--sh "cat" "note1.org")))))

(ert-deftest cairn-save-does-not-block ()
  "A program that hangs keeps nobody from editing."
  (cairn-test--with-space
    (let ((cairn-program (expand-file-name "slow" home)))
      (with-temp-file cairn-program (insert "#!/bin/sh\nexec sleep 60\n"))
      (set-file-modes cairn-program #o755)
      (cairn-test--visit "note1.org")
      (goto-char (point-max))
      (insert "More.\n")
      (save-buffer)
      (cairn-test--wait (lambda () cairn--process))
      (insert "Again.\n")
      (save-buffer)
      (should-not (buffer-modified-p))
      (should (process-live-p cairn--process))
      (setq cairn--pending nil)
      (delete-process cairn--process)
      (cairn-test--wait #'cairn-test--idle-p))))

(ert-deftest cairn-flymake-reports ()
  "Flymake gets the faults of what stands in the buffer, without a save."
  (cairn-test--with-space
    (cairn-test--visit "note1.org")
    (goto-char (point-max))
    (insert "See [[id:00000000-dead-4000-8000-000000000000][nothing]].\n")
    (require 'flymake)
    (let (got)
      (cairn-flymake (lambda (diagnostics &rest _) (setq got (or diagnostics 'none))))
      (cairn-test--wait (lambda () got))
      (should (= (length got) 1))
      (should (eq (flymake-diagnostic-type (car got)) :error))
      (should (string-match-p "no page has the id" (flymake-diagnostic-text (car got))))
      (should (= (line-number-at-pos (flymake-diagnostic-beg (car got))) 17)))))

(ert-deftest cairn-follows-agents ()
  "What an agent writes is shown in a buffer without edits; edits are compared with it, once."
  (cairn-test--with-space
    (cairn-test--visit "note1.org")
    (cairn-test--visit "note2.org")
    (goto-char (point-max))
    (insert "Mine.\n")
    (let ((create-lockfiles nil) (compared nil))
      ;; Emacs' lock would rightly keep the agent from note2.
      (set-buffer-modified-p nil)
      (set-buffer-modified-p t)
      (ignore-errors (delete-file (expand-file-name ".#note2.org" cairn-directory)))
      (dolist (n '(1 2))
        (cairn-test--sh cairn-program "edit" (format "note%d" n) "--append" "An agent's line." "--actor" "agent:a"))
      (let ((cairn-conflict-function (lambda () (push (buffer-name) compared))))
        (cairn-check-buffers)
        (cairn-check-buffers))
      (should (equal compared '("note2.org")))
      (with-current-buffer (find-buffer-visiting (expand-file-name "note2.org" cairn-directory))
        (should (string-match-p "Mine" (buffer-string)))
        (should (buffer-modified-p)))
      (with-current-buffer (find-buffer-visiting (expand-file-name "note1.org" cairn-directory))
        (should (string-match-p "An agent's line" (buffer-string)))
        (should-not (buffer-modified-p))
        (should cairn-mode))
      (should (null cairn--pending)))))

(ert-deftest cairn-compares ()
  "The command opens Ediff; by itself it does so in the buffer that is shown, and in no other."
  (cairn-test--with-space
    (cairn-test--visit "note2.org")
    (cairn-test--visit "note1.org")
    (switch-to-buffer (current-buffer))
    (let ((opened nil))
      (cl-letf (((symbol-function 'ediff-current-file) (lambda () (push (buffer-name) opened))))
        (let ((noninteractive nil))
          (cairn-compare)
          (with-current-buffer (find-buffer-visiting (expand-file-name "note2.org" cairn-directory))
            (cairn-compare)
            (should (equal opened '("note1.org")))
            (call-interactively #'cairn-compare))))
      (should (member "note2.org" opened)))))

(ert-deftest cairn-unsaved-edits-keep-agents-away ()
  "An agent does not write a note that has edits which are not saved."
  (cairn-test--with-space
    (cairn-test--visit "note1.org")
    (goto-char (point-max))
    (insert "Mine.\n")
    (should-error (cairn-test--sh cairn-program "edit" "note1" "--append" "An agent's line." "--actor" "agent:a"))
    (cairn-test--sh cairn-program "edit" "note2" "--append" "An agent's line." "--actor" "agent:a")
    (save-buffer)
    (insert "More.\n") ; typed before the commit starts
    (cairn-test--wait #'cairn-test--idle-p)
    (should (null cairn--state))
    (should (string-match-p "Mine" (cairn-test--sh "git" "show" "HEAD:note1.org")))
    (save-buffer)
    (cairn-test--wait #'cairn-test--idle-p)
    (cairn-test--sh cairn-program "edit" "note1" "--append" "An agent's line." "--actor" "agent:a")
    (should (string-match-p "Mine\\.\nMore\\.\n\n*An agent's line" (cairn-test--sh "cat" "note1.org")))))

(ert-deftest cairn-browses ()
  "The commands to find, search, show, list and draw show what cairn has."
  (cairn-test--with-space
    (cairn-test--sh cairn-program "link" "note2" "relates_to" "note1")
    (cl-letf (((symbol-function 'completing-read)
               (lambda (_prompt collection &rest _)
                 (should (equal (sort (all-completions "" collection) #'string<) '("Note 1" "Note 2")))
                 "Note 2")))
      (cairn-find-node)
      (should (equal (file-name-nondirectory (buffer-file-name)) "note2.org"))
      (call-interactively #'cairn-show-node)
      (should (equal (file-name-nondirectory (buffer-file-name)) "note2.org"))
      (should buffer-read-only)
      (view-mode -1))
    (cairn-search "Text 1")
    (should (derived-mode-p 'cairn-list-mode))
    (goto-char (point-min))
    (should (re-search-forward "^Note 1"))
    (cairn-list-visit)
    (should (equal (file-name-nondirectory (buffer-file-name)) "note1.org"))
    (call-interactively #'cairn-backlinks)
    (should (equal (buffer-name) "*cairn-backlinks*"))
    (goto-char (point-min))
    (should (re-search-forward "^Note 2"))
    (revert-buffer)
    (should (string-match-p "Note 2" (buffer-string)))
    (cairn-test--visit "note1.org")
    (call-interactively #'cairn-map)
    (should (string-match-p "Note 2" (buffer-string)))
    (dolist (case '(("" . t) ("status=current project=general" . t) ("tag=nowhere" . nil)))
      (cairn-test--visit "note1.org")
      (cl-letf (((symbol-function 'read-string) (lambda (&rest _) (car case))))
        (let ((current-prefix-arg '(4))) (call-interactively #'cairn-map)))
      (should (eq (cdr case) (and (string-match-p "Note 2" (buffer-string)) t))))
    (should-error (cairn--map-arguments "author=me") :type 'user-error)
    (cairn-dashboard)
    (should (string-match-p "kb  2 pages" (buffer-string)))
    (should (string-match-p "Changed last\n  Note" (buffer-string)))
    (goto-char (point-min))
    (should (string-match-p "no page \"nothing there\""
                            (cadr (should-error (cairn-show-node "nothing there") :type 'user-error))))))

(ert-deftest cairn-captures ()
  "A note that is captured is a page, committed; without a summary there is none."
  (cairn-test--with-space
    (should-error (cairn-capture " " "procedure") :type 'user-error)
    (cairn-capture "Format Go with gofmt." "procedure" "Format Go")
    (should cairn-capture-mode)
    (insert "Use gofmt, never by hand.")
    (cairn-capture-finish)
    (should cairn-mode)
    (should (string-match-p "-format-go\\.org\\'" (buffer-file-name)))
    (should (string-match-p ":CREATED_BY: +human\n" (buffer-string)))
    (should (string-prefix-p "capture: " (car (cairn-test--log))))
    (cairn-capture "Again." "procedure")
    (let ((buffer (current-buffer)))
      (cairn-capture-cancel)
      (should-not (buffer-live-p buffer)))))

(defvar cairn-test--ran nil "What hooks of the user did.")
(defun cairn-test--agenda () "A hook of the user's." (push 'agenda cairn-test--ran))
(defun cairn-test--other () "Another hook of the user's." (push 'other cairn-test--ran))
(defun cairn-test--recipe () "A command of the user's." (interactive) (push 'recipe cairn-test--ran))
(defvar cairn-test--hook nil "A hook of the user's.")
(defvar cairn-test--unbound)

(defmacro cairn-test--with-profile (&rest body)
  "Run BODY with variables and hooks of a user."
  (declare (indent 0) (debug t))
  `(cairn-test--with-space
     (let ((org-roam-directory "/mine/") (org-roam-db-location "/mine.db") (org-roam-dailies-directory "journal/")
           (org-roam-capture-templates '(mine)) (org-roam-verbose nil)
           (cairn-test--ran nil)
           (cairn-test--hook '(cairn-test--agenda cairn-test--other))
           (cairn-profile-hooks '((cairn-test--hook . cairn-test--agenda)))
           (cairn-profile-commands '(cairn-test--recipe))
           (cairn-profile-variables '((cairn-test--unbound . 3) (org-roam-dailies-directory . "days/"))))
       ,@body)))

(defun cairn-test--mine-p ()
  "Return non-nil if all is the user's."
  (and (equal org-roam-directory "/mine/") (equal org-roam-db-location "/mine.db")
       (equal org-roam-dailies-directory "journal/") (equal org-roam-capture-templates '(mine))
       (equal cairn-test--hook '(cairn-test--agenda cairn-test--other))
       (not (boundp 'cairn-test--unbound))
       (null cairn--profile)
       (progn (call-interactively #'cairn-test--recipe) t)))

(ert-deftest cairn-switches-and-back ()
  "The profile sets what is org-roam's, keeps hooks and commands out, and takes all back."
  (cairn-test--with-profile
    (cl-letf (((symbol-function 'cairn-db-sync) #'ignore))
      (should (cairn-test--mine-p))
      (cairn-switch)
      (should (equal org-roam-directory (cairn--root)))
      (should (equal org-roam-db-location cairn-database))
      (should (equal org-roam-dailies-directory "days/"))
      (should (equal (caar org-roam-capture-templates) "d"))
      (should (equal (symbol-value 'cairn-test--unbound) 3))
      (setq cairn-test--ran nil)
      (run-hooks 'cairn-test--hook)
      (should (equal cairn-test--ran '(other)))
      (should-error (call-interactively #'cairn-test--recipe) :type 'user-error)
      (should-error (cairn-switch) :type 'user-error)
      (cairn-switch-back)
      (should (cairn-test--mine-p))
      (should-error (cairn-switch-back) :type 'user-error))))

(ert-deftest cairn-switch-that-fails ()
  "A switch that fails, or is quit, changed nothing."
  (dolist (how '(error quit))
    (cairn-test--with-profile
      (cl-letf (((symbol-function 'cairn-db-sync) (lambda (&rest _) (signal how '("it failed")))))
        (should (condition-case nil (progn (cairn-switch) nil) ((error quit) t))))
      (should (cairn-test--mine-p))))
  (cairn-test--with-profile
    (let ((cairn-directory "/no/such/directory/"))
      (should-error (cairn-switch) :type 'user-error))
    (should (cairn-test--mine-p))))

(ert-deftest cairn-syncs-when-stale ()
  "Org-roam's database of the space has its notes, not its index and sources, and is synced when they are newer."
  (skip-unless (require 'org-roam nil t))
  (cairn-test--with-space
    (let ((org-roam-directory "/mine/") (org-roam-db-location "/mine.db") (org-roam-verbose nil) (syncs 0))
      (make-directory (expand-file-name "raw" cairn-directory))
      (with-temp-file (expand-file-name "raw/source.org" cairn-directory)
        (insert ":PROPERTIES:\n:ID: 5f0c2d7e-0000-4000-8000-000000000099\n:END:\n#+title: Source\n"))
      (advice-add 'org-roam-db-sync :before
                  (lambda (&rest _)
                    (cl-incf syncs)
                    ;; A program that is still ending would be taken for alive.
                    (let ((connection (org-roam-db--get-connection)))
                      (should-not (and connection (emacsql-live-p connection)))))
                  '((name . cairn-test)))
      (unwind-protect
          (progn
            (should (cairn-db-stale-p))
            (cairn-switch)
            (should (= syncs 1))
            (should (equal (sort (mapcar #'car (org-roam-db-query [:select title :from nodes])) #'string<)
                           '("Note 1" "Note 2")))
            (cairn-switch-back)
            (should (equal org-roam-directory "/mine/"))
            (cairn-switch)
            (cairn-db-sync)
            (should (= syncs 1))
            (cairn-db-sync t)
            (should (= syncs 2))
            (set-file-times (expand-file-name "note1.org" cairn-directory) (time-add nil 5))
            (should (cairn-db-stale-p))
            (cairn-switch-back))
        (advice-remove 'org-roam-db-sync 'cairn-test)))))

(provide 'cairn-test)
;;; cairn-test.el ends here
