//! Where texts come from. Whoever has documents implements [`Documents`]; this crate never opens one itself.

/// Documents that can be read again and again, by their number.
pub trait Documents: Sync {
    /// How many there are. Their numbers are smaller than this.
    fn count(&self) -> u32;

    /// Something to read them with. Each thread has its own.
    fn reader(&self) -> Box<dyn DocumentReader + '_>;
}

/// Reads documents for one thread.
pub trait DocumentReader {
    /// Replaces `text` by the text of a document. It need not be UTF-8.
    fn read(&mut self, document: u32, text: &mut Vec<u8>) -> Result<(), Unreadable>;
}

/// Why one document cannot be read. It is then taken as empty, told to whoever watches, and counted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

/// Texts in memory, for tests and small sets.
impl<T: AsRef<[u8]> + Sync> Documents for [T] {
    fn count(&self) -> u32 {
        u32::try_from(self.len()).expect("texts in memory are fewer than four thousand million")
    }

    fn reader(&self) -> Box<dyn DocumentReader + '_> {
        Box::new(InMemory(self))
    }
}

/// So that texts of unknown number, such as a slice, can be given where `&dyn Documents` is wanted.
impl<D: Documents + ?Sized> Documents for &D {
    fn count(&self) -> u32 {
        (**self).count()
    }

    fn reader(&self) -> Box<dyn DocumentReader + '_> {
        (**self).reader()
    }
}

struct InMemory<'a, T>(&'a [T]);

impl<T: AsRef<[u8]>> DocumentReader for InMemory<'_, T> {
    fn read(&mut self, document: u32, text: &mut Vec<u8>) -> Result<(), Unreadable> {
        text.clear();
        text.extend_from_slice(self.0[document as usize].as_ref());
        Ok(())
    }
}
