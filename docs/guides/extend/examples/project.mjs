#!/usr/bin/env node
// project.mjs: `e --project <directory>` starts e in another directory, from wherever you are.
//
// It stands on scaffold.mjs, so install both as one directory named like the entry point:
//
//   mkdir -p ~/.e/extensions/project
//   cp project.mjs scaffold.mjs ~/.e/extensions/project/
//
// A startup hook can have e replaced by the same e in another directory. It cannot name another program.

import { statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { connect } from "./scaffold.mjs";

// The relaunched e asks again, with the same arguments: without a guard it would relaunch forever. The variable holds the
// pid of the e that was relaunched. A relaunch keeps the pid, so exactly its next start is recognised, and neither an e
// that runs inside a tool nor one started later from the same shell.
const GUARD = "E_PROJECT_RELAUNCHED";

const { run } = connect({
  manifest: {
    name: "project",
    version: "1.0",
    flags: [{ name: "project", type: "string", description: "start in this directory" }],
    hooks: ["startup"],
    events: [],
  },
  handlers: {
    startup({ cwd, argv, flags }) {
      if (process.env[GUARD] === String(process.ppid)) return { argv, env: { [GUARD]: null } };
      if (!Object.hasOwn(flags, "project")) return;
      // null: passed without a value. What is thrown here stops the launch, which is right: the rest of the command line
      // was meant for another directory.
      if (!flags.project) throw new Error("--project needs a directory, as in `e --project ~/code/app`");
      const directory = resolve(cwd, flags.project.replace(/^~(?=\/|$)/, homedir()));
      if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
        throw new Error(`--project: there is no directory ${directory}`);
      }
      // --project itself may stay in argv: e takes the flags it has parsed out of it.
      return { argv, relaunch: { cwd: directory, env: { [GUARD]: String(process.ppid) } } };
    },
  },
});

run();
