#!/usr/bin/env node
// scaffold.mjs: handlers instead of a read loop. Optional: `e` neither needs nor installs it.
//
// Put it into your extension's own directory, beside the file that imports it:
//
//   ~/.e/extensions/hello/hello.mjs      the entry point: it has the directory's name
//   ~/.e/extensions/hello/scaffold.mjs
//
//   import { connect } from "./scaffold.mjs";
//   const { ui, session, hasUI, flag, flagPassed, run } = connect({ manifest: {…}, handlers: {…} });
//   run();
//
// A handler gets the `params` of its message and may be async. What it returns is the answer; nothing is `{}`. What it
// throws is an error answer. Handlers can also stand beside `manifest`, without `handlers` around them.

import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

// Requests of e's, each answered once, and who handles them.
const REQUESTS = {
  "initialize": "initialize", // may return fields to lay over the manifest
  "hook.startup": "startup",
  "command": "command",
  "command.complete": "complete",
  "shortcut": "shortcut",
  "tool_call": "tool", // tool(params, { update })
  "hook.tool_call": "hookToolCall",
  "hook.input": "hookInput",
  "hook.before_turn": "beforeTurn",
  "hook.tool_result": "toolResult",
  "hook.compact_summary": "compactSummary",
  "hook.render": "render",
};

// Notifications of e's: nobody waits for these.
const NOTIFICATIONS = {
  "event": "event",
  "ui.key": "key",
  "ui.panel_closed": "panelClosed",
  "pane.select": "paneSelect",
  "pane.activate": "paneActivate",
  "pane.key": "paneKey",
  "pane.closed": "paneClosed",
};

const UI = ["notify", "show", "select", "confirm", "input", "editor", "status", "activity", "compose", "panel", "widget", "pane"];
const SESSION = ["send", "info", "name", "model", "effort", "tools", "interrupt", "compact"];

export function connect({ manifest = {}, handlers = {}, ...beside } = {}) {
  const on = { ...beside, ...handlers };
  const waiting = new Map(); // our own requests: id → how to settle it
  let asked = 0;
  let someoneThere = false;
  let passed = {};
  let declared = manifest;

  // stdout is the wire, so a forgotten console.log goes to stderr, which e shows as notices.
  console.log = console.info = console.debug = console.error;

  const send = (message) => process.stdout.write(JSON.stringify(message) + "\n");

  // Asks e for something. Rejects with e's own words, `no ui` among them.
  const request = (method, params = {}) =>
    new Promise((resolve, reject) => {
      const id = `scaffold-${++asked}`; // e's own ids are numbers: nobody mistakes one for the other
      send({ id, method, params });
      waiting.set(id, { resolve, reject });
    });
  const family = (prefix, names) =>
    Object.fromEntries(names.map((name) => [name, (params) => request(`${prefix}.${name}`, params)]));

  async function initialize(params) {
    someoneThere = params.ui === true;
    const more = await on.initialize?.(params);
    declared = { name: "scaffold", version: "1.0", ...manifest, ...more };
    for (const name of missing(declared, on)) {
      throw new Error(`the manifest needs a handler ${name}, and there is none`);
    }
    return declared;
  }

  async function answer(id, method, params) {
    let open = method === "tool_call";
    // Progress counts only while its call is open, so a late one is not even sent.
    const update = (chunk, stream = "stdout") => {
      if (open && chunk !== null && chunk !== undefined) {
        send({ method: "tool.update", params: { id, stream, chunk: String(chunk) } });
      }
    };
    if (method === "hook.startup") passed = params.flags ?? {};
    try {
      const handle = method === "initialize" ? initialize : on[REQUESTS[method]];
      const result = await handle(params, { update });
      open = false;
      send({ id, result: result === undefined ? {} : result });
    } catch (error) {
      open = false;
      send({ id, error: said(error) });
    }
  }

  function settle({ id, result, error }) {
    const asker = waiting.get(id);
    waiting.delete(id);
    if (error === undefined || error === null) asker?.resolve(result);
    else asker?.reject(new Error(typeof error === "string" ? error : JSON.stringify(error)));
  }

  function hear(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    const { id, method, params = {} } = message ?? {};
    if (method === "shutdown") process.exit(0);
    else if (method === undefined) settle(message ?? {});
    else if (method === "flags") passed = params.flags ?? {};
    else if (Object.hasOwn(REQUESTS, method)) {
      // A method without a handler was never declared: a stranger, like one that a later e may know.
      if (method === "initialize" || on[REQUESTS[method]]) answer(id, method, params);
    } else if (Object.hasOwn(NOTIFICATIONS, method)) {
      // Nobody hears of an error here, so it must not end the process either.
      (async () => on[NOTIFICATIONS[method]]?.(params))().catch(() => {});
    }
  }

  function run() {
    let held = "";
    process.stdout.on("error", () => process.exit(0)); // e is gone
    process.stdin.setEncoding("utf8");
    // Not node:readline: it also breaks lines at U+2028, which is legal inside a JSON string.
    process.stdin.on("data", (chunk) => {
      const lines = chunk.split("\n");
      lines[0] = held + lines[0];
      held = lines.pop();
      lines.forEach(hear);
    });
    process.stdin.on("end", () => process.exit(0));
  }

  return {
    ui: family("ui", UI),
    session: family("session", SESSION),
    // Functions, since the answers are known only once e has spoken.
    hasUI: () => someoneThere,
    flagPassed: (name) => Object.hasOwn(passed, name),
    // The passed value (null: passed without one), else the declared default, else undefined.
    flag: (name) =>
      Object.hasOwn(passed, name) ? passed[name] : declared.flags?.find((flag) => flag.name === name)?.default,
    run,
  };
}

// What a manifest declares and nobody handles. Found at the handshake, where the author sees it, and not at the first call.
function missing(manifest, on) {
  const needed = {
    tool: manifest.tools?.length,
    command: manifest.commands?.length,
    complete: manifest.commands?.some((command) => command.completions),
    shortcut: manifest.shortcuts?.length,
  };
  for (const hook of manifest.hooks ?? []) needed[REQUESTS[`hook.${hook}`]] = true;
  return Object.keys(needed).filter((name) => name !== "undefined" && needed[name] && !on[name]);
}

function said(error) {
  return (error instanceof Error ? error.message || error.name : String(error)) || "failed";
}

// Run alone it is an extension that does nothing, so that a stray copy in the extensions directory harms nobody.
if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  connect({ manifest: { events: [] } }).run();
}
