//! Progress bars on standard error.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar for work of `len` steps. It is drawn only where standard error is a terminal.
pub(crate) fn bar(len: usize, steps: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("[{bar:40}] {pos} of {len} {msg}");
    let style = style.expect("the template is valid").progress_chars("##-");
    ProgressBar::new(len as u64).with_style(style).with_message(steps)
}
