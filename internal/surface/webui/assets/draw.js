// Formulas and diagrams. What draws them is loaded on pages that have any; without it, they
// are shown as they are written.

const all = (selector, within) => [...within.querySelectorAll(selector)];

function make(tag, attributes, ...inner) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  e.append(...inner);
  return e;
}

// pause lets the browser answer keys between two pieces of work.
const pause = () => new Promise((go) => setTimeout(go));

// Until a diagram is drawn its place has the height that it had before, or a guess, so that
// the text below stays where it is.
const mostHeights = 300;
const heights = () => JSON.parse(localStorage.getItem('heights') ?? '{}');

// sizeKey names a diagram at the width of this window.
function sizeKey(source) {
  let hash = 0;
  for (const c of source) hash = (hash * 31 + c.codePointAt(0)) | 0;
  return innerWidth + ':' + source.length + ':' + hash;
}

function remember(source, height) {
  const kept = Object.entries(heights()).filter(([key]) => key !== sizeKey(source)).slice(1 - mostHeights);
  localStorage.setItem('heights', JSON.stringify(Object.fromEntries([...kept, [sizeKey(source), height]])));
}

// estimate is for a row of boxes, for boxes below each other with the arrows between them, or
// for a line of text for each statement.
function estimate(source) {
  const [first, ...rest] = source.split(/[;\n]/).filter((line) => line.trim());
  if (/\b(LR|RL)\b/.test(first)) return 70;
  if (/^\s*(graph|flowchart)\b/.test(first)) return Math.min(600, 70 + 104 * (source.match(/--+|==+|-\.+-/g) ?? []).length);
  return Math.min(600, 150 + 50 * rest.length);
}

// draw draws what is in a part of a page. at has the addresses of the scripts.
export async function draw(root, at) {
  for (const source of all('.doc pre.mermaid', root)) {
    if (source.closest('figure.diagram')) continue;
    const frame = make('iframe', { src: at.diagram, sandbox: 'allow-scripts', title: 'Diagram', loading: 'lazy' });
    frame.style.minHeight = (heights()[sizeKey(source.textContent)] ?? estimate(source.textContent)) + 'px';
    const figure = make('figure', { class: 'diagram' }, frame);
    source.replaceWith(figure);
    figure.append(make('details', {}, make('summary', {}, 'Diagram as it is written'), source));
  }
  const formulas = all('code.math', root);
  if (!formulas.length) return;
  if (!document.querySelector('link[data-math]')) document.head.append(make('link', { rel: 'stylesheet', href: at.mathStyle, 'data-math': '' }));
  const { show } = await import(at.math);
  let since = performance.now();
  for (const code of formulas) {
    if (performance.now() - since > 40) {
      await pause();
      since = performance.now();
    }
    // The page may have changed during a pause.
    if (!root.contains(code) || !code.matches('code.math')) continue;
    try {
      const shown = show(code.textContent, code.classList.contains('display'));
      shown.classList.add('formula');
      code.replaceWith(shown);
    } catch (e) {
      code.title = String(e.message ?? e).slice(0, 300);
    }
  }
}

// frames are the diagrams with the text that each was sent, and what came of it.
const frames = new Map();

// settle sends the frames of the page the text of their diagrams, where it is another now.
export function settle() {
  for (const [frame, state] of frames) {
    if (!frame.isConnected) { frames.delete(frame); continue; }
    const source = frame.closest('figure').querySelector('pre').textContent;
    if (source !== state.source) {
      state.source = source;
      // The frame has no origin that could be named, and what it gets is shown on this page.
      frame.contentWindow.postMessage({ source }, '*');
    } else if (state.error) {
      fail(frame, state.error);
    }
  }
}

function fail(frame, error) {
  const figure = frame.closest('figure');
  figure.classList.add('failed');
  figure.querySelector('.why')?.remove();
  figure.prepend(make('p', { class: 'why small' }, 'This diagram cannot be drawn: ' + error));
  figure.querySelector('details').open = true;
}

addEventListener('message', (e) => {
  const frame = all('figure.diagram iframe', document).find((f) => f.contentWindow === e.source);
  if (!frame || typeof e.data !== 'object' || e.data === null) return;
  const figure = frame.closest('figure');
  if (e.data.ready) {
    frames.set(frame, {});
    settle();
  } else if (typeof e.data.error === 'string' && frames.has(frame)) {
    fail(frame, frames.get(frame).error = e.data.error);
  } else if (Number.isFinite(e.data.height) && frames.has(frame)) {
    const state = frames.get(frame), failed = !!state.error;
    delete state.error;
    figure.classList.remove('failed');
    figure.querySelector('.why')?.remove();
    const height = Math.min(4000, Math.max(0, e.data.height));
    frame.style.height = height + 'px';
    frame.style.minHeight = '';
    if (!state.shown || failed) figure.querySelector('details').open = false;
    state.shown = true;
    remember(state.source, height);
  }
});
