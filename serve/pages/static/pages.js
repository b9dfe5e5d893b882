// Makes a page live: after an event the page is requested again, and the parts of it that have changed are replaced.
(() => {
  "use strict";
  const url = document.body.dataset.live;
  const forRun = url && url.startsWith("/v1/");
  let events, timer, busy = false, again = false, pause = 1000;
  const dirty = new Set(), texts = new Map();

  // The state of a part that its text does not have.
  const keep = (part) => ({
    checked: [...part.querySelectorAll("input[id]")].map((i) => [i.id, i.checked]),
    open: [...part.querySelectorAll("details[id]")].map((d) => [d.id, d.open]),
    scrolled: [...part.querySelectorAll(".view, .tl, pre, .scroll")].map((e) => [e.scrollLeft, e.scrollTop]),
    focus: part.contains(document.activeElement) ? same(document.activeElement) : "",
  });
  // A selector of the element in the next text of a part.
  const same = (e) => e.id ? "#" + CSS.escape(e.id) : e.matches("a[href]") ? `a[href="${CSS.escape(e.getAttribute("href"))}"]` : "";
  function restore(part, was) {
    const by = (id) => part.querySelector("#" + CSS.escape(id));
    for (const [id, checked] of was.checked) if (by(id)) by(id).checked = checked;
    for (const [id, open] of was.open) if (by(id)) by(id).open = open;
    [...part.querySelectorAll(".view, .tl, pre, .scroll")].forEach((e, i) => {
      if (was.scrolled[i]) [e.scrollLeft, e.scrollTop] = was.scrolled[i];
    });
    if (was.focus) part.querySelector(was.focus)?.focus({ preventScroll: true });
  }

  // What somebody is filling in is not replaced.
  const inUse = (part) => dirty.has(part.id) || (part.contains(document.activeElement) && document.activeElement.matches("form:not(.trace form) :is(input, select, textarea)"));

  function swap(next) {
    for (const part of document.querySelectorAll("[data-part]")) {
      const now = next.getElementById(part.id);
      if (!now || inUse(part) || texts.get(part.id) === now.innerHTML) continue;
      const text = now.innerHTML, was = keep(part);
      part.replaceChildren(...now.childNodes);
      texts.set(part.id, text);
      restore(part, was);
      if (part.id === "trace") document.dispatchEvent(new Event("trace:changed"));
    }
  }

  async function refresh() {
    if (busy) { again = true; return; }
    busy = true;
    const began = performance.now();
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" }, redirect: "error" });
      if (!answer.ok) throw new Error(answer.status);
      swap(new DOMParser().parseFromString(await answer.text(), "text/html"));
      document.body.classList.remove("stale");
    } catch {
      document.body.classList.add("stale");
    }
    pause = Math.max(500, 10 * (performance.now() - began)); // a large page is requested less often
    busy = false;
    if (again) { again = false; later(); }
  }
  function later() {
    if (!timer) timer = setTimeout(() => { timer = 0; refresh(); }, pause);
  }

  function progress(e) {
    const p = JSON.parse(e.data), at = document.getElementById("progress");
    if (at) at.textContent = `${p.calls} calls, ${p.elements} elements done, ${p.waiting} waiting, ${p.workers} workers`;
    later(); // for what it uses of its limits
  }

  function open() {
    if (events || !url) return;
    events = new EventSource(url);
    for (const name of ["state", "print", "call-begun", "call-ended", "wait-begun", "wait", "dropped", "changed"]) events.addEventListener(name, later);
    events.addEventListener("progress", progress);
    events.addEventListener("state", (e) => {
      if (["succeeded", "failed", "cancelled", "poisoned"].includes(JSON.parse(e.data).state)) {
        close();
        refresh();
      }
    });
    events.addEventListener("error", () => { if (events && events.readyState === EventSource.CLOSED) { events = undefined; if (!forRun) setTimeout(open, 5000); } });
  }
  function close() {
    if (events) events.close();
    events = undefined;
  }

  // A browser opens six connections to a server at once, for all tabs: those that nobody sees give theirs back.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) close();
    else if (url) { open(); refresh(); }
  });
  document.addEventListener("input", (e) => {
    const part = e.target.closest("[data-part]");
    if (part && !e.target.closest(".trace")) dirty.add(part.id);
  });
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input, select, textarea") || document.querySelector(".trace")) return;
    const links = [...document.querySelectorAll(".list > li > a")], at = links.indexOf(document.activeElement);
    const keys = { j: () => links[Math.min(at + 1, links.length - 1)]?.focus(), k: () => links[Math.max(at - 1, 0)]?.focus(),
      "/": () => document.querySelector("input[type=search]")?.focus() };
    if (!keys[e.key]) return;
    e.preventDefault();
    keys[e.key]();
  });
  for (const part of document.querySelectorAll("[data-part]")) texts.set(part.id, part.innerHTML);
  open();
})();
