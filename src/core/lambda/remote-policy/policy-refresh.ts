import type { Policy } from '../../engine/policy.js';
import { errorClass } from '../../errors.js';
import type { LivePolicy } from '../../gate/request/live-policy.js';
import { parseJson } from '../../http/request-body.js';
import { openCompiledPolicy } from '../../policy/compile/compiled.js';
import { beforeAbort } from '../../session/before-abort.js';
import type { PolicyEvent } from '../../telemetry/policy-event.js';
import { type PolicyUrl, parsePolicyUrl } from './policy-url.js';
import type { ReadText } from './read-text.js';

/** The policy outside the function cannot be used. The function keeps the policy that it has. */
class RemotePolicyError extends errorClass('RemotePolicyError', 'REMOTE_POLICY_INVALID') {}

/** A place that the policy comes from. */
export interface PolicySource {
  /** Whether a policy was found there since the start. Until then, the packaged one is in effect. */
  readonly isConfirmed: boolean;
  /** Looks there, if that is due. It never rejects. */
  look(): Promise<void> | undefined;
}

export interface PolicyRefreshOptions {
  readonly live: LivePolicy;
  readonly url: PolicyUrl;
  /** The policy in effect is confirmed again when it is older than this. */
  readonly maxAgeSeconds: number;
  readonly read: ReadText;
  /** Whether requests are refused until a policy of the URL was found. */
  readonly required: boolean;
  readonly report: (event: PolicyEvent) => void;
}

/** Longer than two attempts of the AWS client. A request must not wait longer for a policy. */
const GIVE_UP_MS = 3000;

const RETRY_SECONDS = 5;

/**
 * Keeps a policy as recent as the one outside the function. A request that finds the policy too old waits until it is
 * confirmed or replaced, so no request is answered under an older one. Lambda stops a function between requests, so a
 * timer could not do this.
 *
 * If the policy cannot be read, or is not valid, the one in effect stays, and the next look is after `maxAgeSeconds`.
 *
 * @param options the policy to replace, and where the new one is
 * @returns `look`, to call before each request, which never rejects, and whether a policy of the URL was found
 * @example
 * const refresh = createPolicyRefresh({ live, url, maxAgeSeconds: 60, required: false, read, report });
 * await refresh.look();
 */
export function createPolicyRefresh(options: PolicyRefreshOptions): PolicySource {
  const { live, url, maxAgeSeconds, read, report } = options;
  let looked = Number.NEGATIVE_INFINITY;
  let confirmed = performance.now();
  let pending: Promise<void> | undefined;
  let isConfirmed = false;
  const fix = 'Check that the function can reach it and may read it.';
  const tooLate = `${url.text} did not answer within ${GIVE_UP_MS / 1000} seconds. ${fix}`;

  const look = async (): Promise<void> => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new RemotePolicyError(tooLate)), GIVE_UP_MS);
    try {
      const next = await beforeAbort(readPolicy(url, read, live.current), late.signal);
      confirmed = performance.now();
      isConfirmed = true;
      const before = live.current.digest;
      if (next.digest === before) return;
      live.replace(next);
      report({ outcome: 'replaced', url: url.text, policy: next.digest, before, policyLabel: next.label });
    } catch (cause) {
      const ageSeconds = Math.round((performance.now() - confirmed) / 1000);
      const error = cause instanceof Error ? cause : new Error(String(cause));
      report({ outcome: 'kept', url: url.text, policy: live.current.digest, ageSeconds, error });
    } finally {
      clearTimeout(timer);
      looked = performance.now();
      pending = undefined;
    }
  };
  return {
    get isConfirmed() {
      return isConfirmed;
    },
    look(): Promise<void> | undefined {
      // What is required and missing is looked for again soon.
      const maxAge =
        isConfirmed || !options.required ? maxAgeSeconds : Math.min(maxAgeSeconds, RETRY_SECONDS);
      if (performance.now() - looked < maxAge * 1000) return undefined;
      pending ??= look();
      return pending;
    },
  };
}

/** @returns the policy at a URL, or at the URL that its text points to; `current` if it has the digest that is required */
async function readPolicy(url: PolicyUrl, read: ReadText, current: Policy): Promise<Policy> {
  if (url.digest === current.digest) return current;
  const text = await read(url);
  const target = parsePolicyUrl(text.trim());
  if (target === undefined) return open(text, url);
  if (target.digest === current.digest) return current;
  return open(await read(target), target);
}

function open(text: string, { text: url, digest }: PolicyUrl): Policy {
  const data = parseJson(text);
  if (data === undefined) {
    const fix = 'Store the policy.json that "mcp-concerns bundle" makes, or a URL that points to it.';
    throw new RemotePolicyError(`${url} has neither a compiled policy nor a URL of one. ${fix}`);
  }
  const policy = openCompiledPolicy(data);
  if (digest === undefined || digest === policy.digest) return policy;
  throw new RemotePolicyError(
    `The policy at ${url} has the digest ${policy.digest}, but ${digest} is required. Correct the URL, or store that policy again.`,
  );
}
