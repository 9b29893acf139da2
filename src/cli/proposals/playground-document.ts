import { basename, dirname, join, posix, relative } from 'node:path';
import { type PlaygroundDocument, type PolicyText, readCatalog } from '../../playground/document.js';
import { readPolicy } from '../../policy/compile/load.js';
import { readPolicyText } from '../../policy/language/read-yaml.js';
import { read } from '../../wire/messages.js';
import { billedBy } from '../inputs/billed-tokens.js';
import { type CatalogFile, catalogAt, catalogBeside } from '../inputs/catalog-file.js';
import { joinedCatalog } from '../inputs/several/joined-catalog.js';
import { type CountedCatalog, type TokenCounter, tokenCounterOf } from '../inputs/token-counter.js';
import { proposeFiles } from './first-policy.js';
import { factsOf, serverName } from './policy-files.js';

/** What the playground opens: a policy, a catalog, or both. */
export interface PlaygroundInput {
  /** The paths of `--policy`; without any, `init`'s proposal for the catalog is opened. */
  readonly paths: readonly string[];
  readonly catalog?: CountedCatalog | undefined;
  /** The catalog file that was named, for exported tests. */
  readonly catalogFile?: string | undefined;
}

/**
 * Makes the document that the playground opens.
 *
 * @param input the policy and the catalog
 * @returns the document
 * @throws {CliError} if a file cannot be read
 * @throws {PolicyFileError} if a policy cannot be read
 */
export async function playgroundDocument(input: PlaygroundInput): Promise<PlaygroundDocument> {
  const { paths } = input;
  const beside =
    input.catalog === undefined && paths.length === 1 ? catalogBeside(paths[0] ?? '') : undefined;
  const found = catalogAt(beside) ?? (input.catalog === undefined ? catalogOfServers(paths) : undefined);
  const [catalog, tokensOf] = input.catalog ?? (await counted(found));
  const file = input.catalogFile ?? beside;
  const folder = dirname(paths[0] ?? '.');
  return {
    format: 1,
    server: serverName(catalog.server) ?? basename(paths[0] ?? file ?? 'server'),
    files: paths.length === 0 ? proposed(catalog, tokensOf) : policyTexts(paths, folder),
    catalogFile: file === undefined ? 'policy.catalog.json' : posixPath(relative(folder, file)),
    catalog: readCatalog({ tools: [], ...catalog, ...counts(catalog, tokensOf) }),
    preferences: {},
    claims: {},
  };
}

/** The catalogs beside the policies of the servers that a policy names, as one. */
function catalogOfServers(paths: readonly string[]): CatalogFile | undefined {
  if (paths.length === 0) return undefined;
  const { texts } = readPolicy(paths);
  const named = [...texts].flatMap(([file, text]) =>
    Object.entries(read(readPolicyText(text, file).data, 'servers') ?? {}).flatMap(([key, server]) => {
      const own = read(server, 'policy');
      const path = typeof own === 'string' ? catalogBeside(join(dirname(file), own)) : undefined;
      return path === undefined ? [] : [[key, path] as const];
    }),
  );
  return named.length === 0 ? undefined : joinedCatalog(Object.fromEntries(named), catalogAt);
}

async function counted(catalog: CatalogFile | undefined): Promise<CountedCatalog> {
  return catalog === undefined ? [{}, () => 0] : [catalog, await tokenCounterOf(catalog)];
}

/** The tools with their tokens, which the browser cannot count: the encoding has a megabyte. */
const counts = ({ tools }: CatalogFile, tokensOf: TokenCounter): object =>
  tools === undefined ? {} : { tools: tools.map((tool) => ({ ...tool, tokens: billedBy(tokensOf)(tool) })) };

/** The files of a policy, also of one with errors: the playground is where they are fixed. */
function policyTexts(paths: readonly string[], folder: string): PolicyText[] {
  return [...readPolicy(paths).texts].map(([file, text]) => ({
    name: posixPath(relative(folder, file)),
    text,
  }));
}

function proposed(catalog: CatalogFile, tokensOf: TokenCounter): PolicyText[] {
  const server = serverName(catalog.server) ?? 'a server';
  // The proposal reads the words of descriptions, which facts keep, as `init` does.
  const { texts } = proposeFiles('policy.yaml', factsOf(catalog, tokensOf), server);
  return [...texts].map(([name, text]) => ({ name, text }));
}

const posixPath = (path: string): string => path.replaceAll('\\', posix.sep);
