"""Plays a whole game against the engine, watches another while it is played, and handles
a stale etag and an illegal move by their reasons. Exits 1 when anything is not as it should
be."""

import pathlib
import sys
import threading
import uuid

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from reversi.v1 import analysis_service_pb2 as analysis
from reversi.v1 import analysis_service_pb2_grpc as analysis_grpc
from reversi.v1 import game_pb2
from reversi.v1 import game_service_pb2 as games
from reversi.v1 import game_service_pb2_grpc as games_grpc
from reversi.v1 import position_pb2

BLACK, WHITE = position_pb2.COLOR_BLACK, position_pb2.COLOR_WHITE
FINISHED = game_pb2.GAME_STATE_FINISHED
# Deadlines, retries and load balancing of every call, as the service recommends them.
SERVICE_CONFIG = pathlib.Path(__file__).parents[3] / "proto" / "service_config.json"


def check(holds, what):
    if not holds:
        raise SystemExit(f"python: surprise: {what}")


def error_info(error):
    """The google.rpc.ErrorInfo of an error: its reason and metadata."""
    info = error_details_pb2.ErrorInfo()
    status = rpc_status.from_call(error)
    for detail in status.details if status else ():
        if detail.Unpack(info):
            return info
    raise SystemExit(f"python: surprise: an error without a reason: {error}")


def refused(call, code, reason):
    """Makes a call that has to fail with this code and reason; the metadata of the reason."""
    try:
        call()
    except grpc.RpcError as error:
        info = error_info(error)
        check(error.code() == code and info.reason == reason, f"{error.code()} {info.reason}")
        check(info.domain == "reversi.v1", info.domain)
        return info.metadata
    raise SystemExit(f"python: surprise: not refused with {reason}")


class Example:
    def __init__(self, channel):
        self.games = games_grpc.GameServiceStub(channel)
        self.analysis = analysis_grpc.AnalysisServiceStub(channel)

    def create(self):
        # The request id makes the call safe to repeat, here and by the channel itself.
        request = games.CreateGameRequest(request_id=str(uuid.uuid4()))
        game = self.games.CreateGame(request).game
        again = self.games.CreateGame(request)
        check(again.replayed and again.game.name == game.name, "a repeat made another game")
        return game

    def play(self, game, square):
        return self.games.PlayMove(
            games.PlayMoveRequest(
                name=game.name,
                side=game.position.side_to_move,
                square=square,
                etag=game.etag,
                request_id=str(uuid.uuid4()),
            )
        ).game

    def errors(self):
        first = self.create()
        illegal = refused(
            lambda: self.play(first, "a1"), grpc.StatusCode.FAILED_PRECONDITION, "ILLEGAL_NO_FLIP"
        )
        check(illegal["square"] == "a1" and illegal["legal_moves"] == "d3 c4 f5 e6", illegal)
        second = self.play(first, "f5")
        # Somebody who has not seen f5 plays on the game as it was.
        stale = refused(lambda: self.play(first, "d3"), grpc.StatusCode.ABORTED, "STALE_ETAG")
        check(stale["etag"] == second.etag, stale)
        # They read the game again and go on.
        fresh = self.games.GetGame(games.GetGameRequest(name=first.name)).game
        self.play(fresh, fresh.legal_moves.moves[0].square)
        self.games.DeleteGame(games.DeleteGameRequest(name=first.name))

    def watch(self):
        """Plays a game by both sides while a thread watches it."""
        game = self.create()
        updates = self.games.WatchGame(games.WatchGameRequest(name=game.name))
        check(next(updates).snapshot.game.etag == game.etag, "no snapshot at first")
        seen = []

        def follow():
            for update in updates:
                seen.append(update.event)
                if update.event.after.state == FINISHED:
                    return updates.cancel()

        watcher = threading.Thread(target=follow, daemon=True)
        watcher.start()
        while game.state != FINISHED:
            game = self.play(game, game.legal_moves.moves[-1].square)
        watcher.join(timeout=10)
        check(not watcher.is_alive(), "the watch did not see the end")
        etags = [int(event.etag) for event in seen]
        check(etags == list(range(etags[0], etags[0] + len(etags))), f"a gap: {etags}")
        watched = [move.square for event in seen for move in event.moves_played.moves]
        check(watched == [move.square for move in game.history], "other moves were watched")
        return game

    def against_the_engine(self):
        """Plays Black by the first legal move; the engine plays White."""
        game = self.create()
        while game.state != FINISHED:
            if game.position.side_to_move == BLACK:
                game = self.play(game, game.legal_moves.moves[0].square)
                continue
            request = analysis.SuggestMoveRequest(game=game.name, level=3)
            request.budget.time.FromMilliseconds(50)
            suggested = self.analysis.SuggestMove(request)
            check(suggested.move.side == WHITE and suggested.etag == game.etag, suggested)
            game = self.play(game, suggested.move.square)
        check(game.HasField("outcome") and game.score.HasField("scored"), game)
        return game


def main():
    address = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:50051"
    options = [("grpc.service_config", SERVICE_CONFIG.read_text())]
    with grpc.insecure_channel(address, options) as channel:
        example = Example(channel)
        example.errors()
        watched = example.watch()
        played = example.against_the_engine()
    print(
        f"python: watched {watched.ply} moves; against the engine"
        f" {played.score.black}-{played.score.white} after {played.ply}"
    )


if __name__ == "__main__":
    main()
