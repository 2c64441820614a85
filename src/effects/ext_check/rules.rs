//! What `e ext check` holds an extension to: every rule under a stable name. The guide (`docs/guides/extend/check.md`) has a
//! row for each, and a test keeps the two together.

use crate::model::wire::ext::HookKind;

macro_rules! table {
    ($(#[$doc:meta])* $enum:ident { $($variant:ident $id:literal $text:literal;)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $enum { $($variant),* }

        impl $enum {
            /// In the order of a report.
            pub const ALL: &[$enum] = &[$($enum::$variant),*];

            /// The stable name.
            pub fn id(self) -> &'static str {
                match self { $($enum::$variant => $id),* }
            }

            /// What it says.
            pub fn text(self) -> &'static str {
                match self { $($enum::$variant => $text),* }
            }
        }
    };
}

table! {
    /// Breaking one is a failure.
    Rule {
        StartEntry "start.entry" "the path is an executable file, or a folder with one entry point";
        StartRuns "start.runs" "the file can be executed";
        InitializeAnswers "initialize.answers" "`initialize` is answered with a manifest within 5 s";
        InitializeName "initialize.name" "the manifest's `name` is a string that is not blank";
        InitializeShape "initialize.shape" "every field of the manifest has its type";
        ToolsNames "tools.names" "a tool's name has 1 to 64 letters, digits, `_` and `-`";
        ToolsUnique "tools.unique" "no tool is declared twice";
        ToolsSchema "tools.schema" "a tool's `parameters` is a JSON Schema object";
        CommandsNames "commands.names" "a command's name has a character, no white space and nothing invisible";
        CommandsUnique "commands.unique" "no command is declared twice";
        FlagsOwn "flags.own" "no flag is one of e's own options";
        ShortcutsChords "shortcuts.chords" "a shortcut is a chord with ctrl or alt that e does not keep for itself";
        ShortcutsUnique "shortcuts.unique" "no chord is declared twice";
        LifeStays "life.stays" "it goes on running behind the handshake";
        FlagsNotified "flags.notified" "it takes the `flags` notification";
        StartupAnswers "startup.answers" "`hook.startup` is answered with a result within 5 s";
        StartupShape "startup.shape" "the startup answer has the right types";
        StartupCalm "startup.calm" "a command line without its flags is not relaunched";
        EventsTaken "events.taken" "it takes every event it declares";
        HookToolCallAnswers "hook.tool_call.answers" "the `tool_call` hook answers every sample with a result";
        HookToolCallShape "hook.tool_call.shape" "its answers are objects with `block` and `reason` of the right types";
        HookInputAnswers "hook.input.answers" "the `input` hook answers every sample with a result";
        HookInputShape "hook.input.shape" "its answers are objects with `consume`, `replace` and `notice` of the right types";
        HookBeforeTurnAnswers "hook.before_turn.answers" "the `before_turn` hook answers every sample with a result";
        HookBeforeTurnShape "hook.before_turn.shape" "its answers are objects with `system_suffix` and `message` of the right types";
        HookToolResultAnswers "hook.tool_result.answers" "the `tool_result` hook answers every sample with a result, long ones too";
        HookToolResultShape "hook.tool_result.shape" "its answers are objects with `content` of the right type";
        HookCompactSummaryAnswers "hook.compact_summary.answers" "the `compact_summary` hook answers with a result";
        HookCompactSummaryShape "hook.compact_summary.shape" "its answers are objects with `summary` of the right type";
        HookRenderAnswers "hook.render.answers" "the `render` hook answers every sample with a result";
        HookRenderShape "hook.render.shape" "its answers are objects with `body` and `format` of the right types";
        ToolCallAnswers "tool_call.answers" "every tool answers good arguments";
        ToolCallShape "tool_call.shape" "a tool's result is an object whose fields have their types";
        ToolCallBadArguments "tool_call.bad_arguments" "every tool answers arguments that are missing, of the wrong type or no JSON";
        ToolCallTogether "tool_call.together" "calls that are open at the same time are each answered";
        ToolUpdateShape "tool.update.shape" "a `tool.update` has a call's `id`, a `stream` and a `chunk` that is not empty";
        ToolUpdateOpen "tool.update.open" "a `tool.update` is for a tool call that is open";
        CommandAnswers "command.answers" "every command answers, with and without arguments";
        CommandShape "command.shape" "a command's result is an object whose fields have their types";
        CompleteAnswers "complete.answers" "`command.complete` is answered with a result within 3 s";
        CompleteShape "complete.shape" "completions are a list of items with a `value`";
        CompleteValues "complete.values" "no completion has an empty `value`";
        ShortcutAnswers "shortcut.answers" "every shortcut answers";
        ShortcutShape "shortcut.shape" "a shortcut's result is an object whose fields have their types";
        NotifyMessage "notify.message" "a `notify` has a message that is not blank";
        RequestMethod "request.method" "every request names a method that e knows";
        RequestId "request.id" "every `ui.*` and `session.*` request has an `id`";
        RequestIds "request.ids" "no two open requests have the same `id`";
        RequestLimit "request.limit" "at most 32 requests are open at once";
        RequestParams "request.params" "a request's params have the right types and can be served";
        DisplayFormat "display.format" "a `format` is text, markdown or diff";
        DisplayDiff "display.diff" "what calls itself a diff is a unified diff";
        LinesShape "lines.shape" "lines of panels, widgets and pane rows are strings or lists of spans";
        PaneSections "pane.sections" "every section of a pane has a kind that e knows, and its content";
        PaneIds "pane.ids" "ids of sections, and of items in a list, are unique";
        PaneSize "pane.size" "a pane's sections fit into 256 KiB";
        UiCancel "ui.cancel" "it takes `{cancelled:true}` and `{confirmed:false}` for an answer";
        UiNone "ui.none" "it takes the error `no ui` for an answer";
        RequestError "request.error" "it takes an error for an answer to any request";
        PanelNotes "panel.notes" "it takes `ui.key` and `ui.panel_closed`";
        PaneNotes "pane.notes" "it takes `pane.select`, `pane.activate`, `pane.key` and `pane.closed`";
        WireJson "wire.json" "every line on stdout is a JSON object";
        WireShape "wire.shape" "every object on stdout is a message of the protocol";
        WireUtf8 "wire.utf8" "every line is UTF-8";
        WireLength "wire.length" "no line is longer than 4 MiB";
        WireIds "wire.ids" "an answer has the id of a request, as the number that came";
        WireOnce "wire.once" "no request is answered twice";
        WireResult "wire.result" "an answer has a `result` or an `error`";
        UnknownMethod "unknown.method" "it outlives a request it does not know; silence and an error are fine";
        UnknownNote "unknown.note" "it outlives a notification and an event it does not know";
        UnknownReply "unknown.reply" "it outlives an answer to nothing it asked";
        ShutdownExits "shutdown.exits" "it exits by itself within 150 ms of `shutdown`";
        ShutdownPipes "shutdown.pipes" "it leaves no process behind that holds its pipes";
        ReloadAgain "reload.again" "started anew, it answers with a manifest of the same name";
        StdinEnd "stdin.end" "it exits when its stdin ends";
    }
}

