// Saves page loads: posts the form in the background and puts the new parts in place. Without it the form is a form.
"use strict";

(() => {
  const PARTS = ["default", "source", "head", "settings", "carried", "lambda-now", "lambda-hint", "result"];
  const form = document.querySelector("form[data-live]");
  if (!form) return;
  const status = document.getElementById("status");
  const say = (text) => { status.textContent = text || ""; };
  let turn = 0;
  let running = null;

  async function renew(submitter, slid) {
    const mine = ++turn;
    if (running) running.abort();
    running = new AbortController();
    const fields = new URLSearchParams(new FormData(form, submitter));
    const waiting = setTimeout(() => say(document.body.dataset.working), 400);
    try {
      const answer = await fetch(form.action, { method: "POST", body: fields, signal: running.signal });
      const made = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (mine !== turn) return;
      if (!answer.ok || !made.getElementById("result")) {
        form.submit();  // what is wrong is said on a page of its own
        return;
      }
      place(made, slid);
      say("");
    } catch (error) {
      if (error.name !== "AbortError") say(document.body.dataset.failed);
    } finally {
      clearTimeout(waiting);
    }
  }

  function place(made, slid) {
    const held = document.activeElement && document.activeElement.id;
    const open = [...document.querySelectorAll("#result details[id]")].map((one) => [one.id, one.open]);
    document.title = made.title;
    const slider = document.getElementById("step");
    const next = made.getElementById("step");
    if (!slid || !slider || !next || slider.max !== next.max) swap(made, "slider");
    else slider.setAttribute("aria-valuetext", next.getAttribute("aria-valuetext"));
    for (const id of PARTS) if (!(slid && id === "settings")) swap(made, id);
    for (const [id, was] of open) {
      const one = document.getElementById(id);
      if (one) one.open = was;
    }
    const again = held && document.getElementById(held);
    if (again && again !== document.activeElement) again.focus({ preventScroll: true });
  }

  function swap(made, id) {
    const old = document.getElementById(id);
    const fresh = made.getElementById(id);
    if (old && fresh) old.replaceWith(document.importNode(fresh, true));
  }

  let pause = 0;
  form.addEventListener("input", (event) => {
    if (event.target.id !== "step") return;
    clearTimeout(pause);
    pause = setTimeout(() => renew(null, true), 90);
  });
  form.addEventListener("change", (event) => {
    const one = event.target;
    if (one.closest("#settings")) renew(null, false);
    else if (one.id === "pick") renew(form.querySelector("button[name=source][value=pick]"), false);
  });
  form.addEventListener("keydown", (event) => {
    const button = event.key === "Enter" && event.target.dataset && event.target.dataset.button;
    if (!button) return;
    event.preventDefault();
    document.getElementById(button).click();
  });
  form.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (button && (button.hasAttribute("data-plain") || button.name !== "source" || button.value === "paste")) return;
    event.preventDefault();
    renew(button, false);
  });
})();
