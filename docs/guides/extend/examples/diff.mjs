#!/usr/bin/env node
// diff.mjs: a review desk. The changes of the work tree beside the conversation, hunk by hunk, as the agent makes them.
//
//   /diff                what differs from the last commit, staged or not, and new files
//   /diff --staged       only what is staged
//   /diff main...HEAD    what `git diff` shows for these words
//   ctrl+alt+d           opens it, and closes it again
//
// Self-contained: copy it to ~/.e/extensions/ and keep it executable. It needs node 20 and git 2.26. `e docs review` tells
// how to work with it; `?` in the pane lists the keys. In ~/.e/settings.json, if you like:
//
//   {"extensions": {"diff": {"editor": ["tmux", "split-window", "-h", "vim", "+{line}", "{file}"]}}}
//
// Keys act on what the patch shows: the whole file while you move among files, one hunk while you move among hunks.
// Reviewed marks, notes and backups of what was discarded are in $XDG_STATE_HOME/e/diff (~/.local/state/e/diff).

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { constants, mkdirSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from "node:fs";
import { copyFile, lstat, open, readdir, readlink, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";

const HINT = "s stage · d discard · r mark · n next · c note · ? keys";
const HELP = [
  ["s", "stage, or unstage what is staged"],
  ["d", "discard from the work tree: asks, and keeps a backup"],
  ["r", "mark as reviewed, or not"],
  ["n p", "next, previous hunk to review, in all files"],
  ["c", "write a note"],
  ["C", "put all notes into the composer"],
  ["x", "show, and act on, the whole file or one hunk"],
  ["o", "open in your editor"],
  ["enter", "on to the hunks and the patch; there it quotes rows to the agent"],
];

// Git's output is kept as latin1 strings, one character a byte, so that any encoding goes back to git as it came.
const bytes = (text) => Buffer.from(text, "latin1");
const utf8 = (text) => bytes(text).toString("utf8");
const sha = (...parts) => parts.reduce((h, p) => h.update(p, "latin1").update("\0"), createHash("sha1")).digest("hex").slice(0, 16);
const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

// ---- the wire ----

let asked = 0;
const waiting = new Map(); // our own requests: id → the promise's two ends
const send = (message) => process.stdout.write(JSON.stringify(message) + "\n");

function request(method, params, settled = () => {}) {
  return new Promise((done, failed) => {
    const id = `diff-${++asked}`;
    waiting.set(id, { done, failed, settled });
    send({ id, method, params });
  });
}

// Where nothing can be shown, e refuses; there is nothing to be done about it.
const notify = (message, tone = "warning") => request("ui.notify", { message, tone }).catch(() => {});

// ---- git ----

const GIT = ["--literal-pathspecs", "-c", "core.quotePath=true", "-c", "diff.suppressBlankEmpty=false"];
// Whatever the person's configuration says, the patch comes out so that it can be applied again.
const DIFF = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-relative", "--src-prefix=a/", "--dst-prefix=b/",
  "-p", "-U3", "--inter-hunk-context=0", "--full-index", "-M", "--submodule=short", "--ignore-submodules=dirty", "-O/dev/null"];
const APPLY = ["apply", "--whitespace=nowarn", "--no-ignore-whitespace"];
const NAMES = ["--pathspec-from-file=-", "--pathspec-file-nul"];

const reading = new Set(); // git processes that only read: they end with us

// Runs git. `take` gets stdout piece by piece; without it the promise gives all of it.
function git(cwd, args, { input, take, writes } = {}) {
  return new Promise((done, failed) => {
    const env = { ...process.env, GIT_TERMINAL_PROMPT: "0" };
    // A reader must not take the lock that the agent's own git command may want.
    if (!writes) env.GIT_OPTIONAL_LOCKS = "0";
    const child = spawn("git", [...GIT, ...args], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    if (!writes) reading.add(child);
    const pieces = [];
    let words = "";
    child.stdout.on("data", take ?? ((piece) => pieces.push(piece)));
    child.stderr.on("data", (piece) => (words = (words + piece).slice(0, 4000)));
    child.on("error", (error) => failed(new Error(error.code === "ENOENT" ? "git is not installed" : error.message)));
    child.on("close", (code) => {
      reading.delete(child);
      if (code === 0) return done(Buffer.concat(pieces).toString("latin1"));
      const lines = words.split("\n").filter((line) => line.trim() && !line.startsWith("hint:"));
      failed(new Error(lines.slice(0, 3).join(" · ").replace(/^(fatal|error): /, "") || `git ${args[0]} failed`));
    });
    child.stdin.on("error", () => {}); // git may end before it has read everything, and says why
    child.stdin.end(input);
  });
}

// Changes something. The agent may be running git too: its lock is waited for.
async function change(args, input) {
  for (let tries = 0; ; tries++) {
    try {
      return await git(repo.top, args, { input, writes: true });
    } catch (error) {
      if (tries === 8 || !error.message.includes("index.lock")) throw error;
      await new Promise((wake) => setTimeout(wake, 150));
    }
  }
}

// Everything that runs git on the work tree or the index does so one after another.
let turn = Promise.resolve();
const inTurn = (job) => (turn = turn.then(job, job));

let repo = null; // { top, gitdir, state }

async function find(cwd) {
  const out = await git(cwd, ["rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"]);
  const [top, gitdir, common] = utf8(out).split("\n");
  const place = resolve(cwd, common);
  const home = process.env.XDG_STATE_HOME || join(homedir(), ".local", "state");
  const name = basename(top).replace(/[^\w.-]/g, "_");
  repo = { top, gitdir, dir: join(home, "e", "diff"), state: join(home, "e", "diff", `${name}-${sha(place)}.json`), name };
}

// ---- names ----

const ESCAPES = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

function unquoted(name) {
  if (!name.startsWith('"')) return name.replace(/\t$/, "");
  return name.slice(1, name.lastIndexOf('"')).replace(/\\([0-7]{3}|.)/g, (_, e) =>
    e.length === 3 ? String.fromCharCode(parseInt(e, 8)) : e in ESCAPES ? String.fromCharCode(ESCAPES[e]) : e,
  );
}

function quoted(name) {
  if (!/[\0-\x1f"\\\x7f-\xff]/.test(name)) return name;
  const octal = (c) => "\\" + c.charCodeAt(0).toString(8).padStart(3, "0");
  return `"${name.replace(/["\\]/g, "\\$&").replace(/[\0-\x1f\x7f-\xff]/g, octal)}"`;
}

// A name for eyes: what is no UTF-8, or cannot be seen, is written out.
function seen(name) {
  const text = utf8(name);
  const plain = text.includes("\ufffd") ? name.replace(/[\x80-\xff]/g, (c) => `\\x${c.charCodeAt(0).toString(16)}`) : text;
  return plain.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (c) => `<U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}>`);
}

// The two names behind `diff --git `, where no other line tells them: then both are the same.
function named(rest) {
  if (rest.startsWith('"')) return unquoted(rest.slice(0, rest.length >> 1)).slice(2);
  return rest.slice(2, 2 + ((rest.length - 5) >> 1));
}

const stripped = (name) => (unquoted(name) === "/dev/null" ? null : unquoted(name).slice(2));

// ---- reading a diff ----

const KEPT = 48 << 20; // bytes of patches held; of what is behind, only the counts are known

// One file's entry in one diff. `side` is "work" (index to work tree), "staged" (HEAD to index) or "range".
const entry = (side, path) => ({ side, path, from: null, head: [], hunks: [], added: 0, removed: 0, kind: "changed", modes: null, binary: false, whole: false });

// Takes a diff piece by piece and gives its entries. It never holds more than the budget, however long the diff is.
class Reader {
  constructor(side, budget) {
    this.side = side;
    this.budget = budget;
    this.entries = [];
    this.pieces = [];
    this.entry = null;
    this.hunk = null;
  }

  feed(piece) {
    const text = piece.toString("latin1");
    if (!text.includes("\n")) return void this.pieces.push(text);
    const lines = (this.pieces.join("") + text).split("\n");
    this.pieces = [lines.pop()];
    for (const text of lines) this.line(text);
  }

  end() {
    this.shut();
    return this.entries;
  }

  line(text) {
    const hunk = this.hunk;
    if (hunk && (hunk.combined ? /^[ +\-\\]/.test(text) : hunk.old > 0 || hunk.new > 0 || text[0] === "\\")) return this.body(text);
    if (text.startsWith("diff --")) return this.begin(text);
    if (text.startsWith("* Unmerged path ")) {
      this.shut();
      this.entry = entry(this.side, unquoted(text.slice(16)));
      Object.assign(this.entry, { kind: "conflict", whole: true });
      return;
    }
    if (!this.entry) return;
    const range = /^@@+ -(\d+)(?:,(\d+))? (?:-\d+(?:,\d+)? )*\+(\d+)(?:,(\d+))? @@+ ?(.*)$/.exec(text);
    if (range) return this.range(text, range);
    this.header(text);
  }

  begin(text) {
    this.shut();
    const plain = text.startsWith("diff --git ");
    this.entry = entry(this.side, plain ? named(text.slice(11)) : unquoted(text.replace(/^diff --\w+ /, "")));
    if (!plain) Object.assign(this.entry, { kind: "conflict", whole: true });
    this.entry.head.push(text);
  }

  header(text) {
    const e = this.entry;
    const [, key, value] = /^(---|\+\+\+|old mode|new mode|new file mode|deleted file mode|rename from|rename to|index|Binary files) (.*)$/.exec(text) ?? [];
    e.head.push(text);
    if (key === "---" && e.kind !== "renamed") e.path = stripped(value) ?? e.path;
    if (key === "+++") e.path = stripped(value) ?? e.path;
    if (key === "old mode") e.modes = [value];
    if (key === "new mode") e.modes?.push(value);
    if (key === "new file mode") Object.assign(e, { kind: "new", whole: true });
    if (key === "deleted file mode") Object.assign(e, { kind: "deleted", whole: true });
    if (key === "rename from") Object.assign(e, { kind: "renamed", from: unquoted(value) });
    if (key === "rename to") e.path = unquoted(value);
    if (key === "Binary files") Object.assign(e, { binary: true, whole: true });
    if (/^(index|new file mode|deleted file mode) (.* )?160000$/.test(text)) Object.assign(e, { kind: "submodule", whole: true });
  }

  range(text, [, oldAt, oldCount, newAt, newCount, context]) {
    this.close();
    const combined = text.startsWith("@@@");
    this.hunk = {
      side: this.side, entry: this.entry, at: text, combined, context, lines: [], kept: true, added: 0, removed: 0,
      oldAt: +oldAt, newAt: +newAt, old: +(oldCount ?? 1), new: +(newCount ?? 1), line: null, next: +newAt,
      hash: createHash("sha1").update(this.entry.path, "latin1"), columns: combined ? text.match(/^@+/)[0].length - 1 : 1,
    };
    this.entry.hunks.push(this.hunk);
  }

  body(text) {
    const hunk = this.hunk;
    const signs = text.slice(0, hunk.columns);
    const removed = signs.includes("-");
    const added = !removed && signs.includes("+");
    if (text[0] !== "\\") {
      if (!added) hunk.old--;
      if (!removed) hunk.new--;
      if (added || removed) hunk.line ??= Math.max(hunk.next, 1);
      if (!removed) hunk.next++;
      hunk.added += added;
      hunk.removed += removed;
    }
    hunk.hash.update("\n").update(text, "latin1");
    if (!hunk.kept) return;
    this.budget.left -= text.length + 1;
    if (this.budget.left < 0) Object.assign(hunk, { kept: false, lines: [] });
    else hunk.lines.push(text);
  }

  close() {
    const hunk = this.hunk;
    if (!hunk) return;
    hunk.hash = hunk.hash.digest("hex").slice(0, 16);
    hunk.line ??= Math.max(hunk.newAt, 1);
    hunk.label = utf8(hunk.context).trim();
    this.entry.added += hunk.added;
    this.entry.removed += hunk.removed;
    this.hunk = null;
  }

  shut() {
    this.close();
    if (this.entry) this.entries.push(finished(this.entry));
    this.entry = null;
  }
}

// What an entry has besides hunks (a new mode, a new name, binary content) becomes a hunk of its own, without lines.
function finished(e) {
  const extra = (label, own = {}) => ({
    side: e.side, entry: e, at: null, lines: [], kept: true, added: 0, removed: 0, oldAt: 0, newAt: 0, line: 1, label,
    hash: sha(e.path, label, ...e.head.filter((text) => text.startsWith("index "))), ...own,
  });
  const more = [];
  if (e.from) more.push(extra(`renamed from ${seen(e.from)}`, { file: true }));
  if (e.modes?.length === 2) more.push(extra(`mode ${e.modes.map((mode) => mode.slice(-3)).join(" → ")}`, { mode: e.modes }));
  if (e.binary) more.push(extra("binary", { file: true }));
  else if (!e.hunks.length && !more.length) more.push(extra(e.kind === "conflict" ? "merge conflict" : e.note ?? "empty file", { file: true }));
  e.hunks.unshift(...more);
  return e;
}

async function diffed(side, words, budget, cwd = repo.top) {
  const reader = new Reader(side, budget);
  await git(cwd, [...DIFF, ...words], { take: (piece) => reader.feed(piece) });
  return reader.end();
}

// ---- untracked files ----

const SHOWN = 512 << 10; // bytes of an untracked file that are looked at
let fresh = new Map(); // path → { stamp, entry }, so that an unchanged file is not read again

async function untracked(path, budget) {
  const place = Buffer.concat([Buffer.from(repo.top + "/"), bytes(path)]);
  const stat = await lstat(place).catch(() => null);
  if (!stat) return null;
  const stamp = `${stat.mtimeMs} ${stat.size} ${stat.mode} ${stat.ino}`;
  const known = fresh.get(path);
  if (known?.stamp === stamp) return known;
  const mode = stat.isSymbolicLink() ? "120000" : stat.mode & 0o111 ? "100755" : "100644";
  const q = (prefix) => quoted(prefix + path);
  const head = [`diff --git ${q("a/")} ${q("b/")}`, `new file mode ${mode}`];
  const e = Object.assign(entry("work", path), { kind: "new", whole: true, head, untracked: true });
  if (stat.isDirectory()) e.note = "a repository of its own";
  else if (stat.size > SHOWN || budget.left < stat.size) e.note = `too large to show: ${stat.size} bytes`;
  else await content(e, place, stat, budget);
  return { stamp, entry: finished(e) };
}

async function content(e, place, stat, budget) {
  const data = stat.isSymbolicLink() ? await readlink(place, "buffer") : await slurp(place);
  if (data.subarray(0, 8000).includes(0)) {
    e.binary = true;
    e.head.push(`Binary files /dev/null and ${quoted("b/" + e.path)} differ`);
    return;
  }
  if (!data.length) return;
  budget.left -= data.length;
  const text = data.toString("latin1");
  const lines = text.replace(/\n$/, "").split("\n").map((line) => "+" + line);
  e.head.push("--- /dev/null", `+++ ${quoted("b/" + e.path)}${e.path.includes(" ") ? "\t" : ""}`);
  const reader = new Reader("work", { left: Infinity });
  reader.entry = e;
  reader.line(`@@ -0,0 +1${lines.length === 1 ? "" : `,${lines.length}`} @@`);
  for (const line of lines) reader.line(line);
  if (!text.endsWith("\n")) reader.line("\\ No newline at end of file");
  reader.close();
}

async function slurp(place) {
  const file = await open(place, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    return (await file.stat()).isFile() ? await file.readFile() : Buffer.alloc(0);
  } finally {
    await file.close();
  }
}

// ---- the changes ----

let view = { mode: "work", words: [], title: "Changes" }; // mode: work | staged | range
let files = []; // { path, id, name, entries, hunks, added, removed, kind }

async function load() {
  const budget = { left: KEPT };
  if (view.mode !== "work") {
    const words = view.mode === "staged" ? ["--cached", "--"] : view.words;
    return arranged(await diffed(view.mode, words, budget, view.mode === "range" ? cwd : repo.top));
  }
  const [work, staged, listed] = await Promise.all([
    diffed("work", ["--"], budget),
    diffed("staged", ["--cached", "--"], budget),
    git(repo.top, ["ls-files", "-z", "-t", "--cached", "--others", "--exclude-standard"]),
  ]);
  const names = listed.split("\0");
  const found = names.filter((name) => name.startsWith("? ")).map((name) => name.slice(2));
  const next = new Map();
  const news = [];
  for (const path of found.slice(0, 5000)) {
    const known = await untracked(path, budget).catch(() => null); // gone, or not to be read
    if (!known) continue;
    next.set(path, known);
    news.push(known.entry);
  }
  fresh = next;
  watched(new Set(names.map((name) => name.slice(2)).filter(Boolean).map(dirname)));
  return arranged([...work, ...staged.filter((e) => e.kind !== "conflict"), ...news]);
}

// Entries by file, and in each file the hunks of both sides in the order of the index's lines.
function arranged(entries) {
  const byPath = new Map();
  for (const e of entries) {
    if (!byPath.has(e.path)) byPath.set(e.path, []);
    byPath.get(e.path).push(e);
  }
  return [...byPath].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, all]) => {
    const conflict = all.filter((e) => e.kind === "conflict");
    // A conflicted file comes several times; what is shown is the combined diff.
    const list = conflict.length ? [conflict.find((e) => e.hunks.some((hunk) => hunk.at)) ?? conflict[0]] : all;
    // Two entries on one side: a file became a link, or the other way round.
    for (const side of ["work", "staged"]) {
      const twice = list.filter((e) => e.side === side);
      if (twice.length > 1) twice.forEach((e) => (e.whole = e.turned = true));
    }
    const place = (hunk) => (hunk.at ? (hunk.side === "staged" ? hunk.newAt : hunk.oldAt) : -1);
    const hunks = list.flatMap((e) => e.hunks).sort((a, b) => place(a) - place(b));
    const met = new Map();
    for (const hunk of hunks) {
      const count = (met.get(hunk.hash) ?? 0) + 1;
      met.set(hunk.hash, count);
      hunk.id = count === 1 ? hunk.hash : `${hunk.hash}.${count}`;
    }
    const name = seen(path);
    const sum = (key) => list.reduce((n, e) => n + e[key], 0);
    const kind = list.length === 1 ? list[0].kind : list.find((e) => e.kind !== "changed")?.kind ?? "changed";
    // e trims and shortens what it shows; an id must come back as it went.
    const id = name.length < 400 && name.trim() === name && !/\s\s/.test(name) ? name : sha(path);
    return { path, id, name, entries: list, hunks, added: sum("added"), removed: sum("removed"), kind };
  });
}

