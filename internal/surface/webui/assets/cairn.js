// What scripts add to pages that work without them: results while typing, keys, a
// palette, pages that follow changes, and the map of a space.
import { accepted, completes, context, starts } from './complete.js';
import { draw, settle } from './draw.js';
import { forgetSaved, keepDraft } from './drafts.js';
import { drawMap } from './map.js';

const main = document.getElementById('main');
const base = main.dataset.base;
const policy = window.trustedTypes ? trustedTypes.createPolicy('cairn', { createHTML: (s) => s }) : { createHTML: (s) => s };
const $ = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// read fetches a screen of this server. Only a person asks and reads: what a script looks up
// while somebody types, or looks at again, is no question and no use of a page.
async function read(address, signal, body) {
  const answer = await fetch(address, { method: body ? 'POST' : 'GET', body, signal, headers: { Accept: 'text/html', 'Cairn-Suggests': '1' } });
  if (answer.status === 401) location.reload();
  const page = new DOMParser().parseFromString(policy.createHTML(await answer.text()), 'text/html');
  return Object.assign(page, { status: answer.status });
}

// follow calls changed when the page of a ref may have changed; its argument says whether an event
// of that page came just now. Only a page in sight listens: a browser has few connections to a
// server, and other pages need them.
function follow(ref, changed) {
  let changes, wait, left = document.hidden;
  const listen = () => {
    if (changes || document.hidden) return;
    changes = new EventSource(base + '/events');
    // What changed while nobody listened.
    changes.addEventListener('open', () => { if (left) { left = false; changed(false); } });
    changes.addEventListener('change', (e) => {
      const event = JSON.parse(e.data);
      if (event.ref !== ref() && event.change !== 'moved') return; // no event has the old name of a moved page
      clearTimeout(wait);
      wait = setTimeout(() => changed(event.ref === ref()), 50);
    });
    changes.addEventListener('missed', () => changed(false));
    changes.addEventListener('error', () => { left = true; });
  };
  const leave = () => {
    changes?.close();
    changes = undefined;
    left = true;
  };
  document.addEventListener('visibilitychange', () => (document.hidden ? leave() : listen()));
  addEventListener('pagehide', leave);
  addEventListener('pageshow', listen);
  listen();
  return { missed() { left = true; } }; // to be called again when the server is back
}

// suggested finds pages by their words while a person types something else than a question:
// no model gets it.
const suggested = (typed, signal) => read(base + '/?mode=fts&q=' + encodeURIComponent(typed), signal);

function make(tag, attributes = {}, ...inner) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  e.append(...inner);
  return e;
}

// morph changes an element into another and keeps scroll, focus, open details and the
// heights of diagrams.
const morph = (from, to) => window.Idiomorph.morph(from, to, { ignoreActiveValue: true, callbacks: { beforeAttributeUpdated: (name) => name !== 'open' && name !== 'style' } });

draw(main, main.dataset);

// On a narrow screen the navigation scrolls: the place that is shown comes into view.
const current = $('.places [aria-current]');
if (current) $('.places').scrollLeft += Math.max(0, current.getBoundingClientRect().right - $('.places').getBoundingClientRect().right + 40);

// Results while typing: words at once, meaning when the person pauses.
const box = $('.ask input[name=q]');
if (box) {
  let running, words, meaning;
  const search = async (mode) => {
    running?.abort();
    running = new AbortController();
    const address = new URL(location.href);
    address.searchParams.set('q', box.value);
    address.searchParams.delete('offset');
    const shown = new URL(address);
    if (mode && !address.searchParams.get('mode')) address.searchParams.set('mode', mode);
    try {
      // Half-typed text is no question: that is what is sent with Enter.
      const { signal } = running;
      const page = await read(address, signal);
      await draw($('#results', page), main.dataset);
      if (signal.aborted) return;
      morph($('#results'), $('#results', page));
      all('#results .tabs a, #results .facets a').forEach((a) => {
        const u = new URL(a.href);
        if (mode && u.searchParams.get('mode') === mode && !a.textContent.startsWith('Words')) { u.searchParams.delete('mode'); a.href = u; }
      });
      history.replaceState(null, '', shown);
      document.title = page.title;
    } catch (e) {
      if (e.name !== 'AbortError') throw e;
    }
  };
  const typed = () => {
    clearTimeout(words);
    clearTimeout(meaning);
    words = setTimeout(() => search(box.value.trim() ? 'fts' : ''), 90);
    if (box.value.trim().length > 2) meaning = setTimeout(() => search(''), 700);
  };
  box.addEventListener('input', typed);
  box.addEventListener('keydown', (e) => {
    if (e.key !== 'ArrowDown' || e.isComposing || !$('.hit')) return;
    e.preventDefault();
    move(1);
  });
  // Somebody may have typed before this script was here.
  if (box.value.trim() !== (new URL(location.href).searchParams.get('q') ?? '').trim()) typed();
}

