/** A server that heeds a cancellation never answers, so old requests are forgotten. */
const MAX_PASSED = 1000;

/** The ids of the requests that passed by the gate and have no answer yet. The latest are kept. */
export class PassedRequests {
  // Created by the first request that passes by: under `enforce` there is none.
  private counts: Map<unknown, number> | undefined = undefined;

  add(id: unknown): void {
    this.counts ??= new Map();
    // A client may use an id again before the first answer: then two answers belong to it. It moves to the end.
    const count = (this.counts.get(id) ?? 0) + 1;
    this.counts.delete(id);
    this.counts.set(id, count);
    if (this.counts.size <= MAX_PASSED) return;
    const [oldest] = this.counts.keys();
    this.counts.delete(oldest);
  }

  /** Whether a request with this id passed by. */
  has(id: unknown): boolean {
    return this.counts?.has(id) === true;
  }

  /** Removes the request that an answer belongs to. Returns false if no such request passed by. */
  take(id: unknown): boolean {
    const count = this.counts?.get(id);
    if (count === undefined) return false;
    if (count > 1) this.counts?.set(id, count - 1);
    else this.counts?.delete(id);
    return true;
  }
}