// The patch of one hunk alone, as `git apply` takes it. The names are those the file has on both sides of it.
function patchOf(hunk) {
  const name = (prefix) => quoted(prefix + hunk.entry.path);
  const tab = hunk.entry.path.includes(" ") ? "\t" : "";
  const head = [`diff --git ${name("a/")} ${name("b/")}`];
  if (hunk.mode) return [...head, `old mode ${hunk.mode[0]}`, `new mode ${hunk.mode[1]}`, ""].join("\n");
  return [...head, `--- ${name("a/")}${tab}`, `+++ ${name("b/")}${tab}`, hunk.at, ...hunk.lines, ""].join("\n");
}

const wholePatch = (e) => [...e.head, ...e.hunks.filter((hunk) => hunk.at).flatMap((hunk) => [hunk.at, ...hunk.lines]), ""].join("\n");

// ---- what is remembered ----

let memory = { reviewed: {}, notes: {} };

function remembered() {
  try {
    const { reviewed, notes } = JSON.parse(readFileSync(repo.state, "utf8"));
    return { reviewed: { ...reviewed }, notes: { ...notes } };
  } catch {
    return { reviewed: {}, notes: {} };
  }
}

// Another e may review the same repository: only what changed here is changed there.
function remember(edit) {
  const kept = remembered();
  edit(kept);
  const old = Date.now() - 180 * 24 * 3600 * 1000;
  for (const [id, at] of Object.entries(kept.reviewed)) if (!(at > old)) delete kept.reviewed[id];
  memory = kept;
  try {
    mkdirSync(dirname(repo.state), { recursive: true, mode: 0o700 });
    const part = `${repo.state}.${process.pid}`;
    writeFileSync(part, JSON.stringify({ repository: repo.top, ...kept }, null, 1), { mode: 0o600 });
    renameSync(part, repo.state);
  } catch (error) {
    notify(`diff: this is not kept: ${error.message}`);
  }
}

