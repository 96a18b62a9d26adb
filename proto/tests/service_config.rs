//! `service_config.json` says of every rpc how long it may take and when it is repeated.

use std::collections::BTreeMap;

use prost::Message;
use prost_types::{FileDescriptorSet, MethodDescriptorProto};
use serde_json::Value;

/// The services that keep something.
const STATEFUL: [&str; 2] = ["GameService", "RecordService"];

/// What begins the name of their rpcs that change nothing.
const READS: [&str; 5] = ["BatchGet", "Export", "Get", "List", "Watch"];

struct Rpc {
    name: String,
    reads: bool,
    method: MethodDescriptorProto,
    has_request_id: bool,
}

fn rpcs() -> Vec<Rpc> {
    let set = FileDescriptorSet::decode(reversi_proto::DESCRIPTOR_SET).expect("the build made it");
    let files = || {
        set.file
            .iter()
            .filter(|file| file.package() == "reversi.v1")
    };
    let has_request_id = |message: &str| {
        let mut messages = files().flat_map(|file| &file.message_type);
        let message = messages.find(|found| format!(".reversi.v1.{}", found.name()) == message);
        message
            .expect("its file is in the set")
            .field
            .iter()
            .any(|f| f.name() == "request_id")
    };
    let mut rpcs = Vec::new();
    for service in files().flat_map(|file| &file.service) {
        for method in &service.method {
            let reads = !STATEFUL.contains(&service.name())
                || READS.iter().any(|verb| method.name().starts_with(verb));
            rpcs.push(Rpc {
                reads,
                name: format!("reversi.v1.{}/{}", service.name(), method.name()),
                has_request_id: has_request_id(method.input_type()),
                method: method.clone(),
            });
        }
    }
    rpcs
}

/// The `methodConfig` of every method named in the file.
fn configs() -> BTreeMap<String, Value> {
    let text = include_str!("../service_config.json");
    let config: Value = serde_json::from_str(text).expect("JSON");
    let mut configs = BTreeMap::new();
    for config in config["methodConfig"].as_array().expect("a list") {
        for name in config["name"].as_array().expect("a list") {
            let text = |key: &str| name[key].as_str().expect("a text");
            let name = format!("{}/{}", text("service"), text("method"));
            let earlier = configs.insert(name.clone(), config.clone());
            assert!(earlier.is_none(), "{name} is named twice");
        }
    }
    configs
}

#[test]
fn every_rpc_and_nothing_else_is_named_once() {
    let named: Vec<_> = configs().into_keys().collect();
    let mut rpcs: Vec<_> = rpcs().into_iter().map(|rpc| rpc.name).collect();
    rpcs.sort();
    assert_eq!(
        named, rpcs,
        "left: proto/service_config.json, right: the API"
    );
}

#[test]
fn a_call_is_repeated_only_where_that_is_safe() {
    let configs = configs();
    for rpc in rpcs() {
        let repeated = configs[&rpc.name].get("retryPolicy").is_some();
        let safe = (rpc.reads || rpc.has_request_id) && !rpc.method.client_streaming();
        assert_eq!(repeated, safe, "{}", rpc.name);
    }
}

#[test]
fn repeats_are_those_of_the_rust_client() {
    for (name, config) in configs() {
        let Some(policy) = config.get("retryPolicy") else {
            continue;
        };
        assert_eq!(
            policy["retryableStatusCodes"],
            serde_json::json!(["UNAVAILABLE"])
        );
        assert_eq!(policy["maxAttempts"], 4, "{name}");
        assert_eq!(policy["initialBackoff"], "0.05s", "{name}");
    }
}

#[test]
fn single_answers_have_a_deadline_and_streams_have_none() {
    let configs = configs();
    for rpc in rpcs() {
        let streams = rpc.method.server_streaming();
        let timeout = configs[&rpc.name].get("timeout");
        assert_eq!(timeout.is_none(), streams, "{}", rpc.name);
    }
}
