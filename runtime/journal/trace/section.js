(() => {
  "use strict";
  const $ = (s) => document.querySelector(s), all = (s) => [...document.querySelectorAll(s)];
  let rows, bars, texts;
  const values = { text: "", tool: "", host: "", failed: false };
  const column = (row, n) => row.children[n].textContent;

  function fill(name, n) {
    const list = $(`.trace select[name=${name}]`), seen = new Set(rows.map((r) => column(r, n)));
    seen.delete("");
    const options = [...seen].sort().slice(0, 500);
    list.replaceChildren(new Option(`every ${name}`, ""), ...options.map((o) => new Option(o, o)));
    list.value = options.includes(values[name]) ? values[name] : "";
    list.parentElement.hidden = options.length < 2;
  }

  function load() {
    if (!$(".trace")) return;
    rows = all(".rows li");
    texts = [];
    bars = new Map();
    for (const a of all(".axis a")) {
      const id = a.getAttribute("href").slice(1);
      bars.set(id, (bars.get(id) || []).concat(a));
    }
    $(".trace form").hidden = rows.length === 0;
    $(".trace .keys").hidden = rows.length === 0;
    fill("tool", 1);
    fill("host", 2);
    $(".trace [name=text]").value = values.text;
    $(".trace [name=failed]").checked = values.failed;
    apply();
  }

  function apply() {
    const text = values.text.toLowerCase();
    let shown = 0;
    rows.forEach((row, i) => {
      if (text && texts[i] === undefined) texts[i] = row.textContent.toLowerCase();
      const on = (!values.tool || column(row, 1) === values.tool) && (!values.host || column(row, 2) === values.host) &&
        (!values.failed || row.matches(".failed,.doubt")) && (!text || texts[i].includes(text));
      if (row.hidden === on) row.hidden = !on;
      for (const bar of bars.get(row.id) || []) bar.classList.toggle("off", !on);
      shown += on;
    });
    $(".trace .count").textContent = shown === rows.length ? "" : `${shown} of ${rows.length}`;
  }

  function change(e) {
    const f = e.target.form;
    if (!f || !f.matches(".trace form")) return;
    for (const name of ["text", "tool", "host"]) values[name] = f.elements[name].value;
    values.failed = f.elements.failed.checked;
    apply();
  }

  function select(row) {
    all(".axis a.on").forEach((a) => a.classList.remove("on"));
    for (const bar of bars.get(row.id) || []) {
      bar.classList.add("on");
      const view = bar.closest(".view"), b = bar.getBoundingClientRect(), v = view.getBoundingClientRect();
      if (b.left < v.left || b.right > v.right) view.scrollLeft += b.left - v.left - v.width / 3;
    }
  }

  function step(by) {
    const visible = rows.filter((r) => !r.hidden);
    const now = visible.indexOf(document.activeElement), next = visible[now < 0 ? (by > 0 ? 0 : visible.length - 1) : now + by];
    if (next) next.focus();
  }

  function zoom(by) {
    const levels = all(".trace input[name=zoom]"), now = levels.findIndex((l) => l.checked), next = levels[now + by];
    if (!next) return;
    const views = all(".view").map((v) => [v, (v.scrollLeft + v.clientWidth / 2) / v.scrollWidth]);
    next.checked = true;
    for (const [v, middle] of views) v.scrollLeft = middle * v.scrollWidth - v.clientWidth / 2;
  }

  document.addEventListener("input", change);
  document.addEventListener("submit", (e) => { if (e.target.matches(".trace form")) e.preventDefault(); });
  document.addEventListener("focusin", (e) => { if (e.target.matches(".rows li")) select(e.target); });
  document.addEventListener("click", (e) => {
    const a = e.target.closest(".trace a[href^='#e']"), row = a && $(a.getAttribute("href"));
    if (!row) return;
    e.preventDefault();
    row.hidden = false;
    row.focus();
    row.scrollIntoView({ block: "center" });
  });
  document.addEventListener("mouseover", (e) => {
    const a = e.target.closest(".axis a"), row = a && $(a.getAttribute("href"));
    if (!row || a.querySelector("title")) return;
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = [...row.children].map((c) => c.textContent).filter((t) => t).join("\n");
    a.prepend(title);
  });
  document.addEventListener("keydown", (e) => {
    if (!$(".trace") || e.ctrlKey || e.metaKey || e.altKey) return;
    const search = $(".trace [name=text]");
    if (e.key === "Escape" && e.target === search) {
      search.value = "";
      search.blur();
      change({ target: search });
    }
    if (e.target.matches("input:not([type=radio],[type=checkbox]), select, textarea")) return;
    const keys = { "/": () => search.focus(), j: () => step(1), k: () => step(-1), "+": () => zoom(1), "-": () => zoom(-1),
      x: () => $(".trace [name=failed]").click(), l: () => ($(".trace input[name=lanes]:not(:checked)") || { click() {} }).click() };
    if (!keys[e.key]) return;
    e.preventDefault();
    keys[e.key]();
  });
  document.addEventListener("trace:changed", load);
  load();
})();
