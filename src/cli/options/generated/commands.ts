// Made by "npm run generate" from commands.yaml.
import { Argument, type Command, Option } from '@commander-js/extra-typings';
import { type CommandName, defineCommand, numberFrom, repeated, repeatedOf } from '../define-command.js';
const every = (name: CommandName): Command<[], EveryOptions> => defineCommand(name)
  .addOption(new Option("--color <when>", "auto obeys NO_COLOR").choices(["auto","always","never"]).default("auto" as const))
  .addOption(new Option("-q, --quiet", "write only errors to stderr"));
const project = (name: CommandName): Command<[], ProjectOptions> => every(name)
  .addOption(new Option("--trust", "let found files start servers and read any file"))
  .addOption(new Option("--no-project", "ignore the project file"));
const input = (name: CommandName): Command<[], InputOptions> => project(name)
  .optionsGroup("Input, one of -- COMMAND ARGS (a server over stdio) and:")
  .addOption(new Option("--url <url>", "an MCP server over Streamable HTTP"))
  .addOption(new Option("--header <header>", "with --url: 'NAME: VALUE'; repeatable").argParser(repeated))
  .addOption(new Option("--login", "with --url: sign in to the server with the browser"))
  .addOption(new Option("--server <module>", "the input: a module whose default export, or createServer, returns a new SDK v1 server"))
  .addOption(new Option("--servers <file>", "several servers: a host's file, such as .mcp.json"))
  .addOption(new Option("--catalog <file>", "a catalog file, written by \"init\" or \"list --save\""))
  .addOption(new Option("--timeout <seconds>", "how long a server may take to list everything").argParser(numberFrom(0.001, 86400, 'fraction')).default(30))
  .addOption(new Option("--protocol <version>", "the protocol version of the server").choices(["auto","2026-07-28","2025-11-25"]).default("auto" as const))
  .optionsGroup('Options:');
const configuration = (name: CommandName): Command<[], ConfigurationOptions> => input(name)
  .addOption(new Option("--policy <path>", "a policy file or a folder; several are merged").argParser(repeated))
  .addOption(new Option("--concern <part>", "NAME=VALUE or a preset, as in the URL: a preference of the host; repeatable").argParser(repeated))
  .addOption(new Option("--preset <name>", "the same as --concern NAME").argParser(repeated))
  .addOption(new Option("--claim <name=value>", "a verified claim, as JSON or text; repeatable").argParser(repeated))
  .addOption(new Option("--claims <file>", "the claims of a decoded token, as JSON"))
  .addOption(new Option("--client <name>", "how the client names itself, as a name or JSON"));
export const initCommand = (): Command<[], InitOptions> => input("init")
  .addOption(new Option("-o, --output <file>", "the policy to write (missing folders are created); - writes only it, to stdout").default("policy.yaml"))
  .addOption(new Option("--force", "overwrite existing files"))
  .addOption(new Option("--present", "also write the titles and hints of tools that the server does not give; with --update, those of new tools"))
  .addOption(new Option("--update", "add entries for what is new, remove those of what is gone, and keep all other lines"))
  .addOption(new Option("--open <name>", "a primitive that the policy may show from now on; repeatable").argParser(repeated));
export const checkCommand = (): Command<[string[]], CheckOptions> => input("check")
  .addArgument(new Argument("[policy...]", "policy files, or folders that are one policy"))
  .addOption(new Option("--policy <path>", "a policy file or a folder; several are merged").argParser(repeated))
  .addOption(new Option("--claims <file>", "a decoded token that the policy must understand; repeatable").argParser(repeated))
  .addOption(new Option("--deny-warnings", "exit with 1 for warnings, too"))
  .addOption(new Option("--fix", "make the fixes that messages name, format the files, then check again"))
  .addOption(new Option("--open <name>", "a primitive that the policy may show from now on; repeatable").argParser(repeated))
  .addOption(new Option("--watch", "check again after each change, until Ctrl-C"))
  .addOption(new Option("--format <format>", "how the output is written").choices(["pretty","json","github","sarif"]).default("pretty" as const));
