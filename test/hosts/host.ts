import type { Step } from './conversation.js';
import type { DialogKind } from './dialogs/dialog.js';

/** How a host reaches the MCP server. */
export type McpServer =
  | {
      readonly via: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly via: 'http'; readonly url: string };

/** Where a host runs, and with what. */
export interface Setting {
  /** A new folder, as the home of the user. */
  readonly home: string;
  /** A new folder, as the project. */
  readonly work: string;
  /** The URL of the scripted model. */
  readonly model: string;
  /** The servers in the host's own file, by their keys there. */
  readonly servers: Readonly<Record<string, McpServer>>;
  /** A tool that a rule of the person forbids, in the form that the host has for it. */
  readonly forbidden?: Forbidden;
  /** Whether the host may defer tools until the model searches for them; missing for the host's default. */
  readonly toolSearch?: boolean;
  /** What the form gets as an answer, in a host that can answer forms without a person. */
  readonly formAnswer?: Readonly<Record<string, string>>;
}

/** A tool of a server that the person does not want to be called. */
export interface Forbidden {
  readonly server: string;
  readonly tool: string;
}

/** What the person does. */
export interface Turn {
  /** What the person types. */
  readonly prompt: string;
  /** A command of the host, for hosts whose command line does not read commands in the text. */
  readonly command?: string;
  /** Whether the last conversation goes on, in a new process. */
  readonly continues: boolean;
}

/** How to start a host. */
export interface Start {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** One agent host that runs without a window and without an account. */
export interface Host {
  readonly id: string;
  readonly name: string;
  /** The npm package, and the program in it. */
  readonly package: string;
  readonly program: string;
  /** Writes the configuration of the host, and returns the path of its own file with servers. */
  configure(setting: Setting): string;
  start(setting: Setting, turn: Turn): Start;
  /** Returns how a person chooses a prompt of the server; missing if the host has no way without a window. */
  readonly promptTurn?: (name: string) => Turn;
  /** Whether the host can answer a form without a person. */
  readonly answersForms?: boolean;
  /** Returns how the model loads a tool, in a host that can defer tools. */
  readonly searchFor?: (tool: string) => Step;
  /** How to have several conversations with one process. */
  readonly dialog?: DialogKind;
}

/** The name of the server in the configuration of every host, where it has only one. */
export const SERVER = 'vault';

/** @returns the entries of the servers in the format of a host */
export const entriesOf = (
  { servers }: Pick<Setting, 'servers'>,
  entryOf: (server: McpServer, key: string) => object,
): Record<string, object> =>
  Object.fromEntries(Object.entries(servers).map(([key, server]) => [key, entryOf(server, key)]));

/** The server's members in the formats that most hosts share. */
export function commonEntry(server: McpServer): Record<string, unknown> {
  if (server.via === 'http') return { type: 'http', url: server.url };
  return { type: 'stdio', command: server.command, args: server.args, env: server.env };
}
