// Formulas in TeX as MathML.
import temml from 'temml';

// show returns an element with a formula. It throws on what is no formula.
export function show(tex, display) {
  const shown = document.createElement(display ? 'div' : 'span');
  // trust is off: no links, pictures, classes or styles of the text. Macros are not kept.
  temml.render(tex, shown, { displayMode: display, trust: false, throwOnError: true, maxExpand: 1000, maxSize: [20, 20], macros: {} });
  // A \label would get an id, which may be that of an element of the page.
  for (const e of shown.querySelectorAll('[id], [href]')) {
    e.removeAttribute('id');
    e.removeAttribute('href');
  }
  return shown;
}
