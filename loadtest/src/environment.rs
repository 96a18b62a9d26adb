//! What a run takes place on: this machine, this build, the server.

use std::{fs, thread};

use prost::Message;
use reversi_proto::v1;

use crate::report::model::{Environment, Server};

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

/// What a server has told of itself in a `GetServerInfoResponse`.
pub(crate) fn server(answer: &[u8]) -> Option<Server> {
    let info = v1::GetServerInfoResponse::decode(answer).ok()?;
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
    fn a_server_that_tells_nonsense_is_unknown() {
        let info = v1::GetServerInfoResponse {
            version: "1.2.3".to_owned(),
            store: v1::StoreKind::Redis.into(),
            ..Default::default()
        };
        let known = server(&info.encode_to_vec()).unwrap();
        assert_eq!(
            (known.version.as_str(), known.store.as_str()),
            ("1.2.3", "redis")
        );
        assert_eq!(server(b"\xff"), None);
    }

    #[test]
    fn the_processor_is_found() {
        let cpuinfo = "processor\t: 0\nmodel name\t: Example CPU 1\n\nprocessor\t: 1\n";
        assert_eq!(cpu_name(cpuinfo).as_deref(), Some("Example CPU 1"));
        assert_eq!(cpu_name("nothing"), None);
    }
}
