//! A report as a web page.

use std::fmt::{self, Display, Formatter};

use super::model::Report;

/// Shows as HTML.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Html<'a>(pub(crate) &'a Report);

impl Display for Html<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.window_s)
    }
}