const reviewed = (hunk) => hunk.id in memory.reviewed;
const noted = (id) => memory.notes[id] && !memory.notes[id].sent;

// ---- the pane ----

const ROOM = 250 << 10; // of the pane's 256 KiB
let ui = true;
let shown = false; // the person has the pane open
let scope = "file"; // what the patch shows and the keys act on: the file, or one hunk of it
let patchId = 0; // another thing to read is another section: it begins at its top
let file = null;
let hunk = null;
// The two lists: `held` is the id that e's cursor is on, `natural` maps what e was sent to what it means.
const lists = { files: { held: null, natural: new Map() }, hunks: { held: null, natural: new Map() } };

const label = (text, mark) => `${mark ? "✓" : " "} ${text}`;

function fileItem(f) {
  const all = f.hunks.every(reviewed);
  const staged = f.hunks.filter((h) => h.side === "staged").length;
  const state = view.mode !== "work" || !staged ? "" : staged === f.hunks.length ? "staged " : "part staged ";
  const kind = f.kind === "changed" ? (f.entries.some((e) => e.binary) ? "binary " : "") : `${f.kind} `;
  const token = f.kind === "conflict" ? "error" : all ? "dim" : f.kind === "new" ? "success" : f.kind === "deleted" ? "warning" : "text";
  const note = f.hunks.some((h) => noted(h.id)) || noted(sha("file", f.path)) ? "note " : "";
  return { id: f.id, label: label(f.name, all), detail: `${note}${state}${kind}${f.added + f.removed ? `+${f.added} -${f.removed}` : ""}`.trim(), token };
}

