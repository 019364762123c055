//! How long a busy server asks us to stay away.

use std::time::Duration;

use jiff::fmt::strtime::BrokenDownTime;
use page::{Response, Timestamp};

/// The forms of dates in HTTP (RFC 9110, section 5.6.7). All are in UTC; recipients read all three.
const DATE_FORMS: [&str; 3] =
    ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"];

/// The wait of a `Retry-After` header, in seconds or until a date; zero when the date has passed.
pub fn retry_after(response: &Response, now: Timestamp) -> Option<Duration> {
    let value = response.header("retry-after")?.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number beyond all bounds is still a wish to be left alone.
        return Some(Duration::from_secs(value.parse::<u32>().unwrap_or(u32::MAX).into()));
    }
    Some(parse_http_date(value)?.since(now))
}

fn parse_http_date(text: &str) -> Option<Timestamp> {
    let date =
        DATE_FORMS.iter().find_map(|form| BrokenDownTime::parse(form, text).ok()?.to_datetime().ok())?;
    let moment = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
    Some(Timestamp(u64::try_from(moment.as_millisecond()).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_dates() {
        let now = Timestamp(784_111_777_000); // Sun, 06 Nov 1994 08:49:37 GMT
        let cases = [
            ("120", Some(120)),
            ("0", Some(0)),
            (" 5 ", Some(5)),
            ("99999999999999999999", Some(u64::from(u32::MAX))),
            ("Sun, 06 Nov 1994 08:50:37 GMT", Some(60)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(0)),
            ("Sat, 05 Nov 1994 08:49:37 GMT", Some(0)),
            ("Sunday, 06-Nov-94 08:50:37 GMT", Some(60)),
            ("Sun Nov  6 08:50:37 1994", Some(60)),
            ("Mon, 07 Nov 1994 08:49:37 GMT", Some(86_400)),
            ("", None),
            ("-5", None),
            ("soon", None),
            ("1.5", None),
            ("Sun, 31 Feb 1994 08:49:37 GMT", None),
        ];
        for (value, seconds) in cases {
            let headers = vec![("retry-after".to_owned(), value.to_owned())];
            let response = Response { headers, ..Response::default() };
            assert_eq!(retry_after(&response, now), seconds.map(Duration::from_secs), "{value:?}");
        }
        assert_eq!(retry_after(&Response::default(), now), None);
    }
}
