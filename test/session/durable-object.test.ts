import { expect, it } from 'vitest';
import type { SessionStore } from '../../src/core/session/store.js';
import { testSessionStore } from '../../src/core/session/testing.js';
import { blocksOf } from '../behavior/examples/pages.js';
import { stopClock } from './clock.js';

/** As much of a Durable Object's storage as the recipe uses. Values are copied, as by the structured clone of Cloudflare. */
class Storage {
  private readonly values = new Map<string, unknown>();
  alarmAt: number | undefined;
  async get(key: string): Promise<unknown> {
    return structuredClone(this.values.get(key));
  }
  async put(key: string, value: unknown): Promise<void> {
    this.values.set(key, structuredClone(value));
  }
  async setAlarm(at: number): Promise<void> {
    this.alarmAt = at;
  }
  async deleteAll(): Promise<void> {
    this.values.clear();
  }
}

interface SessionObject {
  readonly ctx: { readonly storage: Storage };
  alarm(): Promise<void>;
}

interface Recipe {
  readonly Session: new (ctx: { storage: Storage }) => SessionObject & Record<string, unknown>;
  sessionStore(namespace: object, lifeMs?: number): SessionStore;
}

const [code = ''] = blocksOf('docs/guides/keep-sessions.md', 'js').filter((block) =>
  block.includes('cloudflare:workers'),
);
const base = 'class DurableObject { constructor(ctx, env) { this.ctx = ctx; this.env = env; } }';
const module = code.replace("import { DurableObject } from 'cloudflare:workers';", base);

const advance = stopClock();

/** The objects by their names. Each request of an object waits for those before it, as the gates of Cloudflare see to. */
function namespaceOf({ Session }: Recipe, objects: Map<string, SessionObject>) {
  const running = new Map<string, Promise<unknown>>();
  return {
    idFromName: (name: string) => name,
    get: (name: string) => {
      const object = objects.get(name) ?? new Session({ storage: new Storage() });
      objects.set(name, object);
      return new Proxy(object, {
        get:
          (target, method) =>
          (...given: unknown[]) => {
            const call = async () => Reflect.get(target, method).apply(target, given);
            const answer = (running.get(name) ?? Promise.resolve()).then(call);
            running.set(name, answer);
            return answer;
          },
      });
    },
  };
}

it('the Durable Object of the guide does what every session store must do', async () => {
  const url = `data:text/javascript,${encodeURIComponent(module)}`;
  const recipe = (await import(/* @vite-ignore */ url)) as Recipe;
  let objects = new Map<string, SessionObject>();
  await testSessionStore(
    ({ expiresAfterSeconds }) => {
      objects = new Map();
      return recipe.sessionStore(namespaceOf(recipe, objects), expiresAfterSeconds * 1000);
    },
    async (seconds) => {
      advance(seconds);
      for (const object of objects.values()) {
        if ((object.ctx.storage.alarmAt ?? Number.POSITIVE_INFINITY) <= Date.now()) await object.alarm();
      }
    },
  );
  expect(objects.size).toBeGreaterThan(0);
});

it('the class in the guide has about 30 lines', () => {
  const lines = /export class [\s\S]*?\n}\n/.exec(code)?.[0].trimEnd().split('\n') ?? [];
  expect(lines.length).toBeGreaterThan(20);
  expect(lines.length).toBeLessThanOrEqual(30);
});