// A page that changes is read again where it is.
const article = $('article[data-ref]');
if (article && !main.dataset.past && !new URL(location.href).searchParams.get('version')) {
  // An answer that comes late must not replace that of a later change.
  let reading;
  const again = async (told) => {
    reading?.abort();
    reading = new AbortController();
    const { signal } = reading;
    let page;
    try {
      page = await read(location.href, signal);
    } catch {
      if (!signal.aborted) changes.missed(); // the server is away: it is read when it is back
      return;
    }
    if (!$('article[data-ref]', page)) {
      if (page.status >= 500) changes.missed(); // as above
      if (page.status !== 404 || $('.gone')) return;
      const search = make('a', { href: base + '/?' + new URLSearchParams({ q: $('.head h1').textContent }) }, 'Search for it');
      const note = make('p', { class: 'notes gone', role: 'status' }, 'This page was moved or deleted. ', search);
      const versions = base + '/history/' + article.dataset.ref.split('/').map(encodeURIComponent).join('/');
      const past = await read(versions, signal).catch(() => ({})); // those of a moved page are at its new name
      if (past.status === 200) note.append(' ', make('a', { href: versions }, 'Its versions'));
      if (!signal.aborted) article.before(note);
      return;
    }
    await draw($('#main', page), main.dataset);
    if (signal.aborted) return;
    morph(main, $('#main', page));
    settle();
    document.title = page.title;
    if (!told) return;
    $('.toast')?.remove(); // of the change before
    const note = make('div', { class: 'toast', role: 'status' }, 'This page changed just now');
    document.body.append(note);
    setTimeout(() => note.remove(), 4000);
  };
  const changes = follow(() => article.dataset.ref, again);
  if ('plain' in article.dataset) again(false); // much code comes without colours at first
}

// The name by which a page is found everywhere, for the clipboard.
const crumbs = article && $('.crumbs', article);
if (crumbs && navigator.clipboard) {
  const copy = make('button', { type: 'button', class: 'link copy' }, 'Copy ref');
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(article.dataset.ref);
    copy.textContent = 'Copied';
    setTimeout(() => { copy.textContent = 'Copy ref'; }, 2000);
  });
  crumbs.after(copy);
}

// Progress is looked at again until it is complete.
const goesOn = () => $('[data-again]');
if (goesOn()) {
  const look = async () => {
    try {
      const now = document.hidden ? null : $('.progress', await read(location.href));
      if (now) morph(goesOn(), now);
    } catch { /* the server is away for a while */ }
    if (goesOn()) setTimeout(look, 1000 * goesOn().dataset.again);
  };
  setTimeout(look, 1000 * goesOn().dataset.again);
}

// A form that takes its time says so.
for (const form of all('form[data-busy]')) {
  form.addEventListener('submit', () => {
    const button = $('button', form);
    button.textContent = form.dataset.busy;
    button.disabled = true;
  });
}

// shownLive is how long a text may be that is shown next to the field while it changes. That
// of a longer one would hold up the keys.
const shownLive = 200_000;

forgetSaved(localStorage, sessionStorage, location.href);
for (const area of all('textarea[data-draft]')) {
  const key = 'typed:' + base + ':' + area.dataset.draft;
  const kept = keepDraft(area, key, localStorage, sessionStorage);
  for (const other of $('.conflict') ? [] : kept.others) {
    const bar = make('div', { class: 'draft', role: 'status' }, make('span', {}, 'There is text here that was typed and not saved' + (other.version ? ', from version ' + other.version : '') + '.'));
    const buttons = make('span', { class: 'buttons' });
    const restore = make('button', { type: 'button' }, 'Restore it');
    const discard = make('button', { type: 'button' }, 'Discard it');
    restore.addEventListener('click', () => { kept.restore(other); bar.remove(); area.focus(); });
    discard.addEventListener('click', () => { kept.discard(other); bar.remove(); });
    buttons.append(restore, discard);
    bar.append(buttons);
    area.before(bar);
  }
  let wait;
  area.addEventListener('input', () => { clearTimeout(wait); wait = setTimeout(kept.store, 300); });
  addEventListener('pagehide', kept.leave);
  area.form.addEventListener('submit', kept.submit);
  const find = names(area);
  completes(area, find);
  if (area.dataset.editor) editing(area, find);
  if (area.dataset.preview) previews(area);
  if (area.dataset.similar !== undefined) similar(area);
  if (!area.dataset.draft.startsWith('page:')) continue;
  // Two tabs with the same page know of each other.
  const others = new BroadcastChannel('cairn' + base);
  const told = () => {
    if ($('.others')) return;
    area.before(make('p', { class: 'notes others', role: 'status' }, 'This page is open for editing in another tab, too.'));
  };
  others.addEventListener('message', (e) => {
    if (e.data.key !== key) return;
    told();
    if (e.data.asks) others.postMessage({ key });
  });
  others.postMessage({ key, asks: true });
  noteChanges(area);
}

