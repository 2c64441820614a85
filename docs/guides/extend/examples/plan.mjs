#!/usr/bin/env node
// plan.mjs: a plan mode. The model looks around and plans, you decide, and only then does it work.
//
//   /plan, ctrl+alt+p      turn plan mode on, and off again (also /plan off)
//   /plan <task>           turn it on and start with that task
//   e --plan               start in it
//
// It stands on scaffold.mjs, so install both as one directory named like the entry point:
//
//   mkdir -p ~/.e/extensions/plan
//   cp plan.mjs scaffold.mjs ~/.e/extensions/plan/
//
// In plan mode `session.tools` leaves the model nothing that changes files: e enforces it, whatever the model tries. The
// model hands its plan to the tool `plan`, which opens a pane. When its turn ends, ui.select asks what happens next. While
// the plan is carried out the same tool ticks off steps, and a panel shows how far it is.
//
// It keeps one plan, so it is made for the terminal and not for several sessions in one `e rpc`.

import { connect } from "./scaffold.mjs";

const LOOK = ["read", "grep", "read_result", "plan"];

const manifest = {
  name: "plan",
  version: "1.0",
  tools: [
    {
      name: "plan",
      description:
        "Shows the user a plan, or how far it is. Send the whole plan each time: every step in order, `done` once it is carried out.",
      parameters: {
        type: "object",
        properties: {
          title: { type: "string", description: "the goal, in a few words" },
          steps: {
            type: "array",
            items: {
              type: "object",
              properties: {
                step: { type: "string", description: "what is done, in one line" },
                detail: { type: "string", description: "files, risks, how it is checked; markdown" },
                done: { type: "boolean" },
              },
              required: ["step"],
            },
          },
        },
        required: ["title", "steps"],
      },
      label: { category: "plan", running: "Planning", completed: "Planned", target: "title" },
    },
  ],
  commands: [{ name: "plan", description: "plan first, change files later", arguments: "[task]" }],
  flags: [{ name: "plan", type: "boolean", description: "start in plan mode" }],
  hooks: ["before_turn"],
  events: ["session_start", "turn_end"],
  shortcuts: [{ key: "ctrl+alt+p", description: "plan mode on or off" }],
};

let planning = false;
let plan = null; // { title, steps: [{ step, detail, done }] }
let fresh = false; // a plan came in this turn, and nobody decided on it yet
let panelShut = false; // the user closed the panel: it stays closed until there is another plan
let ready = null; // what `--plan` has begun

// Where nothing can be shown (`e -p`), e refuses each of these. Plan mode works all the same, so that is no failure.
const paint = (request) => request.catch(() => {});

const done = () => plan.steps.filter((step) => step.done).length;
const finished = () => plan === null || done() === plan.steps.length;

function status() {
  const text = planning ? "plan mode" : finished() ? null : `plan ${done()}/${plan.steps.length}`;
  return paint(ui.status({ text }));
}

function pane(selected) {
  const items = plan.steps.map(({ step }, at) => ({ id: String(at), label: `${at + 1}. ${step}` }));
  const body = plan.steps.map(({ step, detail }, at) => `**${at + 1}. ${step}**\n\n${detail}`).join("\n\n");
  const sections = [
    { kind: "list", id: "steps", items, selected },
    { kind: "markdown", id: "details", title: "Details", body },
  ];
  return paint(ui.pane({ id: "plan", title: plan.title, hint: "enter: comment on a step · esc: close", sections }));
}

function panel() {
  if (finished()) return paint(ui.panel(null));
  if (panelShut) return;
  // The first step that is not done is the one in hand.
  const current = plan.steps.findIndex((step) => !step.done);
  const lines = plan.steps.map(({ step, done }, at) => [
    { text: done ? "✓ " : at === current ? "▸ " : "· ", token: done ? "success" : at === current ? "accent" : "dim" },
    { text: step, token: at === current ? "text" : "dim" },
  ]);
  return paint(ui.panel({ title: plan.title, lines }));
}

async function enter() {
  await session.tools({ names: LOOK });
  planning = true;
  await status();
}

async function leave() {
  await session.tools({ names: null });
  planning = false;
  await status();
}

async function toggle() {
  await (planning ? leave() : enter());
  return { notice: planning ? "plan mode: the model can look, and changes nothing" : "plan mode is off" };
}

// Asked when a turn in plan mode has brought a plan.
async function decide() {
  fresh = false;
  const { value } = await ui.select({
    title: plan.title,
    options: [
      { label: "Carry it out", value: "go", description: "with all tools" },
      { label: "Go on planning", value: "stay", description: "say what to change" },
      { label: "Leave plan mode", value: "leave", description: "keep the plan for later" },
    ],
  });
  if (value === "leave") await leave();
  if (value !== "go") return; // a cancelled question is no permission
  await leave();
  await paint(ui.pane(null));
  await panel();
  await session.send({ content: "Carry out the plan. After each step, call `plan` with that step done." });
}

// The model's steps, as far as they can be used.
function read(args) {
  const steps = (Array.isArray(args?.steps) ? args.steps : [])
    .map((step) => (typeof step === "string" ? { step } : step))
    .filter((step) => typeof step?.step === "string" && step.step.trim())
    .map(({ step, detail, done }) => ({ step, detail: typeof detail === "string" ? detail : "", done: done === true }));
  return steps.length ? { title: typeof args.title === "string" && args.title.trim() ? args.title : "Plan", steps } : null;
}

const { ui, session, flag, run } = connect({
  manifest,
  handlers: {
    async command({ args }) {
      const task = args.trim();
      if (!task || (task === "off" && planning)) return toggle();
      await enter();
      return { prompt: task };
    },

    shortcut: toggle,

    async beforeTurn() {
      await ready; // e waits for this answer, so the first turn cannot outrun `--plan`
      if (planning) {
        return {
          system_suffix:
            "Plan mode: change nothing. Look around with read and grep, then call `plan` once with the whole plan and stop.",
        };
      }
    },

    async tool({ arguments: args }) {
      const sent = read(args);
      if (!sent) return { content: "`steps` needs at least one object with a `step`", is_error: true };
      if (planning) panelShut = false;
      plan = sent;
      fresh = planning;
      await (planning ? pane() : panel());
      await status();
      const count = `${done()}/${plan.steps.length} done`;
      return {
        content: planning ? "The user sees the plan and will decide. Stop here." : count,
        summary: planning ? `${plan.steps.length} steps` : count,
      };
    },

    async event({ name, extra }) {
      if (name === "turn_end" && planning && fresh && !extra.aborted) await decide();
      if (name !== "session_start") return;
      if (extra.reason === "startup" && flag("plan")) ready = enter().catch(() => {});
      // Another conversation: e has lifted the narrowing, and what we show is about the old one. A fork keeps both.
      if (extra.reason === "new" || extra.reason === "resume") {
        planning = fresh = false;
        plan = null;
        await Promise.all([status(), paint(ui.panel(null)), paint(ui.pane(null))]);
      }
    },

    // Enter on a step: a comment on it begins in the composer.
    paneActivate({ section, id }) {
      if (section === "steps" && plan?.steps[id]) return ui.compose({ text: `Step ${Number(id) + 1} of the plan: ` });
    },

    panelClosed() {
      panelShut = true;
    },
  },
});

run();