table! {
    /// Worth a look, and no failure: `e` accepts it, but what was meant may not happen.
    Advice {
        ConfigId "config.id" "an \"id\" key in the extensions' settings misleads extensions that look for \"id\": in a line";
        HooksKnown "hooks.known" "a hook that e does not know is never asked";
        EventsKnown "events.known" "an event that e does not know is never sent";
        RendersAsked "renders.asked" "`renders` and the hook `render` only count together";
        RendersKnown "renders.known" "`renders` takes tool:<name>, tool:*, assistant and *";
        FlagsType "flags.type" "a flag's type is boolean or string; any other is boolean";
        FlagsHelp "flags.help" "a flag whose name is no clean word is shown in help and never parsed";
        TokensKnown "tokens.known" "a token that no theme has is painted plain";
        SizeClipped "size.clipped" "what is over its limit is shown without its end";
        StderrUsed "stderr.used" "every line on stderr is a notice for the person";
    }
}

impl Rule {
    /// The rule about a hook's answering, and the one about its answers.
    pub fn hook(kind: HookKind) -> (Rule, Rule) {
        match kind {
            HookKind::ToolCall => (Rule::HookToolCallAnswers, Rule::HookToolCallShape),
            HookKind::Input => (Rule::HookInputAnswers, Rule::HookInputShape),
            HookKind::BeforeTurn => (Rule::HookBeforeTurnAnswers, Rule::HookBeforeTurnShape),
            HookKind::ToolResult => (Rule::HookToolResultAnswers, Rule::HookToolResultShape),
            HookKind::CompactSummary => (Rule::HookCompactSummaryAnswers, Rule::HookCompactSummaryShape),
            HookKind::Render => (Rule::HookRenderAnswers, Rule::HookRenderShape),
        }
    }
}
