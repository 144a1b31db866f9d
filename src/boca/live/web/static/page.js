// Adds what plain forms cannot: a countdown, local times, parts that renew themselves.
"use strict";
const body = document.body;
const serverLead = Date.parse(body.dataset.now) - Date.now();
let isDirty = false;
let isOffline = false;

function clock(seconds) {
  const two = (n) => String(n).padStart(2, "0");
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

let ticks = 0;
function tick() {
  if (isOffline) return;
  for (const element of document.querySelectorAll("[data-deadline]")) {
    const left = Math.ceil((Date.parse(element.dataset.deadline) - Date.now() - serverLead) / 1000);
    element.textContent = left > 0 ? clock(left) : element.dataset.over;
    // The countdown itself is not a live region: only these two moments are read aloud.
    const spoken = { 300: body.dataset.five, 60: body.dataset.one }[left];
    if (spoken && body.dataset.events) document.getElementById("spoken").textContent = spoken;
  }
}

function poll() {
  // Work under way tells nobody how far it is; whoever watches it looks again now and then.
  const element = document.querySelector("[data-poll]");
  ticks += 1;
  if (element && ticks % Number(element.dataset.poll) === 0) renew();
}

function localTimes() {
  for (const element of document.querySelectorAll("time[data-local]")) {
    const moment = new Date(element.dateTime);
    const words = moment.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
    if (moment.getTimezoneOffset()) element.nextElementSibling.textContent = ` (${words})`;
  }
  for (const element of document.querySelectorAll("[data-print]")) {
    element.hidden = false;
    element.onclick = () => window.print();
  }
}

addEventListener("beforeprint", () => {
  for (const element of document.querySelectorAll("[data-printed]")) element.open = true;
});

function figures(units, { step, decimals, mark, group }) {
  // Whole numbers of any size, so that no amount is ever rounded.
  const digits = String(units * BigInt(step)).padStart(Number(decimals) + 1, "0");
  const cut = digits.length - decimals;
  const whole = digits.slice(0, cut).replace(/\B(?=(\d{3})+$)/g, group);
  return Number(decimals) ? whole + mark + digits.slice(cut) : whole;
}

function showCost(demand) {
  let total = 0n;
  for (const field of demand.querySelectorAll("[data-price]")) {
    const typed = field.value.trim();
    const isGood = /^\d*$/.test(typed) && Number(typed) <= field.dataset.most;
    const cost = isGood ? BigInt(typed || 0) * BigInt(field.dataset.price) : null;
    field.closest("tr").querySelector("[data-cost]").textContent = isGood ? figures(cost, demand.dataset) : "\u2013";
    total = isGood && total !== null ? total + cost : null;
  }
  const words = total === null ? "\u2013" : `${figures(total, demand.dataset)} ${demand.dataset.currency}`;
  demand.querySelector("[data-total]").textContent = words;
}

// The stream says at least every 15 seconds that the server is there.
const SILENCE = 40000;
let heardAt = Date.now();
let stream = null;
function heard() {
  heardAt = Date.now();
  if (!isOffline) return;
  isOffline = false;
  document.getElementById("offline").hidden = true;
  renew();
}

function lost() {
  // A countdown that runs on would promise time that nobody knows of.
  isOffline = true;
  document.getElementById("offline").hidden = false;
  for (const element of document.querySelectorAll("[data-deadline]")) element.textContent = "\u2013";
}

function listen() {
  stream = new EventSource(body.dataset.events);
  stream.addEventListener("open", heard);
  stream.addEventListener("alive", heard);
  stream.addEventListener("changed", () => { heard(); renew(); });
  stream.addEventListener("error", lost);
}

function watch() {
  const isSilent = Date.now() - heardAt > SILENCE;
  // A stream that was refused, by a proxy without a server for instance, does not come back by itself.
  if (!isSilent && stream.readyState !== EventSource.CLOSED) return;
  lost();
  if (Date.now() - heardAt < 5000) return;
  stream.close();
  heardAt = Date.now();
  listen();
}

async function renew() {
  let answer;
  try {
    answer = await fetch(location.href, { headers: { "X-Boca-Part": "1" } });
  } catch {
    lost();
    return;
  }
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const fresh = page.getElementById(part.id);
    if (!fresh || fresh.outerHTML === part.outerHTML) continue;
    // Never take away what somebody is typing: offer the new part instead.
    if (isDirty && part.querySelector("form")) document.getElementById("stale").hidden = false;
    else part.replaceWith(document.adoptNode(fresh));
  }
  localTimes();
  tick();
}

function courses() {
  // Sliders and search need this script; without it, numbers and the browser's own search do.
  for (const element of document.querySelectorAll("[data-script]")) element.hidden = false;
  for (const slider of document.querySelectorAll("[data-slider]")) slider.value = Number(document.getElementById(slider.dataset.slider).value) || 0;
}

function slide(target) {
  if (target.dataset.slider) document.getElementById(target.dataset.slider).value = target.value;
  const slider = target.id && document.querySelector(`[data-slider="${CSS.escape(target.id)}"]`);
  if (slider && /^\d{1,3}$/.test(target.value.trim())) slider.value = target.value;
}

function search(field) {
  const wanted = field.value.trim().toLowerCase();
  let shown = 0;
  for (const row of document.querySelectorAll(`#${field.dataset.search} [data-name]`)) {
    row.hidden = !row.dataset.name.includes(wanted);
    shown += !row.hidden;
  }
  document.querySelector("[data-none]").hidden = shown > 0;
}

document.addEventListener("input", (event) => {
  if (event.target.dataset.search) { search(event.target); return; }
  isDirty = true;
  slide(event.target);
  const demand = event.target.closest("[data-demand]");
  if (demand) showCost(demand);
});
document.addEventListener("submit", (event) => {
  // A double click sends once; the key of the form protects against the rest.
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "1";
});
window.addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
});
courses();
document.getElementById("problems")?.focus();
// On a phone the menu is wider than the screen.
document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
localTimes();
tick();
setInterval(tick, 1000);
setInterval(poll, 1000);
if (body.dataset.events) {
  listen();
  setInterval(watch, 1000);
}
