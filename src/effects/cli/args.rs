//! The command line's grammar (`cli.md`).

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// A coding agent for the terminal.
#[derive(Debug, Parser)]
#[command(
    name = "e",
    version,
    about = "A coding agent for the terminal",
    after_help = "A lone word that looks like a command is not sent as a prompt; `e -- <text>` always is.",
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = false
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub options: Options,
    /// The first prompt
    #[arg(value_name = "MESSAGE")]
    pub message: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Options {
    /// Continue this directory's latest session
    #[arg(short = 'c', long = "continue")]
    pub continue_: bool,
    /// Pick a saved session
    #[arg(short = 'r', long = "resume")]
    pub resume: bool,
    /// One turn without a terminal: the prompt is the argument, piped stdin, or both
    #[arg(short, long)]
    pub print: bool,
    /// With -p: one JSON event a line
    #[arg(short, long)]
    pub json: bool,
    /// The model, as provider/model
    #[arg(short, long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Reasoning effort, one of the model's levels
    #[arg(long, visible_alias = "ef", value_name = "LEVEL")]
    pub effort: Option<String>,
    /// Attach an image (repeatable)
    #[arg(short, long = "image", value_name = "PATH")]
    pub images: Vec<String>,
    /// Load a package for this run (repeatable)
    #[arg(short = 'P', long = "package", value_name = "SOURCE")]
    pub packages: Vec<String>,
    /// Start no extensions
    #[arg(long, visible_alias = "ne")]
    pub no_extensions: bool,
    /// Offer the model no tools
    #[arg(long, visible_alias = "nt")]
    pub no_tools: bool,
    /// Do not save the session
    #[arg(long, visible_alias = "ns")]
    pub no_save: bool,
}

/// Hidden are those that this version does not have yet.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// A guided session in a scratch project, without a key or a network
    Tour,
    /// The built-in guides
    Docs {
        /// One of the topics that `e docs` lists
        topic: Option<String>,
    },
    /// Trust a directory's instructions (default: this one)
    Trust { dir: Option<String> },
    /// Refuse a directory's instructions (default: this one)
    Untrust { dir: Option<String> },
    /// Where each provider's key comes from
    Auth,
    /// The providers and their models
    Providers,
    /// Diagnostics that are safe to paste
    Doctor {
        /// Try no connection
        #[arg(long)]
        no_network: bool,
    },
    /// Check settings, models, layout, keybindings and themes
    Check,
    /// Print a shell's completion script
    Completions { shell: clap_complete::Shell },
    /// The headless session server over stdin and stdout
    #[command(hide = true)]
    Rpc,
    /// Why the screen is as it is
    Layout {
        #[command(subcommand)]
        command: LayoutCommand,
    },
    /// Whether a theme can be read
    Theme {
        #[command(subcommand)]
        command: ThemeCommand,
    },
    /// Install a package, or all that settings list
    #[command(hide = true)]
    Install { source: Option<String> },
    /// Remove a package
    #[command(hide = true)]
    Remove { source: String },
    /// List packages, or begin a new one
    #[command(hide = true)]
    Packages {
        #[command(subcommand)]
        command: Option<PackagesCommand>,
    },
    /// Work on an extension
    Ext {
        #[command(subcommand)]
        command: ExtCommand,
    },
}

#[derive(Debug, Subcommand)]
pub enum LayoutCommand {
    /// Draw the parts of the screen, and name the file and line that decided each
    Explain {
        /// The screen's size, as WxH (default: this terminal's)
        #[arg(long, value_name = "WxH")]
        size: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub enum ThemeCommand {
    /// Its tokens, and the contrast of every pair of colours that is painted (default: every theme there is)
    Check { name: Option<String> },
}

#[derive(Debug, Subcommand)]
pub enum PackagesCommand {
    /// Write a new package that works at once
    Init { dir: String },
}

#[derive(Debug, Subcommand)]
pub enum ExtCommand {
    /// Drive an extension through the whole protocol, and tell what it gets wrong
    Check {
        /// The extension's file, or the folder of a bundle
        path: PathBuf,
        /// A JSON report
        #[arg(long)]
        json: bool,
        /// Send the `extensions` of this settings file to it (default: none)
        #[arg(long, value_name = "FILE")]
        settings: Option<PathBuf>,
        /// Wait that long for an answer, where its own deadline is longer
        #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=300))]
        patience: u64,
    },
}
