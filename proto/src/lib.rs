//! The reversi.v1 API: protobuf messages, gRPC client and server stubs, descriptor set.
