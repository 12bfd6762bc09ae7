// The map of a space on a canvas. The server computed the positions.
const hues = [152, 28, 262, 205, 340, 48, 180, 300];

export async function drawMap(canvas, base) {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const context = canvas.getContext('2d');
  const say = (words) => {
    canvas.width = canvas.clientWidth * devicePixelRatio;
    canvas.height = canvas.clientHeight * devicePixelRatio;
    const style = getComputedStyle(canvas);
    context.scale(devicePixelRatio, devicePixelRatio);
    context.fillStyle = style.color;
    context.font = '15px ' + style.fontFamily;
    context.textAlign = 'center';
    context.fillText(words, canvas.clientWidth / 2, canvas.clientHeight / 2);
  };
  say('Drawing…');
  const answer = await fetch(canvas.dataset.from).catch(() => ({ ok: false }));
  if (!answer.ok) { say('The map could not be loaded. The list has its pages.'); return; }
  const { nodes, edges } = await answer.json();
  const types = new Map([...document.querySelectorAll('.legend [data-type]')].map((e) => [e.dataset.type, +e.dataset.colour]));
  const colour = (type) => {
    const i = types.get(type);
    return i === undefined || !type ? (dark.matches ? '#868e85' : '#84897c') : `hsl(${hues[i]} 45% ${dark.matches ? 65 : 38}%)`;
  };
  const degree = new Uint32Array(nodes.length);
  edges.forEach((n) => degree[n]++);
  let scale = 1, left = 0, top = 0, over = -1, wanted = '', waiting = false;
  let width, height, size;

  const x = (n) => left + (width - size * scale) / 2 + nodes[n][3] * size * scale;
  const y = (n) => top + (height - size * scale) / 2 + nodes[n][4] * size * scale;
  const crowd = Math.min(1, Math.sqrt(2000 / nodes.length)); // thousands of large dots would be one
  const radius = (n) => Math.max(1.2, Math.min(9, 2.2 + Math.sqrt(degree[n])) * Math.min(1.6, crowd * Math.sqrt(scale)));

  function resize() {
    width = canvas.clientWidth;
    height = canvas.clientHeight;
    size = Math.min(width, height) - 48;
    canvas.width = width * devicePixelRatio;
    canvas.height = height * devicePixelRatio;
    later();
  }
  function later() {
    if (!waiting) { waiting = true; requestAnimationFrame(draw); }
  }
  function draw() {
    waiting = false;
    const style = getComputedStyle(canvas);
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.lineWidth = 0.7;
    context.strokeStyle = dark.matches ? `rgba(160, 170, 160, ${0.28 * crowd})` : `rgba(90, 100, 85, ${0.25 * crowd})`;
    context.beginPath();
    for (let i = 0; i < edges.length; i += 2) {
      context.moveTo(x(edges[i]), y(edges[i]));
      context.lineTo(x(edges[i + 1]), y(edges[i + 1]));
    }
    context.stroke();
    const byColour = new Map();
    nodes.forEach((n, i) => {
      const hidden = wanted && !n[1].toLowerCase().includes(wanted);
      const c = hidden ? (dark.matches ? '#2c322d' : '#e3e5df') : colour(n[2]);
      if (!byColour.has(c)) byColour.set(c, []);
      byColour.get(c).push(i);
    });
    for (const [c, list] of byColour) {
      context.fillStyle = c;
      context.beginPath();
      for (const i of list) {
        context.moveTo(x(i) + radius(i), y(i));
        context.arc(x(i), y(i), radius(i), 0, 7);
      }
      context.fill();
    }
    context.fillStyle = style.color;
    context.font = '11px ' + style.fontFamily;
    context.textAlign = 'center';
    context.strokeStyle = style.backgroundColor;
    context.lineWidth = 3;
    context.lineJoin = 'round';
    const order = nodes.map((_, i) => i).sort((a, b) => degree[b] - degree[a]);
    const room = Math.round(24 * scale);
    let drawn = 0;
    const taken = [];
    for (const i of order) {
      if (drawn >= room) break;
      if (wanted && !nodes[i][1].toLowerCase().includes(wanted)) continue;
      if (x(i) < 0 || x(i) > width || y(i) < 0 || y(i) > height) continue;
      const name = nodes[i][1].length > 28 ? nodes[i][1].slice(0, 27) + '…' : nodes[i][1];
      const w = context.measureText(name).width / 2 + 4;
      if (taken.some((t) => Math.abs(t[0] - x(i)) < t[2] + w && Math.abs(t[1] - y(i)) < 14)) continue;
      taken.push([x(i), y(i), w]);
      context.strokeText(name, x(i), y(i) + radius(i) + 12);
      context.fillText(name, x(i), y(i) + radius(i) + 12);
      drawn++;
    }
    if (over >= 0) {
      context.strokeStyle = style.color;
      context.lineWidth = 1.5;
      context.beginPath();
      for (let i = 0; i < edges.length; i += 2) {
        if (edges[i] !== over && edges[i + 1] !== over) continue;
        context.moveTo(x(edges[i]), y(edges[i]));
        context.lineTo(x(edges[i + 1]), y(edges[i + 1]));
      }
      context.moveTo(x(over) + radius(over) + 2, y(over));
      context.arc(x(over), y(over), radius(over) + 2, 0, 7);
      context.stroke();
      context.font = '600 13px ' + style.fontFamily;
      context.lineWidth = 4;
      context.strokeStyle = style.backgroundColor;
      context.strokeText(nodes[over][1], x(over), y(over) - radius(over) - 8);
      context.fillText(nodes[over][1], x(over), y(over) - radius(over) - 8);
    }
  }
  function at(e) {
    const box = canvas.getBoundingClientRect();
    let best = -1, distance = 14;
    nodes.forEach((_, i) => {
      const d = Math.hypot(x(i) - (e.clientX - box.left), y(i) - (e.clientY - box.top)) - radius(i);
      if (d < distance) { best = i; distance = d; }
    });
    return best;
  }
  function zoom(by, cx = width / 2, cy = height / 2) {
    const next = Math.max(0.5, Math.min(30, scale * by));
    left = (left - cx + width / 2) * (next / scale) + cx - width / 2;
    top = (top - cy + height / 2) * (next / scale) + cy - height / 2;
    scale = next;
    later();
  }
  let drag = null, moved = false;
  canvas.addEventListener('pointerdown', (e) => { drag = [e.clientX - left, e.clientY - top]; moved = false; canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener('pointermove', (e) => {
    if (drag) {
      moved ||= Math.hypot(e.clientX - drag[0] - left, e.clientY - drag[1] - top) > 3;
      left = e.clientX - drag[0];
      top = e.clientY - drag[1];
      later();
      return;
    }
    const now = at(e);
    if (now !== over) { over = now; later(); }
  });
  canvas.addEventListener('pointerup', (e) => {
    drag = null;
    const n = at(e);
    if (!moved && n >= 0) location.href = base + '/page/' + nodes[n][0].split('/').map(encodeURIComponent).join('/');
  });
  canvas.addEventListener('wheel', (e) => {
    e.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoom(Math.exp(-e.deltaY / 400), e.clientX - box.left, e.clientY - box.top);
  }, { passive: false });
  canvas.addEventListener('keydown', (e) => {
    const step = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[e.key];
    if (step) { left += step[0]; top += step[1]; later(); e.preventDefault(); }
    if (e.key === '+' || e.key === '=') zoom(1.3);
    if (e.key === '-') zoom(1 / 1.3);
    if (e.key === '0') { scale = 1; left = top = 0; later(); }
  });
  document.getElementById('map-find')?.addEventListener('input', (e) => { wanted = e.target.value.trim().toLowerCase(); later(); });
  document.querySelectorAll('.legend [data-type]').forEach((e) => {
    const dot = document.createElement('canvas');
    dot.width = dot.height = 10;
    const c = dot.getContext('2d');
    c.fillStyle = colour(e.dataset.type);
    c.arc(5, 5, 5, 0, 7);
    c.fill();
    e.replaceChildren(dot, ' ');
  });
  dark.addEventListener('change', later);
  new ResizeObserver(resize).observe(canvas);
}
