// Made by "npm run generate" from rule-paths.yaml.
export const PRIMITIVE = {"kind":{"type":"text","values":["tools","prompts","resources","resourceTemplates"]},"name":{"type":"text"},"title":{"type":"text"},"description":{"type":"text"},"parameters":{"type":"list"},"required":{"type":"list"},"uri":{"type":"text"},"mimeType":{"type":"text"},"tags":{"type":"list"},"server":{"type":"text"},"execution.taskSupport":{"type":"text","values":["forbidden","optional","required"]}} as const;
export const HINTS = {"primitive.annotations.readOnlyHint":false,"primitive.annotations.destructiveHint":true,"primitive.annotations.idempotentHint":false,"primitive.annotations.openWorldHint":true,"primitive.execution.taskSupport":"forbidden"} as const;
export const CALLER = ["caller.scopes","client.capabilities","client.name","client.title","client.version","protocol.era"] as const;
export const ALWAYS = ["primitive.kind","primitive.name","primitive.uri"] as const;
