/** A failure that the caller can do something about; its message is one sentence that says what. */
export class VaultError extends Error {
  override readonly name = 'VaultError';
}
