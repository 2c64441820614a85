//! protected.mjs: calls that name credentials are refused.

use e::model::wire::ext::HookKind;
use serde_json::{Value, json};

use super::answers::{allows, gated};
use super::rig::{Bundle, here};

#[test]
fn protected_refuses_credentials_in_path_glob_and_command() {
    if !here("node") {
        return;
    }
    let (mut ext, manifest) = Bundle::shipped(&["protected.mjs"]).greeted();
    assert_eq!(manifest.hooks.iter().collect::<Vec<_>>(), [&HookKind::ToolCall]);
    let names = [
        "~/.ssh/id_ed25519",
        "/home/ada/.aws/credentials",
        ".gnupg",
        ".env",
        "app/.env.local",
        ".envrc",
        "certs/server.pem",
        "*.pem",
        "tls/SERVER.KEY",
    ];
    let mut refused = |tool: &str, arguments: Value| {
        let answer = allows(&ext.hook(gated(tool, arguments.clone())));
        let reason = answer.expect_err(&format!("{tool} {arguments}"));
        assert!(reason.starts_with("protected: `") && reason.contains("looks like credentials"), "{reason}");
    };
    for name in names {
        for tool in ["read", "write", "edit", "grep"] {
            refused(tool, json!({"path": name}));
        }
        refused("grep", json!({"pattern": "x", "path": ".", "glob": format!("**/{name}")}));
        refused("bash", json!({"command": format!("cat '{name}' | head")}));
        refused("bash", json!({"command": format!("cp {name}; ls")}));
        refused("read", json!(format!("{{\"path\": \"{name}\"")));
    }
    ext.shutdown();
}

#[test]
fn protected_looks_at_what_stands_around_a_name() {
    if !here("node") {
        return;
    }
    let (mut ext, _) = Bundle::shipped(&["protected.mjs"]).greeted();
    for name in [
        "~/.sshrc",
        ".ssh-notes",
        "my.ssh",
        "server.keys",
        "src/keyboard.rs",
        "cert.pem.txt",
        "environment.ts",
        "prod.env",
        "node -e 'process.env.HOME'",
        "jq .key a.json",
    ] {
        for tool in ["read", "bash"] {
            let arguments = json!({"path": name, "command": name});
            assert_eq!(allows(&ext.hook(gated(tool, arguments))), Ok(()), "{tool} {name}");
        }
    }
    // Another tool's arguments, what is written into a file, and what is no text are not its business.
    assert_eq!(allows(&ext.hook(gated("deploy", json!({"path": ".env"})))), Ok(()));
    assert_eq!(allows(&ext.hook(gated("write", json!({"path": "a.md", "content": "see .env"})))), Ok(()));
    assert_eq!(allows(&ext.hook(gated("read", json!({"path": "a.md", "command": ".env"})))), Ok(()));
    for odd in [json!(null), json!({"path": 1}), json!({"path": [".env"]}), json!({})] {
        assert_eq!(allows(&ext.hook(gated("read", odd))), Ok(()));
    }
    assert!(ext.settled().is_empty(), "it asks for nothing");
    ext.abandoned();
}
