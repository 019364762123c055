//! The newest of something that takes long to open: a thread of its own opens it, and readers have the one before until
//! it is ready.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, RwLock};
use std::time::Duration;

/// Something that is replaced now and then.
pub struct Newest<T> {
    current: Arc<RwLock<Arc<T>>>,
    /// Dropped with it, which ends the thread.
    _stop: Sender<()>,
}

impl<T: Send + Sync + 'static> Newest<T> {
    /// Begins with `first`; asks `renew` every so often whether there is something newer than the present one.
    pub fn watch(
        first: T,
        every: Duration,
        mut renew: impl FnMut(&T) -> Option<T> + Send + 'static,
    ) -> std::io::Result<Self> {
        let current = Arc::new(RwLock::new(Arc::new(first)));
        let (stop, stopped) = channel::<()>();
        let place = Arc::clone(&current);
        std::thread::Builder::new().name("newest".into()).spawn(move || {
            while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                let present = read(&place);
                if let Some(newer) = renew(&present) {
                    *place.write().expect("nobody panics with it") = Arc::new(newer);
                }
            }
        })?;
        Ok(Self { current, _stop: stop })
    }

    /// The newest that is ready; never waits for one that is being opened.
    pub fn get(&self) -> Arc<T> {
        read(&self.current)
    }
}

fn read<T>(place: &RwLock<Arc<T>>) -> Arc<T> {
    Arc::clone(&place.read().expect("nobody panics with it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn while_a_new_one_is_opened_the_old_one_is_there() {
        let (begun_sender, begun) = channel();
        let (go_on, may_go_on) = channel();
        let newest = Newest::watch(1, Duration::from_millis(1), move |present| {
            begun_sender.send(()).ok()?;
            may_go_on.recv().ok()?;
            Some(present + 1)
        })
        .unwrap();
        begun.recv().unwrap();
        // It is being opened now, and nobody waits.
        assert_eq!(*newest.get(), 1);
        go_on.send(()).unwrap();
        // The next one is begun after the first is in use.
        begun.recv().unwrap();
        assert_eq!(*newest.get(), 2);
    }

    #[test]
    fn what_has_not_changed_stays() {
        let (asked_sender, asked) = channel();
        let newest = Newest::watch("same", Duration::from_millis(1), move |_| {
            let _ = asked_sender.send(());
            None
        })
        .unwrap();
        let before = newest.get();
        asked.iter().take(3).for_each(drop);
        assert!(Arc::ptr_eq(&before, &newest.get()));
    }
}
