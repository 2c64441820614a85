#!/usr/bin/env node
// hello.mjs: every surface at once. A command, a tool, configuration, an input hook and session naming.
//
// It stands on scaffold.mjs, so install both as one directory named like the entry point:
//
//   mkdir -p ~/.e/extensions/hello
//   cp hello.mjs scaffold.mjs ~/.e/extensions/hello/
//
// The greeting is configured in ~/.e/settings.json: {"extensions": {"hello": {"greeting": "Ahoy"}}}

import { connect } from "./scaffold.mjs";

let greeting = "Hello";
const greet = (who) => (who ? `${greeting}, ${who}!` : `${greeting}!`);

const manifest = {
  name: "hello",
  version: "1.0",
  tools: [
    {
      name: "say_hello",
      description: "Greets a person by name.",
      parameters: {
        type: "object",
        properties: { name: { type: "string", description: "who is greeted" } },
        required: ["name"],
      },
      // The row reads "Greeting Ada" while it runs, and "Greeted Ada" after.
      label: { category: "greeting", running: "Greeting", completed: "Greeted", target: "name" },
    },
  ],
  // `arguments` is the hint in the / picker, and makes it wait for them instead of running at once.
  commands: [{ name: "hello", description: "say hello; with a name, call the session after it", arguments: "[name]" }],
  hooks: ["input"],
  events: [], // without this line e would send turn_end
};

const { run } = connect({
  manifest,
  handlers: {
    // The configuration of all extensions comes in one object; ours is under our name. People edit it, so check it.
    initialize({ extensions_config: config }) {
      if (typeof config?.hello?.greeting === "string") greeting = config.hello.greeting;
    },

    command({ args }) {
      const who = args.trim();
      return who ? { notice: greet(who), session_name: `hello ${who}` } : { notice: greet() };
    },

    // `arguments` cannot be a variable's name in a module, so it is taken under another one. It is whatever the model
    // wrote: an object most of the time, a string when that was not JSON.
    tool({ arguments: args }, { update }) {
      const who = args?.name;
      if (typeof who !== "string" || !who.trim()) return { content: "`name` is missing", is_error: true };
      update("clearing my throat\n"); // shown under the row while the tool runs
      return { content: greet(who.trim()), summary: "waved" };
    },

    // Exact lines only: a hook that is too eager takes words out of people's mouths.
    hookInput({ text }) {
      if (text === "greet me") return { replace: "Greet me by name with say_hello." };
      if (text === "psst") return { consume: true, notice: "psst: heard, and kept from the model" };
    },
  },
});

run();
