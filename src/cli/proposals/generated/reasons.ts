// Made by "npm run generate" from reasons.yaml.
export const WITHOUT_TOPICS = {"few tools":"a list of fewer than 12 tools needs none","no shared words":"their names share too few words","small savings":"they would hide less than a tenth of the tools"} as const;
export const SILENCED = {"names-hidden":"the text is the server's, which no policy can change","empty-catalog":"not every topic has tools with every effect","contradicts-annotations":"name and description both promise more harm than the hint"} as const;