// noteChanges shows that somebody else changed or deleted the page whose text is edited. What
// was typed stays as it is.
function noteChanges(area) {
  const { ref, version } = area.form.elements;
  const opened = Number(version.value);
  const say = (words) => area.before(make('p', { class: 'notes meanwhile', role: 'status' }, words));
  const changes = follow(() => ref.value, async () => {
    if ($('.meanwhile')) return;
    try {
      const answer = await fetch(base + '/edit/' + ref.value.split('/').map(encodeURIComponent).join('/'), { headers: { Accept: 'text/html' } });
      const page = new DOMParser().parseFromString(policy.createHTML(await answer.text()), 'text/html');
      const now = Number($('form.edit [name=version]', page)?.value);
      if ($('.meanwhile')) return;
      if (answer.status === 404) say('This page was moved or deleted meanwhile. Your text is still here.');
      else if (now > opened) say('This page was changed meanwhile and has version ' + now + ' now. When you save, both are merged, or shown side by side.');
      else if (answer.status >= 500) changes.missed();
    } catch {
      changes.missed(); // the server is away
    }
  });
  changes.missed(); // what changed since the text was read
}

// editing puts an editor over the field of a page: it is fast in long texts, and colours them.
// A person may prefer the plain field, which stays when the editor cannot be loaded.
async function editing(area, find) {
  const prefers = 'plain-field';
  const button = make('button', { type: 'button', class: 'link small' });
  let editor;
  const open = async () => {
    button.disabled = true; // a second click would put a second editor over the field
    area.style.contentVisibility = 'hidden'; // to lay out a megabyte takes half a second
    try {
      const { edit } = await import(area.dataset.editor);
      editor = edit(area, { context, accepted, starts, find });
      button.textContent = 'Use a plain text field';
    } finally {
      area.style.contentVisibility = '';
      button.disabled = false;
    }
  };
  const leave = () => {
    editor?.leave();
    editor = undefined;
    button.textContent = 'Use the editor';
  };
  button.addEventListener('click', async () => {
    if (editor) {
      localStorage.setItem(prefers, '1');
      leave();
    } else {
      localStorage.removeItem(prefers);
      await open();
    }
    area.focus();
  });
  if (localStorage.getItem(prefers)) leave();
  else await open();
  $('div.buttons', area.form).append(button);
}

