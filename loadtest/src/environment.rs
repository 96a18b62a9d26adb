//! What a run takes place on: this machine, this build, the server.

use std::fs;
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use prost::Message;
use reversi_proto::v1;
use tokio::task::LocalSet;
use tokio::time::timeout;

use crate::report::model::{Environment, Server};
use crate::wire::{Keep, Link, Rpc, Target, frame};

/// How long the server may take to tell what it is.
const PATIENCE: Duration = Duration::from_secs(5);

/// This machine and build.
pub(crate) fn here() -> Environment {
    Environment {
        generator_version: env!("CARGO_PKG_VERSION").to_owned(),
        generator_build: if cfg!(debug_assertions) {
            "debug".to_owned()
        } else {
            "release".to_owned()
        },
        cpu: fs::read_to_string("/proc/cpuinfo")
            .ok()
            .and_then(|text| cpu_name(&text)),
        processors: thread::available_parallelism().map_or(1, usize::from),
        kernel: kernel(),
        server: None,
    }
}

/// What the server tells of itself; `None` if it does not.
pub(crate) async fn server(target: &Target) -> Option<Server> {
    let target = Rc::new(target.clone());
    let asking = async {
        let stream = target.connect().await.ok()?;
        let mut link = Link::open(stream, Rc::clone(&target)).await.ok()?;
        let question = frame::encode(&v1::GetServerInfoRequest {});
        let reply = link
            .unary(Rpc::GetServerInfo, question, Keep::Message)
            .await
            .ok()?;
        v1::GetServerInfoResponse::decode(reply.message).ok()
    };
    let answer = LocalSet::new().run_until(timeout(PATIENCE, asking)).await;
    let info = answer.ok()??;
    let store = match info.store() {
        v1::StoreKind::Unspecified => "",
        v1::StoreKind::Memory => "memory",
        v1::StoreKind::Redis => "redis",
    };
    Some(Server {
        store: store.to_owned(),
        version: info.version,
        engine: info.engine,
        kernel: info.kernel,
    })
}

/// The name in `/proc/cpuinfo`; its key differs between architectures.
fn cpu_name(cpuinfo: &str) -> Option<String> {
    let value = |key: &str| {
        let line = cpuinfo.lines().find(|line| line.starts_with(key))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    value("model name").or_else(|| value("Hardware"))
}

fn kernel() -> Option<String> {
    let read = |name: &str| fs::read_to_string(format!("/proc/sys/kernel/{name}")).ok();
    let (kind, release) = (read("ostype")?, read("osrelease")?);
    Some(format!("{} {}", kind.trim(), release.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_found() {
        let cpuinfo = "processor\t: 0\nmodel name\t: Example CPU 1\n\nprocessor\t: 1\n";
        assert_eq!(cpu_name(cpuinfo).as_deref(), Some("Example CPU 1"));
        assert_eq!(cpu_name("nothing"), None);
    }
}