export const testCommand = (): Command<[string[]], TestOptions> => project("test")
  .addArgument(new Argument("[path...]", "test files, policies with a test file beside them, or folders of test files (default: the folder policies, or this folder if there is none)"))
  .addOption(new Option("--coverage", "show values, entries and rules that no test exercises"))
  .addOption(new Option("--threshold <percent>", "exit with 1 if the tests exercise less of a policy").argParser(numberFrom(0, 100, 'fraction')))
  .addOption(new Option("--filter <name>", "run only tests whose name contains NAME"))
  .addOption(new Option("--update", "show how failed expectations differ, and rewrite them to what the policies do now"))
  .addOption(new Option("--watch", "run again after each change, until Ctrl-C"))
  .addOption(new Option("--no-servers", "fail the tests that would start a server"))
  .addOption(new Option("--timeout <seconds>", "how long a server may take to list everything").argParser(numberFrom(0.001, 86400, 'fraction')).default(30))
  .addOption(new Option("--format <format>", "how the output is written").choices(["pretty","json","junit"]).default("pretty" as const));
export const listCommand = (): Command<[string[]], ListOptions> => configuration("list")
  .addArgument(new Argument("[policy...]", "a policy file, or a folder that is one policy"))
  .addOption(new Option("--save <file>", "save the catalog of the input to a file, and list nothing; - is stdout"))
  .addOption(new Option("--facts", "with --save: write only what policies can read, and token counts: names, titles, MIME types, annotations, tags, actions, and the verb and nouns of descriptions, but no descriptions and no other schemas"))
  .addOption(new Option("--unused <days>", "only tools that were not called in the last days, such as 30d"))
  .addOption(new Option("--format <format>", "how the output is written").choices(["table","json","names"]).default("table" as const));
export const explainCommand = (): Command<[string[]], ExplainOptions> => configuration("explain")
  .usage("[options] [policy] <name>")
  .addArgument(new Argument("<name...>", "the name of a primitive (without an input, one that the policy maps), after the policy"))
  .addOption(new Option("--format <format>", "how the output is written").choices(["pretty","json"]).default("pretty" as const));
export const diffCommand = (): Command<[string, string], DiffOptions> => input("diff")
  .addArgument(new Argument("<old>", "a policy file, a folder, or a git revision such as HEAD~1:policies/x.yaml"))
  .addArgument(new Argument("<new>", "the same"))
  .addOption(new Option("--old-catalog <file>", "the catalog of the server before the change"))
  .addOption(new Option("--format <format>", "how the output is written").choices(["pretty","markdown","json"]).default("pretty" as const))
  .addOption(new Option("--fail-on <what>", "exit with 1; empty: a configuration shows nothing any more; repeatable").choices(["hidden","shown","empty"]).argParser(repeatedOf(['hidden', 'shown', 'empty'])));
export const tokensCommand = (): Command<[string[]], TokensOptions> => input("tokens")
  .addArgument(new Argument("[policy...]", "a policy file, or a folder that is one policy"))
  .addOption(new Option("--policy <path>", "a policy file or a folder; several are merged").argParser(repeated))
  .addOption(new Option("--budget <tokens>", "exit with 1 if a configuration costs more").argParser(numberFrom(0, 999999999999)))
  .addOption(new Option("--format <format>", "how the output is written").choices(["table","json"]).default("table" as const));
export const pinCommand = (): Command<[string | undefined], PinOptions> => input("pin")
  .addArgument(new Argument("[policy]", "a policy file, or a folder that is one policy"))
  .addOption(new Option("--policy <path>", "a policy file or a folder; several are merged").argParser(repeated))
  .addOption(new Option("--review", "write nothing, and show what changed since the definitions were pinned"))
  .addOption(new Option("--old-catalog <file>", "the catalog of the server when its definitions were pinned"))
  .addOption(new Option("--format <format>", "how the output is written").choices(["pretty","markdown","json"]).default("pretty" as const));
