//! The one line that says how far it is.

use std::{
    io::{self, IsTerminal, Write},
    time::Duration,
};

use dagor::Clock;

/// A line on standard error that writes over itself; on anything but a terminal, a line per step.
#[derive(Debug)]
pub(crate) struct Progress {
    kind: Kind,
    clock: Clock,
    /// When all should be over.
    ends: Duration,
    step: String,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Terminal,
    Lines,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let kind = if io::stderr().is_terminal() {
            Kind::Terminal
        } else {
            Kind::Lines
        };
        Self {
            kind,
            clock: Clock::system(),
            ends: Duration::ZERO,
            step: String::new(),
        }
    }

    /// Begins a step after which `left`, its own time included, is left of the whole.
    pub(crate) fn step(&mut self, step: String, left: Duration) {
        self.ends = self.clock.now() + left;
        self.step = step;
        if self.kind == Kind::Lines {
            print(&format!("{}\n", self.line()));
        }
        self.tick();
    }

    /// Shows the time left.
    pub(crate) fn tick(&self) {
        if self.kind == Kind::Terminal {
            print(&format!("\r\x1b[2K{}", self.line()));
        }
    }

    /// Takes the line away.
    pub(crate) fn finish(&self) {
        if self.kind == Kind::Terminal {
            print("\r\x1b[2K");
        }
    }

    fn line(&self) -> String {
        let left = self.ends.saturating_sub(self.clock.now()).as_secs();
        format!("{left:>4} s left  {}", self.step)
    }
}

fn print(text: &str) {
    let mut out = io::stderr().lock();
    // A closed standard error is no reason to stop measuring.
    drop(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}
