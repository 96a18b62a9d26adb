//! GameService: lists of games.

use reversi_proto::v1::{self, Color, ErrorReason, GameState};
use tonic::{Code, Status};

use crate::failure::assert_fails;
use crate::server::Api;

async fn list(
    api: &Api,
    page_size: i32,
    page_token: &str,
    state: GameState,
) -> Result<v1::ListGamesResponse, Status> {
    let request = v1::ListGamesRequest {
        page_size,
        page_token: page_token.to_owned(),
        state: state.into(),
        ..Default::default()
    };
    let response = api.games().list_games(request).await?;
    Ok(response.into_inner())
}

/// All pages of a list: the names in each.
async fn pages(api: &Api, page_size: i32, state: GameState) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    let mut token = String::new();
    loop {
        let page = list(api, page_size, &token, state).await.unwrap();
        pages.push(page.games.into_iter().map(|game| game.name).collect());
        token = page.next_page_token;
        if token.is_empty() {
            return pages;
        }
        assert!(pages.len() < 1000, "the list has no end");
    }
}

#[tokio::test]
async fn pages_hold_every_game_once_newest_first() {
    let api = Api::start().await;
    assert_eq!(
        pages(&api, 3, GameState::Unspecified).await,
        [Vec::<String>::new()]
    );
    let mut games = Vec::new();
    for _ in 0..10 {
        games.push(api.game().await);
    }
    let whole = list(&api, 0, "", GameState::Unspecified).await.unwrap();
    assert_eq!(whole.next_page_token, "");
    assert_eq!(whole.games.len(), 10);
    let created = |game: &v1::Game| game.create_time.map(|time| (time.seconds, time.nanos));
    assert!(
        whole
            .games
            .is_sorted_by(|newer, older| created(newer) >= created(older))
    );
    let names: Vec<_> = whole.games.iter().map(|game| game.name.clone()).collect();
    for game in &games {
        assert_eq!(names.iter().filter(|name| **name == game.name).count(), 1);
    }
    for page_size in [1, 3, 5, 9, 10, 11, 10_000] {
        let pages = pages(&api, page_size, GameState::Unspecified).await;
        let size = usize::try_from(page_size).unwrap();
        assert!(pages.iter().all(|page| page.len() <= size), "{page_size}");
        assert_eq!(pages.concat(), names, "{page_size}");
    }
}

#[tokio::test]
async fn a_page_goes_on_where_the_one_before_ended_while_games_come_and_go() {
    let api = Api::start().await;
    let mut names = Vec::new();
    for _ in 0..6 {
        names.push(api.game().await.name);
    }
    let first = list(&api, 2, "", GameState::Unspecified).await.unwrap();
    let seen: Vec<_> = first.games.iter().map(|game| game.name.clone()).collect();
    // One that was seen and one that was not go, and another comes.
    api.delete(&seen[1]).await.unwrap();
    let unseen = names
        .iter()
        .find(|name| !seen.contains(name))
        .unwrap()
        .clone();
    api.delete(&unseen).await.unwrap();
    let new = api.game().await.name;
    let mut rest = Vec::new();
    let mut token = first.next_page_token;
    while !token.is_empty() {
        let page = list(&api, 2, &token, GameState::Unspecified).await.unwrap();
        rest.extend(page.games.into_iter().map(|game| game.name));
        token = page.next_page_token;
    }
    rest.sort();
    let mut expected: Vec<_> = names
        .into_iter()
        .filter(|name| !seen.contains(name) && *name != unseen)
        .collect();
    expected.sort();
    assert!(!expected.contains(&new));
    assert_eq!(rest, expected);
}

#[tokio::test]
async fn the_list_is_filtered_by_state() {
    let api = Api::start().await;
    let (mut running, mut finished) = (Vec::new(), Vec::new());
    for index in 0..9 {
        let game = api.game().await;
        if index % 3 == 0 {
            api.resign(&game.name, Color::Black).await.unwrap();
            finished.push(game.name);
        } else {
            running.push(game.name);
        }
    }
    running.sort();
    finished.sort();
    for (state, expected) in [
        (GameState::InProgress, running),
        (GameState::Finished, finished),
    ] {
        for page_size in [2, 50] {
            let mut found = pages(&api, page_size, state).await.concat();
            found.sort();
            assert_eq!(found, expected, "{state:?}");
        }
    }
}

#[tokio::test]
async fn a_game_in_the_list_is_the_game() {
    let api = Api::start().await;
    let game = api.play_all(api.game().await, "f5d6").await;
    let page = list(&api, 1, "", GameState::Unspecified).await.unwrap();
    assert_eq!(page.games, [game]);
}

