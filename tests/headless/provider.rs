//! A headless turn against a real HTTP server of the test's own.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread::JoinHandle;

use serde_json::{Value, json};

use super::place::Place;

/// Answers each request with the next body, as one stream of server-sent events; gives back the requests.
fn serve(bodies: Vec<String>) -> (u16, JoinHandle<Vec<Value>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let thread = std::thread::spawn(move || {
        let mut requests = Vec::new();
        for body in bodies {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream);
            let mut length = 0;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if let Some(n) = line.to_lowercase().strip_prefix("content-length:") {
                    length = n.trim().parse().unwrap();
                }
                if line.trim().is_empty() {
                    break;
                }
            }
            let mut request = vec![0; length];
            reader.read_exact(&mut request).unwrap();
            requests.push(serde_json::from_slice(&request).unwrap());
            let mut stream = reader.into_inner();
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
            stream.write_all(head.as_bytes()).unwrap();
            // In pieces that end anywhere.
            for piece in body.as_bytes().chunks(7) {
                stream.write_all(piece).unwrap();
                stream.flush().unwrap();
            }
        }
        requests
    });
    (port, thread)
}

fn sse(events: &[Value]) -> String {
    let lines: String = events.iter().map(|e| format!("data: {e}\n\n")).collect();
    lines + "data: [DONE]\n\n"
}

#[test]
fn a_turn_with_a_tool_runs_against_a_local_server() {
    let place = Place::new();
    std::fs::write(place.work.join("a.txt"), "the file\n").unwrap();
    let call = json!({"index": 0, "id": "c1", "type": "function", "function": {"name": "read", "arguments": "{\"path\": \"a.txt\"}"}});
    let first = sse(&[
        json!({"choices": [{"delta": {"content": "Reading – ok."}}]}),
        json!({"choices": [{"delta": {"tool_calls": [call]}}]}),
        json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}),
    ]);
    let second = sse(&[
        json!({"choices": [{"delta": {"content": "It says: the file."}}]}),
        json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}),
        json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 7}}),
    ]);
    let (port, server) = serve(vec![first, second]);
    let models = json!({"providers": {"local": {"base_url": format!("http://127.0.0.1:{port}/v1"), "models": ["small"]}}});
    std::fs::write(place.home.path("models.json"), models.to_string()).unwrap();
    let done = place.run(&["-p", "--json", "-m", "local/small", "what does a.txt say?"]);
    let result = done.result();
    assert_eq!((done.status, &result["error"]), (Some(0), &json!(null)), "{done:?}");
    assert_eq!(result["output"], "Reading – ok.\nIt says: the file.");
    assert_eq!(result["usage"]["output_tokens"], 7);
    let requests = server.join().unwrap();
    assert!(requests[0].to_string().contains("what does a.txt say?"));
    assert!(requests[1]["messages"].to_string().contains("the file"), "the result goes back");
    assert_eq!(requests[0]["model"], "small");
}
