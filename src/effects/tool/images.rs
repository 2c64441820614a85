//! Image files as a model takes them: told by content and not by name, measured as encoded, refused when too large.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::paths;
use crate::model::tool::Image;
use crate::model::tool::limit;

/// The most bytes an image may have once encoded for sending, and the longest side in pixels: what the strictest
/// provider takes.
const ENCODED: usize = 5 * 1024 * 1024;
const SIDE: usize = 8000;
/// Enough of a file to tell its kind by.
pub const START: usize = 8192;

/// The kind of image that a file begins as.
pub fn mime(start: &[u8]) -> Option<&'static str> {
    match imagesize::image_type(start).ok()? {
        imagesize::ImageType::Png => Some("image/png"),
        imagesize::ImageType::Jpeg => Some("image/jpeg"),
        imagesize::ImageType::Gif => Some("image/gif"),
        imagesize::ImageType::Webp => Some("image/webp"),
        _ => None,
    }
}

/// Reads an image file; the error says why it can't be sent.
pub fn load(path: &Path, name: &str) -> Result<Image, String> {
    let meta = std::fs::metadata(path).map_err(|error| format!("{name}: {}.", paths::reason(&error)))?;
    if !meta.is_file() {
        return Err(format!("{name} is not a file."));
    }
    let most = ENCODED / 4 * 3;
    if meta.len() > most as u64 {
        return Err(too_large(name, usize::try_from(meta.len()).unwrap_or(usize::MAX)));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| format!("{name}: {}.", paths::reason(&error)))?;
    file.take(most as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("{name}: {}.", paths::reason(&error)))?;
    from_bytes(&bytes, name)
}

/// An image from its bytes, wherever they come from.
pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Image, String> {
    if bytes.is_empty() {
        return Err(format!("{name} is empty."));
    }
    let Some(mime) = mime(bytes) else {
        return Err(format!("{name} is not a PNG, JPEG, GIF or WebP image, whatever its name says."));
    };
    if bytes.len().div_ceil(3) * 4 > ENCODED {
        return Err(too_large(name, bytes.len()));
    }
    let size = imagesize::blob_size(bytes).map_err(|_| {
        format!("{name} begins like an image ({mime}), but is damaged: it has no readable size.")
    })?;
    if size.width == 0 || size.height == 0 || size.width > SIDE || size.height > SIDE {
        return Err(format!(
            "{name} is {}×{} pixels; at most {SIDE} on each side can be sent. Scale it down first.",
            size.width, size.height
        ));
    }
    Ok(Image {
        mime: mime.into(),
        data: STANDARD.encode(bytes).into(),
        // Both are at most SIDE.
        width: u32::try_from(size.width).unwrap_or_default(),
        height: u32::try_from(size.height).unwrap_or_default(),
        name: name.into(),
    })
}

fn too_large(name: &str, length: usize) -> String {
    format!(
        "{name} is {}, too large to send: at most {} of image fit. Scale it down first.",
        limit::bytes(length),
        limit::bytes(ENCODED / 4 * 3)
    )
}
