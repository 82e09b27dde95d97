//! Whether a server that closes connections in the clear does so because it wants TLS.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What every connection of HTTP/2 in the clear begins with.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// What an alert of TLS begins with: its type, and the major version.
const ALERT: [u8; 2] = [21, 3];

/// Whether a server answers what is said in the clear with an alert of TLS. Takes as long as it takes: the
/// caller bounds it.
///
/// The alert is there to be read, as nothing is written that the server leaves unread when it closes. A client
/// of HTTP/2 writes on, and so may find the connection gone before it has read why.
pub(super) async fn wants_tls(address: &str) -> bool {
    let answer = async {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(PREFACE).await?;
        let mut begins = [0; ALERT.len()];
        stream.read_exact(&mut begins).await?;
        std::io::Result::Ok(begins)
    };
    answer.await.is_ok_and(|begins| begins == ALERT)
}