function hunkItem(h) {
  const mark = reviewed(h);
  const words = [noted(h.id) && "note", view.mode === "work" && h.side === "staged" && "staged", h.at && `+${h.added} -${h.removed}`];
  const token = noted(h.id) ? "accent" : mark ? "dim" : h.side === "staged" ? "success" : "text";
  return { id: h.id, label: label(h.at ? `${h.line} ${h.label}`.trim() : h.label, mark), detail: words.filter(Boolean).join(" "), token };
}

const weight = (value) => Buffer.byteLength(JSON.stringify(value)) + 1;

// A list that fits: all items, or those around the chosen one between two rows that lead on.
function windowed(items, at, room) {
  let [from, to, left] = [at, at, room];
  for (let grown = true; grown; ) {
    grown = false;
    if (to < items.length && (left -= weight(items[to])) > 0) (to++, (grown = true));
    if (from > 0 && left > 0 && (left -= weight(items[from - 1])) > 0) (from--, (grown = true));
  }
  const more = (id, count) => ({ id, label: `  … ${count} more`, token: "dim" });
  const part = items.slice(from, to);
  if (from > 0) part.unshift(more(":above", from));
  if (to < items.length) part.push(more(":below", items.length - to));
  return part;
}

// A refresh cannot move e's cursor, which stays on the item with its id. So where the chosen item is not the one under the
// cursor, the two swap their ids.
function section(name, items, chosen, room, title) {
  const list = lists[name];
  const at = items.findIndex((item) => item.id === chosen);
  const part = windowed(items, Math.max(at, 0), room);
  if (!part.length) list.held = null;
  else list.held ??= chosen;
  list.natural = new Map();
  for (const item of part) {
    const natural = item.id;
    if (natural === chosen) item.id = list.held;
    else if (natural === list.held) item.id = chosen;
    list.natural.set(item.id, natural);
  }
  return { kind: "list", id: name, ...(title && { title }), items: part, ...(part.length && { selected: list.held }) };
}

function clipped(text, room) {
  let left = room;
  let end = 0;
  for (const line of text.split("\n")) {
    if ((left -= weight(line) + 1) < 0) break;
    end += line.length + 1;
  }
  return end >= text.length ? [text, false] : [text.slice(0, end), true];
}

