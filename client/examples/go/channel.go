package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// serviceConfig is where the file is, seen from the folder of this example.
const serviceConfig = "../../../proto/service_config.json"

// dial opens a channel with the deadlines, retries and load balancing that the service
// recommends. Before grpc-go 1.40 retries need GRPC_GO_RETRY=on.
func dial(ctx context.Context, address string) (*grpc.ClientConn, error) {
	config, err := os.ReadFile(serviceConfig)
	if err != nil {
		return nil, err
	}
	return grpc.DialContext(ctx, address, grpc.WithInsecure(),
		grpc.WithDefaultServiceConfig(string(config)))
}

// refused looks for this code and reason in an error; the metadata of the reason.
func refused(err error, code codes.Code, reason string) (map[string]string, error) {
	refusal := status.Convert(err)
	for _, detail := range refusal.Details() {
		info, ok := detail.(*errdetails.ErrorInfo)
		if ok && refusal.Code() == code && info.Reason == reason {
			return info.Metadata, nil
		}
	}
	return nil, fmt.Errorf("not refused with %v %v, but: %w", code, reason, err)
}

// requestID makes an id that no other request has.
func requestID() string {
	bytes := make([]byte, 16)
	if _, err := rand.Read(bytes); err != nil {
		panic(err)
	}
	return fmt.Sprintf("%x", bytes)
}
