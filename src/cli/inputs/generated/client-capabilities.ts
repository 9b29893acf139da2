// Made by "npm run generate" from client-capabilities.yaml.
export const FULL_CLIENT_CAPABILITIES = {"roots":{"listChanged":true},"sampling":{"context":{},"tools":{}},"elicitation":{"form":{},"url":{}},"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}}} as const;