// What the patch shows: the file's entries, or the one hunk under its file's header.
function patchText() {
  if (scope === "file") return file.entries.map(wholePatch).join("");
  const { entry: e, at, lines } = hunk;
  return [...e.head, ...(at ? [at, ...lines] : []), ""].join("\n");
}

function paneOf() {
  const total = files.flatMap((f) => f.hunks);
  const marks = total.filter(reviewed).length;
  const title = `${view.title} · ${total.length ? `${marks}/${total.length} reviewed` : "nothing"}`;
  const sections = [section("files", files.map(fileItem), file?.id, 80 << 10)];
  const count = file?.hunks.length ?? 0;
  const at = file ? file.hunks.indexOf(hunk) + 1 : 0;
  const what = !file ? "no hunks" : scope === "file" ? `${plural(count, "hunk")} · the whole file is shown` : `hunk ${at} of ${count}`;
  sections.push(section("hunks", (file?.hunks ?? []).map(hunkItem), hunk?.id, 48 << 10, what));
  const id = patchId ? `patch:${patchId}` : "patch";
  if (!file) {
    const body = view.mode === "work" ? "Nothing has changed since the last commit. Changes will appear here." : "There is no difference.";
    sections.push({ kind: "text", id, title: "Patch", body });
  } else {
    const [body, cut] = clipped(utf8(patchText()), ROOM - weight(sections));
    const over = cut || !file.hunks.every((h) => h.kept) ? " (too long to be shown whole)" : "";
    sections.push({ kind: "diff", id, title: file.name + over, body });
  }
  return { id: "diff", title, side: "right", hint: HINT, sections };
}

let painting = null; // the ui.pane request that is not answered yet
let stale = false; // something changed since it was sent
let last = ""; // what was sent last

// Sends the pane. One request at a time; what changes meanwhile goes with the next one.
function paint(always = false) {
  if (painting) {
    stale = true;
    return painting;
  }
  const pane = paneOf();
  const text = JSON.stringify(pane);
  if (!always && text === last) return Promise.resolve();
  last = text;
  painting = request("ui.pane", pane, () => {
    painting = null;
    // Closed while this was under way: it may have opened the pane again.
    if (!shown) request("ui.pane", null).catch(() => {});
    else if (stale) ((stale = false), paint().catch(failed));
  });
  return painting;
}

function failed(error) {
  notify(`diff: ${error.message}`);
}

// The place is kept by name: the same file and hunk, or else what stands where they stood.
function settle(next) {
  const fileAt = file ? files.indexOf(file) : 0;
  const hunkAt = file && hunk ? file.hunks.indexOf(hunk) : 0;
  const [path, id] = [file?.path, hunk?.id];
  files = next;
  file = files.find((f) => f.path === path) ?? files[Math.min(fileAt, files.length - 1)] ?? null;
  const stays = file?.path === path;
  hunk = file?.hunks.find((h) => h.id === id) ?? file?.hunks[stays ? Math.min(hunkAt, file.hunks.length - 1) : 0] ?? null;
  if (!stays) scope = "file";
}

let loading = null;
let again = false;
let complained = "";

// Reads everything anew. Any number of requests while one runs make one more run.
function refresh() {
  if (!shown) return Promise.resolve();
  if (loading) {
    again = true;
    return loading;
  }
  loading = inTurn(load)
    .then((next) => {
      complained = "";
      if (!shown) return;
      settle(next);
      paint().catch(failed);
    })
    .catch((error) => {
      if (error.message !== complained) failed(error);
      complained = error.message;
    })
    .finally(() => {
      loading = null;
      if (again) ((again = false), later());
    });
  return loading;
}

let timer = null;
let since = 0;

// Soon, once it is calm, but not later than half a second after the first cause.
function later() {
  const now = Date.now();
  if (!timer) since = now;
  else clearTimeout(timer);
  timer = setTimeout(() => ((timer = null), refresh()), Math.max(0, Math.min(120, since + 500 - now)));
}

// ---- following the work tree ----

const watchers = new Map(); // directory → watcher
const young = new Set(); // directories that came while the pane is open, git knows no file in them yet
let deaf = false; // the system has no more watches to give

function listen(dir, hear, recursive = false) {
  if (watchers.has(dir) || deaf) return;
  try {
    const watcher = watch(dir, { persistent: false, recursive }, (kind, name) => hear(kind, String(name ?? "")));
    watcher.on("error", () => unlisten(dir));
    watchers.set(dir, watcher);
  } catch (error) {
    if (error.code !== "ENOSPC" && error.code !== "EMFILE") return; // gone again
    deaf = true;
    notify("diff: there are too many directories to watch; the pane follows at the end of each tool call and turn");
  }
}

function unlisten(dir) {
  watchers.get(dir)?.close();
  watchers.delete(dir);
}

// Git's own directory tells of commits, staging and checkouts; ignored directories are not watched where that can be helped.
function watched(dirs) {
  if (!shown) return;
  const tells = /^(index|HEAD|MERGE_HEAD|ORIG_HEAD|packed-refs)$/;
  listen(repo.gitdir, (_, name) => tells.test(name) && later());
  listen(join(repo.gitdir, "logs"), later);
  const whole = process.platform === "darwin" || process.platform === "win32";
  if (whole) return listen(repo.top, (_, name) => !/^\.git([\\/]|$)/.test(name) && later(), true);
  const wanted = new Set([repo.gitdir, join(repo.gitdir, "logs"), repo.top]);
  for (const dir of [...dirs, ...young]) for (let d = dir; d !== "."; d = dirname(d)) wanted.add(join(repo.top, utf8(d)));
  for (const dir of watchers.keys()) if (!wanted.has(dir)) unlisten(dir);
  for (const dir of wanted) {
    listen(dir, (kind, name) => {
      if (name === ".git") return;
      if (kind === "rename") came(dir, name);
      later();
    });
  }
}

