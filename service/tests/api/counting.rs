//! RulesService: counts of positions.

use reversi_proto::v1::{self, Color, CountConvention, ErrorReason, Start};
use std::time::Duration;
use tonic::{Code, Request, Status, Streaming};

use crate::client::{DEAD, ONLY_WHITE_MOVES, soon, text_position};
use crate::failure::{assert_fails, failure};
use crate::server::Api;

async fn count(api: &Api, request: v1::CountPositionsRequest) -> Result<Vec<u64>, Status> {
    let mut stream = api.rules().count_positions(request).await?.into_inner();
    let mut nodes = Vec::new();
    while let Some(count) = soon(stream.message()).await? {
        assert!(count.complete);
        assert_eq!(count.depth, i32::try_from(nodes.len() + 1).unwrap());
        assert!(count.elapsed.is_some());
        nodes.push(count.nodes);
    }
    Ok(nodes)
}

/// A count that does not end while it is held, and that has begun.
pub(crate) async fn endless(api: &Api) -> Streaming<v1::CountPositionsResponse> {
    let request = v1::CountPositionsRequest {
        depth: 16,
        ..Default::default()
    };
    let mut stream = api
        .rules()
        .count_positions(request)
        .await
        .unwrap()
        .into_inner();
    let first = soon(stream.message()).await.unwrap().unwrap();
    assert_eq!((first.depth, first.nodes), (1, 4));
    stream
}

#[tokio::test]
async fn the_start_is_counted_depth_by_depth_under_each_convention() {
    let api = Api::start().await;
    for convention in [
        CountConvention::Unspecified,
        CountConvention::PassIsPly,
        CountConvention::DropFinished,
        CountConvention::PassIsFree,
    ] {
        let request = v1::CountPositionsRequest {
            depth: 8,
            convention: convention.into(),
            ..Default::default()
        };
        let nodes = count(&api, request).await.unwrap();
        let published = [4, 12, 56, 244, 1396, 8200, 55_092, 390_216];
        assert_eq!(nodes, published, "{convention:?}");
    }
}

#[tokio::test]
async fn passes_and_ends_count_as_the_convention_says() {
    let api = Api::start().await;
    // Black must pass, White plays c1 and the game is over.
    for (convention, nodes) in [
        (CountConvention::PassIsPly, [1, 1, 1, 1]),
        (CountConvention::DropFinished, [1, 1, 0, 0]),
        (CountConvention::PassIsFree, [1, 1, 1, 1]),
    ] {
        let request = v1::CountPositionsRequest {
            position: Some(text_position(ONLY_WHITE_MOVES, Color::Black)),
            depth: 4,
            convention: convention.into(),
            ..Default::default()
        };
        assert_eq!(count(&api, request).await.unwrap(), nodes, "{convention:?}");
    }
    for (convention, nodes) in [
        (CountConvention::PassIsPly, [1, 1]),
        (CountConvention::DropFinished, [0, 0]),
        (CountConvention::PassIsFree, [1, 1]),
    ] {
        let request = v1::CountPositionsRequest {
            position: Some(text_position(DEAD, Color::Black)),
            depth: 2,
            convention: convention.into(),
            ..Default::default()
        };
        assert_eq!(count(&api, request).await.unwrap(), nodes, "{convention:?}");
    }
}

#[tokio::test]
async fn free_placements_are_plies() {
    let api = Api::start().await;
    let request = v1::CountPositionsRequest {
        rules: Some(v1::RuleSet {
            start: Start::Free.into(),
            ..Default::default()
        }),
        depth: 5,
        ..Default::default()
    };
    // Each of the 24 orders leaves four moves.
    assert_eq!(count(&api, request).await.unwrap(), [4, 12, 24, 24, 96]);
}

#[tokio::test]
async fn depths_off_the_scale_are_refused() {
    let api = Api::start().await;
    for depth in [0, -1, 17, i32::MAX, i32::MIN] {
        let request = v1::CountPositionsRequest {
            depth,
            convention: 7,
            ..Default::default()
        };
        let refused = count(&api, request).await;
        let failure = assert_fails(refused, Code::InvalidArgument, ErrorReason::FieldInvalid);
        assert_eq!(failure.fields, ["depth", "convention"]);
        assert_eq!(failure.metadata["field"], "depth");
        assert_eq!(failure.metadata["value"], depth.to_string());
    }
}

#[tokio::test]
async fn a_caller_that_leaves_frees_the_thread() {
    let flags = ["--compute-threads", "1", "--compute-queue", "1"];
    let api = Api::start_with(&flags).await;
    let busy = endless(&api).await;
    // Waits behind the count, which does not end by itself.
    let request = v1::CountPositionsRequest {
        depth: 2,
        ..Default::default()
    };
    let waiting = api.rules().count_positions(request).await;
    let mut waiting = waiting.unwrap().into_inner();
    // There is no place left in the queue.
    let request = v1::CountPositionsRequest {
        depth: 1,
        ..Default::default()
    };
    let refused = failure(api.rules().count_positions(request).await);
    assert!(
        refused.is(Code::ResourceExhausted, ErrorReason::ComputeBusy),
        "{refused:?}"
    );
    assert!(refused.retry_after.is_some());

    drop(busy);
    let first = soon(waiting.message()).await.unwrap().unwrap();
    assert_eq!(first.nodes, 4);
}

#[tokio::test]
async fn a_count_ends_at_the_deadline() {
    let api = Api::start().await;
    let mut request = Request::new(v1::CountPositionsRequest {
        depth: 16,
        ..Default::default()
    });
    // The client library of this test keeps no deadline of its own for a stream.
    request.set_timeout(Duration::from_millis(300));
    let mut stream = api
        .rules()
        .count_positions(request)
        .await
        .unwrap()
        .into_inner();
    let error = loop {
        match soon(stream.message()).await {
            Ok(Some(count)) => assert!(count.complete),
            Ok(None) => panic!("the count ended without an error"),
            Err(error) => break error,
        }
    };
    assert_fails(
        Err::<(), _>(error),
        Code::DeadlineExceeded,
        ErrorReason::DeadlineExceeded,
    );
}
