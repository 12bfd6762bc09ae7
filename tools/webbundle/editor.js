// The editor on top of a text field: the field stays in its form, and has the text for all
// who ask it.
import { autocompletion, completionKeymap, pickedCompletion } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { Language, defineLanguageFacet, syntaxHighlighting } from '@codemirror/language';
import { search, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import { EditorView, drawSelection, keymap } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { GFM, parser } from '@lezer/markdown';

// front is how long the metadata at the beginning of a text may be.
const front = 20000;

// source offers the names that complete what is typed.
const source = ({ context, accepted, starts, find }) => async (at) => {
  const from = at.pos < front ? 0 : at.state.doc.lineAt(at.pos).from;
  const found = context(at.state.sliceDoc(from, at.pos));
  if (!found) return null;
  const names = starts(await find(found.kind, found.typed), found.typed);
  if (at.aborted || !names.length) return null;
  return {
    from: at.pos - found.typed.length,
    filter: false,
    options: names.map((name) => ({
      label: name,
      apply(view, option, from, to) {
        const after = view.state.sliceDoc(to, to + 2), text = accepted(found.kind, name, after);
        const end = from + text.length + (found.kind === 'page' && after === ']]' ? 2 : 0);
        view.dispatch({ changes: { from, to, insert: text }, selection: { anchor: end }, annotations: pickedCompletion.of(option), userEvent: 'input.complete' });
      },
    })),
  };
};

// phrases are the words of the search panel.
const phrases = {
  next: 'Next', previous: 'Previous', all: 'Select all', 'match case': 'Match case', regexp: 'Regular expression', 'by word': 'Whole words',
  replace: 'Replace', 'replace all': 'Replace all', close: 'Close the search',
};

// edit puts an editor over a text field.
export function edit(area, names) {
  const text = area.value;
  const isOrg = /^(?:#\+\w+:|:PROPERTIES:)/mi.test(text.slice(0, 2000));
  const native = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value');
  const view = new EditorView({
    state: EditorState.create({
      doc: text,
      selection: { anchor: area.selectionStart, head: area.selectionEnd },
      extensions: [
        EditorView.cspNonce.of(area.dataset.nonce),
        history(), drawSelection(), EditorView.lineWrapping,
        isOrg ? [] : [new Language(defineLanguageFacet(), parser.configure(GFM), [], 'markdown'), syntaxHighlighting(classHighlighter)],
        autocompletion({ override: [source(names)], icons: false, maxRenderedOptions: 8 }),
        // Only the lines in view are in the document of the browser, whose own search misses the rest.
        search({ top: true }),
        EditorState.phrases.of(phrases),
        // Tab moves on to the next field, as people who use the keyboard expect.
        keymap.of([...completionKeymap, ...searchKeymap, ...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': area.labels[0]?.textContent ?? 'Text', spellcheck: 'true', autocapitalize: 'sentences' }),
        EditorView.updateListener.of((u) => { if (u.docChanged) area.dispatchEvent(new Event('input', { bubbles: true })); }),
      ],
    }),
  });
  Object.defineProperty(area, 'value', {
    configurable: true,
    get: () => view.state.doc.toString(),
    set: (t) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: t } }),
  });
  area.focus = () => view.focus();
  area.form.addEventListener('formdata', (e) => e.formData.set(area.name, area.value));
  const typing = document.activeElement === area;
  area.hidden = true;
  area.after(view.dom);
  if (typing) view.focus();
  return {
    // leave puts the text back into the field, and the field in the place of the editor.
    leave() {
      const typed = area.value;
      delete area.value;
      delete area.focus;
      native.set.call(area, typed);
      area.hidden = false;
      view.destroy();
    },
  };
}
