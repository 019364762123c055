//! Ctrl-C and SIGTERM: the first asks politely, the second ends at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tokio::signal::unix::{SignalKind, signal};

use crate::output::errln;

/// As long as it lives, signals are for the work that asked for it.
#[must_use]
pub struct InterruptWatch {
    is_wanted: Arc<AtomicBool>,
}

impl Drop for InterruptWatch {
    fn drop(&mut self) {
        self.is_wanted.store(false, Relaxed);
    }
}

/// Calls `on_first` when the user wants to stop. A second signal ends the process there and then, which is safe: all
/// files can be taken up again after any end.
pub fn on_interrupt(on_first: impl FnOnce() + Send + 'static) -> InterruptWatch {
    let is_wanted = Arc::new(AtomicBool::new(true));
    let watch = InterruptWatch { is_wanted: is_wanted.clone() };
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            interrupted().await;
            if !is_wanted.load(Relaxed) {
                return;
            }
            on_first();
            interrupted().await;
            if is_wanted.load(Relaxed) {
                errln!("stopped at once");
                std::process::exit(130);
            }
        });
    });
    watch
}

/// Ends when the user wants to stop.
pub async fn interrupted() {
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}
