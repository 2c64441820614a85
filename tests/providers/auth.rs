//! `auth.json` and variables: private, merged, never lost, never shown.

use std::os::unix::fs::PermissionsExt;

use e::effects::auth::{Access, Auth, Source};
use e::effects::catalog;
use e::effects::home::Home;
use e::effects::secrets::Secrets;

use super::wire::env;

struct World {
    dir: tempfile::TempDir,
    home: Home,
    secrets: Secrets,
}

impl World {
    fn new(auth: Option<&str>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        if let Some(text) = auth {
            std::fs::write(dir.path().join("auth.json"), text).unwrap();
        }
        World { home: Home::at(dir.path(), dir.path()), dir, secrets: Secrets::default() }
    }

    fn load(&self, pairs: &[(&str, &str)]) -> (Auth, Vec<String>) {
        let (auth, complaints) = Auth::load(&self.home, env(pairs), self.secrets.clone());
        catalog::load(&self.home, &auth);
        (auth, complaints.iter().map(ToString::to_string).collect())
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.dir.path().join("auth.json")).unwrap()
    }
}

fn key(auth: &Auth, provider: &str) -> Option<String> {
    match auth.access(provider) {
        Access::Key(key) => Some(key.expose().to_owned()),
        Access::Keyless | Access::Missing { .. } => None,
    }
}

#[test]
fn the_stored_key_wins_over_the_variable_and_both_are_secrets() {
    let world = World::new(Some("\u{feff}{\"providers\": {\"anthropic\": {\"key\": \" stored-key-1 \"}}}"));
    let (auth, complaints) = world.load(&[
        ("ANTHROPIC_API_KEY", "variable-key-1"),
        ("OPENAI_API_KEY", "variable-key-2"),
        ("GEMINI_API_KEY", "  "),
    ]);
    assert_eq!(complaints, [] as [String; 0]);
    assert_eq!(key(&auth, "anthropic").as_deref(), Some("stored-key-1"));
    assert_eq!(key(&auth, "openai").as_deref(), Some("variable-key-2"));
    assert_eq!(auth.access("google"), Access::Missing { variable: Some("GEMINI_API_KEY".into()) });
    assert_eq!(auth.access("ollama"), Access::Keyless);
    let masked = world.secrets.mask("stored-key-1 variable-key-1 variable-key-2");
    assert!(masked.chars().all(|c| c == '*' || c == ' '), "{masked}");
    let shown = format!("{auth:?} {:?}", auth.access("anthropic"));
    assert!(!shown.contains("key-1"), "{shown}");
    let catalog = catalog::load(&world.home, &auth);
    let source = |name: &str| auth.source(catalog.providers.iter().find(|p| &*p.name == name).unwrap());
    assert_eq!(
        (source("anthropic"), source("openai"), source("groq")),
        (Some(Source::Stored), Some(Source::Variable("OPENAI_API_KEY".into())), None)
    );
}

#[test]
fn storing_merges_keeps_comments_and_makes_the_file_private() {
    let world = World::new(Some(
        "// my keys\n{\"format_version\": 1, \"note\": 1, \"providers\": {\"openai\": {\"key\": \"old-key-0000\", \"org\": \"x\"}}}",
    ));
    let (auth, _) = world.load(&[]);
    // Another process writes in between.
    let (other, _) = world.load(&[]);
    assert_eq!(other.store("groq", "groq-key-1111"), Ok(None));
    assert_eq!(auth.store("openai", " new-key-2222\n"), Ok(None));
    let text = world.text();
    for kept in ["// my keys", "\"note\": 1", "\"org\": \"x\"", "groq-key-1111", "new-key-2222"] {
        assert!(text.contains(kept), "{text}");
    }
    assert!(!text.contains("old-key-0000"));
    let mode = std::fs::metadata(world.dir.path().join("auth.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(key(&auth, "openai").as_deref(), Some("new-key-2222"));
    assert_eq!(world.secrets.mask("new-key-2222"), "************");
    assert_eq!(auth.remove("openai"), Ok(true));
    assert_eq!((auth.remove("openai"), key(&auth, "openai")), (Ok(false), None));
    assert!(world.text().contains("groq-key-1111"));
}

#[test]
fn a_loose_file_becomes_private_when_read() {
    let world = World::new(Some("{}"));
    let path = world.dir.path().join("auth.json");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    world.load(&[]);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_corrupt_file_is_moved_aside_and_a_newer_one_left_alone() {
    let world = World::new(Some("{\"providers\": {\"openai\": {\"key\": \"precious-key-1\"}}"));
    let (auth, complaints) = world.load(&[]);
    assert!(complaints[0].starts_with("auth.json:1:"), "{complaints:?}");
    let notice = auth.store("groq", "groq-key-1111").unwrap().unwrap();
    assert!(notice.contains("corrupt"), "{notice}");
    let aside = std::fs::read_dir(world.dir.path())
        .unwrap()
        .flatten()
        .find(|e| e.file_name().to_string_lossy().contains(".corrupt-"))
        .unwrap();
    assert!(std::fs::read_to_string(aside.path()).unwrap().contains("precious-key-1"));
    assert!(world.text().contains("groq-key-1111"));

    let newer = "{\"format_version\": 2, \"vault\": true}";
    let world = World::new(Some(newer));
    let (auth, _) = world.load(&[]);
    let refused = auth.store("groq", "groq-key-1111").unwrap_err();
    assert!(refused.contains("newer"), "{refused}");
    assert_eq!(world.text(), newer);
}

#[test]
fn wrong_entries_cost_themselves_alone_and_keys_are_never_quoted() {
    let world = World::new(Some(
        "{\"providers\": {\"a\": {\"key\": 7}, \"b\": {}, \"groq\": {\"key\": \"groq-key-1111\"}}}",
    ));
    let (auth, complaints) = world.load(&[]);
    assert_eq!(
        complaints,
        ["auth.json:1:29: a's key must be a string, not 7", "auth.json:1:33: b has no \"key\""]
    );
    assert_eq!(key(&auth, "groq").as_deref(), Some("groq-key-1111"));
    assert!(auth.store("groq", "  ").is_err());
    assert!(auth.store("groq", "two words").is_err());
    assert!(auth.store("groq", "kéy-kéy-kéy").is_err());
}
