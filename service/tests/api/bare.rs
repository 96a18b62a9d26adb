//! Calls over HTTP/2 as it is, without a client that has ideas of its own: the one of tonic
//! keeps deadlines itself and hides what the server says of them.

use http::{HeaderMap, Method};
use prost::Message;
use tokio::net::TcpStream;
use tonic::Status;

use crate::client::soon;
use crate::server::Api;

/// Calls a unary method and answers its status; `Ok` if it is OK.
pub(crate) async fn call(
    api: &Api,
    path: &str,
    headers: &[(&'static str, &str)],
    message: &impl Message,
) -> Result<(), Status> {
    let endpoint = api.server.endpoint();
    let stream = TcpStream::connect(endpoint.strip_prefix("http://").unwrap());
    let (client, connection) = h2::client::handshake(stream.await.unwrap()).await.unwrap();
    let connection = tokio::spawn(connection);
    let mut client = client.ready().await.unwrap();
    let mut request = http::Request::builder()
        .method(Method::POST)
        .uri(format!("{endpoint}{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let (response, mut body) = client
        .send_request(request.body(()).unwrap(), false)
        .unwrap();
    let message = message.encode_to_vec();
    let length = u32::try_from(message.len()).unwrap().to_be_bytes();
    body.send_data([&[0][..], &length, &message].concat().into(), true)
        .unwrap();
    let status = soon(status_of(response)).await;
    connection.abort();
    status
}

async fn status_of(response: h2::client::ResponseFuture) -> Result<(), Status> {
    let response = response.await.unwrap();
    let headers = response.headers().clone();
    let mut body = response.into_body();
    while let Some(data) = body.data().await {
        let length = data.unwrap().len();
        body.flow_control().release_capacity(length).unwrap();
    }
    let trailers = body.trailers().await.unwrap();
    let said = |headers: &HeaderMap| Status::from_header_map(headers);
    let status = trailers.as_ref().and_then(said).or_else(|| said(&headers));
    match status.expect("every call has a status") {
        status if status.code() == tonic::Code::Ok => Ok(()),
        status => Err(status),
    }
}