// previews shows the text of a field next to it, as it will be. Without scripts, and for long
// texts, its button leads to a page with both.
function previews(area) {
  const prefers = 'preview-beside';
  const button = $('[formaction]', area.form), field = area.parentElement;
  const pane = make('section', { class: 'preview', 'aria-label': 'Preview', tabindex: 0 }, make('div', { class: 'doc' }));
  let wait, running, took = 0, before = area.value;
  const line = () => {
    const now = area.value;
    let at = 0;
    while (at < now.length && now[at] === before[at]) at++;
    if (at === now.length && at === before.length) return 0;
    before = now;
    return now.slice(0, at).split('\n').length;
  };
  // follow scrolls to the block that changed.
  const follow = (changed) => {
    const block = all('[data-line]', pane).findLast((e) => Number(e.dataset.line) <= changed);
    if (!block) return;
    const top = block.getBoundingClientRect().top - pane.getBoundingClientRect().top;
    if (top < 0 || top > pane.clientHeight - 40) pane.scrollTop += top - pane.clientHeight / 3;
  };
  const look = async () => {
    running?.abort();
    running = new AbortController();
    const { signal } = running, since = performance.now();
    if (area.value.length > shownLive) {
      $('.doc', pane).replaceChildren(make('p', { class: 'quiet' }, 'This text is too long to be shown while you type.'));
      return;
    }
    const changed = line();
    let page;
    try {
      page = await read(button.formAction, signal, new URLSearchParams(new FormData(area.form)));
    } catch { // the text changed again, or the server is away
      return;
    }
    await draw(page, main.dataset);
    if (signal.aborted || !$('.doc', page)) return;
    morph($('.doc', pane), $('.doc', page));
    settle();
    took = performance.now() - since;
    if (changed) follow(changed);
  };
  const show = (on) => {
    field.classList.toggle('beside', on);
    button.setAttribute('aria-pressed', on);
    if (on) {
      field.append(pane);
      look();
    } else {
      running?.abort();
      pane.remove();
    }
  };
  area.addEventListener('input', () => {
    if (!pane.isConnected) return;
    clearTimeout(wait);
    wait = setTimeout(look, Math.max(250, 2 * took));
  });
  button.addEventListener('click', (e) => {
    if (!pane.isConnected && area.value.length > shownLive) return;
    e.preventDefault();
    show(!pane.isConnected);
    if (pane.isConnected) localStorage.setItem(prefers, '1');
    else localStorage.removeItem(prefers);
  });
  button.setAttribute('aria-pressed', 'false');
  if (localStorage.getItem(prefers) && area.value.length <= shownLive) show(true);
}

