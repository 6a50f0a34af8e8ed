"use strict";
{
  const canvas = document.getElementById("canvas"), view = document.getElementById("view"), detail = document.getElementById("detail");
  const details = JSON.parse(document.getElementById("nodes").textContent);
  const boxes = [...view.querySelectorAll(".node")], width = +canvas.dataset.width, height = +canvas.dataset.height;
  const place = {x: 0, y: 0, scale: 1};

  const show = () => view.setAttribute("transform", `translate(${place.x},${place.y}) scale(${place.scale})`);
  const zoom = (factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) => {
    const scale = Math.min(4, Math.max(0.02, place.scale * factor));
    place.x = x - (x - place.x) * scale / place.scale;
    place.y = y - (y - place.y) * scale / place.scale;
    place.scale = scale;
    show();
  };
  const fit = () => {
    place.scale = Math.min(1, canvas.clientWidth / width, canvas.clientHeight / height);
    place.x = (canvas.clientWidth - width * place.scale) / 2;
    place.y = (canvas.clientHeight - height * place.scale) / 2;
    show();
  };
  const corner = (box) => box.transform.baseVal[0].matrix;
  const middle = (box) => {
    place.x = canvas.clientWidth / 2 - (corner(box).e + 118) * place.scale;
    place.y = canvas.clientHeight / 2 - (corner(box).f + 30) * place.scale;
    show();
  };
  const begin = () => { // the first node at the top, as large as one reads it
    place.scale = Math.min(1, Math.max(0.55, canvas.clientWidth / width));
    const first = boxes[0] ? corner(boxes[0]) : {e: 0, f: 0};
    place.x = width * place.scale <= canvas.clientWidth ? (canvas.clientWidth - width * place.scale) / 2 : canvas.clientWidth / 2 - (first.e + 118) * place.scale;
    place.y = 8;
    show();
  };

  const element = (name, text, parent) => parent.appendChild(Object.assign(document.createElement(name), {textContent: text}));
  const choose = (box) => {
    for (const other of boxes) other.classList.toggle("chosen", other === box);
    detail.hidden = !box;
    if (!box) return;
    const {title, sections} = details[+box.dataset.place];
    detail.replaceChildren();
    const close = element("button", "×", element("h3", title, detail));
    close.title = "close (Esc)";
    close.addEventListener("click", () => choose(null));
    for (const [name, facts] of sections) {
      if (name) element("h4", name, detail);
      const list = element("dl", "", detail);
      for (const [what, text] of Object.entries(facts)) {
        element("dt", what, list);
        element("dd", text, list);
      }
    }
  };

  // Fingers or a mouse: one moves, two zoom; what has hardly moved is a click.
  const held = new Map();
  let moved = 0;
  canvas.addEventListener("pointerdown", (event) => {
    if (held.size === 0) moved = 0;
    held.set(event.pointerId, {x: event.offsetX, y: event.offsetY});
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = held.get(event.pointerId), now = {x: event.offsetX, y: event.offsetY};
    if (!before) return;
    const [other] = [...held].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    const far = (point) => Math.hypot(point.x - other.x, point.y - other.y) || 1;
    if (other) zoom(far(now) / far(before), other.x, other.y);
    place.x += other ? 0 : now.x - before.x;
    place.y += other ? 0 : now.y - before.y;
    moved += Math.hypot(now.x - before.x, now.y - before.y);
    held.set(event.pointerId, now);
    if (moved > 4 && !canvas.hasPointerCapture(event.pointerId)) canvas.setPointerCapture(event.pointerId);
    show();
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => held.delete(event.pointerId));
  canvas.addEventListener("click", (event) => { if (moved <= 4) choose(event.target.closest(".node")); });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), event.offsetX, event.offsetY);
  }, {passive: false});

  const search = document.getElementById("search"), matches = document.getElementById("matches");
  const texts = details.map((detail) => JSON.stringify(detail).toLowerCase());
  let found = [], at = -1;
  const go = (step) => {
    if (!found.length) return;
    at = (at + step + found.length) % found.length;
    matches.textContent = `${at + 1} of ${found.length}`;
    choose(found[at]);
    middle(found[at]);
  };
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    found = words.length ? boxes.filter((box) => words.every((word) => texts[+box.dataset.place].includes(word))) : [];
    at = -1;
    for (const box of boxes) {
      box.classList.toggle("found", found.includes(box));
      box.classList.toggle("faint", words.length > 0 && !found.includes(box));
    }
    matches.textContent = words.length ? `${found.length} found` : "";
    if (found.length) middle(found[0]);
  });
  search.addEventListener("keydown", (event) => { if (event.key === "Enter") go(event.shiftKey ? -1 : 1); });

  for (const [id, action] of [["closer", () => zoom(1.4)], ["wider", () => zoom(1 / 1.4)], ["whole", fit]]) document.getElementById(id).addEventListener("click", action);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") choose(null);
    if (event.target === search || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = {"+": () => zoom(1.4), "-": () => zoom(1 / 1.4), "0": fit, "/": () => search.focus()}[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  begin();
}
