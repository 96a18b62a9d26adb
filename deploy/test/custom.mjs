// Holds the resources that are not of Kubernetes itself against the schemas of those they are of.
// Run by custom.sh, in a folder with the packages.
import { readFileSync } from "node:fs";
import * as gateway from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1";
import * as monitoring from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1";
import { parseAllDocuments } from "yaml";

const models = {
  "gateway.networking.k8s.io/v1": gateway,
  "monitoring.coreos.com/v1": monitoring,
};
const held = new Set();
for (const file of process.argv.slice(2)) {
  for (const document of parseAllDocuments(readFileSync(file, "utf8"))) {
    const resource = document.toJS();
    const Model = models[resource.apiVersion]?.[resource.kind];
    if (Model) {
      new Model(resource).validate();
      held.add(resource.kind);
    }
  }
}
console.log(`manifests: ${[...held].sort().join(", ")}: as their schemas say`);
if (held.size !== 3) throw new Error("GRPCRoute, PrometheusRule and ServiceMonitor were expected");