export const compileCommand = (): Command<[string[]], CompileOptions> => input("compile")
  .addArgument(new Argument("[policy...]", "a policy file, or a folder that is one policy"))
  .addOption(new Option("--policy <path>", "a policy file or a folder; several are merged").argParser(repeated))
  .addOption(new Option("-o, --output <file>", "the file to write (missing folders are created); - is stdout"))
  .addOption(new Option("--snapshot <file>", "also write the catalog of the server to a file"))
  .addOption(new Option("--label <text>", "what logs call this version of the policy, for example a commit"))
  .addOption(new Option("--header-env <header>", "'NAME: VARIABLE', as --header, but from an environment variable").argParser(repeated));
export const whyCommand = (): Command<[string[]], WhyOptions> => input("why")
  .usage("[options] [policy] <line>")
  .addArgument(new Argument("<line...>", "a line of the log, a file with log lines, or - for stdin, after the policy"))
  .addOption(new Option("--policy <path>", "the policy of that time, also as compiled JSON").argParser(repeated))
  .addOption(new Option("--caller <subject>", "only lines of this caller: its subject, or its hash in the log"))
  .addOption(new Option("--issuer <url>", "with --caller: the issuer of its tokens"))
  .addOption(new Option("--name <name>", "say of each list why it showed or hid this primitive"))
  .addOption(new Option("--at <time>", "only the latest of these lines until this time, such as 2026-11-28T02:14"))
  .addOption(new Option("--claim <name=value>", "a claim that a rule reads; the log has none; repeatable").argParser(repeated))
  .addOption(new Option("--claims <file>", "the claims of a decoded token, as JSON"))
  .addOption(new Option("--client <name>", "how the client names itself, as a name or JSON"))
  .addOption(new Option("--format <format>", "how the output is written").choices(["pretty","json"]).default("pretty" as const));
export const serveCommand = (): Command<[string[]], ServeOptions> => project("serve")
  .addArgument(new Argument("[policy...]", "a policy file, or a folder that is one policy"))
  .addOption(new Option("--policy <path>", "a policy file or a folder; several are merged").argParser(repeated))
  .optionsGroup("One of -- COMMAND ARGS (one process per session), --url, --server, --servers:")
  .addOption(new Option("--url <url>", "an MCP server over Streamable HTTP"))
  .addOption(new Option("--header <header>", "with --url: 'NAME: VALUE'; repeatable").argParser(repeated))
  .addOption(new Option("--login", "with --url: sign in to the server with the browser"))
  .addOption(new Option("--forward <header>", "with --url: it gets this header of hosts").choices(["authorization"]).argParser(repeatedOf(['authorization'])))
  .addOption(new Option("--server <module>", "a module whose export createServer makes one of SDK v1"))
  .addOption(new Option("--servers <file>", "several servers: a host's file, such as .mcp.json"))
  .addOption(new Option("--leave <key>", "with --servers: a key to leave out; repeatable").argParser(repeated))
  .optionsGroup('Options:')
  .addOption(new Option("--stdio", "serve over stdio, for hosts that start their servers"))
  .addOption(new Option("--no-used", "with --stdio: do not keep which tools were called on which day"))
  .addOption(new Option("--concern <part>", "with --stdio: for hosts that send none; repeatable").argParser(repeated))
  .addOption(new Option("--preset <name>", "the same as --concern NAME").argParser(repeated))
  .addOption(new Option("--wait", "wait for servers before listing"))
  .addOption(new Option("--port <n>", "the port; 0 picks a free port").argParser(numberFrom(0, 65535)).default(8808))
  .addOption(new Option("--open", "serve at /mcp to everybody, without a key"))
  .addOption(new Option("--isolation <who>", "sharing a server").choices(["shared","per-session","per-request"]).default("per-session" as const))
  .addOption(new Option("--protocol <version>", "the protocol version of the server").choices(["auto","2026-07-28","2025-11-25"]).default("auto" as const))
  .addOption(new Option("--sessions <n>", "sessions with a server (32, or 1000 if shared)").argParser(numberFrom(1, 10000)))
  .addOption(new Option("--idle <minutes>", "when a session without requests ends").argParser(numberFrom(1, 10000)).default(30))
  .addOption(new Option("--silence <seconds>", "when a silent call is given up").argParser(numberFrom(1, 86400)).default(120))
  .addOption(new Option("--panel <mode>", "how people switch").choices(["on","narrow","read-only","off"]).default("on" as const))
  .addOption(new Option("--host <address>", "the address to listen on").default("127.0.0.1"))
  .addOption(new Option("--allow-host <name>", "a name in the URL of the endpoint; repeatable").argParser(repeated))
  .addOption(new Option("--issuer <url>", "require tokens of this issuer, in place of the key"))
  .addOption(new Option("--audience <text>", "with --issuer: the audience of tokens"))
  .addOption(new Option("--sessions-store <store>", "redis://HOST or dynamodb:TABLE"))
  .addOption(new Option("--log <format>", "log").choices(["auto","text","json"]).default("auto" as const))
  .addOption(new Option("--metrics <port>", "counts for Prometheus").argParser(numberFrom(1, 65535)));
