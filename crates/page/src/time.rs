//! Moments and durations. Below the binary nobody asks the system for the time: they are given a [`Clock`].

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A moment, in milliseconds since 1970 (UTC). It survives a restart, which an `Instant` does not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// The moment `duration` later.
    pub fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration.as_millis().try_into().unwrap_or(u64::MAX)))
    }

    /// How long from `earlier` until here; zero when it is not earlier.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }

    /// The moment of a date and a time of day (UTC); `None` if there is no such day or hour, or it was before 1970.
    ///
    /// A sixtieth second, which some days have, is the first of the next minute.
    pub fn from_civil(
        (year, month, day): (u32, u32, u32),
        (hour, minute, second): (u32, u32, u32),
    ) -> Option<Self> {
        let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let days_of_month = match month {
            2 => 28 + u32::from(is_leap),
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        let is_sound = (1970..=9999).contains(&year) && (1..=days_of_month).contains(&day);
        if !is_sound || hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        // Years from March on, as in `civil`; all numbers are positive from 1970 on.
        let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let leap_days = year / 4 - year / 100 + year / 400;
        let days = u64::from(year * 365 + leap_days + (153 * month + 2) / 5 + day - 1) - 719_468;
        let seconds = days * 86_400 + u64::from(hour * 3600 + minute * 60 + second);
        Some(Self(seconds * 1000))
    }

    /// Year, month, day, hour, minute, second (UTC).
    fn civil(self) -> (i64, u32, u32, u64, u64, u64) {
        let seconds = self.0 / 1000;
        let (days, second_of_day) = ((seconds / 86_400) as i64, seconds % 86_400);
        // Days since 1970 to a date of the proleptic Gregorian calendar, counting years from March so that the
        // leap day is the last one of its year.
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u32;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 } as u32;
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        (year, month, day, second_of_day / 3600, second_of_day / 60 % 60, second_of_day % 60)
    }
}

/// `2026-11-15T22:33:44Z`, the form that WARC files and JSON use.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day, hour, minute, second) = self.civil();
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

/// Where the time comes from.
pub trait Clock: Send + Sync {
    /// The present moment.
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(since_epoch.as_millis() as u64)
    }
}

/// Why a string is not a duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a duration: write for example 0, 250ms, 4s, 10m or 2h")]
pub struct ParseDurationError(String);

/// Reads `0`, `250ms`, `4s`, `1.5s`, `10m`, `2h`.
pub fn parse_duration(text: &str) -> Result<Duration, ParseDurationError> {
    let error = || ParseDurationError(text.to_owned());
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let number: f64 = text[..split].trim().parse().map_err(|_| error())?;
    let seconds = match &text[split..] {
        "ms" => number / 1000.0,
        "s" => number,
        "m" => number * 60.0,
        "h" => number * 3600.0,
        "d" => number * 86_400.0,
        "" if number == 0.0 => 0.0,
        _ => return Err(error()),
    };
    Duration::try_from_secs_f64(seconds).map_err(|_| error())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_dates() {
        let cases = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59Z"),
            (1_794_782_024_000, "2026-11-15T22:33:44Z"),
        ];
        for (milliseconds, date) in cases {
            assert_eq!(Timestamp(milliseconds).to_string(), date);
        }
    }

    #[test]
    fn dates_become_moments_and_impossible_ones_nothing() {
        for moment in (0..4_000_000_000_000u64).step_by(123_456_789_000) {
            let moment = Timestamp(moment);
            let (year, month, day, hour, minute, second) = moment.civil();
            let time = (hour as u32, minute as u32, second as u32);
            assert_eq!(Timestamp::from_civil((year as u32, month, day), time), Some(moment));
        }
        assert!(Timestamp::from_civil((2024, 2, 29), (23, 59, 60)).is_some());
        let impossible =
            [(2023, 2, 29), (1900, 1, 1), (2024, 13, 1), (2024, 4, 31), (2024, 0, 1), (2024, 1, 0)];
        for date in impossible.into_iter().chain([(1969, 12, 31), (10_000, 1, 1)]) {
            assert_eq!(Timestamp::from_civil(date, (0, 0, 0)), None, "for {date:?}");
        }
        assert_eq!(Timestamp::from_civil((2024, 1, 1), (24, 0, 0)), None);
    }

    #[test]
    fn durations_as_people_write_them() {
        let cases =
            [("0", 0), ("250ms", 250), ("4s", 4000), ("1.5s", 1500), ("10m", 600_000), ("2h", 7_200_000)];
        for (text, milliseconds) in cases {
            assert_eq!(parse_duration(text).unwrap(), Duration::from_millis(milliseconds), "for {text}");
        }
        for text in ["", "4", "s", "-1s", "4 weeks", "1e400s"] {
            assert!(parse_duration(text).is_err(), "{text:?} should be refused");
        }
    }
}
