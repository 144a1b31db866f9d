// Adds what plain forms cannot: a countdown, local times, parts that renew themselves.
"use strict";
const body = document.body;
const serverLead = Date.parse(body.dataset.now) - Date.now();
let isDirty = false;
let isOffline = false;

function clock(seconds) {
  const two = (n) => String(n).padStart(2, "0");
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (h >= 48) return `${Math.floor(h / 24)} ${body.dataset.days} ${h % 24} h`;
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

// -- being told: the tab's title, a sound, a notification ---------------------------------------
const QUARTER = 900;
const ownTitle = document.title;
let lastNews = document.getElementById("status")?.dataset.news;

function kept(name) {
  // Storage can be switched off; then nothing is kept, and nothing else changes.
  try { return localStorage.getItem(`boca-${name}`) === "on"; } catch { return false; }
}

function keep(name, isOn) {
  try { localStorage.setItem(`boca-${name}`, isOn ? "on" : "off"); } catch { /* see above */ }
}

function showTitle() {
  const status = document.getElementById("status");
  if (!status) return;
  const { news, open } = status.dataset;
  document.title = Number(open) ? `(${open}) ${news} \u00b7 ${ownTitle}` : document.hidden && news !== lastNews ? `${news} \u00b7 ${ownTitle}` : ownTitle;
}

function chime() {
  const audio = new AudioContext();
  for (const [start, pitch] of [[0, 660], [0.18, 880]]) {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.15, audio.currentTime + start);
    volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + start + 0.5);
    tone.connect(volume).connect(audio.destination);
    tone.start(audio.currentTime + start);
    tone.stop(audio.currentTime + start + 0.5);
  }
  body.dataset.chimes = Number(body.dataset.chimes || 0) + 1;
}

function tell(words) {
  if (kept("sound")) chime();
  if (kept("notify") && "Notification" in window && Notification.permission === "granted") {
    // One at a time: a later one takes the place of the one before.
    const notice = new Notification(words, { body: ownTitle, tag: body.dataset.who });
    notice.onclick = () => window.focus();
  }
}

function tellNews() {
  const news = document.getElementById("status")?.dataset.news;
  showTitle();
  if (news === undefined || news === lastNews) return;
  if (!document.hidden) lastNews = news;
  else document.addEventListener("visibilitychange", () => { lastNews = news; showTitle(); }, { once: true });
  tell(news);
}

function switches() {
  const words = document.getElementById("told-here");
  if (!words) return;
  const sound = document.querySelector("[data-sound]");
  const notify = document.querySelector("[data-notify]");
  const isPermitted = () => "Notification" in window && Notification.permission === "granted";
  const show = () => {
    sound.setAttribute("aria-pressed", kept("sound"));
    notify.setAttribute("aria-pressed", kept("notify") && isPermitted());
  };
  sound.onclick = () => {
    keep("sound", !kept("sound"));
    if (kept("sound")) chime();
    words.textContent = kept("sound") ? words.dataset.soundOn : words.dataset.soundOff;
    show();
  };
  notify.onclick = async () => {
    const isOn = kept("notify") && isPermitted();
    const isAllowed = !isOn && "Notification" in window && (await Notification.requestPermission()) === "granted";
    keep("notify", isAllowed);
    words.textContent = isOn ? words.dataset.notifyOff : isAllowed ? words.dataset.notifyOn : notify.dataset.denied;
    show();
  };
  show();
}

// -- what was typed and not sent ----------------------------------------------------------------
// It stays in this tab until the server has it, whatever becomes of the server or the page.
const KEEPS = /\/(me|push|answers|ratings|again\/[^/]+)$/;
const DRAFT = `boca-draft ${body.dataset.who} `;

