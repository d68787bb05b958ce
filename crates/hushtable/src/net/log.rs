//! What happens while a party waits, for whoever runs it: the library itself prints nothing.

use std::fmt;
use std::sync::Arc;

/// Takes lines of printable text, one for each caller that was turned away. By default nobody does.
#[derive(Clone, Default)]
pub struct Log(Option<Arc<Line>>);

type Line = dyn Fn(&str) + Send + Sync;

impl Log {
    /// `line` is called by the thread that waits, and should return soon.
    pub fn new(line: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Log(Some(Arc::new(line)))
    }

    pub(super) fn line(&self, text: &str) {
        if let Some(line) = &self.0 {
            line(text);
        }
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Log(..)" } else { "Log(none)" })
    }
}
