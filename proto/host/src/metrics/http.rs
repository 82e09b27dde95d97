//! Two pages over HTTP: figures, and whether the process serves.
//!
//! Nothing is encrypted here and nobody is asked who they are: the port is for a network of one's own.
//! So little is taken that nobody can make much of it: no bodies, short headers, few connections, each
//! with an end.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tracing::{debug, warn};

use super::Page;

/// Most connections at once; more wait until one ends.
const CONNECTIONS: usize = 16;

/// Longest time for a connection from its first byte to its last.
const WHOLE: Duration = Duration::from_secs(10);

/// Longest time for the headers to come.
const HEADERS: Duration = Duration::from_secs(3);

/// Most bytes and most headers of a request.
const HEADER_BYTES: usize = 8 << 10;
const MOST_HEADERS: usize = 64;

/// What there is to be seen of a process.
pub trait Source: Send + Sync + 'static {
    /// The figures of this moment. Must not wait.
    fn page(&self) -> Page;

    /// Whether it serves, rather than being about to stop.
    fn is_healthy(&self) -> bool;
}

/// Answers `GET /metrics` and `GET /healthz` until it is dropped; connections end with it.
pub async fn serve_metrics(listener: &TcpListener, source: Arc<dyn Source>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        // Never closed.
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
        while connections.try_join_next().is_some() {}
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Such as too many open files; it may pass.
                warn!("metrics: {error}");
                sleep(Duration::from_millis(200)).await;
                continue;
            }
        };
        let source = Arc::clone(&source);
        connections.spawn(async move {
            if timeout(WHOLE, serve_one(stream, &source)).await.is_err() {
                debug!("metrics: a connection took longer than {} s", WHOLE.as_secs());
            }
            drop(place);
        });
    }
}

async fn serve_one(stream: TcpStream, source: &Arc<dyn Source>) {
    let answer = service_fn(|request| {
        let response = answer(&request, source.as_ref());
        async move { Ok::<_, Infallible>(response) }
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEADERS).keep_alive(false);
    server.max_buf_size(HEADER_BYTES).max_headers(MOST_HEADERS);
    if let Err(error) = server.serve_connection(TokioIo::new(stream), answer).await {
        debug!("metrics: {error}");
    }
}

fn answer(request: &Request<Incoming>, source: &dyn Source) -> Response<Full<Bytes>> {
    let plain = "text/plain; charset=utf-8";
    let (status, content, body) = match (request.uri().path(), request.method()) {
        ("/metrics", &Method::GET) => {
            (StatusCode::OK, Page::CONTENT_TYPE, source.page().into_text())
        }
        ("/healthz", &Method::GET) if source.is_healthy() => {
            (StatusCode::OK, plain, "ok\n".to_owned())
        }
        ("/healthz", &Method::GET) => {
            (StatusCode::SERVICE_UNAVAILABLE, plain, "stopping\n".to_owned())
        }
        ("/metrics" | "/healthz", _) => {
            (StatusCode::METHOD_NOT_ALLOWED, plain, "only GET\n".to_owned())
        }
        _ => (StatusCode::NOT_FOUND, plain, "only /metrics and /healthz\n".to_owned()),
    };
    let mut response = Response::new(Full::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content));
    if status == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET"));
    }
    response
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::Instant;

    use super::*;

    #[derive(Default)]
    struct Process {
        stopping: AtomicBool,
    }

    impl Source for Process {
        fn page(&self) -> Page {
            let mut page = Page::default();
            page.gauge("sokohive_test", "A test.", 1);
            page
        }

        fn is_healthy(&self) -> bool {
            !self.stopping.load(Ordering::Relaxed)
        }
    }

    async fn start() -> (Arc<Process>, std::net::SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let process = Arc::new(Process::default());
        let source = Arc::clone(&process);
        tokio::spawn(async move { serve_metrics(&listener, source).await });
        (process, address)
    }

    async fn ask(address: std::net::SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let _ = stream.write_all(request.as_bytes()).await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    }

    #[tokio::test]
    async fn there_are_two_pages_and_no_more() {
        let (process, address) = start().await;
        let get = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: here\r\n\r\n");
        let answer = ask(address, &get("/metrics")).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        assert!(answer.contains("content-type: text/plain; version=0.0.4"), "{answer}");
        assert!(answer.ends_with(
            "\r\n\r\n# HELP sokohive_test A test.\n# TYPE sokohive_test gauge\nsokohive_test 1\n"
        ));
        assert!(ask(address, &get("/healthz")).await.starts_with("HTTP/1.1 200 "));
        process.stopping.store(true, Ordering::Relaxed);
        assert!(ask(address, &get("/healthz")).await.starts_with("HTTP/1.1 503 "));
        for other in ["/", "/metrics/../etc/passwd", "/healthz/"] {
            assert!(ask(address, &get(other)).await.starts_with("HTTP/1.1 404 "), "{other}");
        }
        let post = "POST /metrics HTTP/1.1\r\nHost: here\r\nContent-Length: 0\r\n\r\n";
        assert!(ask(address, post).await.starts_with("HTTP/1.1 405 "));
    }

    #[tokio::test]
    async fn long_headers_and_garbage_are_refused() {
        let (_process, address) = start().await;
        let long =
            format!("GET /metrics HTTP/1.1\r\nHost: here\r\nX: {}\r\n\r\n", "x".repeat(20_000));
        assert!(!ask(address, &long).await.contains(" 200 "));
        let many = "X: y\r\n".repeat(100);
        let many = format!("GET /metrics HTTP/1.1\r\nHost: here\r\n{many}\r\n");
        assert!(!ask(address, &many).await.contains(" 200 "));
        assert!(!ask(address, "\0\0\0garbage\r\n\r\n").await.contains(" 200 "));
    }

    #[tokio::test]
    async fn connections_that_say_nothing_do_not_keep_others_out() {
        let (_process, address) = start().await;
        let mut silent = Vec::new();
        for _ in 0..CONNECTIONS {
            silent.push(TcpStream::connect(address).await.unwrap());
        }
        let since = Instant::now();
        let answer = ask(address, "GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        assert!(since.elapsed() < HEADERS + Duration::from_secs(2), "{:?}", since.elapsed());
    }
}
