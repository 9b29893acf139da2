/** A server that heeds a cancellation never answers, so old requests are forgotten. */
const MAX_PASSED = 1000;

/**
 * The ids of the requests that passed by the gate and have no answer yet. The latest are kept. An id is in it as often as
 * the client used it: then as many answers belong to it.
 */
export class PassedRequests {
  // Rarely more than a few: for these, searching a list costs less than a Map.
  private readonly ids: unknown[] = [];

  add(id: unknown): void {
    this.ids.push(id);
    if (this.ids.length > MAX_PASSED) this.ids.shift();
  }

  /** Whether a request with this id passed by. */
  has(id: unknown): boolean {
    return this.ids.includes(id);
  }

  /** Removes the request that an answer belongs to. Returns false if no such request passed by. */
  take(id: unknown): boolean {
    const at = this.ids.indexOf(id);
    if (at === -1) return false;
    this.ids.splice(at, 1);
    return true;
  }
}