#[tokio::test]
async fn a_token_is_good_for_its_own_list_only() {
    let api = Api::start().await;
    for _ in 0..3 {
        api.game().await;
    }
    let any = GameState::Unspecified;
    let token = list(&api, 1, "", any).await.unwrap().next_page_token;
    assert_eq!(list(&api, 2, &token, any).await.unwrap().games.len(), 2);

    let mut flipped = token.clone().into_bytes();
    flipped[3] ^= 1;
    let flipped = String::from_utf8(flipped).unwrap();
    let shortened = &token[..token.len() - 1];
    let longer = format!("{token}0");
    let upper = token.to_uppercase();
    let multibyte = format!("é{}", "é".repeat(40));
    let forged = [
        &flipped[..],
        shortened,
        &longer,
        &upper,
        &multibyte,
        "x",
        " ",
        &"0".repeat(68),
    ];
    for token in forged {
        let refused = list(&api, 1, token, any).await;
        let failure = assert_fails(
            refused,
            Code::InvalidArgument,
            ErrorReason::MalformedPageToken,
        );
        assert_eq!(failure.fields, ["page_token"], "{token}");
    }
    let refused = list(&api, 1, &token, GameState::Finished).await;
    assert_fails(
        refused,
        Code::InvalidArgument,
        ErrorReason::MalformedPageToken,
    );
    // Another server has another secret.
    let other = Api::start().await;
    let refused = list(&other, 1, &token, any).await;
    assert_fails(
        refused,
        Code::InvalidArgument,
        ErrorReason::MalformedPageToken,
    );
}

/// The names of the games of a player and a label, a moment after they were written.
async fn filtered(api: &Api, player_id: &str, label: &str, state: GameState) -> Vec<String> {
    let request = v1::ListGamesRequest {
        player_id: player_id.to_owned(),
        label: label.to_owned(),
        state: state.into(),
        ..Default::default()
    };
    let response = api.games().list_games(request).await.unwrap();
    let games = response.into_inner().games;
    games.into_iter().map(|game| game.name).collect()
}

#[tokio::test]
async fn games_are_found_by_player_and_by_label() {
    let api = Api::start().await;
    let seat = |id: &str| {
        Some(v1::Seat {
            player_id: id.to_owned(),
            ..Default::default()
        })
    };
    let mut names = Vec::new();
    for (black, white, label) in [
        ("anna", "boris", "cup"),
        ("boris", "carla", "cup"),
        ("carla", "anna", ""),
    ] {
        let request = v1::CreateGameRequest {
            black_seat: seat(black),
            white_seat: seat(white),
            labels: (!label.is_empty())
                .then(|| label.to_owned())
                .into_iter()
                .collect(),
            ..Default::default()
        };
        names.push(api.create(request).await.name);
    }
    let [first, second, third] = [&names[0], &names[1], &names[2]].map(String::clone);
    let any = GameState::Unspecified;
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    let both = |a: &String, b: &String| sorted(vec![a.clone(), b.clone()]);
    let found = filtered(&api, "anna", "", any).await;
    assert_eq!(sorted(found), both(&first, &third));
    assert_eq!(
        sorted(filtered(&api, "", "cup", any).await),
        both(&first, &second)
    );
    assert_eq!(filtered(&api, "anna", "cup", any).await, [first.as_str()]);
    assert!(filtered(&api, "nobody", "", any).await.is_empty());
    assert!(filtered(&api, "cup", "", any).await.is_empty());
    api.resign(&first, Color::Black).await.unwrap();
    assert_eq!(
        filtered(&api, "anna", "", GameState::Finished).await,
        [first.as_str()]
    );
    assert_eq!(
        filtered(&api, "anna", "", GameState::InProgress).await,
        [third.as_str()]
    );
    api.delete(&first).await.unwrap();
    assert_eq!(filtered(&api, "anna", "", any).await, [third]);
    assert_eq!(filtered(&api, "", "cup", any).await, [second]);
}

#[tokio::test]
async fn who_takes_an_open_seat_finds_the_game() {
    let api = Api::start().await;
    let request = v1::CreateGameRequest {
        white_seat: Some(v1::Seat {
            occupant: v1::SeatOccupant::Open.into(),
            ..Default::default()
        }),
        ..Default::default()
    };
    let name = api.create(request).await.name;
    let any = GameState::Unspecified;
    assert!(filtered(&api, "anna", "", any).await.is_empty());
    let claim = v1::ClaimSeatRequest {
        name: name.clone(),
        player_id: "anna".to_owned(),
        ..Default::default()
    };
    api.games().claim_seat(claim).await.unwrap();
    assert_eq!(filtered(&api, "anna", "", any).await, [name]);
}

#[tokio::test]
async fn a_page_token_is_of_one_player_and_label() {
    let api = Api::start().await;
    for _ in 0..3 {
        let request = v1::CreateGameRequest {
            black_seat: Some(v1::Seat {
                player_id: "anna".to_owned(),
                ..Default::default()
            }),
            ..Default::default()
        };
        api.create(request).await;
    }
    let mut request = v1::ListGamesRequest {
        page_size: 2,
        player_id: "anna".to_owned(),
        ..Default::default()
    };
    let first = api.games().list_games(request.clone()).await.unwrap();
    let first = first.into_inner();
    assert_eq!(first.games.len(), 2);
    request.page_token = first.next_page_token;
    let second = api.games().list_games(request.clone()).await.unwrap();
    assert_eq!(second.into_inner().games.len(), 1);
    for (player_id, label) in [("boris", ""), ("anna", "cup"), ("", "anna")] {
        let other = v1::ListGamesRequest {
            player_id: player_id.to_owned(),
            label: label.to_owned(),
            ..request.clone()
        };
        let refused = api.games().list_games(other).await;
        assert_fails(
            refused,
            Code::InvalidArgument,
            ErrorReason::MalformedPageToken,
        );
    }
}
