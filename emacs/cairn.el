;;; cairn.el --- Check, commit and browse the notes of a cairn memory  -*- lexical-binding: t; -*-

;; Author: The cairn authors
;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: outlines, hypermedia, convenience
;; URL: https://github.com/cairn-kb/cairn

;;; Commentary:

;; What you save in a guarded space of cairn is checked and committed as what
;; agents write is, without making you wait: see `cairn-global-mode'.
;;
;; `cairn-switch' turns org-roam to the space, with a database, templates and
;; dailies of its own, and back.  `cairn-command-map' has commands to browse:
;;
;;     (require 'cairn)
;;     (setq cairn-directory "~/notes/")
;;     (cairn-global-mode)
;;     (global-set-key (kbd "<f9>") 'cairn-command-map)
;;
;; It runs the program `cairn', and needs nothing else; org-roam, flymake and
;; Graphviz are used where they are there.

;;; Code:

(require 'cl-lib)
(require 'compile)
(require 'json)
(require 'subr-x)

(declare-function ediff-current-file "ediff")
(declare-function flymake-diag-region "flymake")
(declare-function flymake-make-diagnostic "flymake")
(declare-function emacsql-process "ext:emacsql" (connection) t)
(declare-function org-roam-db--close "ext:org-roam-db")
(declare-function org-roam-db--get-connection "ext:org-roam-db")
(declare-function org-roam-db-sync "ext:org-roam-db")

(defgroup cairn nil
  "Notes in a cairn memory."
  :group 'outlines
  :prefix "cairn-")

(defcustom cairn-program "cairn"
  "The program cairn, as a name in the variable `exec-path', or as a path."
  :type 'string)

(defcustom cairn-directory "~/.local/share/ai-kb/"
  "Directory of the space: its notes are checked and committed when saved."
  :type 'directory)

(defcustom cairn-save-delay 0.3
  "Seconds after a save for which more saves are waited for.
All that were saved by then are one commit."
  :type 'number)

(defcustom cairn-stamp-key "updated"
  "Key of the metadata that gets the day when a note is saved.
Only a key that the note has is set; nil sets none."
  :type '(choice string (const :tag "None" nil)))

(defcustom cairn-check-interval 3
  "Seconds between looks at whether others changed the files of buffers.
A buffer without edits shows the file as it is now; one with edits is
compared with it by `cairn-conflict-function'.  If nil, nobody looks."
  :type '(choice number (const :tag "Never" nil)))

(defcustom cairn-conflict-function #'cairn-compare
  "Called in a buffer that has edits when its file was changed by others."
  :type 'function)

(defcustom cairn-database (locate-user-emacs-file "org-roam-ai.db")
  "Database in which org-roam keeps the space, apart from your own."
  :type 'file)

(defcustom cairn-profile-variables nil
  "More variables that `cairn-switch' sets, with their values.
They get their own values back.  What is here wins over what the switch
itself sets, such as `org-roam-capture-templates'."
  :type '(alist :key-type symbol :value-type sexp))

(defcustom cairn-profile-hooks nil
  "Functions that are not to run while `cairn-switch' is on.
Each element is (HOOK . FUNCTION), such as one that adds what was captured
to the agenda, or copies what was done into your own journal."
  :type '(alist :key-type symbol :value-type function))

(defcustom cairn-profile-commands nil
  "Commands that are off while `cairn-switch' is on.
For those that would put a note of your own into the space."
  :type '(repeat function))

(defcustom cairn-graph-program "dot"
  "The program dot of Graphviz, which draws maps where Emacs shows images."
  :type 'string)

;;;; The program

(defun cairn--root ()
  "Directory of the space, as it is spelled everywhere here."
  (file-name-as-directory (expand-file-name cairn-directory)))

(defun cairn--command (args)
  "Return the command line of cairn for ARGS, which answers in JSON."
  (cons cairn-program (append args '("--json" "--quiet"))))

(defun cairn--read-json (text)
  "Return the first JSON value of TEXT as property lists, nil if there is none."
  (unless (string-empty-p (string-trim text))
    (let ((json-object-type 'plist) (json-array-type 'list)
          (json-false nil) (json-null nil))
      (condition-case nil (json-read-from-string text)
        (json-error nil)))))

(defun cairn--problem (code output errors)
  "Return what to tell of a run that ended with CODE, OUTPUT and ERRORS."
  (let ((error (or (plist-get (cairn--read-json errors) :error)
                   (plist-get (cairn--read-json output) :error))))
    (cond
     ((null error)
      (format "cairn ended with %s: %s" code (string-trim (concat output errors))))
     ((plist-get error :hint)
      (format "%s. %s" (plist-get error :message) (plist-get error :hint)))
     (t (plist-get error :message)))))

(defun cairn--run (input &rest args)
  "Run cairn with ARGS and the text INPUT, or none, and return its answer.
What it has no match for is nil."
  (let ((default-directory (cairn--root))
        (errors (make-temp-file "cairn")))
    (unless (file-directory-p default-directory)
      (user-error "There is no directory %s: see `cairn-directory'" default-directory))
    (unwind-protect
        (with-temp-buffer
          (let* ((coding-system-for-read 'utf-8)
                 (coding-system-for-write 'utf-8)
                 (command (cairn--command args))
                 (code (condition-case nil
                           (apply #'call-process-region (or input "") nil
                                  (car command) nil (list t errors) nil (cdr command))
                         (file-missing
                          (user-error "There is no program %s: see `cairn-program'"
                                      cairn-program))))
                 (answer (cairn--read-json (buffer-string))))
            (if (or (memq code '(0 5)) (and (eq code 3) answer (not (plist-get answer :error))))
                answer
              (user-error "%s"
                          (cairn--problem code (buffer-string)
                                          (with-temp-buffer
                                            (insert-file-contents errors)
                                            (buffer-string)))))))
      (delete-file errors))))

(defun cairn--start (args input done)
  "Start cairn with ARGS and the text INPUT.
DONE is called with the exit code, the answer and what went wrong, nil when
nothing did.  Nobody waits for it."
  (let* ((default-directory (cairn--root))
         (output (generate-new-buffer " *cairn output*"))
         (errors (generate-new-buffer " *cairn errors*"))
         (process
          (condition-case err
              (make-process
               :name "cairn" :command (cairn--command args) :noquery t
               :connection-type 'pipe :coding 'utf-8
               :buffer output :stderr errors
               :sentinel
               (lambda (process _event)
                 (unless (process-live-p process)
                   (accept-process-output (get-buffer-process errors) 0.1)
                   (let* ((code (process-exit-status process))
                          (text (with-current-buffer output (buffer-string)))
                          (told (with-current-buffer errors (buffer-string)))
                          (answer (cairn--read-json text)))
                     (kill-buffer output)
                     (let ((kill-buffer-query-functions nil)) (kill-buffer errors))
                     (funcall done code answer
                              (unless (memq code '(0 5))
                                (cairn--problem code text told)))))))
            (error
             (kill-buffer output)
             (kill-buffer errors)
             (funcall done nil nil (error-message-string err))
             nil))))
    (when process
      (when-let ((stderr (get-buffer-process errors)))
        (set-process-query-on-exit-flag stderr nil)
        (set-process-sentinel stderr #'ignore))
      (ignore-errors ; it may have ended
        (when input (process-send-string process input))
        (process-send-eof process)))
    process))

;;;; Buffers of notes

(defvar cairn-mode)

(defvar-local cairn--state nil
  "How the note stands: nil, `running', or a string that says what is wrong.")

(defvar-local cairn--faults nil
  "What stands in the way of committing the note, as cairn lists it.")

(defvar-local cairn--compared nil
  "Time of the file that others changed and that was told of.")

(defvar cairn--inhibit nil
  "Non-nil while cairn itself changes files and buffers.")

(defun cairn--relative (file)
  "Return FILE as the space names it, nil where it is not in the space."
  (let ((file (expand-file-name file)))
    (cl-loop for root in (list (cairn--root) (file-name-as-directory (file-truename (cairn--root))))
             for path in (list file (file-truename file))
             when (string-prefix-p root path)
             return (substring path (length root)))))

(defun cairn-note-p (&optional buffer)
  "Return the path of the note that BUFFER visits, nil where it is none.
What cairn generates, sources in raw/, hidden files and files of other
machines are none."
  (when-let* ((file (buffer-file-name (or buffer (buffer-base-buffer) (current-buffer))))
              (path (and (not (file-remote-p file))
                         (not (file-remote-p cairn-directory))
                         (cairn--relative file))))
    (and (member (downcase (or (file-name-extension path) "")) '("org" "md" "markdown"))
         (not (string-match-p "\\`\\(?:raw/\\|index[^/]*\\.\\(?:org\\|md\\)\\'\\)\\|\\(?:\\`\\|/\\)\\." path))
         path)))

(defun cairn--lighter ()
  "How the note stands, for the mode line."
  (pcase cairn--state
    ('running " cairn:…")
    ('nil " cairn")
    (problem (propertize " cairn:!" 'face 'error 'help-echo problem))))

;;;###autoload
(define-minor-mode cairn-mode
  "Check and commit the note when it is saved, and keep it as others change it."
  :lighter (:eval (cairn--lighter))
  (cond
   ((not cairn-mode)
    (remove-hook 'before-save-hook #'cairn--stamp t)
    (remove-hook 'after-save-hook #'cairn--saved t)
    (remove-hook 'flymake-diagnostic-functions #'cairn-flymake t))
   ((not (cairn-note-p))
    (setq cairn-mode nil)
    (when (called-interactively-p 'interactive)
      (user-error "This is no note of %s" (cairn--root))))
   (t
    (add-hook 'before-save-hook #'cairn--stamp nil t)
    (add-hook 'after-save-hook #'cairn--saved nil t)
    (add-hook 'flymake-diagnostic-functions #'cairn-flymake nil t)
    (cairn--watch))))

(defun cairn--turn-on ()
  "Turn `cairn-mode' on in the note that was just visited."
  (when (cairn-note-p) (cairn-mode)))

;;;###autoload
(define-globalized-minor-mode cairn-global-mode cairn-mode cairn--turn-on
  :group 'cairn)

;;;; Saving

(defvar cairn--pending nil "Paths of notes that were saved and not committed yet.")
(defvar cairn--timer nil "Timer that starts the commit of what is pending.")
(defvar cairn--process nil "The commit that is running, nil for none.")

(defun cairn--zone ()
  "Return the time zone of the space, or nil for that of the machine."
  (let ((policy (expand-file-name ".cairn/space.toml" (cairn--root))))
    (when (file-readable-p policy)
      (with-temp-buffer
        (insert-file-contents policy)
        (let ((end (save-excursion (re-search-forward "^[ \t]*\\[" nil t)))) ; before all tables
          (when (re-search-forward "^[ \t]*time_zone[ \t]*=[ \t]*[\"']\\([^\"'\n]+\\)[\"']" end t)
            (match-string 1)))))))

(defun cairn--stamp ()
  "Set `cairn-stamp-key' of the note to this day, where the note has it.
cairn does so as well when it commits; done here, the file does not change
under the buffer."
  (when (and cairn-stamp-key (not cairn--inhibit) (cairn-note-p))
    (save-excursion
      (save-restriction
        (widen)
        (goto-char (point-min))
        (let ((case-fold-search t)
              (key (regexp-quote cairn-stamp-key)))
          (when (cond
                 ((looking-at ":PROPERTIES:[ \t]*\n")
                  (re-search-forward (format "^:%s:[ \t]*\\(.+?\\)[ \t]*$" key)
                                     (save-excursion (re-search-forward "^:END:" nil t)) t))
                 ((looking-at "---[ \t]*\n")
                  (forward-line)
                  (re-search-forward (format "^%s:[ \t]*\\(.+?\\)[ \t]*$" key)
                                     (save-excursion (re-search-forward "^---[ \t]*$" nil t)) t)))
            (goto-char (match-beginning 1))
            (cairn--stamp-here)))))))

(defun cairn--stamp-here ()
  "Replace the day at point by this one, with its name after it in Org.
What else the value has stays; one with a time is left alone."
  (let* ((zone (cairn--zone))
         (day (format-time-string "%Y-%m-%d" nil zone))
         (name (let ((system-time-locale "C")) (format-time-string "%a" nil zone))))
    (when (and (looking-at "[\"'[<]?\\([0-9]\\{4\\}-[0-9][0-9]-[0-9][0-9]\\)\\(?: \\(\\(?:Mon\\|Tue\\|Wed\\|Thu\\|Fri\\|Sat\\|Sun\\)\\)\\)?\\(?:[]\"'> \t]\\|$\\)")
               (not (save-match-data
                      (save-excursion
                        (goto-char (match-end 0))
                        (looking-at-p "[ \t]*[0-9]+:[0-9]"))))
               (not (string= (match-string 1) day)))
      (when (match-beginning 2)
        (replace-match name t t nil 2))
      (replace-match day t t nil 1))))

(defun cairn--saved ()
  "Have the note of this buffer committed, soon and without waiting for it."
  (when-let ((path (and (not cairn--inhibit) (cairn-note-p))))
    (cl-pushnew path cairn--pending :test #'equal)
    (setq cairn--state 'running cairn--compared nil)
    (cairn--schedule)))

(defun cairn--schedule ()
  "Start the commit of what is pending when nothing was saved for a while."
  (when cairn--timer (cancel-timer cairn--timer))
  (setq cairn--timer (run-with-timer cairn-save-delay nil #'cairn--commit)))

(defun cairn--actor ()
  "Arguments that name Emacs as the author, unless the environment names one."
  (unless (getenv "CAIRN_ACTOR") '("--actor" "human:emacs")))

(defun cairn--commit ()
  "Start the commit of what is pending, after the one that is running."
  (setq cairn--timer nil)
  (unless (or cairn--process (null cairn--pending))
    (let ((paths (nreverse cairn--pending)))
      (setq cairn--pending nil
            cairn--process
            (cairn--start (append '("commit") (cairn--actor) paths) nil
                          (lambda (_code answer problem)
                            (setq cairn--process nil)
                            (cairn--committed paths answer problem)))))))

(defun cairn--committed (paths answer problem)
  "Show what became of PATHS by the ANSWER of a commit, or a PROBLEM."
  (let ((faults (plist-get answer :left))
        (staged (plist-get answer :staged)))
    (dolist (path paths)
      (when-let ((buffer (cairn--buffer path)))
        (with-current-buffer buffer
          (setq cairn--faults
                (cl-remove-if-not (lambda (fault) (equal (plist-get fault :path) path)) faults)
                cairn--state
                (cond ((member path cairn--pending) 'running)
                      (problem problem)
                      (cairn--faults
                       (format "not committed: %s" (plist-get (car cairn--faults) :message)))
                      ((member path staged) "not committed: it is staged in git")))
          (force-mode-line-update))))
    (cairn--show-faults faults)
    (when problem (message "cairn: %s" problem)))
  (cairn-check-buffers)
  (when cairn--pending (cairn--schedule)))

(defun cairn--buffer (path)
  "Return the buffer that visits the note at PATH, nil if none does."
  (find-buffer-visiting (expand-file-name path (cairn--root))))

(defun cairn--show-faults (faults)
  "List FAULTS in the buffer *cairn-lint*, which takes no focus."
  (if (null faults)
      (when-let ((buffer (get-buffer "*cairn-lint*")))
        (with-current-buffer buffer
          (let ((inhibit-read-only t)) (erase-buffer) (insert "No faults.\n"))))
    (with-current-buffer (get-buffer-create "*cairn-lint*")
      (setq default-directory (cairn--root))
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert "Saved, and not committed:\n\n")
        (dolist (fault faults)
          (insert (format "%s:%s: %s: %s (%s)\n"
                          (plist-get fault :path) (max 1 (or (plist-get fault :line) 1))
                          (if (equal (plist-get fault :severity) "fatal") "error" "warning")
                          (plist-get fault :message) (plist-get fault :rule)))))
      (compilation-mode)
      (setq default-directory (cairn--root))
      (goto-char (point-min))
      (display-buffer (current-buffer) '(nil (inhibit-same-window . t))))))

;;;; Flymake

(defvar-local cairn--flymake nil "The check of this buffer that is running.")

(defun cairn-flymake (report &rest _more)
  "Check the note as it stands in the buffer, for Flymake's REPORT."
  (when (process-live-p cairn--flymake) (delete-process cairn--flymake))
  (let ((buffer (current-buffer)) (path (cairn-note-p)) process)
    (setq process
          (cairn--start
           (list "lint" "--stdin" "--path" path)
           (save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max)))
           (lambda (_code answer problem)
             (when (buffer-live-p buffer)
               (with-current-buffer buffer
                 (when (eq cairn--flymake process)
                   (if problem
                       (funcall report :panic :explanation problem)
                     (funcall report (mapcar #'cairn--diagnostic (plist-get answer :items))))))))))
    (setq cairn--flymake process)))

(defun cairn--diagnostic (fault)
  "Return FAULT as Flymake has it."
  (let ((region (flymake-diag-region (current-buffer) (max 1 (or (plist-get fault :line) 1)))))
    (flymake-make-diagnostic (current-buffer) (car region) (cdr region)
                             (if (equal (plist-get fault :severity) "fatal") :error :warning)
                             (format "%s (%s)" (plist-get fault :message) (plist-get fault :rule)))))

;;;; What others change

(defvar cairn--watcher nil "Timer that looks at the files of buffers.")

(defun cairn--watch ()
  "Look at the files of buffers from now on."
  (when (and cairn-check-interval (not cairn--watcher))
    (setq cairn--watcher
          (run-with-timer cairn-check-interval cairn-check-interval #'cairn-check-buffers))))

(defun cairn-check-buffers ()
  "Show what others changed in the files of notes, and compare edits with it."
  (interactive)
  (let (some)
    (dolist (buffer (buffer-list))
      (when (buffer-local-value 'cairn-mode buffer)
        (setq some t)
        (with-current-buffer buffer (cairn--check-buffer))))
    (unless (or some (null cairn--watcher))
      (cancel-timer cairn--watcher)
      (setq cairn--watcher nil))))

(defun cairn--check-buffer ()
  "Show what others changed in the file of this note, or compare it with edits."
  (let* ((file (buffer-file-name))
         (changed (and file (file-exists-p file)
                       (not (verify-visited-file-modtime (current-buffer)))
                       (file-attribute-modification-time (file-attributes file)))))
    (cond
     ((null changed))
     ((not (buffer-modified-p))
      (let ((cairn--inhibit t)) (revert-buffer t t t)))
     ((not (equal changed cairn--compared))
      (setq cairn--compared changed)
      (funcall cairn-conflict-function)))))

(defun cairn-compare ()
  "Compare the edits of this buffer with what others made of its file."
  (interactive)
  (message "%s was changed by others while you edit it" (file-name-nondirectory (buffer-file-name)))
  (unless noninteractive
    (when (or (called-interactively-p 'any) (eq (current-buffer) (window-buffer)))
      (ediff-current-file))))

;;;; The profile of org-roam

(defvar cairn--profile nil
  "What `cairn-switch' changed: functions that take it back, the last first.")

(defconst cairn-exclude-regexp "\\(?:\\`\\|/\\)\\(?:raw/\\|index[^/]*\\.org\\'\\)"
  "What org-roam must not read in the space: sources, and what is generated.")

(defun cairn--templates ()
  "Templates of org-roam for notes of the space."
  '(("d" "note" plain "%?"
     :target (file+head "%<%Y%m%d%H%M%S>-${slug}.org"
                        ":PROPERTIES:\n:SUMMARY: %^{summary, in one line}\n:CREATED: %<[%Y-%m-%d %a]>\n:UPDATED: %<[%Y-%m-%d %a]>\n:CREATED_BY: human\n:CONFIDENCE: user-stated\n:VISIBILITY: personal\n:STATUS: current\n:PROJECTS: :general:\n:SOURCE: human %<%Y-%m-%d>\n:END:\n#+title: ${title}\n#+filetags: :observation:\n")
     :unnarrowed t)))

(defun cairn--profile-values ()
  "Return the variables of the profile with their values."
  (append cairn-profile-variables
          `((org-roam-directory . ,(cairn--root))
            (org-roam-db-location . ,(expand-file-name cairn-database))
            (org-roam-file-exclude-regexp . ,cairn-exclude-regexp)
            (org-roam-dailies-directory . "daily/")
            (org-roam-dailies-capture-templates . ,(cairn--templates))
            (org-roam-capture-templates . ,(cairn--templates)))))

(defun cairn--set (symbol value)
  "Set the default of SYMBOL to VALUE until the profile is taken back."
  (let ((bound (default-boundp symbol)) (before (and (default-boundp symbol) (default-value symbol))))
    (push (lambda () (if bound (set-default symbol before) (makunbound symbol))) cairn--profile)
    (set-default symbol value)))

(defun cairn--off (&rest _)
  "Refuse a command while the profile is on."
  (user-error "This command is off in the space of cairn: see `cairn-switch-back'"))

;;;###autoload
(defun cairn-switch (&optional force)
  "Turn org-roam to the space of cairn, until `cairn-switch-back'.
With a prefix argument FORCE its database is made anew whatever its age.

Nothing of it is saved: an Emacs that is killed begins with what is yours."
  (interactive "P")
  (when cairn--profile (user-error "Org-roam is turned to the space already"))
  (unless (file-directory-p (cairn--root))
    (user-error "There is no directory %s: see `cairn-directory'" (cairn--root)))
  (condition-case err
      (let (done)
        (pcase-dolist (`(,symbol . ,value) (cairn--profile-values))
          (unless (memq symbol done)
            (push symbol done)
            (cairn--set symbol value)))
        (dolist (hook (delete-dups (mapcar #'car cairn-profile-hooks)))
          (let ((off (cl-loop for (name . function) in cairn-profile-hooks
                              when (eq name hook) collect function))
                (value (and (default-boundp hook) (default-value hook))))
            (when (and value (functionp value)) (setq value (list value)))
            (cairn--set hook (cl-remove-if (lambda (f) (member f off)) value))))
        (dolist (command cairn-profile-commands)
          (advice-add command :before #'cairn--off)
          (push (lambda () (advice-remove command #'cairn--off)) cairn--profile))
        (cairn-db-sync force))
    ((error quit)
     (cairn--take-back)
     (signal (car err) (cdr err))))
  (message "Org-roam is turned to %s" (cairn--root)))

(defun cairn--take-back ()
  "Take back all that the profile changed, whatever becomes of one part of it."
  (while cairn--profile
    (with-demoted-errors "cairn: %S"
      (funcall (pop cairn--profile)))))

;;;###autoload
(defun cairn-switch-back ()
  "Turn org-roam to your own notes again."
  (interactive)
  (unless cairn--profile (user-error "Org-roam is turned to your own notes"))
  (cairn--take-back)
  (message "Org-roam is turned to your own notes"))

(defun cairn--newest ()
  "Return when a note or a directory of the space was last changed."
  (let ((newest 0))
    (cl-labels ((look (directory)
                  (setq newest (max newest (float-time (file-attribute-modification-time (file-attributes directory)))))
                  (dolist (file (directory-files directory t "\\`[^.]" t))
                    (cond
                     ((file-symlink-p file))
                     ((file-directory-p file) (look file))
                     ((string-suffix-p ".org" file)
                      (setq newest (max newest (float-time (file-attribute-modification-time (file-attributes file))))))))))
      (look (cairn--root)))
    newest))

(defun cairn-db-stale-p ()
  "Return non-nil if org-roam's database of the space is older than its notes."
  (let ((database (expand-file-name cairn-database)))
    (or (not (file-exists-p database))
        (> (cairn--newest) (float-time (file-attribute-modification-time (file-attributes database)))))))

(defun cairn--db-close ()
  "Close org-roam's connection to its database and wait until its program ended.
`org-roam-db-sync' closes it as well, but goes on at once: where the program
has not ended yet it is taken for alive, and the next query fails."
  (when-let ((connection (org-roam-db--get-connection)))
    (org-roam-db--close connection)
    (let ((process (ignore-errors (emacsql-process connection))))
      (when (processp process)
        (with-timeout (10)
          (while (process-live-p process)
            (accept-process-output process 0.1)))))))

(defun cairn-db-sync (&optional force)
  "Bring org-roam's database of the space up to date if it is not.
With a prefix argument FORCE do it anyway."
  (interactive "P")
  (cond
   ((not (require 'org-roam nil t))
    (when (called-interactively-p 'interactive) (user-error "There is no org-roam")))
   ((or force (cairn-db-stale-p))
    (message "Syncing org-roam with %s…" (cairn--root))
    (cl-progv '(org-roam-directory org-roam-db-location org-roam-file-exclude-regexp)
        (list (cairn--root) (expand-file-name cairn-database) cairn-exclude-regexp)
      (cairn--db-close)
      (org-roam-db-sync force))
    (set-file-times (expand-file-name cairn-database)) ; where nothing had changed, too
    (message "Syncing org-roam with %s…done" (cairn--root)))
   ((called-interactively-p 'interactive) (message "Org-roam is up to date"))))

;;;; Browsing

(defvar cairn-types '("observation" "principle" "preference" "procedure" "reference")
  "Types that `cairn-capture' offers.")

(defun cairn--pages (&rest filters)
  "Return the pages of the space that FILTERS of cairn list let through."
  (plist-get (apply #'cairn--run nil "list" "--limit" "20000" filters) :items))

(defun cairn--read-page (prompt)
  "Ask with PROMPT for a page of the space by its title, and return it."
  (let* ((pages (cairn--pages))
         (twice (make-hash-table :test #'equal))
         (named (make-hash-table :test #'equal))
         names)
    (dolist (page pages)
      (puthash (plist-get page :title) (1+ (gethash (plist-get page :title) twice 0)) twice))
    (dolist (page pages)
      (let* ((title (plist-get page :title))
             (name (if (or (string-empty-p title) (> (gethash title twice) 1))
                       (format "%s (%s)" title (plist-get page :path))
                     title)))
        (push name names)
        (puthash name page named)))
    (setq names (nreverse names))
    (gethash
     (completing-read
      prompt
      (lambda (text predicate action)
        (if (eq action 'metadata)
            `(metadata
              (category . cairn-page)
              (annotation-function
               . ,(lambda (name)
                    (when-let ((summary (plist-get (gethash name named) :summary)))
                      (concat "  " (propertize summary 'face 'completions-annotations))))))
          (complete-with-action action names text predicate)))
      nil t)
     named)))

(defun cairn--ref ()
  "Return the ref of the note of this buffer, else of one that is asked for."
  (or (cairn-note-p) (plist-get (cairn--read-page "Page: ") :ref)))

(defun cairn--visit (file &optional line)
  "Visit FILE, at LINE."
  (find-file file)
  (when line
    (widen)
    (goto-char (point-min))
    (forward-line (1- line))
    (when (and (derived-mode-p 'org-mode) (fboundp 'org-show-context))
      (with-no-warnings (org-show-context)))))

;;;###autoload
(defun cairn-find-node ()
  "Visit a page of the space, by its title.
In the profile of `cairn-switch' this is `org-roam-node-find'."
  (interactive)
  (if (and cairn--profile (fboundp 'org-roam-node-find))
      (call-interactively 'org-roam-node-find)
    (cairn--visit (plist-get (cairn--read-page "Page: ") :file))))

;;;###autoload
(defun cairn-show-node (ref)
  "Show the page REF, an id or a title, in another window and read-only."
  (interactive (list (plist-get (cairn--read-page "Show: ") :ref)))
  (view-file-other-window (plist-get (cairn--run nil "get" ref) :file)))

(defvar cairn-list-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'cairn-list-visit)
    map)
  "Keys of lists of pages.")

(define-derived-mode cairn-list-mode tabulated-list-mode "Cairn"
  "A list of pages.  \\<cairn-list-mode-map>\\[cairn-list-visit] visits one."
  (setq tabulated-list-format [("Title" 40 t) ("Status" 10 t) ("Day" 11 t) ("Text" 0 nil)])
  (tabulated-list-init-header))

(defun cairn-list-visit ()
  "Visit the page of this line."
  (interactive)
  (pcase (tabulated-list-get-id)
    (`(,file . ,line) (cairn--visit file line))
    (_ (user-error "There is no page here"))))

(defun cairn--show-list (name fetch)
  "Show in the buffer NAME the pages that FETCH gives.
It does so again when the buffer is reverted.
Each element that FETCH gives is (PAGE LINE TEXT)."
  (let ((rows (funcall fetch)))
    (if (null rows)
        (message "No page")
      (pop-to-buffer (get-buffer-create name))
      (cairn-list-mode)
      (let ((fill (lambda (rows)
                    (setq tabulated-list-entries
                          (cl-loop
                           for (page line text) in rows
                           collect
                           (list (cons (plist-get page :file) line)
                                 (vector (plist-get page :title) (plist-get page :status)
                                         (or (plist-get page :date) "")
                                         (replace-regexp-in-string "[\n\t ]+" " " (or text "")))))))))
        (funcall fill rows)
        (add-hook 'tabulated-list-revert-hook (lambda () (funcall fill (funcall fetch))) nil t))
      (tabulated-list-print))))

;;;###autoload
(defun cairn-search (question)
  "List the pages that answer QUESTION best, by words and meaning."
  (interactive (list (read-string "Search: ")))
  (cairn--show-list
   "*cairn-search*"
   (lambda ()
     (cl-loop for hit in (plist-get (cairn--run nil "search" question) :items)
              collect (list hit (car (plist-get hit :lines)) (plist-get hit :snippet))))))

;;;###autoload
(defun cairn-backlinks (ref)
  "List the links to the page REF, by default the one of this buffer."
  (interactive (list (cairn--ref)))
  (cairn--show-list
   "*cairn-backlinks*"
   (lambda ()
     (cl-loop for link in (plist-get (cairn--run nil "backlinks" ref "--limit" "500") :items)
              collect (list (plist-get link :page) (plist-get link :line)
                            (string-trim (format "%s %s" (plist-get link :type)
                                                 (or (plist-get link :context) ""))))))))

(defun cairn--graph (args as)
  "Return the pages that cairn ARGS prints, in the language AS."
  (with-temp-buffer
    (let ((default-directory (cairn--root)))
      (unless (eq 0 (apply #'call-process cairn-program nil '(t nil) nil
                           (append args (list "--as" as "--quiet"))))
        (apply #'cairn--run nil args)) ; which says why
      (buffer-string))))

(defun cairn--map-arguments (only)
  "Return the arguments for a map of pages that ONLY names, as \"tag=x project=y\"."
  (cons "map" (cl-loop for word in (split-string only)
                       for (key value) = (split-string word "[=:]")
                       unless (and (member key '("project" "tag" "status")) value)
                       do (user-error "No project, tag or status: %s" word)
                       append (list (concat "--" key) value))))

;;;###autoload
(defun cairn-map (args)
  "Draw the pages around a page, by default the one of this buffer.
With a prefix argument draw the pages of the space, or those of a
project, a tag or a status.  ARGS is what cairn is asked for.
Where Emacs shows no images, or there is no Graphviz, list them."
  (interactive
   (list (if current-prefix-arg
             (cairn--map-arguments (read-string "Only (project=, tag=, status=; empty for all): "))
           (list "graph" (cairn--ref)))))
  (let* ((draw (and (display-images-p) (image-type-available-p 'svg)
                    (executable-find cairn-graph-program)))
         (text (cairn--graph args (if draw "dot" "text"))))
    (pop-to-buffer (get-buffer-create "*cairn-map*"))
    (let ((inhibit-read-only t))
      (fundamental-mode)
      (erase-buffer)
      (insert text)
      (if (not draw)
          (special-mode)
        (let ((coding-system-for-read 'utf-8) (coding-system-for-write 'utf-8))
          (call-process-region (point-min) (point-max) cairn-graph-program t t nil "-Tsvg"))
        (set-buffer-modified-p nil)
        (image-mode)))
    (goto-char (point-min))))

;;;; Dashboard

(define-derived-mode cairn-dashboard-mode special-mode "Cairn"
  "How the space stands, and what changed in it."
  (setq-local revert-buffer-function (lambda (&rest _) (cairn--draw-dashboard))))

(defun cairn--insert-page (page)
  "Insert a line that leads to PAGE."
  (insert "  ")
  (insert-text-button (plist-get page :title)
                      'action (lambda (_) (cairn--visit (plist-get page :file)))
                      'follow-link t 'help-echo (plist-get page :path))
  (insert (format "  %s\n" (or (plist-get page :summary) ""))))

(defun cairn--draw-dashboard ()
  "Draw the dashboard into this buffer."
  (let* ((root (directory-file-name (file-truename (cairn--root))))
         (status (cairn--run nil "status"))
         (space (cl-find-if
                 (lambda (space)
                   (and (plist-get space :root)
                        (equal root (file-truename (directory-file-name (plist-get space :root))))))
                 (plist-get status :spaces)))
         (name (or (plist-get space :name) "?"))
         (inhibit-read-only t))
    (erase-buffer)
    (insert (propertize (format "%s  %s pages\n" name (or (plist-get space :pages) "no"))
                        'face 'bold)
            (format "%s\n" root))
    (dolist (problem (plist-get status :problems))
      (when (string-suffix-p (concat " " name) (plist-get problem :name))
        (insert (propertize (format "\n%s\n" (plist-get problem :reason)) 'face 'warning)
                (format "  %s\n" (or (plist-get problem :remedy) "")))))
    (pcase-dolist (`(,title . ,filters)
                   '(("Contested" "--where" "status=contested")
                     ("Changed last" "--sort" "updated")))
      (when-let ((pages (plist-get (apply #'cairn--run nil "list" "--limit" "15" filters) :items)))
        (insert (propertize (format "\n%s\n" title) 'face 'bold))
        (mapc #'cairn--insert-page pages)))
    (goto-char (point-min))))

;;;###autoload
(defun cairn-dashboard ()
  "Show how the space stands, and what changed in it."
  (interactive)
  (pop-to-buffer-same-window (get-buffer-create "*cairn*"))
  (cairn-dashboard-mode)
  (cairn--draw-dashboard))

;;;; Capture

(defvar-local cairn--capture nil "Arguments of the capture that this buffer becomes.")

(defvar cairn-capture-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-c") #'cairn-capture-finish)
    (define-key map (kbd "C-c C-k") #'cairn-capture-cancel)
    map)
  "Keys of a note that is being written.")

(define-minor-mode cairn-capture-mode
  "Write a note that becomes a page of the space."
  :lighter " Capture"
  (setq header-line-format
        (and cairn-capture-mode
             (substitute-command-keys "\\<cairn-capture-mode-map>\\[cairn-capture-finish] stores the note, \\[cairn-capture-cancel] gives it up"))))

;;;###autoload
(defun cairn-capture (summary type &optional title)
  "Write a note with a SUMMARY in one line, of a TYPE.
It has the TITLE if that is not empty, else its first sentence."
  (interactive
   (list (read-string "Summary, in one line: ")
         (completing-read "Type: " cairn-types nil nil nil nil (car cairn-types))
         (read-string "Title (empty: the first sentence): ")))
  (when (string-empty-p (string-trim summary)) (user-error "A note needs a summary"))
  (pop-to-buffer (generate-new-buffer "*cairn-capture*"))
  (text-mode)
  (cairn-capture-mode)
  (setq cairn--capture
        (append (list "--summary" summary "--type" type)
                (unless (string-empty-p (or title "")) (list "--title" title)))))

(defun cairn-capture-finish ()
  "Store the note of this buffer, and visit its page."
  (interactive)
  (let* ((text (buffer-substring-no-properties (point-min) (point-max)))
         (buffer (current-buffer))
         (answer (apply #'cairn--run text "capture" "-" cairn--capture))
         (page (car (plist-get answer :pages))))
    (kill-buffer buffer)
    (if page
        (cairn--visit (plist-get page :file))
      (message "The space has this text already: %s" (plist-get answer :ref)))))

(defun cairn-capture-cancel ()
  "Give the note of this buffer up."
  (interactive)
  (kill-buffer (current-buffer)))

;;;; Keys

(defvar cairn-command-map
  (let ((map (make-sparse-keymap)))
    (define-key map "d" #'cairn-dashboard)
    (define-key map "f" #'cairn-find-node)
    (define-key map "s" #'cairn-search)
    (define-key map "n" #'cairn-show-node)
    (define-key map "b" #'cairn-backlinks)
    (define-key map "m" #'cairn-map)
    (define-key map "c" #'cairn-capture)
    (define-key map "y" #'cairn-db-sync)
    (define-key map "=" #'cairn-compare)
    (define-key map "a" #'cairn-switch)
    (define-key map "A" #'cairn-switch-back)
    map)
  "Commands of cairn, for a key of your choice.")
(fset 'cairn-command-map cairn-command-map)

(provide 'cairn)
;;; cairn.el ends here
