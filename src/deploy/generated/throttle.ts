// Made by "npm run generate" from throttle.yaml.
export const THROTTLE_SCHEMA = {"type":"object","required":["rate","burst"],"additionalProperties":false,"properties":{"rate":{"type":"number","exclusiveMinimum":0},"burst":{"type":"integer","minimum":1}}} as const;
