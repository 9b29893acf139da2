// Made by "npm run generate" from reasons.yaml.
export const REASONS = {"fits":"its values match everything in effect","unmapped":"the policy does not map it, and hides primitives that it does not map (settings.unmapped)","person":"the person hid this tool"} as const;
