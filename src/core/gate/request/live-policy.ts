import type { Policy } from '../../engine/policy.js';

const replaceable = new WeakSet<Policy>();

/**
 * A policy that can be replaced while connections are open. All connections switch at once: each message is handled by
 * the old policy or by the new one, never by parts of both.
 *
 * @example
 * const live = new LivePolicy(loadPolicy('policy.yaml'));
 * attachConcerns(server, { policy: live });
 * live.replace(loadPolicy('policy.yaml')); // throws and keeps the old policy if the file is invalid
 */
export class LivePolicy {
  private readonly listeners = new Set<(before: Policy) => void>();

  constructor(private policy: Policy) {
    replaceable.add(policy);
  }

  get current(): Policy {
    return this.policy;
  }

  /** Switches to another policy. Open connections announce changed lists to their clients. */
  replace(next: Policy): void {
    const before = this.policy;
    if (before.digest === next.digest) return;
    this.policy = next;
    replaceable.add(next);
    for (const listener of [...this.listeners]) listener(before);
  }

  /** Calls `listener` with the old policy after each replacement. Returns a function that stops this. */
  onReplace(listener: (before: Policy) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** Returns whether a policy that applies now may be replaced while connections are open. */
export const isReplaceable = (policy: Policy): boolean => replaceable.has(policy);

/** Returns the policy that applies now. */
export function policyInForce(policy: Policy | LivePolicy): Policy {
  return policy instanceof LivePolicy ? policy.current : policy;
}
