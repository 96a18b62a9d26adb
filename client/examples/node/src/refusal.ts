// Why a call failed: the google.rpc.ErrorInfo in the details of its status.

import { Metadata, ServiceError, status } from "@grpc/grpc-js";
import protobuf from "protobufjs";

// The two messages of googleapis that are needed here.
const root = protobuf.parse(`
  syntax = "proto3";
  package google.rpc;
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
`).root;
const Status = root.lookupType("google.rpc.Status");
const ErrorInfo = root.lookupType("google.rpc.ErrorInfo");

export interface Refusal {
  code: status;
  reason: string;
  metadata: Record<string, string>;
}

export function refusal(error: ServiceError): Refusal {
  const [bytes] = (error.metadata ?? new Metadata()).get("grpc-status-details-bin");
  if (bytes instanceof Buffer) {
    const details = Status.toObject(Status.decode(bytes), { arrays: true }).details;
    for (const { typeUrl, value } of details) {
      if (typeUrl.endsWith("/google.rpc.ErrorInfo")) {
        const info = ErrorInfo.toObject(ErrorInfo.decode(value), { defaults: true });
        return { code: error.code, reason: info.reason, metadata: info.metadata };
      }
    }
  }
  throw error;
}
