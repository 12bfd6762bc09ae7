// Draws one diagram in a frame that has no origin. The page around it sends the text, and
// gets the height or the error.
import mermaid from 'mermaid';

const dark = matchMedia('(prefers-color-scheme: dark)');
const say = (what) => parent.postMessage(what, '*');
let source, turn = 0, drawn = false;

async function draw() {
  const mine = ++turn;
  mermaid.initialize({
    startOnLoad: false, securityLevel: 'strict', suppressErrorRendering: true, maxTextSize: 50000, maxEdges: 500,
    theme: dark.matches ? 'dark' : 'neutral', fontFamily: 'system-ui, sans-serif',
    secure: ['secure', 'securityLevel', 'startOnLoad', 'maxTextSize', 'maxEdges', 'suppressErrorRendering', 'fontFamily'],
  });
  try {
    const { svg } = await mermaid.render('diagram-' + mine, source);
    if (mine !== turn) return;
    document.getElementById('shown').innerHTML = svg;
    drawn = true;
    say({ height: document.getElementById('shown').scrollHeight });
  } catch (e) {
    if (mine !== turn) return;
    drawn = false;
    say({ error: String(e?.message ?? e).slice(0, 500) });
  }
}

addEventListener('message', (e) => {
  if (e.source !== parent || typeof e.data?.source !== 'string') return;
  source = e.data.source;
  draw();
});
dark.addEventListener('change', () => { if (source !== undefined) draw(); });
// A height says that the diagram is drawn: none may follow an error.
new ResizeObserver(() => { if (drawn) say({ height: document.getElementById('shown').scrollHeight }); }).observe(document.getElementById('shown'));
say({ ready: true });