export const bundleCommand = (): Command<[], BundleOptions> => every("bundle")
  .addOption(new Option("--endpoint <file>", "what the function serves; \"mcp-concerns init --lambda\" writes it").default("endpoint.yml"))
  .addOption(new Option("--out <folder>", "the folder to make").default("build/lambda"))
  .addOption(new Option("--architecture <name>", "of the function").choices(["arm64","x86_64"]).default("arm64" as const));
export const switchCommand = (): Command<[string[]], SwitchOptions> => every("switch")
  .addArgument(new Argument("[value...]", "a preset of the policy, \"everything\", or NAME=VALUE of one or more concerns"))
  .addOption(new Option("--preset <name>", "the same as NAME alone"))
  .addOption(new Option("--server <text>", "only servers whose name or policy contains TEXT"))
  .addOption(new Option("--session <id>", "only this session"))
  .addOption(new Option("--open", "open the page with the switches in a browser"))
  .addOption(new Option("-y, --yes", "not needed: without a terminal, a change can only show less"));
export const setupCommand = (): Command<[], SetupOptions> => every("setup")
  .addOption(new Option("--host <name>", "only this host; repeatable").choices(["claude-code","claude-desktop","cursor","vscode","codex","gemini-cli","qwen-code","opencode","zed","windsurf","copilot-cli"]).argParser(repeatedOf(['claude-code', 'claude-desktop', 'cursor', 'vscode', 'codex', 'gemini-cli', 'qwen-code', 'opencode', 'zed', 'windsurf', 'copilot-cli'])))
  .addOption(new Option("--project", "also the files of this project, which others may share"))
  .addOption(new Option("-y, --yes", "do not ask"))
  .addOption(new Option("--undo", "put back everything that setup changed"));
export const lspCommand = (): Command<[], LspOptions> => every("lsp")
  .addOption(new Option("--stdio", "accepted, because some editors pass it"));
export const initLambdaCommand = (): Command<[string[]], InitLambdaOptions> => project("init --lambda")
  .addArgument(new Argument("[policy...]", "a policy file, or a folder that is one policy"))
  .addOption(new Option("--lambda", "write these files, and no policy"))
  .addOption(new Option("--policy <path>", "a policy file or a folder; several are merged").argParser(repeated))
  .optionsGroup("The server, one of:")
  .addOption(new Option("--module <file>", "your own server: a module whose default export, or createServer, makes a new server"))
  .addOption(new Option("--package <name>", "a stdio server from npm, installed in this project"))
  .addOption(new Option("--url <url>", "a remote server over Streamable HTTP"))
  .optionsGroup('Options:')
  .addOption(new Option("--variant <name>", "what stands in front of the function").choices(["http","rest","jwt","function-url","tasks","http,tasks","rest,tasks","jwt,tasks","function-url,tasks"]).default("http" as const))
  .addOption(new Option("--service <name>", "the name of the service (default: that of this folder)"))
  .addOption(new Option("--force", "overwrite existing files"));