// Something came or went. A directory that comes again is another one, and a new one is watched before it holds a file.
async function came(dir, name) {
  const place = join(dir, name);
  unlisten(place);
  const inside = place.slice(repo.top.length + 1);
  const stat = await lstat(place).catch(() => null);
  if (!shown || !stat?.isDirectory() || young.size > 500) return;
  // Git succeeds where the directory is ignored.
  if (await git(repo.top, ["check-ignore", "-q", "--", inside]).then(() => true, () => false)) return;
  const below = await readdir(place, { withFileTypes: true }).catch(() => []);
  young.add(Buffer.from(inside).toString("latin1"));
  for (const child of below) if (child.isDirectory() && child.name !== ".git") came(place, child.name);
  later();
}

function closed() {
  shown = false;
  young.clear();
  last = "";
  clearTimeout(timer);
  timer = null;
  for (const dir of [...watchers.keys()]) unlisten(dir);
  deaf = false;
}

// ---- opening ----

let cwd = process.cwd();
let config = {};

function wanted(args) {
  const words = args.split(/\s+/).filter(Boolean);
  if (!words.length) return { mode: "work", words, title: "Changes" };
  if (words.length === 1 && /^--(staged|cached)$/.test(words[0])) return { mode: "staged", words, title: "Staged changes" };
  const option = words.find((word, at) => word.startsWith("-") && !words.slice(0, at + 1).includes("--"));
  if (option) throw new Error(`/diff knows --staged, and commits or ranges, but not ${option}`);
  return { mode: "range", words: words.includes("--") ? words : [...words, "--"], title: words.join(" ").slice(0, 36) };
}

// One after another: each leaves the pane as the next one finds it.
let door = Promise.resolve();
const opened = (args, toggles) => (door = door.then(() => shows(args, toggles)));

async function shows(args, toggles) {
  if (toggles && shown) {
    closed();
    await request("ui.pane", null).catch(() => {});
    return {};
  }
  const before = { view, shown };
  try {
    const next = wanted(args);
    await find(cwd);
    view = next;
    memory = remembered();
    shown = ui;
    const found = await inTurn(load);
    if (!ui) return plain(found);
    // Opened anew, the pane gets the keyboard; refreshed, it would not.
    if (before.shown) {
      last = "";
      await request("ui.pane", null).catch(() => {});
    }
    [file, hunk, scope] = [null, null, "file"];
    lists.files.held = lists.hunks.held = null;
    settle(found);
    try {
      await paint(true);
    } catch (error) {
      closed();
      if (error.message === "no ui") return plain(found);
      throw error;
    }
    return {};
  } catch (error) {
    [view, shown] = [before.view, before.shown];
    if (!shown) closed();
    const none = /not a git repository/.test(error.message);
    return { notice: none ? `/diff needs a git repository, and ${cwd} is in none` : `/diff: ${error.message}` };
  }
}

// Where no pane can be shown, the diff itself is the answer.
function plain(found) {
  const body = found.flatMap((f) => f.entries.map(wholePatch)).join("");
  return body ? { show: { title: view.title, body: clipped(utf8(body), 60 << 10)[0], format: "diff" } } : { notice: "no changes" };
}

async function completed(prefix) {
  const [, before, start] = /^(.*?\.{2,3})?(.*)$/.exec(prefix);
  const format = "%(refname:short)%00%(contents:subject)";
  const out = await git(cwd, ["for-each-ref", "--count=300", "--sort=-committerdate", `--format=${format}`, "refs/heads", "refs/tags", "refs/remotes"]).catch(() => "");
  const refs = utf8(out).split("\n").filter(Boolean).map((text) => text.split("\0"));
  const own = before ? [] : [["--staged", "only what is staged"]];
  const fits = ([name]) => name.startsWith(start);
  const all = [...own, ["HEAD", "the last commit"], ["HEAD~1", "and the one before"], ...refs].filter(fits).slice(0, 50);
  return all.map(([name, description]) => ({ value: (before ?? "") + name, description: description.slice(0, 60) }));
}

// ---- moving ----

function chosen(name, id) {
  const natural = lists[name].natural.get(id);
  if (natural === undefined) return false; // of a list that is no more
  lists[name].held = id;
  const all = name === "files" ? files : file?.hunks ?? [];
  const current = all.indexOf(name === "files" ? file : hunk);
  const shownNow = [...lists[name].natural.values()];
  const step = natural === ":above" ? shownNow[1] : natural === ":below" ? shownNow.at(-2) : natural;
  const target = all.findIndex((item) => item.id === step) + (natural === ":above" ? -1 : natural === ":below" ? 1 : 0);
  const item = all[target] ?? all[current];
  if (!item) return false;
  if (name === "hunks") hunk = item;
  else if (item !== file) [file, hunk] = [item, item.hunks[0]];
  return true;
}

function selected({ section: name, id }) {
  if (!(name in lists) || !chosen(name, id)) return;
  scope = name === "files" ? "file" : "hunk";
  patchId++;
  return paint();
}

function activated({ section: name, id }) {
  if (!(name in lists) || !chosen(name, id)) return;
  // From a file e goes on to its hunks, from a hunk to the patch; there the section must stay what it is.
  if (name === "files") patchId++;
  scope = "hunk";
  return paint();
}

// The next hunk that waits for review, from here around to here.
function moved(step) {
  const all = files.flatMap((f) => f.hunks.map((h) => [f, h]));
  const here = all.findIndex(([, h]) => h === hunk);
  const first = scope === "file" && step > 0 ? 0 : 1;
  for (let i = first; i <= all.length; i++) {
    const [f, h] = all[(((here + step * i) % all.length) + all.length) % all.length] ?? [];
    if (!h || reviewed(h)) continue;
    [file, hunk, scope] = [f, h, "hunk"];
    return paint();
  }
  return notify(all.length ? "everything here is reviewed" : "nothing has changed", "info");
}

// ---- acting ----

const targets = () => (scope === "file" ? file.hunks : [hunk]);

function refused(h) {
  if (view.mode === "range") return "this is a comparison of commits; `/diff` alone shows what can be staged and discarded";
  if (h.entry.kind === "conflict") return `${file.name} has merge conflicts: resolve them and \`git add\` it`;
  if (h.entry.note === "a repository of its own") return `${file.name} is a repository of its own`;
  return null;
}

const pathspec = (...paths) => bytes(paths.filter(Boolean).join("\0"));

