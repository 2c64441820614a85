#!/usr/bin/env node
// gate.mjs: a guard in front of tool calls. It refuses destructive shell commands, and on request asks you before any.
//
// Self-contained: copy it to ~/.e/extensions/ and keep it executable. To be asked, in ~/.e/settings.json:
//
//   {"extensions": {"gate": {"ask": true}}}
//
// Hooks fail open: only an answer with `block: true` stops a call. If this program is slow, broken or gone, every call
// goes through, and `e` says so in the transcript. It is a seat belt, not a sandbox.
//
// With `ask`, a command runs only after a Yes. Where nobody can give one (`e -p`, where every question fails with
// `no ui`), or when the question ends without an answer, it does not run.

// Each is looked for inside one simple command: nothing here reaches over `;`, `&`, `|` or a line's end.
const DESTRUCTIVE = [
  [/\brm(?=[^;&|\n]*\s(-\w*[rR]|--recursive))[^;&|\n]*\s["']?(\/|~|\$\{?HOME\}?|\.\.?)\/?\*?["']?\/?\*?(?=\s|$|[;&|])/, "deletes a whole tree"],
  [/\bgit\b[^;&|\n]*\spush\b[^;&|\n]*\s(--force(?!-with-lease)|-[a-zA-Z]*f\b)/, "overwrites published history"],
  [/\bgit\b[^;&|\n]*\s(reset\b[^;&|\n]*\s--hard|clean\b[^;&|\n]*\s(-[a-zA-Z]*f|--force))/, "throws away uncommitted work"],
  [/\b(mkfs(\.\w+)?|wipefs)\s/, "formats a disk"],
  [/\bdd\b[^;&|\n]*\sof=\/dev\/|>\s*\/dev\/(sd|nvme|hd|disk)/, "overwrites a disk"],
  [/(^|[;&|\n]|\bsudo\b)\s*(shutdown|reboot|halt|poweroff)\b/, "stops the machine"],
  [/:\s*\(\s*\)\s*\{[^}]*:\s*\|\s*:/, "is a fork bomb"],
];

let ask = false;
let asked = 0;
const waiting = new Map(); // our own questions: id → what to do with e's answer

const send = (message) => process.stdout.write(JSON.stringify(message) + "\n");

function request(method, params) {
  return new Promise((resolve) => {
    const id = `gate-${++asked}`;
    waiting.set(id, resolve);
    send({ id, method, params });
  });
}

// What could hide in the text is written out: you decide on what you see.
const visible = (text) =>
  text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (c) =>
    c === "\n" || c === "\t" ? c : `<U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}>`,
  );

async function allowed(command) {
  const whole = command.length <= 60 && !command.includes("\n");
  // A question has room for sixty characters. A longer command is shown first, whole, so that its end is seen too.
  if (!whole) {
    const body = visible(command);
    if (Buffer.byteLength(body) > 64 * 1024) return { error: "it is too long to be shown" };
    const { error } = await request("ui.show", { title: "A command asks to run:", body, format: "text" });
    if (error) return { error };
  }
  // The time you think is not counted against the hook's five seconds.
  return request("ui.confirm", { title: "Run this command?", message: whole ? command : "the one shown above" });
}

async function verdict({ name, arguments: args }) {
  if (name !== "bash") return { block: false };
  // Arguments that were not JSON come as one string; what would run is somewhere in it.
  const command = typeof args === "string" ? args : args?.command;
  if (typeof command !== "string") return { block: false };
  const why = DESTRUCTIVE.find(([pattern]) => pattern.test(command))?.[1];
  if (why) return { block: true, reason: `gate: this command ${why}. Ask the user to run it.` };
  if (!ask) return { block: false };
  const { result, error } = await allowed(command);
  if (result?.confirmed === true) return { block: false };
  const reason = error ? `nobody could be asked about this command (${error})` : "the user did not allow this command";
  return { block: true, reason: `gate: ${reason}` };
}

async function hear({ id, method, params, result, error }) {
  switch (method) {
    case "initialize":
      ask = params.extensions_config?.gate?.ask === true;
      return send({ id, result: { name: "gate", version: "1.0", hooks: ["tool_call"], events: [] } });
    case "hook.tool_call":
      // Calls run together, so several questions can be open: never await in the read loop.
      return send({ id, result: await verdict(params) });
    case "shutdown":
      return process.exit(0);
    case undefined:
      waiting.get(id)?.({ result, error });
      waiting.delete(id);
  }
}

let held = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (held + chunk).split("\n");
  held = lines.pop();
  for (const line of lines) hear(JSON.parse(line));
});
process.stdin.on("end", () => process.exit(0));
