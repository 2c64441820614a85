//! `e -p`: facts become text or JSON lines on stdout, and an exit status.

use crate::model::fact::Fact;
use crate::model::front::Print;
use crate::model::session::Sessions;
use crate::update::{Cx, Out};

/// Something became true.
pub fn observe(_print: &mut Print, _fact: &Fact, _sessions: &Sessions, _cx: &mut Cx<'_>, _out: &mut Out) {}
