import type { Policy } from '../../engine/policy.js';

/**
 * A policy that can be replaced while connections are open. All of them follow at once: a message is judged by the old
 * policy or by the new one, never by parts of both.
 *
 * @example
 * const live = new LivePolicy(loadPolicy('policy.yaml'));
 * attachConcerns(server, { policy: live });
 * live.replace(loadPolicy('policy.yaml')); // throws, and keeps the old one, if the file is wrong
 */
export class LivePolicy {
  private readonly listeners = new Set<(before: Policy) => void>();

  constructor(private policy: Policy) {}

  get current(): Policy {
    return this.policy;
  }

  /** Puts another policy into force, and tells open connections, which tell their clients what changed for them. */
  replace(next: Policy): void {
    const before = this.policy;
    if (before.digest === next.digest) return;
    this.policy = next;
    for (const listener of [...this.listeners]) listener(before);
  }

  /** @returns a function that ends the subscription */
  onReplace(listener: (before: Policy) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** @returns the policy in force */
export function policyInForce(policy: Policy | LivePolicy): Policy {
  return policy instanceof LivePolicy ? policy.current : policy;
}
