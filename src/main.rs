//! Ties the houses together.
fn main() {
    let _ = 1;
}
