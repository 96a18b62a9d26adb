//! All services of the port, and the way from a path to one of them.

use std::convert::Infallible;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::{Request, Response};
use hyper::body::Incoming;
use reversi_proto::v1::analysis_service_server::AnalysisServiceServer;
use reversi_proto::v1::game_service_server::GameServiceServer;
use reversi_proto::v1::opening_service_server::OpeningServiceServer;
use reversi_proto::v1::rules_service_server::RulesServiceServer;
use tonic::body::Body;
use tonic::server::NamedService;
use tonic::service::Routes;
use tower::Service;

use super::{
    AnalysisHandlers, GameHandlers, MAX_REQUEST_BYTES, OpeningHandlers, RulesHandlers, in_place,
};
use crate::health::HealthService;

/// The services. The busy ones are found by their name, without a router.
#[derive(Clone, Debug)]
pub(crate) struct Api {
    rules: RulesServiceServer<RulesHandlers>,
    games: GameServiceServer<GameHandlers>,
    analysis: AnalysisServiceServer<AnalysisHandlers>,
    others: Routes,
}

/// Whether callers can ask what there is to call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reflection {
    On,
    Off,
}

/// The answer to a call.
pub(super) type Answer = BoxFuture<'static, Result<Response<Body>, Infallible>>;

impl Api {
    /// The services with these handlers, and health and reflection beside them.
    pub(crate) fn new(
        rules: RulesHandlers,
        games: GameHandlers,
        analysis: AnalysisHandlers,
        health: &HealthService,
        reflection: Reflection,
    ) -> Self {
        const DESCRIPTORS: &str = "invariant: the build made the descriptors";
        let describing = || {
            tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(reversi_proto::DESCRIPTOR_SET)
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
                // So that clients with reflection can read the details of errors.
                .register_encoded_file_descriptor_set(tonic_types::pb::FILE_DESCRIPTOR_SET)
        };
        let openings =
            OpeningServiceServer::new(OpeningHandlers).max_decoding_message_size(MAX_REQUEST_BYTES);
        let mut others = Routes::new(health.clone()).add_service(openings);
        if reflection == Reflection::On {
            others = others
                .add_service(describing().build_v1().expect(DESCRIPTORS))
                .add_service(describing().build_v1alpha().expect(DESCRIPTORS));
        }
        Self {
            rules: RulesServiceServer::from_arc(Arc::new(rules))
                .max_decoding_message_size(MAX_REQUEST_BYTES),
            games: GameServiceServer::from_arc(Arc::new(games))
                .max_decoding_message_size(MAX_REQUEST_BYTES),
            analysis: AnalysisServiceServer::from_arc(Arc::new(analysis))
                .max_decoding_message_size(MAX_REQUEST_BYTES),
            others: others.prepare(),
        }
    }

    /// Hands a call to its service; to none, that answers UNIMPLEMENTED.
    pub(super) fn call(&self, request: Request<Incoming>) -> Answer {
        if request.uri().path() == in_place::PATH {
            return in_place::call(request).map(Ok).boxed();
        }
        // tonic's services and routes are always ready.
        match service(request.uri().path()) {
            <RulesServiceServer<RulesHandlers> as NamedService>::NAME => {
                self.rules.clone().call(request)
            }
            <GameServiceServer<GameHandlers> as NamedService>::NAME => {
                self.games.clone().call(request)
            }
            <AnalysisServiceServer<AnalysisHandlers> as NamedService>::NAME => {
                self.analysis.clone().call(request)
            }
            _ => self.others.clone().call(request.map(Body::new)).boxed(),
        }
    }
}

/// The service in a path `/service/method`.
fn service(path: &str) -> &str {
    path.strip_prefix('/')
        .and_then(|path| path.split_once('/'))
        .map_or("", |(service, _)| service)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn service_is_what_stands_between_the_slashes() {
        assert_eq!(
            service("/reversi.v1.RulesService/ListLegalMoves"),
            "reversi.v1.RulesService"
        );
        for path in ["", "/", "x", "/x", "x/y"] {
            assert_eq!(service(path), "", "{path}");
        }
    }
}
