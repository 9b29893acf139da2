import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalDynamo, PATIENT, startDynamo } from '../../session/dynamo.js';
import { REDIS, startRedis, WITHOUT_REDIS } from '../../session/redis-server.js';
import { afterTest, begin, post, type Service, send, serve, startService } from './service.js';

const MANY = { MCP_CONCERNS_SESSION_SECRET: 's'.repeat(32) };
const OPEN = ['--host', '0.0.0.0', '--open'];
const ALL = { access: 'all' };
const NONE = { access: 'none' };

const isListed = async (url: URL, session: Record<string, string>): Promise<boolean> => {
  const { status, text } = await post(url, session, 'tools/list');
  expect([status, text]).toEqual([200, expect.stringContaining('"tools"')]);
  return text.includes('"echo"');
};

interface SharedStore {
  readonly place: string;
  readonly environment: Record<string, string>;
  /** Forgets everything. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
/** Nothing that the machine may have. */
const WITHOUT_AWS = {
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_CONFIG_FILE: '/dev/null',
};
const at = ({ endpoint }: LocalDynamo) => ({
  AWS_REGION: 'eu-central-1',
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
});

describe.skipIf(REDIS === undefined)(`two processes with one Redis (${WITHOUT_REDIS})`, () =>
  share(async () => {
    const { url, ...redis } = await startRedis();
    return { ...redis, place: url, environment: PATIENT };
  }),
);

describe('two processes with one DynamoDB table', () =>
  share(async () => {
    const dynamo = await startDynamo();
    const table = await dynamo.table();
    return {
      place: `dynamodb:${table}`,
      environment: { ...CREDENTIALS, ...at(dynamo), ...PATIENT },
      empty: () => dynamo.empty(table),
      close: () => dynamo.close(),
    };
  }));

function share(open: () => Promise<SharedStore>): void {
  let store: SharedStore;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());
  const startTwo = (): Promise<[Service, Service]> => Promise.all([startOne(), startOne()]);
  const startOne = (...args: string[]): Promise<Service> =>
    serve({ ...MANY, ...store.environment }, ...OPEN, '--sessions-store', store.place, ...args);

  it('continue the session of each other, with what was chosen first and last', async () => {
    const [one, two] = await startTwo();
    const session = await begin(one.url, {}, NONE);
    expect(await isListed(two.url, session)).toBe(false);
    await post(two.url, session, 'updateConcerns', { concerns: ALL });
    expect([await isListed(one.url, session), await isListed(two.url, session)]).toEqual([true, true]);
    await post(one.url, session, 'updateConcerns', { concerns: NONE });
    expect([await isListed(one.url, session), await isListed(two.url, session)]).toEqual([false, false]);
  });

  it('do not forget how the host named itself, which only its initialize says', async () => {
    const [one, two] = await startTwo();
    const session = await begin(one.url, {}, ALL, 'strict-host');
    for (const { url } of [one, two, one]) expect(await isListed(url, session)).toBe(false);
  });

  it('continue a session that was switched, after the process is gone that switched it', async () => {
    const one = await startOne();
    const session = await begin(one.url, {}, ALL);
    await post(one.url, session, 'updateConcerns', { concerns: NONE });
    one.child.kill('SIGKILL');
    await one.ended;
    const { url } = await startOne();
    expect(await isListed(url, session)).toBe(false);
  });

  it('know when the other ended a session', async () => {
    const [one, two] = await startTwo();
    const session = await begin(one.url, {});
    expect(await isListed(two.url, session)).toBe(true);
    expect((await send(two.url, 'DELETE', session)).status).toBe(200);
    expect((await post(one.url, session, 'tools/list')).status).toBe(404);
    const other = await begin(one.url, {});
    // No request of this session reached that process before.
    expect((await send(two.url, 'DELETE', other)).status).toBe(204);
    expect((await post(one.url, other, 'tools/list')).status).toBe(404);
  });

  it('continue a session that one of them ended to make room', async () => {
    const one = await startOne('--sessions', '1');
    const session = await begin(one.url, {}, NONE);
    await begin(one.url, {});
    expect(await isListed(one.url, session)).toBe(false);
  });

  it('answer 404 for a session that the store has forgotten, because it may have been switched', async () => {
    const one = await startOne();
    const session = await begin(one.url, {}, ALL);
    await store.empty();
    expect((await post(one.url, session, 'tools/list')).status).toBe(404);
  });

  it('do not say that they are one process', async () => {
    const { child, ended } = await startOne();
    child.kill('SIGTERM');
    expect((await ended).stderr).not.toContain('one process');
  });
}

describe('serve with a store that processes share', () => {
  it('needs their secret', async () => {
    const args = [...OPEN, '--sessions-store', 'redis://127.0.0.1:1'];
    const { code, stderr } = await startService({}, ...args).ended;
    expect([code, stderr]).toEqual([2, expect.stringContaining('needs MCP_CONCERNS_SESSION_SECRET')]);
  });

  it('reads the store from the environment, where a password belongs', async () => {
    const store = { MCP_CONCERNS_SESSIONS_STORE: 'memcached://:hush@host' };
    const { code, stderr } = await startService(store, ...OPEN).ended;
    expect([code, stderr]).toEqual([2, expect.stringContaining('takes redis://HOST')]);
    expect(stderr).not.toContain('hush');
  });

  it('shows no more than was chosen first, and says why, while the store cannot be read', async () => {
    const { url } = await serve(MANY, ...OPEN, '--sessions-store', 'redis://127.0.0.1:1');
    const session = await begin(url, {}, NONE);
    const { status, text } = await post(url, session, 'tools/list');
    expect(status).toBe(200);
    expect(text).not.toContain('"echo"');
    expect(text).toContain('store-unavailable');
  });

  it.each([
    ['whose table does not exist', CREDENTIALS, 'ResourceNotFoundException'],
    ['without credentials', {}, 'CredentialsProviderError'],
    [
      'without a region',
      { ...CREDENTIALS, AWS_REGION: '' },
      'Region not accepted: region="" is not a valid hostname component',
    ],
  ])('says at its start what to check, with DynamoDB %s', async (_, environment, reason) => {
    const dynamo = await startDynamo();
    afterTest(() => dynamo.close());
    const given = { ...WITHOUT_AWS, ...at(dynamo), ...environment };
    expect(await saidAtStart(given, 'dynamodb:nowhere')).toContain(
      `The session table nowhere cannot be used (${reason}). Check its name, its region, and the credentials and permissions of this process.`,
    );
  });

  it('says at its start what to check, with a Redis that does not answer', async () => {
    const said = await saidAtStart({}, 'redis://:hush@127.0.0.1:1');
    expect(said).toMatch(/Redis at 127\.0\.0\.1:1 .* Check its /);
    expect(said).not.toContain('hush');
  });
});

async function saidAtStart(environment: Record<string, string>, store: string): Promise<string> {
  const { child, ended } = await serve({ ...MANY, ...environment }, ...OPEN, '--sessions-store', store);
  child.kill('SIGTERM');
  // Lines of a service are JSON.
  return (await ended).stderr.replaceAll('\\"', '"');
}
