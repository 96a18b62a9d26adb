//! Asks Sentinels where the master is.

use std::io;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, ErrorKind, RedisError, RedisResult};
use tokio::time;

use super::url::{Access, Address, Server};

/// The Sentinels of a master.
#[derive(Clone, Debug)]
pub(super) struct Sentinels {
    pub(super) sentinels: Vec<Server>,
    pub(super) master: String,
    pub(super) access: Access,
    /// How long one of them may take to answer.
    pub(super) timeout: Duration,
}

impl Sentinels {
    /// Where the master is, as the first Sentinel says that answers.
    pub(super) async fn master(&self) -> RedisResult<Server> {
        let mut last = RedisError::from(io::Error::from(io::ErrorKind::NotConnected));
        for sentinel in &self.sentinels {
            let late = |_| Err(RedisError::from(io::Error::from(io::ErrorKind::TimedOut)));
            let asked = time::timeout(self.timeout, self.ask(sentinel)).await;
            match asked.unwrap_or_else(late) {
                Ok(address) => {
                    return Ok(Server {
                        address,
                        access: self.access.clone(),
                    });
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    async fn ask(&self, sentinel: &Server) -> RedisResult<Address> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.timeout))
            .set_response_timeout(Some(self.timeout));
        let client = sentinel.client()?;
        let mut connection: MultiplexedConnection = client
            .get_multiplexed_async_connection_with_config(&config)
            .await?;
        let master: Option<(String, u16)> = redis::cmd("SENTINEL")
            .arg("get-master-addr-by-name")
            .arg(&self.master)
            .query_async(&mut connection)
            .await?;
        let (host, port) = master.ok_or_else(|| {
            let master = self.master.clone();
            RedisError::from((
                ErrorKind::MasterNameNotFoundBySentinel,
                "no such master",
                master,
            ))
        })?;
        Ok(Address { host, port })
    }
}
