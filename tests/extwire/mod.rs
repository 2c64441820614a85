//! Tests of the extension protocol's pure part: every message both ways, manifests, flags, chains, discovery, budgets.

mod answers;
mod asks;
mod budget;
mod chain;
mod discover;
mod flags;
mod guide;
mod incoming;
mod launch;
mod manifests;
mod outgoing;
mod pane;
mod registry;
mod speak;
mod startup;
mod strategies;
mod typed;
mod words;