// names finds what can be completed in an area: pages by their words, and the words that the
// space uses.
function names(area) {
  let words, running;
  return async (kind, typed) => {
    if (kind !== 'page') {
      words ??= fetch(base + '/words.json?space=' + encodeURIComponent(area.dataset.space ?? '')).then((a) => (a.ok ? a.json() : {}));
      try {
        return (await words)[kind] ?? [];
      } catch { // the server is away: the next key asks again
        words = undefined;
        return [];
      }
    }
    if (!typed.trim()) return [];
    running?.abort();
    running = new AbortController();
    try {
      const page = await suggested(typed, running.signal);
      const titles = all('.hit h2 a', page).map((a) => a.textContent);
      return [...new Set(titles)].filter((t) => !/[[\]|#^]/.test(t));
    } catch (e) {
      if (e.name !== 'AbortError') throw e;
      return [];
    }
  };
}

// plain is the beginning of a draft as words only: a query has signs and operators.
const plain = (typed) => typed.slice(0, 300).replace(/["():*\-]/g, ' ').toLowerCase();

// similar shows pages like the typed text, so that nothing is written twice.
function similar(area) {
  const shown = make('div', { class: 'similar', 'aria-live': 'polite' });
  area.after(shown);
  let wait, running;
  area.addEventListener('input', () => {
    clearTimeout(wait);
    running?.abort();
    const typed = area.value.trim();
    if (typed.length < 12) { shown.replaceChildren(); return; }
    wait = setTimeout(async () => {
      running = new AbortController();
      try {
        const page = await suggested(plain(typed), running.signal);
        const found = all('.hit h2 a', page).slice(0, 3).map((a) => make('li', {}, make('a', { href: a.getAttribute('href'), target: '_blank', rel: 'noopener' }, a.textContent)));
        shown.replaceChildren(...(found.length ? [make('p', { class: 'small quiet' }, 'Pages like it'), make('ul', {}, ...found)] : []));
      } catch (e) {
        if (e.name !== 'AbortError') throw e;
      }
    }, 500);
  });
}

// A slider over the days that have writes.
const ribbon = $('.ribbon');
if (ribbon) {
  const { day, here, now } = ribbon.dataset;
  const days = ribbon.dataset.days.split(' ').filter(Boolean);
  if (!days.includes(day)) days.push(day);
  days.sort();
  const shown = $('time', ribbon);
  const slider = make('input', { type: 'range', min: 0, max: days.length - 1, value: days.indexOf(day), 'aria-label': 'Day', 'aria-valuetext': day });
  slider.addEventListener('input', () => { shown.textContent = days[slider.value]; slider.setAttribute('aria-valuetext', days[slider.value]); });
  slider.addEventListener('change', () => { location.href = now + '/at/' + days[slider.value] + here; });
  if (days.length > 1) $('.row', ribbon).before(slider);
}

// Keys.
const typing = (e) => e.target.closest('input, select, textarea, [contenteditable]') || e.ctrlKey || e.metaKey || e.altKey;
const places = all('.places a');
let leader = 0;

function move(by) {
  const hits = all('.hit, .days li li, .tasks li, .cards > li');
  if (!hits.length) return;
  let at = hits.findIndex((h) => h.contains(document.activeElement)); // Tab may have gone on
  if (at < 0) at = hits.findIndex((h) => h.classList.contains('at'));
  for (const h of hits) h.classList.remove('at');
  at = Math.max(0, Math.min(hits.length - 1, at + by));
  hits[at].classList.add('at');
  $('a', hits[at])?.focus({ preventScroll: true });
  hits[at].scrollIntoView({ block: 'nearest' });
}

addEventListener('keydown', (e) => {
  if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'k') {
    e.preventDefault();
    palette();
    return;
  }
  if (typing(e) || $('dialog[open]')) return;
  if (leader > Date.now() - 1200) {
    leader = 0;
    const to = places.find((a) => a.dataset.key === e.key);
    if (to) { e.preventDefault(); to.click(); }
    return;
  }
  switch (e.key) {
    case '/':
      e.preventDefault();
      if (box) { box.focus(); box.select(); } else palette();
      break;
    case 'j': move(1); break;
    case 'k': move(-1); break;
    case 'g': leader = Date.now(); break;
    case '?': keys(); break;
  }
});

function dialog(...inner) {
  const d = make('dialog', {}, ...inner);
  d.addEventListener('close', () => d.remove());
  d.addEventListener('click', (e) => { if (e.target === d) d.close(); });
  document.body.append(d);
  d.showModal();
  return d;
}

function keys() {
  const row = (key, what) => [make('dt', {}, make('kbd', {}, key)), make('dd', {}, what)];
  dialog(make('div', { class: 'keys' }, make('h2', {}, 'Keys'), make('dl', { class: 'facts' },
    ...row('/', 'Search'), ...row('Ctrl K', 'Go to a page, heading or screen'), ...row('↓', 'From the search box to its first result'), ...row('j  k', 'Next and previous item'), ...row('Enter', 'Open it'),
    ...places.flatMap((a) => row('g ' + a.dataset.key, a.textContent)), ...row('?', 'These keys'), ...row('Esc', 'Close'))));
}

// The palette: screens, headings of this page, and pages by their words.
function palette() {
  if ($('dialog[open]')) return;
  const input = make('input', { type: 'search', placeholder: 'Go to a page, heading or screen', 'aria-label': 'Go to', autocomplete: 'off' });
  const list = make('ul', {});
  const d = dialog(input, list);
  let at = 0, running, wait;
  const item = (name, kind, to) => ({ name, kind, to });
  const fixed = [...places.map((a) => item(a.textContent, 'screen', a.href)), ...all('.outline a').map((a) => item(a.textContent, 'heading', a.href))];
  let found = [];
  const draw = () => {
    const q = input.value.trim().toLowerCase();
    const shown = [...fixed.filter((x) => !q || x.name.toLowerCase().includes(q)), ...found].slice(0, 14);
    at = Math.max(0, Math.min(at, shown.length - 1));
    list.replaceChildren(...shown.map((x, i) => make('li', i === at ? { class: 'at' } : {}, make('a', { href: x.to }, x.name, make('span', {}, x.kind)))));
  };
  input.addEventListener('input', () => {
    at = 0;
    draw();
    clearTimeout(wait);
    running?.abort();
    const q = input.value.trim();
    if (!q) { found = []; draw(); return; }
    wait = setTimeout(async () => {
      running = new AbortController();
      try {
        const page = await suggested(q, running.signal);
        found = all('.hit', page).map((h) => item($('h2 a', h).textContent, $('.meta span', h).textContent, $('h2 a', h).getAttribute('href').replace(/[?#].*/, '')));
        const named = (x) => (x.name.toLowerCase().includes(q.toLowerCase()) ? 0 : 1);
        found.sort((a, b) => named(a) - named(b));
        draw();
      } catch (e) {
        if (e.name !== 'AbortError') throw e;
      }
    }, 90);
  });
  d.addEventListener('keydown', (e) => {
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      e.preventDefault();
      at += e.key === 'ArrowDown' ? 1 : -1;
      draw();
    } else if (e.key === 'Enter' && e.target === input) {
      const to = $('.at a', list);
      if (to) { d.close(); location.href = to.href; }
    }
  });
  list.addEventListener('click', () => d.close());
  draw();
  input.focus();
}

const canvas = $('canvas#map');
if (canvas) drawMap(canvas, base);