// Stages what is not, or else unstages what is. By file where a hunk alone makes no sense: new, deleted, binary, renamed.
async function stage() {
  const [list, f] = [targets(), file];
  const why = refused(list[0]);
  if (why) return notify(why);
  const forth = list.some((h) => h.side === "work");
  const e = (list.find((h) => h.side === "work") ?? list[0]).entry;
  const h = scope === "hunk" && !e.whole && !hunk.file ? hunk : null;
  if (h && !h.kept) return notify("this hunk is too large to be taken alone; x shows the file, and s stages it");
  await inTurn(() => {
    if (h) return change([...APPLY, "--cached", ...(forth ? [] : ["-R"]), "-"], bytes(patchOf(h)));
    if (forth) return change(["add", "-A", ...NAMES], pathspec(f.path));
    return change(["reset", "-q", ...NAMES], pathspec(f.path, ...f.entries.map((entry) => entry.from)));
  });
}

// The name of a file in the backups.
function backup(suffix) {
  const dir = join(repo.dir, "discarded");
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const stamp = new Date().toISOString().replace(/[:.]/g, "-").slice(0, 23);
  return join(dir, `${stamp}-${repo.name}-${basename(file.name).replace(/[^\w.-]/g, "_").slice(0, 60)}${suffix}`);
}

const tilde = (path) => (path.startsWith(homedir() + "/") ? "~" + path.slice(homedir().length) : path);

async function discard() {
  const [f, list] = [file, targets()];
  const why = refused(list[0]);
  if (why) return notify(why);
  const work = list.filter((h) => h.side === "work");
  if (!work.length) return notify("this is staged, and discard only touches the work tree: unstage it first with s");
  const e = work[0].entry;
  if (e.kind === "submodule") return notify(`${f.name} is a submodule: reset it in its own directory`);
  const alone = scope === "hunk" && !e.whole;
  if (alone && !work[0].kept) return notify("this hunk is too large to be taken alone; x shows the file");
  const sum = `+${work.reduce((n, h) => n + h.added, 0)} -${work.reduce((n, h) => n + h.removed, 0)}`;
  const title = alone ? `Discard this hunk at line ${work[0].line}?` : e.untracked ? "Delete this new file?" : "Discard all that is not staged of this file?";
  const { confirmed } = await asking("ui.confirm", { title, message: `${f.name.slice(-30)}, ${sum}; a backup is kept` });
  if (confirmed !== true) return;
  const kept = await inTurn(() => discarded(f, e, alone ? work[0] : null));
  const how = kept.endsWith(".patch") ? "`git apply` brings it back" : "it is the file as it was";
  notify(`discarded; the backup is ${tilde(kept)}: ${how}`, "info");
}

// What goes is exactly what the backup has: the patch is applied backwards, or the file is copied first.
async function discarded(f, e, h) {
  const place = Buffer.concat([Buffer.from(repo.top + "/"), bytes(f.path)]);
  const entries = f.entries.filter((entry) => entry.side === "work");
  if (e.untracked || e.binary || e.turned || !entries.every((entry) => entry.hunks.every((one) => one.kept))) {
    const plain = (await lstat(place).catch(() => null))?.isFile();
    const kept = backup(plain ? "" : ".patch");
    if (plain) await copyFile(place, kept, constants.COPYFILE_EXCL);
    else writeFileSync(kept, bytes(wholePatch(e)), { mode: 0o600 });
    if (e.untracked) await rm(place);
    else await change(["checkout", "-q", ...NAMES], pathspec(f.path));
    return kept;
  }
  const patch = bytes(h ? patchOf(h) : wholePatch(e));
  const kept = backup(".patch");
  writeFileSync(kept, patch, { mode: 0o600 });
  try {
    await change([...APPLY, "-R", "-"], patch);
  } catch (error) {
    rmSync(kept, { force: true });
    throw error;
  }
  return kept;
}

function mark() {
  const list = targets();
  const on = list.some((h) => !reviewed(h));
  remember(({ reviewed: marks }) => list.forEach((h) => (on ? (marks[h.id] = Date.now()) : delete marks[h.id])));
  return paint();
}

// ---- notes ----

let questions = 0;

// It is over the moment its answer is read: the next line may be a key that is meant for the pane.
async function asking(method, params) {
  questions++;
  return (await request(method, params, () => questions--)) ?? {};
}

// The changed lines, from the first to the last.
function quote(h) {
  const lines = h.lines.map(utf8).map((text) => text.replace(/\r$/, ""));
  const changed = (text) => text[0] === "+" || text[0] === "-";
  const part = lines.slice(lines.findIndex(changed), lines.findLastIndex(changed) + 1);
  return part.length <= 12 ? part : [...part.slice(0, 10), `… ${part.length - 10} more lines`];
}

async function note() {
  const whole = scope === "file" && file.hunks.length > 1;
  const [f, h] = [file, hunk];
  const id = whole ? sha("file", f.path) : h.id;
  const where = whole || !h.at ? f.name : `${f.name}:${h.line}`;
  const old = memory.notes[id];
  const title = `Note on ${where.length > 50 ? "…" + where.slice(-49) : where}`;
  const { text } = await asking("ui.editor", { title, text: old?.text ?? "", placeholder: "what should change here, and why" });
  if (typeof text !== "string") return;
  remember(({ notes }) => {
    if (text.trim()) notes[id] = { where, quote: whole ? [] : quote(h), text: text.trim(), at: Date.now() };
    else delete notes[id];
  });
  return paint();
}

// All notes as one draft. Which ones were handed over is remembered; they go once, unless there are no others.
async function collect() {
  const order = new Map(files.flatMap((f) => [sha("file", f.path), ...f.hunks.map((h) => h.id)]).map((id, at) => [id, at]));
  const every = Object.entries(memory.notes);
  const unsent = every.filter(([, n]) => !n.sent);
  const list = (unsent.length ? unsent : every).sort(([a, x], [b, y]) => (order.get(a) ?? 1e9) - (order.get(b) ?? 1e9) || x.at - y.at);
  if (!list.length) return notify("there are no notes yet: c writes one", "info");
  const message = "Your draft is replaced; undo (ctrl+_) brings it back";
  const { confirmed } = await asking("ui.confirm", { title: `Put ${plural(list.length, "note")} into the composer?`, message });
  if (confirmed !== true) return;
  const parts = list.map(([, n]) => [n.where, ...n.quote.map((text) => `> ${text}`), n.text].join("\n"));
  await request("ui.compose", { text: `Notes from my review of the changes:\n\n${parts.join("\n\n")}\n` });
  remember(({ notes }) => {
    for (const [id, n] of Object.entries(notes)) if (n.sent && !order.has(id)) delete notes[id];
    for (const [id] of list) if (notes[id]) notes[id].sent = true;
  });
  return paint();
}

