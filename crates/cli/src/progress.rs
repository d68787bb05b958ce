//! A progress bar for work that takes longer than a second, on a terminal only.

use std::{
    io::IsTerminal,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};

/// Draws while it lives; the work counts up `done`.
pub struct Progress {
    done: Arc<AtomicUsize>,
    drawing: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// For `total` pieces of work. Draws nothing if `quiet` or if standard error is no terminal.
    pub fn start(what: &'static str, total: usize, quiet: bool) -> Self {
        let done = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&done);
        let drawing = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let (stop, stopped) = channel::<()>();
            let draw = move || {
                let ended = |wait| stopped.recv_timeout(wait) != Err(RecvTimeoutError::Timeout);
                if ended(Duration::from_secs(1)) {
                    return;
                }
                let style = ProgressStyle::with_template("{msg} {bar:40} {pos}/{len} {eta}");
                let bar = ProgressBar::new(total as u64).with_message(what);
                bar.set_style(style.expect("a fixed template"));
                while !ended(Duration::from_millis(100)) {
                    bar.set_position(counter.load(Ordering::Relaxed) as u64);
                }
                bar.finish_and_clear();
            };
            (stop, thread::spawn(draw))
        });
        Self { done, drawing }
    }

    /// Pieces done so far.
    pub fn done(&self) -> &AtomicUsize {
        &self.done
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.drawing.take() {
            drop(stop);
            let _ = thread.join();
        }
    }
}
