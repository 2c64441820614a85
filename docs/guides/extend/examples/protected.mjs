#!/usr/bin/env node
// protected.mjs: keeps credentials out of the conversation. A call of read, write, edit, grep or bash that names
// ~/.ssh, ~/.aws, ~/.gnupg, .env*, *.pem or *.key is refused.
//
// Self-contained: copy it to ~/.e/extensions/ and keep it executable.
//
// gate.mjs is about what a command destroys; this is about what gets read into the context or written to disk. It goes
// by what is written in the call, so it stops the ordinary mistake and not a command that hides a name. Hooks fail open:
// only `block: true` stops a call.

const TOOLS = new Set(["read", "write", "edit", "grep", "bash"]);

// In front: the start, or what cannot belong to a name, so that `process.env` is no file. Behind: the name's end, so that
// neither `.sshrc` nor `server.keys` nor `cert.pem.txt` counts.
const BEFORE = String.raw`(?<![\w.)\]])`;
const AFTER = String.raw`(?![\w-]|\.\w)`;
const PROTECTED = new RegExp(
  [
    String.raw`${BEFORE}\.(?:ssh|aws|gnupg)${AFTER}`,
    String.raw`${BEFORE}\.env[\w.*?-]*`,
    String.raw`[\w*?\])}-]\.(?:pem|key)${AFTER}`,
  ].join("|"),
  "i", // some file systems do not tell .PEM from .pem
);

function verdict({ name, arguments: args }) {
  if (!TOOLS.has(name)) return { block: false };
  // Arguments that were not JSON come as one string.
  const told = typeof args === "string" ? [args] : [args?.path, args?.glob, name === "bash" && args?.command];
  for (const text of told) {
    const found = typeof text === "string" && text.match(PROTECTED);
    if (found) {
      return { block: true, reason: `protected: \`${found[0]}\` looks like credentials. Ask the user for what you need.` };
    }
  }
  return { block: false };
}

function hear({ id, method, params }) {
  if (method === "initialize") {
    send({ id, result: { name: "protected", version: "1.0", hooks: ["tool_call"], events: [] } });
  } else if (method === "hook.tool_call") {
    send({ id, result: verdict(params) });
  } else if (method === "shutdown") {
    process.exit(0);
  }
}

const send = (message) => process.stdout.write(JSON.stringify(message) + "\n");

let held = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (held + chunk).split("\n");
  held = lines.pop();
  for (const line of lines) hear(JSON.parse(line));
});
process.stdin.on("end", () => process.exit(0));
