//! The calls that a generator makes.

use http::uri::PathAndQuery;

macro_rules! rpcs {
    ($($(#[$doc:meta])* $rpc:ident => $path:literal),* $(,)?) => {
        /// A method of a service.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) enum Rpc {
            $($(#[$doc])* $rpc),*
        }

        impl Rpc {
            /// All of them.
            pub(crate) const ALL: &[Self] = &[$(Self::$rpc),*];

            /// Its name in reports.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Self::$rpc => stringify!($rpc)),*
                }
            }

            /// Its path, `/package.Service/Method`.
            const fn path(self) -> &'static str {
                match self {
                    $(Self::$rpc => $path),*
                }
            }
        }
    };
}

rpcs! {
    /// What the server is.
    GetServerInfo => "/reversi.v1.RulesService/GetServerInfo",
    /// Legal moves of a position.
    ListLegalMoves => "/reversi.v1.RulesService/ListLegalMoves",
    /// Legal moves of many positions.
    BatchListLegalMoves => "/reversi.v1.RulesService/BatchListLegalMoves",
    /// Legal moves of a stream of batches.
    StreamLegalMoves => "/reversi.v1.RulesService/StreamLegalMoves",
    /// A new game.
    CreateGame => "/reversi.v1.GameService/CreateGame",
    /// A move of a game.
    PlayMove => "/reversi.v1.GameService/PlayMove",
    /// The changes of a game.
    WatchGame => "/reversi.v1.GameService/WatchGame",
    /// The end of a game that nobody needs any more.
    DeleteGame => "/reversi.v1.GameService/DeleteGame",
    /// What the engine would play.
    SuggestMove => "/reversi.v1.AnalysisService/SuggestMove",
    /// The same bytes back, from the echo server.
    Echo => "/reversi.loadtest.Echo/Echo",
    /// Legal moves of many positions through generated messages, from the echo server.
    GeneratedLegalMoves => "/reversi.loadtest.Echo/ListLegalMoves",
}

impl Rpc {
    /// Its place in tables that have one for each.
    pub(crate) const fn index(self) -> usize {
        self as usize
    }

    /// Whether a call goes on for long: then its deadline is not that of one answer.
    pub(crate) const fn is_long_lived(self) -> bool {
        matches!(self, Self::StreamLegalMoves | Self::WatchGame)
    }

    /// Whether it is measured as a call of its own: a watched game's events are the consequence
    /// of other calls.
    pub(crate) const fn is_call(self) -> bool {
        !matches!(self, Self::WatchGame)
    }

    /// Its path for a request.
    pub(crate) fn path_and_query(self) -> PathAndQuery {
        PathAndQuery::from_static(self.path())
    }
}
