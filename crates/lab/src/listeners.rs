//! Listening on all addresses of a web. A few addresses have a listener each; many share one, so that their number is
//! no matter of open files.
//!
//! The one that is shared listens on every address of the loopback device and of no other, so a web of any size is
//! still out of reach for other machines. Which address was meant is asked of each connection.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use tokio::net::{TcpListener, TcpSocket};

use crate::hosts::{address_index, ip_address};

/// More addresses than this share a listener.
const OWN_LISTENERS_MAX: u32 = 32;
/// How often to look for a port that is free on all addresses.
const PORT_TRIES: u32 = 20;
/// Connections that may wait to be accepted.
const BACKLOG: u32 = 4096;

/// A socket that is listened on.
#[derive(Debug)]
pub(crate) struct Listener {
    pub socket: TcpListener,
    /// The address that it is for, or how many share it.
    audience: Audience,
}

#[derive(Debug, Clone, Copy)]
enum Audience {
    One(u32),
    First(u32),
}

impl Listener {
    /// The address that a connection is for; none if it is none of ours.
    pub fn address_of(&self, local: io::Result<SocketAddr>) -> Option<u32> {
        match self.audience {
            Audience::One(address) => Some(address),
            Audience::First(count) => match local.ok()?.ip() {
                IpAddr::V4(ip) => address_index(ip).filter(|address| *address < count),
                IpAddr::V6(_) => None,
            },
        }
    }
}

/// Listens on the first `count` addresses; port 0 takes one that is free on all of them. To be called in a runtime.
pub(crate) fn listen_on_all(count: u32, port: u16) -> io::Result<(Vec<Listener>, u16)> {
    if count > OWN_LISTENERS_MAX
        && let Some(socket) = loopback_socket()
    {
        let shared = listen(&socket_name(Ipv4Addr::UNSPECIFIED, port), socket)?;
        let chosen = shared.local_addr()?.port();
        return Ok((vec![Listener { socket: shared, audience: Audience::First(count) }], chosen));
    }
    let mut failure = None;
    for _ in 0..PORT_TRIES {
        let first = listen_on(0, port)?;
        let chosen = first.socket.local_addr()?.port();
        let others = (1..count).map(|address| listen_on(address, chosen));
        match std::iter::once(Ok(first)).chain(others).collect::<io::Result<Vec<_>>>() {
            Ok(listeners) => return Ok((listeners, chosen)),
            Err(error) if port == 0 && error.kind() == io::ErrorKind::AddrInUse => failure = Some(error),
            Err(error) => return Err(error),
        }
    }
    Err(failure.unwrap_or_else(|| io::ErrorKind::AddrInUse.into()))
}

fn listen_on(address: u32, port: u16) -> io::Result<Listener> {
    let socket = listen(&socket_name(ip_address(address), port), TcpSocket::new_v4()?)?;
    Ok(Listener { socket, audience: Audience::One(address) })
}

fn socket_name(ip: Ipv4Addr, port: u16) -> SocketAddr {
    SocketAddr::from((ip, port))
}

fn listen(name: &SocketAddr, socket: TcpSocket) -> io::Result<TcpListener> {
    let listening = || {
        socket.set_reuseaddr(true)?;
        socket.bind(*name)?;
        socket.listen(BACKLOG)
    };
    listening().map_err(|error| io::Error::new(error.kind(), format!("cannot listen on {name}: {error}")))
}

/// A socket that hears the loopback device alone. None where the system has no such thing, or not for us.
#[cfg(target_os = "linux")]
fn loopback_socket() -> Option<TcpSocket> {
    let socket = TcpSocket::new_v4().ok()?;
    socket.bind_device(Some(b"lo")).ok()?;
    Some(socket)
}

#[cfg(not(target_os = "linux"))]
fn loopback_socket() -> Option<TcpSocket> {
    None
}