export type EveryOptions = {
  /** auto obeys NO_COLOR */
  readonly color: "auto" | "always" | "never";
  /** write only errors to stderr */
  readonly quiet?: true | undefined;
};
export type ProjectOptions = EveryOptions & {
  /** let found files start servers and read any file */
  readonly trust?: true | undefined;
  /** ignore the project file */
  readonly project: boolean;
};
export type InputOptions = ProjectOptions & {
  /** an MCP server over Streamable HTTP */
  readonly url?: string | undefined;
  /** with --url: 'NAME: VALUE'; repeatable */
  readonly header?: readonly string[] | undefined;
  /** with --url: sign in to the server with the browser */
  readonly login?: true | undefined;
  /** the input: a module whose default export, or createServer, returns a new SDK v1 server */
  readonly server?: string | undefined;
  /** several servers: a host's file, such as .mcp.json */
  readonly servers?: string | undefined;
  /** a catalog file, written by "init" or "list --save" */
  readonly catalog?: string | undefined;
  /** how long a server may take to list everything */
  readonly timeout: number;
  /** the protocol version of the server */
  readonly protocol: "auto" | "2026-07-28" | "2025-11-25";
};
export type ConfigurationOptions = InputOptions & {
  /** a policy file or a folder; several are merged */
  readonly policy?: readonly string[] | undefined;
  /** NAME=VALUE or a preset, as in the URL: a preference of the host; repeatable */
  readonly concern?: readonly string[] | undefined;
  /** the same as --concern NAME */
  readonly preset?: readonly string[] | undefined;
  /** a verified claim, as JSON or text; repeatable */
  readonly claim?: readonly string[] | undefined;
  /** the claims of a decoded token, as JSON */
  readonly claims?: string | undefined;
  /** how the client names itself, as a name or JSON */
  readonly client?: string | undefined;
};
export type InitOptions = InputOptions & {
  /** the policy to write (missing folders are created); - writes only it, to stdout */
  readonly output: string;
  /** overwrite existing files */
  readonly force?: true | undefined;
  /** also write the titles and hints of tools that the server does not give; with --update, those of new tools */
  readonly present?: true | undefined;
  /** add entries for what is new, remove those of what is gone, and keep all other lines */
  readonly update?: true | undefined;
  /** a primitive that the policy may show from now on; repeatable */
  readonly open?: readonly string[] | undefined;
};
export type CheckOptions = InputOptions & {
  /** a policy file or a folder; several are merged */
  readonly policy?: readonly string[] | undefined;
  /** a decoded token that the policy must understand; repeatable */
  readonly claims?: readonly string[] | undefined;
  /** exit with 1 for warnings, too */
  readonly denyWarnings?: true | undefined;
  /** make the fixes that messages name, format the files, then check again */
  readonly fix?: true | undefined;
  /** a primitive that the policy may show from now on; repeatable */
  readonly open?: readonly string[] | undefined;
  /** check again after each change, until Ctrl-C */
  readonly watch?: true | undefined;
  /** how the output is written */
  readonly format: "pretty" | "json" | "github" | "sarif";
};
export type TestOptions = ProjectOptions & {
  /** show values, entries and rules that no test exercises */
  readonly coverage?: true | undefined;
  /** exit with 1 if the tests exercise less of a policy */
  readonly threshold?: number | undefined;
  /** run only tests whose name contains NAME */
  readonly filter?: string | undefined;
  /** show how failed expectations differ, and rewrite them to what the policies do now */
  readonly update?: true | undefined;
  /** run again after each change, until Ctrl-C */
  readonly watch?: true | undefined;
  /** fail the tests that would start a server */
  readonly servers: boolean;
  /** how long a server may take to list everything */
  readonly timeout: number;
  /** how the output is written */
  readonly format: "pretty" | "json" | "junit";
};
export type ListOptions = ConfigurationOptions & {
  /** save the catalog of the input to a file, and list nothing; - is stdout */
  readonly save?: string | undefined;
  /** with --save: write only what policies can read, and token counts: names, titles, MIME types, annotations, tags, actions, and the verb and nouns of descriptions, but no descriptions and no other schemas */
  readonly facts?: true | undefined;
  /** only tools that were not called in the last days, such as 30d */
  readonly unused?: string | undefined;
  /** how the output is written */
  readonly format: "table" | "json" | "names";
};
export type ExplainOptions = ConfigurationOptions & {
  /** how the output is written */
  readonly format: "pretty" | "json";
};
export type DiffOptions = InputOptions & {
  /** the catalog of the server before the change */
  readonly oldCatalog?: string | undefined;
  /** how the output is written */
  readonly format: "pretty" | "markdown" | "json";
  /** exit with 1; empty: a configuration shows nothing any more; repeatable */
  readonly failOn?: readonly ("hidden" | "shown" | "empty")[] | undefined;
};
export type TokensOptions = InputOptions & {
  /** a policy file or a folder; several are merged */
  readonly policy?: readonly string[] | undefined;
  /** exit with 1 if a configuration costs more */
  readonly budget?: number | undefined;
  /** how the output is written */
  readonly format: "table" | "json";
};
export type PinOptions = InputOptions & {
  /** a policy file or a folder; several are merged */
  readonly policy?: readonly string[] | undefined;
  /** write nothing, and show what changed since the definitions were pinned */
  readonly review?: true | undefined;
  /** the catalog of the server when its definitions were pinned */
  readonly oldCatalog?: string | undefined;
  /** how the output is written */
  readonly format: "pretty" | "markdown" | "json";
};
export type CompileOptions = InputOptions & {
  /** a policy file or a folder; several are merged */
  readonly policy?: readonly string[] | undefined;
  /** the file to write (missing folders are created); - is stdout */
  readonly output?: string | undefined;
  /** also write the catalog of the server to a file */
  readonly snapshot?: string | undefined;
  /** what logs call this version of the policy, for example a commit */
  readonly label?: string | undefined;
  /** 'NAME: VARIABLE', as --header, but from an environment variable */
  readonly headerEnv?: readonly string[] | undefined;
};
export type WhyOptions = InputOptions & {
  /** the policy of that time, also as compiled JSON */
  readonly policy?: readonly string[] | undefined;
  /** only lines of this caller: its subject, or its hash in the log */
  readonly caller?: string | undefined;
  /** with --caller: the issuer of its tokens */
  readonly issuer?: string | undefined;
  /** say of each list why it showed or hid this primitive */
  readonly name?: string | undefined;
  /** only the latest of these lines until this time, such as 2026-11-28T02:14 */
  readonly at?: string | undefined;
  /** a claim that a rule reads; the log has none; repeatable */
  readonly claim?: readonly string[] | undefined;
  /** the claims of a decoded token, as JSON */
  readonly claims?: string | undefined;
  /** how the client names itself, as a name or JSON */
  readonly client?: string | undefined;
  /** how the output is written */
  readonly format: "pretty" | "json";
};
export type ServeOptions = ProjectOptions & {
  /** a policy file or a folder; several are merged */
  readonly policy?: readonly string[] | undefined;
  /** an MCP server over Streamable HTTP */
  readonly url?: string | undefined;
  /** with --url: 'NAME: VALUE'; repeatable */
  readonly header?: readonly string[] | undefined;
  /** with --url: sign in to the server with the browser */
  readonly login?: true | undefined;
  /** with --url: it gets this header of hosts */
  readonly forward?: readonly "authorization"[] | undefined;
  /** a module whose export createServer makes one of SDK v1 */
  readonly server?: string | undefined;
  /** several servers: a host's file, such as .mcp.json */
  readonly servers?: string | undefined;
  /** with --servers: a key to leave out; repeatable */
  readonly leave?: readonly string[] | undefined;
  /** serve over stdio, for hosts that start their servers */
  readonly stdio?: true | undefined;
  /** with --stdio: do not keep which tools were called on which day */
  readonly used: boolean;
  /** with --stdio: for hosts that send none; repeatable */
  readonly concern?: readonly string[] | undefined;
  /** the same as --concern NAME */
  readonly preset?: readonly string[] | undefined;
  /** wait for servers before listing */
  readonly wait?: true | undefined;
  /** the port; 0 picks a free port */
  readonly port: number;
  /** serve at /mcp to everybody, without a key */
  readonly open?: true | undefined;
  /** sharing a server */
  readonly isolation: "shared" | "per-session" | "per-request";
  /** the protocol version of the server */
  readonly protocol: "auto" | "2026-07-28" | "2025-11-25";
  /** sessions with a server (32, or 1000 if shared) */
  readonly sessions?: number | undefined;
  /** when a session without requests ends */
  readonly idle: number;
  /** when a silent call is given up */
  readonly silence: number;
  /** how people switch */
  readonly panel: "on" | "narrow" | "read-only" | "off";
  /** the address to listen on */
  readonly host: string;
  /** a name in the URL of the endpoint; repeatable */
  readonly allowHost?: readonly string[] | undefined;
  /** require tokens of this issuer, in place of the key */
  readonly issuer?: string | undefined;
  /** with --issuer: the audience of tokens */
  readonly audience?: string | undefined;
  /** redis://HOST or dynamodb:TABLE */
  readonly sessionsStore?: string | undefined;
  /** log */
  readonly log: "auto" | "text" | "json";
  /** counts for Prometheus */
  readonly metrics?: number | undefined;
};
export type BundleOptions = EveryOptions & {
  /** what the function serves; "mcp-concerns init --lambda" writes it */
  readonly endpoint: string;
  /** the folder to make */
  readonly out: string;
  /** of the function */
  readonly architecture: "arm64" | "x86_64";
};
export type SwitchOptions = EveryOptions & {
  /** the same as NAME alone */
  readonly preset?: string | undefined;
  /** only servers whose name or policy contains TEXT */
  readonly server?: string | undefined;
  /** only this session */
  readonly session?: string | undefined;
  /** open the page with the switches in a browser */
  readonly open?: true | undefined;
  /** not needed: without a terminal, a change can only show less */
  readonly yes?: true | undefined;
};
export type SetupOptions = EveryOptions & {
  /** only this host; repeatable */
  readonly host?: readonly ("claude-code" | "claude-desktop" | "cursor" | "vscode" | "codex" | "gemini-cli" | "qwen-code" | "opencode" | "zed" | "windsurf" | "copilot-cli")[] | undefined;
  /** also the files of this project, which others may share */
  readonly project?: true | undefined;
  /** do not ask */
  readonly yes?: true | undefined;
  /** put back everything that setup changed */
  readonly undo?: true | undefined;
};
export type LspOptions = EveryOptions & {
  /** accepted, because some editors pass it */
  readonly stdio?: true | undefined;
};
export type InitLambdaOptions = ProjectOptions & {
  /** write these files, and no policy */
  readonly lambda?: true | undefined;
  /** a policy file or a folder; several are merged */
  readonly policy?: readonly string[] | undefined;
  /** your own server: a module whose default export, or createServer, makes a new server */
  readonly module?: string | undefined;
  /** a stdio server from npm, installed in this project */
  readonly package?: string | undefined;
  /** a remote server over Streamable HTTP */
  readonly url?: string | undefined;
  /** what stands in front of the function */
  readonly variant: "http" | "rest" | "jwt" | "function-url" | "tasks" | "http,tasks" | "rest,tasks" | "jwt,tasks" | "function-url,tasks";
  /** the name of the service (default: that of this folder) */
  readonly service?: string | undefined;
  /** overwrite existing files */
  readonly force?: true | undefined;
};
/** The values of the options, by the name of the command. */
export interface Options {
  readonly every: EveryOptions;
  readonly project: ProjectOptions;
  readonly input: InputOptions;
  readonly configuration: ConfigurationOptions;
  readonly init: InitOptions;
  readonly check: CheckOptions;
  readonly test: TestOptions;
  readonly list: ListOptions;
  readonly explain: ExplainOptions;
  readonly diff: DiffOptions;
  readonly tokens: TokensOptions;
  readonly pin: PinOptions;
  readonly compile: CompileOptions;
  readonly why: WhyOptions;
  readonly serve: ServeOptions;
  readonly bundle: BundleOptions;
  readonly switch: SwitchOptions;
  readonly setup: SetupOptions;
  readonly lsp: LspOptions;
  readonly initLambda: InitLambdaOptions;
}
