/**
 * All limits of the vault. They bound its memory, whatever clients send.
 *
 * With these limits for text and output, even the longest result (control characters, escaped twice, as text and as
 * structured content) is smaller than the 6 MB that an AWS Lambda function may return.
 */
export const LIMITS = {
  keys: 64,
  keyVersions: 16,
  records: 200,
  recordCharacters: 16_384,
  storedBytes: 524_288,
  labels: 8,
  logEntries: 500,
  logCharacters: 1_000,
  taskSeconds: 3_600,
  textCharacters: 65_536,
  outputBytes: 262_144,
  // Base64 of the longest ciphertext or compressed text within these limits, including its header.
  encodedCharacters: 400_000,
  archiveCharacters: 1_500_000,
} as const;
