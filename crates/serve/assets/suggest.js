// Completes what is typed in the search box. Without this file the page does everything else.
"use strict";
(() => {
  const input = document.getElementById("q");
  const list = document.getElementById("completions");
  if (!input || !list || !window.fetch || !window.AbortController) return;
  let waiting = null;
  let asked = "";
  let request = null;

  const show = (completions) => {
    list.replaceChildren(...completions.map((text) => {
      const option = document.createElement("option");
      option.value = text;
      return option;
    }));
  };

  const ask = async () => {
    const typed = input.value;
    if (typed.trim() === "" || typed === asked) return;
    asked = typed;
    if (request) request.abort();
    request = new AbortController();
    try {
      const answer = await fetch("/api/suggest?q=" + encodeURIComponent(typed), { signal: request.signal });
      if (answer.ok) show((await answer.json())[1]);
    } catch {
      // Who goes on typing, or has no connection, gets no completions.
    }
  };

  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, 60);
  });
})();
