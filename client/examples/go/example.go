// Plays a whole game against the engine, watches another while it is played, and handles a
// stale etag and an illegal move by their reasons. Exits 1 when anything is not as it should
// be.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"

	pb "reversi/v1"
)

type example struct {
	games    pb.GameServiceClient
	analysis pb.AnalysisServiceClient
}

func main() {
	address := "127.0.0.1:50051"
	if len(os.Args) > 1 {
		address = os.Args[1]
	}
	if err := run(address); err != nil {
		fmt.Fprintln(os.Stderr, "go: surprise:", err)
		os.Exit(1)
	}
}

func run(address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	channel, err := dial(ctx, address)
	if err != nil {
		return err
	}
	defer channel.Close()
	e := example{pb.NewGameServiceClient(channel), pb.NewAnalysisServiceClient(channel)}
	if err := e.errors(ctx); err != nil {
		return err
	}
	watched, err := e.watch(ctx)
	if err != nil {
		return err
	}
	played, err := e.againstTheEngine(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("go: watched %d moves; against the engine %d-%d after %d\n",
		watched.Ply, played.Score.Black, played.Score.White, played.Ply)
	return nil
}

func (e example) create(ctx context.Context) (*pb.Game, error) {
	// The request id makes the call safe to repeat, here and by the channel itself.
	request := &pb.CreateGameRequest{RequestId: requestID()}
	created, err := e.games.CreateGame(ctx, request)
	if err != nil {
		return nil, err
	}
	again, err := e.games.CreateGame(ctx, request)
	if err != nil {
		return nil, err
	}
	if !again.Replayed || again.Game.Name != created.Game.Name {
		return nil, fmt.Errorf("a repeat made another game: %v", again)
	}
	return created.Game, nil
}

func (e example) play(ctx context.Context, game *pb.Game, square string) (*pb.Game, error) {
	played, err := e.games.PlayMove(ctx, &pb.PlayMoveRequest{
		Name:      game.Name,
		Side:      game.Position.SideToMove,
		Square:    square,
		Expected:  &pb.PlayMoveRequest_Etag{Etag: game.Etag},
		RequestId: requestID(),
	})
	return played.GetGame(), err
}

func (e example) errors(ctx context.Context) error {
	first, err := e.create(ctx)
	if err != nil {
		return err
	}
	_, err = e.play(ctx, first, "a1")
	illegal, err := refused(err, codes.FailedPrecondition, "ILLEGAL_NO_FLIP")
	if err != nil {
		return err
	}
	if illegal["legal_moves"] != "d3 c4 f5 e6" {
		return fmt.Errorf("other legal moves: %v", illegal)
	}
	second, err := e.play(ctx, first, "f5")
	if err != nil {
		return err
	}
	// Somebody who has not seen f5 plays on the game as it was.
	_, err = e.play(ctx, first, "d3")
	stale, err := refused(err, codes.Aborted, "STALE_ETAG")
	if err != nil {
		return err
	}
	if stale["etag"] != second.Etag {
		return fmt.Errorf("not the game's etag: %v", stale)
	}
	// They read the game again and go on.
	fresh, err := e.games.GetGame(ctx, &pb.GetGameRequest{Name: first.Name})
	if err != nil {
		return err
	}
	if _, err := e.play(ctx, fresh.Game, fresh.Game.LegalMoves.Moves[0].Square); err != nil {
		return err
	}
	_, err = e.games.DeleteGame(ctx, &pb.DeleteGameRequest{Name: first.Name})
	return err
}

// againstTheEngine plays Black by the first legal move; the engine plays White.
func (e example) againstTheEngine(ctx context.Context) (*pb.Game, error) {
	game, err := e.create(ctx)
	level := int32(3)
	for err == nil && game.State != pb.GameState_GAME_STATE_FINISHED {
		if game.Position.SideToMove == pb.Color_COLOR_BLACK {
			game, err = e.play(ctx, game, game.LegalMoves.Moves[0].Square)
			continue
		}
		suggested, failed := e.analysis.SuggestMove(ctx, &pb.SuggestMoveRequest{
			Subject: &pb.SuggestMoveRequest_Game{Game: game.Name},
			Level:   &level,
			Budget:  &pb.Budget{Time: durationpb.New(50 * time.Millisecond)},
		})
		if failed != nil {
			return nil, failed
		}
		if suggested.Etag != game.Etag {
			return nil, fmt.Errorf("a suggestion for another state: %v", suggested)
		}
		game, err = e.play(ctx, game, suggested.Move.Square)
	}
	if err == nil && (game.Outcome == nil || game.Score.Scored == nil) {
		err = fmt.Errorf("a finished game without a result: %v", game)
	}
	return game, err
}