function stored(key, value) {
  // Reads, or writes if there is something to write; without storage nothing is kept.
  try {
    if (value === undefined) return JSON.parse(sessionStorage.getItem(key) || "null");
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch { /* then not */ }
  return null;
}

function typedIn(field) {
  return field.type === "checkbox" || field.type === "radio" ? field.checked : field.value;
}

function asMade(field) {
  if (field.options) return [...field.options].find((option) => option.defaultSelected)?.value ?? field.options[0]?.value;
  return field.type === "checkbox" || field.type === "radio" ? field.defaultChecked : field.defaultValue;
}

function keepDraft(field) {
  if (!KEEPS.test(location.pathname) || !field.name || !field.form) return;
  const key = DRAFT + location.pathname;
  stored(key, { ...stored(key), [field.id || field.name]: typedIn(field) });
}

function restoreDrafts() {
  // A page that a form has led to proves that the server has what the form held.
  const sent = stored("boca-sent");
  if (sent && document.referrer && new URL(document.referrer).pathname === sent && location.pathname !== sent) stored(DRAFT + sent, {});
  stored("boca-sent", "");
  if (!KEEPS.test(location.pathname)) return;
  const key = DRAFT + location.pathname;
  const left = {};
  for (const [name, typed] of Object.entries(stored(key) || {})) {
    const field = document.getElementById(name) || document.querySelector(`main form [name="${CSS.escape(name)}"]`);
    if (!field?.form || asMade(field) === typed) continue;
    if (typeof typed === "boolean") field.checked = typed;
    else field.value = typed;
    left[name] = typed;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  stored(key, left);
  if (Object.keys(left).length) document.getElementById("restored").hidden = false;
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
    if (left === QUARTER && body.dataset.events) tell(body.dataset.near);
    if (left === 300 && body.dataset.events) tell(body.dataset.five);
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
    const words = moment.toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
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
  let points = 0n;
  for (const field of demand.querySelectorAll("[data-price]")) {
    const typed = field.value.trim();
    const isGood = /^\d*$/.test(typed) && Number(typed) <= field.dataset.most;
    const cost = isGood ? BigInt(typed || 0) * BigInt(field.dataset.price) : null;
    field.closest("tr").querySelector("[data-cost]").textContent = isGood ? figures(cost, demand.dataset) : "\u2013";
    total = isGood && total !== null ? total + cost : null;
    points += isGood ? BigInt(typed || 0) * BigInt(field.dataset.points || 0) : 0n;
  }
  const words = total === null ? "\u2013" : `${figures(total, demand.dataset)} ${demand.dataset.currency}`;
  demand.querySelector("[data-total]").textContent = words;
  const chosen = demand.querySelector("[data-chosen]");
  if (chosen) chosen.textContent = total === null ? "\u2013" : String(points);
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
  tellNews();
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

// -- passkeys: the browser signs what the server gives it ---------------------------------------
async function send(address, form, made) {
  const fields = new FormData(form);
  if (made) fields.set("made", JSON.stringify(made));
  const answer = await fetch(address, { method: "POST", body: fields });
  if (!answer.ok) throw new Error(answer.status);
  return answer.json();
}

function passkeys() {
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) return;
  for (const part of document.querySelectorAll("[data-passkey]")) {
    const [form, words] = [part.querySelector("form"), part.querySelector("[role=status]")];
    const address = part.dataset.passkey;
    part.hidden = false;
    form.onsubmit = (event) => { event.preventDefault(); form.querySelector("button").click(); };
    form.querySelector("button").onclick = async () => {
      words.textContent = "";
      try {
        const options = await send(`${address}/begin`, form);
        const made = address === "/passkey"
          ? await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
          : await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
        location.assign((await send(address, form, made.toJSON())).to);
      } catch {
        words.textContent = part.dataset.failed;
      }
    };
  }
}

document.addEventListener("input", (event) => {
  if (event.target.dataset.search) { search(event.target); return; }
  isDirty = true;
  keepDraft(event.target);
  slide(event.target);
  const demand = event.target.closest("[data-demand]");
  if (demand) showCost(demand);
});
document.addEventListener("submit", (event) => {
  // Without a server there is nobody to send to: the page, and what was typed, stays.
  if (isOffline) {
    event.preventDefault();
    document.getElementById("offline").scrollIntoView({ block: "center" });
    return;
  }
  // A double click sends once; the key of the form protects against the rest.
  if (event.target.dataset.sent) event.preventDefault();
  if (event.target.action.endsWith("/leave")) sessionStorage.clear();
  else stored("boca-sent", location.pathname);
  event.target.dataset.sent = "1";
});
window.addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
});
courses();
passkeys();
switches();
showTitle();
restoreDrafts();
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
