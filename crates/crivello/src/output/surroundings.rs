//! What may be written to a terminal: colours, and lines that move.
//!
//! As the conventions have it: `NO_COLOR` (https://no-color.org) means no colour, `CLICOLOR_FORCE` means colour wherever
//! the output goes, and a terminal that calls itself dumb (`TERM=dumb`) understands neither colour nor movements. What
//! is no terminal gets plain lines. clap's help goes by the same words.

use std::ffi::OsString;
use std::io::IsTerminal;

/// Says whether words may be painted on this stream.
pub fn may_paint(stream: &impl IsTerminal) -> bool {
    Surroundings::of(stream).may_paint()
}

/// Says whether lines on this stream may be written over.
pub fn may_move(stream: &impl IsTerminal) -> bool {
    Surroundings::of(stream).may_move()
}

/// What is known about a stream.
#[derive(Debug, Clone, Copy)]
struct Surroundings {
    is_terminal: bool,
    is_dumb: bool,
    without_colour: bool,
    always_colour: bool,
}

impl Surroundings {
    fn of(stream: &impl IsTerminal) -> Self {
        Self::new(stream.is_terminal(), |name| std::env::var_os(name))
    }

    fn new(is_terminal: bool, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
        Self {
            is_terminal,
            is_dumb: variable("TERM").is_some_and(|term| term == "dumb"),
            without_colour: is_set("NO_COLOR"),
            always_colour: variable("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0"),
        }
    }

    fn may_paint(self) -> bool {
        !self.without_colour && (self.always_colour || self.may_move())
    }

    fn may_move(self) -> bool {
        self.is_terminal && !self.is_dumb
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_movements_go_where_they_are_understood_and_wanted() {
        // a terminal?, the environment, painted?, moved?
        type Row = (bool, &'static [(&'static str, &'static str)], bool, bool);
        let rows: [Row; 10] = [
            (true, &[], true, true),
            (true, &[("TERM", "xterm")], true, true),
            (true, &[("TERM", "dumb")], false, false),
            (true, &[("NO_COLOR", "1")], false, true),
            (true, &[("NO_COLOR", "")], true, true),
            (false, &[], false, false),
            (false, &[("CLICOLOR_FORCE", "1")], true, false),
            (false, &[("CLICOLOR_FORCE", "0")], false, false),
            (true, &[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")], true, false),
            (true, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false, true),
        ];
        for (is_terminal, variables, painted, moved) in rows {
            let variable = |name: &str| {
                variables.iter().find(|(found, _)| *found == name).map(|(_, value)| OsString::from(value))
            };
            let surroundings = Surroundings::new(is_terminal, variable);
            assert_eq!(
                (surroundings.may_paint(), surroundings.may_move()),
                (painted, moved),
                "{is_terminal} {variables:?}"
            );
        }
    }
}
