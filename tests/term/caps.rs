//! What is judged from the environment (G18, G25).

use e::model::term::{Caps, ColorDepth, Multiplexer, Rgb, Scheme};
use std::collections::BTreeMap;

fn caps(vars: &[(&str, &str)]) -> Caps {
    let env: BTreeMap<String, String> =
        vars.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    Caps::from_env(&env)
}

#[test]
fn g18_colour_depth_follows_the_evidence() {
    let depth = |vars: &[(&str, &str)]| caps(vars).colors;
    assert_eq!(depth(&[("TERM", "xterm-256color")]), ColorDepth::Ansi256);
    assert_eq!(
        depth(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "Apple_Terminal"), ("COLORTERM", "truecolor")]),
        ColorDepth::Ansi256
    );
    assert_eq!(depth(&[("TERM", "xterm")]), ColorDepth::Ansi16);
    assert_eq!(depth(&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")]), ColorDepth::True);
    assert_eq!(depth(&[("TERM", "xterm-256color"), ("COLORTERM", "24bit")]), ColorDepth::True);
    assert_eq!(depth(&[("TERM", "xterm-kitty")]), ColorDepth::True);
    assert_eq!(depth(&[("TERM", "xterm-256color"), ("NO_COLOR", "1")]), ColorDepth::None);
    assert_eq!(depth(&[("TERM", "xterm-256color"), ("NO_COLOR", "")]), ColorDepth::Ansi256);
}

#[test]
fn g18_a_dumb_terminal_gets_no_sequences_at_all() {
    for vars in [&[("TERM", "dumb")][..], &[][..], &[("TERM", "dumb"), ("COLORTERM", "truecolor")][..]] {
        let caps = caps(vars);
        assert!(caps.dumb);
        assert_eq!(caps.colors, ColorDepth::None);
        assert!(!caps.synchronized && !caps.kitty_keys && !caps.hyperlinks && !caps.osc);
    }
    assert!(!caps(&[("TERM", "xterm"), ("NO_COLOR", "1")]).dumb);
}

#[test]
fn the_surroundings_are_seen() {
    assert!(caps(&[("TERM", "xterm"), ("SSH_CONNECTION", "1 2 3 4")]).remote);
    assert!(!caps(&[("TERM", "xterm")]).remote);
    let tmux = caps(&[("TERM", "tmux-256color"), ("TMUX", "/tmp/t,1,0")]);
    assert_eq!(tmux.multiplexer, Multiplexer::Tmux);
    assert!(tmux.modify_other_keys && tmux.reflow);
    assert_eq!(caps(&[("TERM", "screen"), ("STY", "1.pts")]).multiplexer, Multiplexer::Screen);
    assert!(caps(&[("TERM", "xterm-256color"), ("VTE_VERSION", "7600")]).reflow);
    assert!(!caps(&[("TERM", "xterm-256color")]).reflow);
}

#[test]
fn a_background_names_its_scheme() {
    assert_eq!(Rgb(0, 0, 0).scheme(), Scheme::Dark);
    assert_eq!(Rgb(16, 32, 48).scheme(), Scheme::Dark);
    assert_eq!(Rgb(253, 246, 227).scheme(), Scheme::Light);
}
