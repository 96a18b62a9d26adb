// Typed clients of the services, made from the proto files at run time.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { credentials, loadPackageDefinition, ServiceError } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

import type { ProtoGrpcType as Analysis } from "../generated/analysis_service";
import type { ProtoGrpcType as Games } from "../generated/game_service";

const proto = join(__dirname, "../../../../../proto");
const files = ["reversi/v1/game_service.proto", "reversi/v1/analysis_service.proto"];
// As `npm run build` tells the generator of the types.
const forms = { longs: String, enums: String, defaults: true, oneofs: true };

export function connect(address: string) {
  const definition = loadSync(files, { includeDirs: [proto], ...forms });
  const { v1 } = (loadPackageDefinition(definition) as unknown as Analysis & Games).reversi;
  // Deadlines, retries and load balancing of every call, as the service recommends them.
  const config = readFileSync(join(proto, "service_config.json"), "utf8");
  const options = { "grpc.service_config": config };
  return {
    games: new v1.GameService(address, credentials.createInsecure(), options),
    analysis: new v1.AnalysisService(address, credentials.createInsecure(), options),
  };
}

type Unary<Request, Response> = (
  request: Request,
  callback: (error: ServiceError | null, response?: Response) => void,
) => unknown;

/** Makes a call and waits for its answer. */
export function call<Request, Response>(
  client: object,
  method: Unary<Request, Response>,
  request: Request,
): Promise<Response> {
  return new Promise((resolve, reject) =>
    method.call(client, request, (error, response) =>
      error ? reject(error) : resolve(response as Response),
    ),
  );
}
