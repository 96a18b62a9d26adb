// Plays a whole game against the engine, watches another while it is played, and handles a
// stale etag and an illegal move by their reasons. Exits 1 when anything is not as it should
// be.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { ServiceError, status } from "@grpc/grpc-js";

import type { Game__Output as Game } from "../generated/reversi/v1/Game";
import type { GameEvent__Output as GameEvent } from "../generated/reversi/v1/GameEvent";
import type { WatchGameResponse__Output as Update } from "../generated/reversi/v1/WatchGameResponse";
import { call, connect } from "./client";
import { refusal } from "./refusal";

const FINISHED = "GAME_STATE_FINISHED";
const { games, analysis } = connect(process.argv[2] ?? "127.0.0.1:50051");

async function create(): Promise<Game> {
  // The request id makes the call safe to repeat, here and by the channel itself.
  const request = { requestId: randomUUID() };
  const { game } = await call(games, games.createGame, request);
  const again = await call(games, games.createGame, request);
  assert(game && again.replayed);
  assert.equal(again.game?.name, game.name);
  return game;
}

async function play(game: Game, square: string): Promise<Game> {
  const side = game.position?.sideToMove;
  const { name, etag } = game;
  const request = { name, side, square, etag, requestId: randomUUID() };
  const played = await call(games, games.playMove, request);
  assert(played.game);
  return played.game;
}

function legal(game: Game): string[] {
  return (game.legalMoves?.moves ?? []).map((move) => move.square);
}

/** Waits for a call that has to fail with this code and reason; the metadata of the reason. */
async function refused(call: Promise<unknown>, code: status, reason: string) {
  const error = await call.then(
    () => assert.fail(`not refused with ${reason}`),
    (error: ServiceError) => refusal(error),
  );
  assert.deepEqual([error.code, error.reason], [code, reason]);
  return error.metadata;
}

async function errors(): Promise<void> {
  const first = await create();
  const illegal = await refused(
    play(first, "a1"),
    status.FAILED_PRECONDITION,
    "ILLEGAL_NO_FLIP",
  );
  assert.equal(illegal.legal_moves, "d3 c4 f5 e6");
  const second = await play(first, "f5");
  // Somebody who has not seen f5 plays on the game as it was.
  const stale = await refused(play(first, "d3"), status.ABORTED, "STALE_ETAG");
  assert.equal(stale.etag, second.etag);
  // They read the game again and go on.
  const fresh = (await call(games, games.getGame, { name: first.name })).game;
  assert(fresh);
  await play(fresh, legal(fresh)[0] ?? "none");
  await call(games, games.deleteGame, { name: first.name });
}

/** Follows a game to its end: `snapshot` is the first that is sent, `events` are the rest. */
function follow(name: string) {
  const stream = games.watchGame({ name });
  const seen: GameEvent[] = [];
  let first: (update: Update) => void;
  const snapshot = new Promise<Update>((resolve) => (first = resolve));
  const events = new Promise<GameEvent[]>((resolve, reject) => {
    stream.on("data", (update: Update) => {
      if (update.snapshot) return first(update);
      if (update.event) seen.push(update.event);
      if (update.event?.after?.state === FINISHED) {
        resolve(seen);
        stream.cancel();
      }
    });
    // Our own cancelling comes after the promise is kept.
    stream.on("error", reject);
    stream.on("end", () => reject(new Error("the watch ended before the game")));
  });
  return { snapshot, events };
}

/** Plays a game by both sides while it is watched. */
async function watch(): Promise<Game> {
  let game = await create();
  const watching = follow(game.name);
  assert.equal((await watching.snapshot).snapshot?.game?.etag, game.etag);
  while (game.state !== FINISHED) {
    game = await play(game, legal(game).at(-1) ?? "none");
  }
  const events = await watching.events;
  const etags = events.map((event) => Number(event.etag));
  assert.deepEqual(etags, etags.map((_, index) => (etags[0] ?? 0) + index));
  const watched = events.flatMap((event) => event.movesPlayed?.moves ?? []);
  assert.deepEqual(
    watched.map((move) => move.square),
    game.history.map((move) => move.square),
  );
  return game;
}

/** Plays Black by the first legal move; the engine plays White. */
async function againstTheEngine(): Promise<Game> {
  let game = await create();
  while (game.state !== FINISHED) {
    if (game.position?.sideToMove === "COLOR_BLACK") {
      game = await play(game, legal(game)[0] ?? "none");
      continue;
    }
    const budget = { time: { seconds: 0, nanos: 50_000_000 } };
    const request = { game: game.name, level: 3, budget };
    const suggested = await call(analysis, analysis.suggestMove, request);
    assert.equal(suggested.etag, game.etag);
    game = await play(game, suggested.move?.square ?? "none");
  }
  assert(game.outcome && game.score?.scored);
  return game;
}

async function main(): Promise<void> {
  await errors();
  const watched = await watch();
  const { ply, score } = await againstTheEngine();
  console.log(
    `node: watched ${watched.ply} moves; against the engine ` +
      `${score?.black}-${score?.white} after ${ply}`,
  );
  games.close();
  analysis.close();
}

main().catch((error: unknown) => {
  console.error("node: surprise:", error);
  process.exit(1);
});
