import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import catalog from '../../policies/vault.catalog.json' with { type: 'json' };
import { read } from '../../src/core/wire/messages.js';
import type { ModelRequest, OfferedTool, Reply } from './dialects/dialect.js';
import { listOf } from './dialects/dialect.js';
import type { Script } from './scripted-model.js';

/** What one request of the host offered the model. */
export interface Seen {
  /** Tools of the server with their definitions, without the tool `concerns`. */
  readonly shown: number;
  /** Tools of the server that the model must search for. */
  readonly deferred: number;
  /** Whether the tool `concerns` is there. */
  readonly concernsTool: boolean;
  /** All tools of the request, with those of the host itself. */
  readonly all: number;
  /** The JSON of all definitions that are not deferred, in bytes. */
  readonly bytes: number;
  /** A digest of these definitions: a prompt cache is lost if it changes. */
  readonly digest: string;
  /** The names of the server's tools with their definitions, as the host gives them to the model. */
  readonly names: readonly string[];
  /** How many names of the server's tools stand anywhere in the request. */
  readonly named: number;
  /** The tokens of the whole request, by the tokenizer o200k. */
  readonly tokens: number;
  /** Those of the definitions of the server's tools. */
  readonly ownTokens: number;
}

/** @returns how many names of the server's tools are in the text */
export const countNamed = (text: string): number => [...TOOLS].filter((name) => text.includes(name)).length;

/** What happens when the n-th request arrives. */
export interface Step {
  /** What the person does while the model works on its answer. */
  readonly meanwhile?: () => Promise<unknown>;
  /** The tool that the model calls: of several, the first that the request offers. Without it, the model ends its turn. */
  readonly call?: string | readonly string[];
  /** The key of the server whose tool it is, if several have it. */
  readonly of?: string;
  /** The arguments of the call, if the tool is one of the host. */
  readonly given?: Readonly<Record<string, unknown>>;
}

/** A host's model takes seconds to answer, so a list that changed meanwhile has time to arrive. In milliseconds. */
export const THINKING = 1500;

const TOOLS = new Set(listOf(read(catalog, 'tools')).map((tool) => String(read(tool, 'name'))));

/** Hosts put the name of the server before the name of the tool. */
const ownName = (tool: OfferedTool): string => /[A-Za-z]+$/.exec(tool.name)?.[0] ?? '';

/**
 * Makes a script that follows steps, and records what each request offered.
 *
 * @param steps one for each request that offers tools; afterwards, the model ends its turns
 * @param isOwn which tools are the server's; those of the vault, if it is missing
 * @returns the script, what it saw so far, and the texts of the requests
 */
export function converse(
  steps: readonly Step[],
  isOwn: (tool: OfferedTool) => boolean = (tool) => TOOLS.has(ownName(tool)),
): {
  readonly script: Script;
  readonly seen: Seen[];
  readonly texts: string[];
} {
  const seen: Seen[] = [];
  const texts: string[] = [];
  const script: Script = async (request): Promise<Reply> => {
    // Hosts also ask for titles and summaries, without the server's tools.
    const offered = observe(request, isOwn);
    if (request.tools.length === 0 || offered.named + offered.shown === 0) return { text: 'ok' };
    const step = steps[seen.length];
    seen.push(offered);
    texts.push(request.text);
    if (step?.meanwhile !== undefined) {
      await step.meanwhile();
      await wait(THINKING);
    }
    if (step?.call === undefined) return { text: 'Done.' };
    const { of = '' } = step;
    const [call] = [step.call]
      .flat()
      .flatMap((wanted) =>
        request.tools.filter(
          (tool) => tool.name.includes(of) && (ownName(tool) === wanted || tool.name.endsWith(wanted)),
        ),
      );
    if (call === undefined) return { text: `The request does not offer ${step.call}.` };
    // The number makes each call another one: hosts stop a model that repeats itself.
    const given = ownName(call) === 'concerns' ? {} : { data: `[${seen.length}]` };
    return { call, arguments: step.given ?? given };
  };
  return { script, seen, texts };
}

function observe({ tools, text }: ModelRequest, isOwn: (tool: OfferedTool) => boolean): Seen {
  const own = tools.filter(isOwn);
  const loaded = tools.filter(({ deferred }) => !deferred);
  const block = JSON.stringify(loaded.map(({ definition }) => definition));
  return {
    shown: own.filter(({ deferred }) => !deferred).length,
    deferred: own.filter(({ deferred }) => deferred).length,
    concernsTool: tools.some((tool) => ownName(tool) === 'concerns'),
    all: tools.length,
    bytes: Buffer.byteLength(block),
    digest: createHash('sha256').update(block).digest('hex').slice(0, 12),
    names: own.filter(({ deferred }) => !deferred).map(({ name }) => name),
    named: countNamed(text),
    tokens: countTokens(text),
    ownTokens: countTokens(
      JSON.stringify(own.filter(({ deferred }) => !deferred).map(({ definition }) => definition)),
    ),
  };
}
