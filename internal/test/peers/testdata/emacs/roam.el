;;; Prints what org-roam's database holds of a directory, as JSON.
;;; emacs --batch -l roam.el -- DIRECTORY DATABASE

(require 'package)
(package-initialize)
(unless (require 'org-roam nil t)
  (princ "none")
  (kill-emacs 0))
(require 'json)

(let ((args (cdr (member "--" command-line-args))))
  (setq org-roam-directory (file-truename (nth 0 args))
        org-roam-db-location (nth 1 args)
        org-roam-verbose nil
        command-line-args-left nil))
(org-roam-db-sync)

(defun roam-of (id query)
  (vconcat (mapcar #'car (org-roam-db-query query id))))

(princ
 (json-encode
  (vconcat
   (mapcar
    (lambda (row)
      (pcase-let ((`(,id ,title ,file ,level) row))
        `((id . ,id) (title . ,title) (level . ,level)
          (file . ,(file-relative-name file org-roam-directory))
          (tags . ,(roam-of id [:select tag :from tags :where (= node-id $s1) :order-by tag]))
          (aliases . ,(roam-of id [:select alias :from aliases :where (= node-id $s1) :order-by alias]))
          (links . ,(roam-of id [:select dest :from links :where (and (= source $s1) (= type "id")) :order-by dest]))
          (refs . ,(roam-of id [:select ref :from refs :where (= node-id $s1) :order-by ref])))))
    (org-roam-db-query [:select [id title file level] :from nodes :order-by file])))))
