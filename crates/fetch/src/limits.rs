//! How much of a server's time and bytes one request may take. Every limit is an ordinary outcome when it is hit.

use std::time::Duration;

/// The bounds of one fetch. The defaults suit pages of the public web.
#[derive(Debug, Clone)]
pub struct FetchLimits {
    /// Bytes of a body as they come over the wire; the rest is not read.
    pub body_bytes_max: usize,
    /// Bytes of a body after decompression; the rest is not made.
    pub decoded_bytes_max: usize,
    /// Beyond one mebibyte, decompression may make at most so many bytes out of one.
    pub decoded_ratio_max: usize,
    /// Bytes of status line and headers, those of interim (1xx) answers included.
    pub head_bytes_max: usize,
    /// Headers of one answer, at most [`HEADERS_MAX`].
    pub headers_max: usize,
    /// Time to connect, the TLS handshake included.
    pub connect_timeout: Duration,
    /// Time from the request until the headers are complete.
    pub head_timeout: Duration,
    /// Time for everything together.
    pub total_timeout: Duration,
    /// A body that comes in more slowly than this, on average, is cut off…
    pub bytes_per_second_min: usize,
    /// …once it has been coming for so long.
    pub slow_start: Duration,
}

/// The largest [`FetchLimits::headers_max`]: the parser's table lives on the stack.
pub const HEADERS_MAX: usize = 256;

impl Default for FetchLimits {
    fn default() -> Self {
        Self {
            body_bytes_max: 10 << 20,
            decoded_bytes_max: 10 << 20,
            decoded_ratio_max: 100,
            head_bytes_max: 64 << 10,
            headers_max: 100,
            connect_timeout: Duration::from_secs(5),
            head_timeout: Duration::from_secs(10),
            total_timeout: Duration::from_secs(30),
            bytes_per_second_min: 1 << 10,
            slow_start: Duration::from_secs(5),
        }
    }
}
