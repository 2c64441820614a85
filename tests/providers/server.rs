//! A real server on 127.0.0.1 that writes exactly the bytes a test wants, when it wants, and keeps every request.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Clone)]
pub enum Act {
    Send(Vec<u8>),
    /// One byte per write, each flushed.
    Bytewise(Vec<u8>),
    Wait(Duration),
    /// Ends the connection by a reset instead of in order.
    Reset,
    /// Keeps the connection open without a word.
    Hang,
}

#[derive(Clone, Debug)]
pub struct Seen {
    pub path: String,
    pub head: String,
    pub body: serde_json::Value,
}

type Replies = dyn Fn(usize, &Seen) -> Vec<Act> + Send + Sync;

pub struct Server {
    pub base: String,
    pub seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// Answers the first request with the first list of acts, and so on; the last one is repeated.
    pub fn start(replies: Vec<Vec<Act>>) -> Self {
        Server::answering(move |number, _| replies[number.min(replies.len() - 1)].clone())
    }

    /// Answers as the function says to a request's number and the request.
    pub fn answering(replies: impl Fn(usize, &Seen) -> Vec<Act> + Send + Sync + 'static) -> Self {
        let replies: Arc<Replies> = Arc::new(replies);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = seen.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (replies, kept) = (replies.clone(), kept.clone());
                std::thread::spawn(move || serve(stream, &*replies, &kept));
            }
        });
        Server { base, seen }
    }

    pub fn requests(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, replies: &Replies, seen: &Mutex<Vec<Seen>>) {
    let Some(request) = request(&mut stream) else { return };
    let acts = {
        let mut seen = seen.lock().unwrap();
        seen.push(request);
        replies(seen.len() - 1, &seen[seen.len() - 1])
    };
    for act in &acts {
        let sent = match act {
            Act::Send(bytes) => stream.write_all(bytes),
            Act::Bytewise(bytes) => {
                let _ = stream.set_nodelay(true);
                bytes.iter().try_for_each(|b| stream.write_all(&[*b]))
            }
            Act::Wait(time) => {
                std::thread::sleep(*time);
                Ok(())
            }
            Act::Reset => {
                // Unread bytes in the receive queue make the kernel answer a close with a reset; lingering zero does it on purpose.
                let socket = rustix::net::sockopt::set_socket_linger(&stream, Some(Duration::ZERO));
                assert!(socket.is_ok());
                return;
            }
            Act::Hang => {
                let mut byte = [0];
                let _ = stream.read(&mut byte);
                return;
            }
        };
        if sent.is_err() {
            return;
        }
    }
}

fn request(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 65536];
    loop {
        let n = stream.read(&mut buffer).ok()?;
        if n == 0 {
            return None;
        }
        bytes.extend_from_slice(&buffer[..n]);
        let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let length: usize = head
            .lines()
            .find_map(|l| {
                l.to_ascii_lowercase().strip_prefix("content-length:").map(|v| v.trim().parse().unwrap())
            })
            .unwrap_or(0);
        if bytes.len() >= end + 4 + length {
            let body = serde_json::from_slice(&bytes[end + 4..]).unwrap_or_default();
            let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
            return Some(Seen { path, head, body });
        }
    }
}

/// Head of a streamed answer that ends with the connection.
pub fn stream_head() -> Act {
    Act::Send(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nrequest-id: req_77\r\nconnection: close\r\n\r\n".to_vec())
}

/// A whole answer.
pub fn answer(status: u16, headers: &str, body: &str) -> Vec<Act> {
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-length: {}\r\nx-request-id: req_9\r\nconnection: close\r\n{headers}\r\n",
        body.len()
    );
    vec![Act::Send([head.as_bytes(), body.as_bytes()].concat())]
}
