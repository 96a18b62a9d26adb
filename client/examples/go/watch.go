package main

import (
	"context"
	"fmt"
	"strconv"

	pb "reversi/v1"
)

// watch plays a game by both sides while it is watched.
func (e example) watch(ctx context.Context) (*pb.Game, error) {
	game, err := e.create(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := e.games.WatchGame(ctx, &pb.WatchGameRequest{Name: game.Name})
	if err != nil {
		return nil, err
	}
	first, err := stream.Recv()
	if err != nil {
		return nil, err
	}
	if first.GetSnapshot().GetGame().GetEtag() != game.Etag {
		return nil, fmt.Errorf("no snapshot at first: %v", first)
	}
	events := make(chan []*pb.GameEvent, 1)
	lost := make(chan error, 1)
	go func() {
		if seen, err := follow(stream); err != nil {
			lost <- err
		} else {
			events <- seen
		}
	}()
	for game.State != pb.GameState_GAME_STATE_FINISHED {
		moves := game.LegalMoves.Moves
		if game, err = e.play(ctx, game, moves[len(moves)-1].Square); err != nil {
			return nil, err
		}
	}
	select {
	case seen := <-events:
		return game, compare(seen, game)
	case err := <-lost:
		return nil, err
	}
}

// follow reads the events of a game to its end.
func follow(stream pb.GameService_WatchGameClient) ([]*pb.GameEvent, error) {
	var seen []*pb.GameEvent
	for {
		update, err := stream.Recv()
		if err != nil {
			return nil, err
		}
		event := update.GetEvent()
		seen = append(seen, event)
		if event.GetAfter().GetState() == pb.GameState_GAME_STATE_FINISHED {
			return seen, nil
		}
	}
}

// compare holds what was watched against the game itself.
func compare(seen []*pb.GameEvent, game *pb.Game) error {
	var moves []*pb.Move
	previous := 0
	for i, event := range seen {
		etag, err := strconv.Atoi(event.Etag)
		if err != nil || (i > 0 && etag != previous+1) {
			return fmt.Errorf("etag %q after %d", event.Etag, previous)
		}
		previous = etag
		moves = append(moves, event.GetMovesPlayed().GetMoves()...)
	}
	if len(moves) != len(game.History) {
		return fmt.Errorf("%d moves were watched, %d played", len(moves), len(game.History))
	}
	for i, move := range moves {
		if move.Square != game.History[i].Square {
			return fmt.Errorf("move %d was watched as %v", i, move)
		}
	}
	return nil
}
