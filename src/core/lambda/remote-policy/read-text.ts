import { getOrMake, once } from '../../once.js';
import type { PolicyUrl } from './policy-url.js';

/**
 * An attempt without an answer after one second is given up: a socket that was frozen with its Lambda environment never
 * answers. The second attempt uses a new socket.
 */
const CLIENT = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 500, requestTimeout: 1000, throwOnRequestTimeout: true },
};

/** Reads the text at a URL. */
export type ReadText = (url: PolicyUrl) => Promise<string>;

/**
 * Creates a function that reads from SSM, AppConfig or S3. The packages are imported when they are needed first, so that
 * functions without a remote policy neither load nor need them.
 *
 * AppConfig answers "unchanged" with an empty body, so its provider is kept: it remembers the latest text.
 *
 * @returns a function that reads the text at a URL; it rejects with the error of AWS, or of a package that is missing
 * @example
 * await createReadText()({ in: 'ssm', name: '/vault/policy', text: 'ssm:/vault/policy' });
 */
export function createReadText(): ReadText {
  const ssm = once(async () => {
    const { SSMProvider } = await import('@aws-lambda-powertools/parameters/ssm');
    return new SSMProvider({ clientConfig: CLIENT });
  });
  const s3 = once(async () => {
    const { S3Client, GetObjectCommand } = await import('@aws-sdk/client-s3');
    const client = new S3Client(CLIENT);
    return async (Bucket: string, Key: string) =>
      (await client.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString();
  });
  const appConfigs = new Map<string, Promise<{ get(name: string, options: object): Promise<unknown> }>>();

  return async (url) => {
    switch (url.in) {
      case 'ssm':
        return textOf(await (await ssm()).get(url.name, { forceFetch: true, maxAge: 0, decrypt: true }), url);
      case 'appconfig': {
        const { application, environment } = url;
        const provider = await getOrMake(appConfigs, `${application}/${environment}`, async () => {
          const { AppConfigProvider } = await import('@aws-lambda-powertools/parameters/appconfig');
          return new AppConfigProvider({ application, environment, clientConfig: CLIENT });
        });
        return textOf(await provider.get(url.profile, { forceFetch: true, maxAge: 0 }), url);
      }
      case 's3':
        return textOf(await (await s3())(url.bucket, url.key), url);
    }
  };
}

function textOf(value: unknown, { text }: PolicyUrl): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  throw new Error(`${text} has no content.`);
}