// ---- the editor ----

// Editors with a window of their own, and how each is told the line.
const WINDOWS = [
  [/^(code|code-insiders|codium|vscodium|cursor|windsurf)$/, ["--goto", "{file}:{line}"]],
  [/^(zed|subl|sublime_text)$/, ["{file}:{line}"]],
  [/^(gvim|mvim|gedit|xed|gnome-text-editor|emacsclient)$/, ["+{line}", "{file}"]],
  [/^(kate|mate|idea|clion|goland|pycharm|rustrover|webstorm|phpstorm|rubymine)$/, ["--line", "{line}", "{file}"]],
];

function editor() {
  const own = config.editor;
  const words = Array.isArray(own) ? own.map(String) : typeof own === "string" ? own.split(/\s+/).filter(Boolean) : [];
  if (words.length) return words.some((word) => word.includes("{file}")) ? words : [...words, "+{line}", "{file}"];
  const named = (process.env.VISUAL || process.env.EDITOR || "").split(/\s+/).filter(Boolean);
  const how = WINDOWS.find(([name]) => name.test(basename(named[0] ?? "")))?.[1];
  const inTerminal = named.some((word) => /^(-t|-nw|--tty|--no-window-system)$/.test(word));
  return how && !inTerminal ? [...named.filter((word) => !/^(-w|--wait)$/.test(word)), ...how] : null;
}

function edit() {
  const at = scope === "hunk" || file.hunks.length === 1 ? hunk.line : file.hunks.find((h) => h.at)?.line ?? 1;
  const words = editor();
  if (!words) {
    return notify(`${file.name}:${at} — an editor in the terminal cannot share e's screen; set extensions.diff.editor (e docs review)`);
  }
  if (utf8(file.path).includes("\ufffd")) return notify(`${file.name} cannot be named on a command line here`);
  const place = join(repo.top, utf8(file.path));
  const [program, ...args] = words.map((word) => word.replaceAll("{file}", () => place).replaceAll("{line}", String(at)));
  const child = spawn(program, args, { cwd: repo.top, detached: true, stdio: "ignore" });
  child.on("error", (error) => notify(`${program}: ${error.message}`));
  child.on("exit", (code) => code && notify(`${program} ended with status ${code}`));
  child.unref();
}

// ---- keys ----

function help() {
  const lines = HELP.map(([key, text]) => [{ text: key.padEnd(7), token: "accent" }, { text }]);
  lines.push("", [{ text: "Keys act on what the patch shows: a whole file, or one hunk.", token: "dim" }]);
  return request("ui.panel", { title: "Reviewing (any key closes this)", lines, interactive: true });
}

const changed = (act) => async () => {
  try {
    await act();
  } finally {
    await refresh();
  }
};

const KEYS = {
  s: changed(stage), d: changed(discard), r: mark, c: note, o: edit,
  n: () => moved(1), p: () => moved(-1), "shift+c": collect, C: collect, "?": help,
  x: () => {
    scope = scope === "file" ? "hunk" : "file";
    return paint();
  },
};
const ANYWHERE = new Set(["?", "shift+c", "C", "n", "p"]); // need no file

async function key({ key: pressed }) {
  const act = Object.hasOwn(KEYS, pressed) ? KEYS[pressed] : null;
  // While one of our questions is open, what is typed behind it is no command.
  if (!act || !shown || questions || (!file && !ANYWHERE.has(pressed))) return;
  await act();
}

// ---- the read loop ----

const manifest = {
  name: "diff",
  version: "1.0",
  commands: [{ name: "diff", description: "review the changes beside the conversation", arguments: "[range|--staged]", completions: true }],
  shortcuts: [{ key: "ctrl+alt+d", description: "review the changes" }],
  events: ["tool_end", "turn_end"],
};

async function answer(method, params) {
  switch (method) {
    case "initialize":
      ui = params.ui !== false;
      cwd = typeof params.cwd === "string" ? params.cwd : cwd;
      config = params.extensions_config?.diff ?? {};
      return manifest;
    case "command":
      return opened(String(params.args ?? ""), false);
    case "command.complete":
      return { items: await completed(String(params.prefix ?? "")) };
    case "shortcut":
      return opened("", true);
    default:
      throw new Error(`diff does not know ${method}`);
  }
}

const told = {
  event: () => shown && later(),
  "pane.select": (params) => params.pane === "diff" && shown && selected(params),
  "pane.activate": (params) => params.pane === "diff" && shown && activated(params),
  "pane.key": (params) => params.pane === "diff" && key(params),
  "pane.closed": (params) => params.pane === "diff" && closed(),
  "ui.key": () => request("ui.panel", null),
  shutdown: leave,
};

function leave() {
  for (const child of reading) child.kill();
  process.exit(0);
}

async function hear({ id, method, params, result, error }) {
  if (method === undefined) {
    const ends = waiting.get(id);
    waiting.delete(id);
    ends?.settled();
    if (error !== undefined && error !== null) ends?.failed(new Error(String(error)));
    else ends?.done(result);
  } else if (id === undefined) {
    if (Object.hasOwn(told, method)) await told[method](params ?? {});
  } else {
    const said = await answer(method, params ?? {}).then((result) => ({ id, result }), (why) => ({ id, error: why.message }));
    send(said);
  }
}

let held = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (held + chunk).split("\n");
  held = lines.pop();
  for (const text of lines) {
    let message = null;
    try {
      message = JSON.parse(text);
    } catch {}
    // A refusal because nobody is there needs no word; whatever else goes wrong is told, and the loop goes on.
    if (message && typeof message === "object") hear(message).catch((error) => error.message !== "no ui" && failed(error));
  }
});
process.stdin.on("end", leave);
