//! Writes a session's page beside the work it tells of. A file that is there is never overwritten.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::effects::home::{Home, private, said};
use crate::model::msg::FilesMsg;
use crate::model::session::export::{self, Page};

/// Names tried where the page's own is taken.
const TRIES: u32 = 1000;

/// `wish` is a path as a person types it: a file, a folder for the usual name, or nothing.
pub fn write(home: &Home, cwd: &str, wish: Option<&str>, page: &Page) -> FilesMsg {
    let name = export::file_name(&page.title);
    let wished = wish.map(|wish| Path::new(cwd).join(super::expand(wish, home.user())));
    let made = match wished {
        Some(path) if !path.is_dir() => {
            private::create_new(&path).map(|file| (file, path.clone())).map_err(|e| (e, path))
        }
        folder => fresh(&folder.unwrap_or_else(|| PathBuf::from(cwd)), &name),
    };
    let written = made.and_then(|(file, path)| match fill(file, &export::html(page)) {
        Ok(()) => Ok(path),
        Err(error) => {
            // Half a page would look like a whole one.
            let _still_there = fs::remove_file(&path);
            Err((error, path))
        }
    });
    match written {
        Ok(path) => FilesMsg::Exported { path: Arc::from(home.show(&path)) },
        Err((error, path)) => FilesMsg::Failed { error: refusal(&error, &home.show(&path)).into() },
    }
}

fn fill(mut file: File, page: &str) -> io::Result<()> {
    file.write_all(page.as_bytes())?;
    file.sync_all()
}

/// A new file of that name in a folder, numbered where it is taken.
fn fresh(folder: &Path, name: &str) -> Result<(File, PathBuf), (io::Error, PathBuf)> {
    let stem = name.strip_suffix(".html").unwrap_or(name);
    let mut number = 1;
    loop {
        let path = folder.join(if number == 1 { name.to_owned() } else { format!("{stem}-{number}.html") });
        match private::create_new(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < TRIES => number += 1,
            Err(error) => return Err((error, path)),
        }
    }
}

fn refusal(error: &io::Error, path: &str) -> String {
    match error.kind() {
        ErrorKind::AlreadyExists => {
            format!("{path} is there already and was left alone. Give /export another name.")
        }
        ErrorKind::NotFound => format!(
            "{path} can't be written: there is no such folder. Make it, or give /export another path."
        ),
        _ => format!("{path} can't be written: {}", said(error)),
    }
}
