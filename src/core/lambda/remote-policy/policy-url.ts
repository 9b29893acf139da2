/** Where a policy is kept outside the function, and which policy it must be. */
export type PolicyUrl = PolicyLocation & {
  /** The URL without its digest, for messages. */
  readonly text: string;
  /** The digest that the policy must have, in hex. */
  readonly digest?: string;
};

/** A parameter of the Systems Manager, an object, or a profile of AppConfig. */
type PolicyLocation =
  | { readonly in: 'ssm'; readonly name: string }
  | { readonly in: 's3'; readonly bucket: string; readonly key: string }
  | {
      readonly in: 'appconfig';
      readonly application: string;
      readonly environment: string;
      readonly profile: string;
    };

/** The forms of such a URL, for messages. */
export const POLICY_URL_FORMS = 'ssm:/NAME, s3://BUCKET/KEY or appconfig:APPLICATION/ENVIRONMENT/PROFILE';

/**
 * Reads the URL of a policy. A digest may follow, after a `#`. The same form is used in `MCP_CONCERNS_POLICY` and in a
 * parameter that points to a policy.
 *
 * @param text the URL
 * @returns its parts; `undefined` if the text has none of the known forms
 * @example
 * parsePolicyUrl('s3://policies/vault.json#0123456789abcdef0123456789abcdef')?.in; // 's3'
 */
export function parsePolicyUrl(text: string): PolicyUrl | undefined {
  const found = /^(ssm|s3|appconfig):([^\s#]+)(?:#([0-9a-f]{32}))?$/.exec(text);
  if (found === null) return undefined;
  const [, scheme, rest = '', digest] = found;
  const common = { text: `${scheme}:${rest}`, ...(digest === undefined ? {} : { digest }) };
  if (scheme === 'ssm') return { in: 'ssm', name: rest, ...common };
  if (scheme === 's3') {
    const [, bucket, key] = /^\/\/([^/]+)\/(.+)$/.exec(rest) ?? [];
    return bucket === undefined || key === undefined ? undefined : { in: 's3', bucket, key, ...common };
  }
  const [application, environment, profile, more] = rest.split('/');
  if (!application || !environment || !profile || more !== undefined) return undefined;
  return { in: 'appconfig', application, environment, profile, ...common };
}
