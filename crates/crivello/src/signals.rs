//! Ctrl-C and SIGTERM: the first asks politely, the second ends at once.

use tokio::signal::unix::{SignalKind, signal};

/// Calls `on_first` when the user wants to stop. A second signal ends the process there and then, which is safe: all
/// files can be taken up again after any end.
pub fn on_interrupt(on_first: impl FnOnce() + Send + 'static) {
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            interrupted().await;
            on_first();
            interrupted().await;
            eprintln!("stopped at once");
            std::process::exit(130);
        });
    });
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
