//! The words on the screen that a person may prefer otherwise: each a settings key with a default (`surfaces.md`).

use std::sync::Arc;

/// One wording.
#[derive(Debug, Clone, Copy)]
pub struct Word {
    pub key: &'static str,
    pub default: &'static str,
    pub meaning: &'static str,
}

macro_rules! words {
    ($($key:ident = $default:literal, $meaning:literal;)*) => {
        /// The wordings in force; a field is named as its settings key.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Words {
            $(#[doc = $meaning] pub $key: Arc<str>,)*
        }

        impl Default for Words {
            fn default() -> Self {
                Words { $($key: Arc::from($default),)* }
            }
        }

        /// All of them, for the reader and for `e docs settings`.
        pub const WORDS: &[Word] = &[
            $(Word { key: stringify!($key), default: $default, meaning: $meaning },)*
        ];

        impl Words {
            pub fn get(&self, key: &str) -> Option<&Arc<str>> {
                match key {
                    $(stringify!($key) => Some(&self.$key),)*
                    _ => None,
                }
            }

            /// Changes one; an unknown key changes nothing.
            pub fn set(&mut self, key: &str, text: &str) {
                match key {
                    $(stringify!($key) => self.$key = Arc::from(text),)*
                    _ => {}
                }
            }
        }
    };
}

words! {
    phase_thinking = "Thinking", "the activity row while the model is asked";
    phase_tools = "Working", "the activity row while tools run";
    phase_compacting = "Compacting", "the activity row while the history is summarised";
    phase_retry = "Retrying {attempt}/{limit} in {seconds}s: {cause}", "the activity row before asking again";
    phase_hook = "Waiting for {name}", "the activity row while an extension is asked";
    thinking_hint = "Thinking · ctrl+o to view", "the line that stands for hidden reasoning";
    tool_history_hint = "{count} earlier calls · ctrl+o to view", "the line that stands for earlier tools of a group";
    interrupt_hint = "esc to interrupt", "the right end of the activity row";
    no_answer_message = "The model ended without an answer. Ask it to continue.", "the warning when only reasoning came";
    exit_hint = "ctrl+c again to quit", "the status row after one ctrl+c";
    scroll_hint = "Scrolled · end to follow", "the status row while reading back";
}

/// Puts values into a wording: `{name}` becomes the value, an unknown `{name}` stays as it is.
pub fn fill(wording: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(wording.len());
    let mut rest = wording;
    while let Some((head, tail)) = rest.split_once('{') {
        out.push_str(head);
        let found = values
            .iter()
            .find_map(|(name, value)| tail.strip_prefix(name)?.strip_prefix('}').map(|after| (value, after)));
        match found {
            Some((value, after)) => {
                out.push_str(value);
                rest = after;
            }
            None => {
                out.push('{');
                rest = tail;
            }
        }
    }
    out + rest
}
