//! The client: the services' calls as methods, each with deadline and retries.

mod analysis;
mod games;
mod openings;
mod rules;

use std::{sync::Arc, time::Duration};

use tonic::{Request, Response, Status, Streaming, transport::Channel};

pub use self::{analysis::Analysis, games::Games, openings::Openings, rules::Rules};
use crate::seated::SeatToken;
use crate::{
    ClientConfig, Error, Replies, RetryPolicy, Token, connections::Connections, deadline::Deadline,
    retry,
};

/// A client of the service. Cheap to clone; clones share their connections.
#[derive(Debug, Clone)]
pub struct Client {
    connections: Arc<Connections>,
    timeout: Duration,
    retry: RetryPolicy,
    seat_token: Option<SeatToken>,
    token: Option<Token>,
}

impl Client {
    /// Connects to the service: to an endpoint's URL, or as a [`ClientConfig`] says.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidEndpoint`], or [`Error::Connect`] when no endpoint can be reached.
    pub async fn connect(config: impl Into<ClientConfig>) -> Result<Self, Error> {
        let config = config.into();
        let connections = Connections::eager(&config).await?;
        Ok(Self::new(&config, connections))
    }

    /// A client that connects with its first call. Must be called within a tokio runtime.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidEndpoint`].
    pub fn connect_lazy(config: impl Into<ClientConfig>) -> Result<Self, Error> {
        let config = config.into();
        let connections = Connections::lazy(&config)?;
        Ok(Self::new(&config, connections))
    }

    fn new(config: &ClientConfig, connections: Connections) -> Self {
        Self {
            connections: Arc::new(connections),
            timeout: config.timeout,
            retry: config.retry.clone(),
            seat_token: None,
            token: config.token.clone(),
        }
    }

    /// This client with another deadline.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use reversi_client::{Client, Error, proto};
    /// # async fn example(client: Client) -> Result<(), Error> {
    /// let soon = client.with_timeout(Duration::from_millis(200));
    /// let info = soon.rules().get_server_info(proto::GetServerInfoRequest {}).await?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        Self {
            timeout,
            ..self.clone()
        }
    }

    /// This client with another retry policy.
    #[must_use]
    pub fn with_retry(&self, retry: RetryPolicy) -> Self {
        Self {
            retry,
            ..self.clone()
        }
    }

    /// This client as the holder of a seat, in games that have seat tokens: every call shows the
    /// token. A text that is no token is refused by the service.
    #[must_use]
    pub fn with_seat_token(&self, token: &str) -> Self {
        Self {
            // The service refuses the empty token like any other that fits no seat.
            seat_token: SeatToken::new(token).or_else(|| SeatToken::new("")),
            ..self.clone()
        }
    }

    /// The rules as functions.
    #[must_use]
    pub fn rules(&self) -> Rules<'_> {
        Rules(self)
    }

    /// Stored games.
    #[must_use]
    pub fn games(&self) -> Games<'_> {
        Games(self)
    }

    /// What the engine thinks.
    #[must_use]
    pub fn analysis(&self) -> Analysis<'_> {
        Analysis(self)
    }

    /// The beginnings of games.
    #[must_use]
    pub fn openings(&self) -> Openings<'_> {
        Openings(self)
    }

    pub(crate) fn retry_policy(&self) -> &RetryPolicy {
        &self.retry
    }

    /// A request with what every call shows.
    fn request<Q>(&self, message: Q) -> Request<Q> {
        let mut request = Request::new(message);
        if let Some(token) = &self.token {
            let metadata = request.metadata_mut();
            metadata.insert("authorization", token.authorization());
        }
        if let Some(token) = &self.seat_token {
            token.show(&mut request);
        }
        request
    }

    /// Makes a unary call, again where the service was unavailable, until the deadline.
    async fn unary<Q, A, F, C>(&self, message: Q, call: F) -> Result<A, Error>
    where
        Q: Clone,
        F: Fn(Channel, Request<Q>) -> C,
        C: Future<Output = Result<Response<A>, Status>>,
    {
        let response = self.unary_with_metadata(message, call).await?;
        Ok(response.into_inner())
    }

    /// The same, with the metadata of the answer.
    async fn unary_with_metadata<Q, A, F, C>(
        &self,
        message: Q,
        call: F,
    ) -> Result<Response<A>, Error>
    where
        Q: Clone,
        F: Fn(Channel, Request<Q>) -> C,
        C: Future<Output = Result<Response<A>, Status>>,
    {
        let deadline = Deadline::after(self.timeout);
        retry::run(&self.retry, deadline, || async {
            let connection = self.connections.pick();
            let _permit = connection.permit().await;
            let mut request = self.request(message.clone());
            request.set_timeout(deadline.remaining());
            call(connection.channel(), request)
                .await
                .map_err(|status| connection.fault(self.timeout, status))
        })
        .await
    }

    /// Opens a stream of answers, again where the service was unavailable. With [`Lifetime::Deadline`] the
    /// deadline is that of the whole stream, otherwise of its opening alone.
    async fn streaming<Q, A, F, C>(
        &self,
        lifetime: Lifetime,
        message: Q,
        call: F,
    ) -> Result<Replies<A>, Error>
    where
        Q: Clone,
        F: Fn(Channel, Request<Q>) -> C,
        C: Future<Output = Result<Response<Streaming<A>>, Status>>,
    {
        let deadline = Deadline::after(self.timeout);
        let (stream, endpoint) = retry::run(&self.retry, deadline, || async {
            let connection = self.connections.pick();
            let mut request = self.request(message.clone());
            if lifetime == Lifetime::Deadline {
                request.set_timeout(deadline.remaining());
            }
            call(connection.channel(), request)
                .await
                .map(|response| (response.into_inner(), connection.endpoint().to_owned()))
                .map_err(|status| connection.fault(self.timeout, status))
        })
        .await?;
        let until = (lifetime == Lifetime::Deadline).then_some(deadline);
        Ok(Replies::new(stream, endpoint, self.timeout, until))
    }
}

/// How long a stream of answers may last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lifetime {
    /// Until the call's deadline.
    Deadline,
    /// Until one side ends it.
    Open,
}
