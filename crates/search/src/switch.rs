//! What counts where that is likely to help, always, or never: one type for each thing that can be switched so, since the one
//! is not the other, and one way to write all of them.

/// Makes a type of such a switch, with what it is when nobody says anything.
macro_rules! switch {
    ($(#[$doc:meta])* $name:ident, by default $default:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            /// Where it is likely to help.
            Auto,
            /// Always.
            On,
            /// Never.
            Off,
        }

        impl Default for $name {
            fn default() -> Self {
                Self::$default
            }
        }

        impl $name {
            /// All of them.
            pub const ALL: [Self; 3] = [Self::Auto, Self::On, Self::Off];

            /// As it is written.
            pub fn name(self) -> &'static str {
                match self {
                    Self::Auto => "auto",
                    Self::On => "on",
                    Self::Off => "off",
                }
            }

            /// The one that is written like this.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|switch| switch.name() == name)
            }
        }
    };
}

switch!(
    /// Whether what pages mean counts beside their words. Never means that the best by words are not looked at once more at all,
    /// so that words in their titles add nothing either.
    Meanings,
    by default Auto
);

switch!(
    /// Whether words of the first pages are looked for beside those that were typed.
    Feedback,
    by default Off
);
