//! How serious a line for the person is.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    #[default]
    Info,
    Warning,
    Error,
}
