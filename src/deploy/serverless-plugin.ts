import { AWS_CLIENTS } from './build-code.js';
import { bundleFunction, TARGET } from './bundle.js';
import { bundleWorker, WORKER_TARGET } from './bundle-worker.js';
import { checkSettings } from './check-settings.js';
import { forwardsHeaders } from './entry.js';
import { finishResources, type Resources, type Throttle } from './finish-template.js';
import { type Endpoint, endpointSchema } from './generated/endpoint-schema.js';
import { ARCHITECTURES, type Architecture } from './native-code.js';
import { packagesOfSettings } from './needed-by-settings.js';
import { readingStatements, type Statement } from './secrets.js';

type Variables = Readonly<Record<string, unknown>>;

interface LambdaFunction {
  readonly handler?: string;
  readonly architecture?: Architecture;
  readonly timeout?: number;
  environment?: Variables;
  readonly events?: readonly object[];
}

/** The part of the Serverless Framework that the plugin uses. The framework has no types. */
interface Serverless {
  readonly serviceDir: string;
  readonly service: {
    readonly custom?: { readonly endpoint?: Endpoint; readonly throttle?: Throttle };
    readonly functions?: Readonly<Record<string, LambdaFunction>>;
    readonly provider: {
      readonly architecture?: Architecture;
      readonly timeout?: number;
      environment?: Variables;
      iam?: { role?: { statements?: Statement[] } | string };
      readonly compiledCloudFormationTemplate?: { readonly Resources: Resources };
    };
  };
  getProvider(name: 'aws'): { getStage(): string };
  readonly configSchemaHandler: { defineCustomProperties(schema: object): void };
  readonly classes: { readonly Error: new (message: string, code: string) => Error };
}

interface FrameworkCommand {
  readonly usage: string;
  readonly lifecycleEvents: readonly string[];
}

/** The log of the framework, which it passes to plugins. */
interface Log {
  notice(message: string): void;
}

/** The schema of `custom.throttle`: how many requests per second the API accepts on average, and at once. */
const THROTTLE_SCHEMA = {
  type: 'object',
  required: ['rate', 'burst'],
  additionalProperties: false,
  properties: { rate: { type: 'number', exclusiveMinimum: 0 }, burst: { type: 'integer', minimum: 1 } },
};

/** What Lambda uses if `serverless.yml` does not say. */
const DEFAULTS = { architecture: 'x86_64', timeout: 6 } as const;

/**
 * The plugin of the Serverless Framework. It makes the function that `custom.endpoint` of `serverless.yml` describes,
 * whenever the service is packaged, deployed or run offline, and on `osls bundle`. If a function starts from `build/worker`,
 * it also makes that of the tasks. It also checks the settings of the
 * function, lets its role read the secrets of the endpoint and the policy outside it, and throttles the API as `custom.throttle` says. It does nothing
 * if the service has no such sections.
 *
 * @example
 * // serverless.yml
 * plugins: [mcp-concerns/serverless]
 */
export default class EndpointPlugin {
  readonly commands: Readonly<Record<'bundle', FrameworkCommand>> = {
    bundle: { usage: 'Bundles the function that custom.endpoint describes', lifecycleEvents: ['run'] },
  };
  readonly hooks: Readonly<Record<string, () => Promise<void> | void>>;

  private readonly log: Log | undefined;

  constructor(
    private readonly serverless: Serverless,
    _options?: unknown,
    { log }: { readonly log?: Log } = {},
  ) {
    this.log = log;
    serverless.configSchemaHandler.defineCustomProperties({
      type: 'object',
      properties: { endpoint: endpointSchema, throttle: THROTTLE_SCHEMA },
    });
    const bundle = () => this.bundle();
    this.hooks = {
      'bundle:run': bundle,
      'before:package:setupProviderConfiguration': () => this.allowReading(),
      'before:package:createDeploymentArtifacts': bundle,
      'before:aws:package:finalize:mergeCustomProviderResources': () => this.finish(),
      // `osls offline` and `osls offline start` are two commands with different events.
      'before:offline:start': () => this.offline(),
      'before:offline:start:init': () => this.offline(),
    };
  }

  /** The function that is started from the bundle. A service can have others. */
  private get lambda(): LambdaFunction {
    return this.functionFrom(TARGET) ?? {};
  }

  private functionFrom(target: string): LambdaFunction | undefined {
    const functions = Object.values(this.serverless.service.functions ?? {});
    return functions.find(({ handler }) => handler?.startsWith(`${target}/`));
  }

  private get timeout(): number {
    return this.lambda.timeout ?? this.serverless.service.provider.timeout ?? DEFAULTS.timeout;
  }

  private get environment(): Variables {
    return { ...this.serverless.service.provider.environment, ...this.lambda.environment };
  }

  private async bundle({ isOffline = false } = {}): Promise<void> {
    const { serviceDir, service, classes } = this.serverless;
    const { custom: { endpoint } = {}, provider } = service;
    if (endpoint === undefined) return;
    try {
      const { architecture = provider.architecture, events = [] } = this.lambda;
      const settings = checkSettings({
        environment: this.environment,
        timeout: this.timeout,
        httpApi: events.some((event) => 'httpApi' in event),
        forwards: forwardsHeaders(endpoint),
        hasAuthorizer: events.some(hasAuthorizer),
      });
      const durable = this.functionFrom(WORKER_TARGET) !== undefined;
      const notes = await bundleFunction(endpoint, {
        root: serviceDir,
        architecture: ARCHITECTURES.find((each) => each === architecture) ?? DEFAULTS.architecture,
        packages: [...packagesOfSettings(settings), ...(durable ? AWS_CLIENTS : [])],
        // On this machine, one process keeps the tasks.
        ...(isOffline ? {} : { worker: durable }),
      });
      for (const note of notes) this.log?.notice(note);
      if (durable) await bundleWorker(endpoint, serviceDir);
    } catch (cause) {
      if (!(cause instanceof Error)) throw cause;
      // The framework prints errors of its own class without a stack.
      const code = 'code' in cause ? String(cause.code) : 'BUNDLE_FAILED';
      throw new classes.Error(cause.message, code);
    }
  }

  /** Bundles as for AWS, and then leaves out the variables that refer to resources, because those exist only there. */
  private async offline(): Promise<void> {
    await this.bundle({ isOffline: true });
    const { provider, functions = {} } = this.serverless.service;
    for (const each of [provider, ...Object.values(functions)]) each.environment = localVariables(each);
  }

  /** A role that the service brings itself, by its ARN, cannot be changed here. */
  private allowReading(): void {
    const { custom, provider } = this.serverless.service;
    const statements = readingStatements(custom?.endpoint?.secrets, this.environment.MCP_CONCERNS_POLICY);
    const role = provider.iam?.role ?? {};
    if (statements.length === 0 || typeof role === 'string') return;
    provider.iam = {
      ...provider.iam,
      role: { ...role, statements: [...(role.statements ?? []), ...statements] },
    };
  }

  private finish(): void {
    const { custom, provider } = this.serverless.service;
    const { Resources: resources } = provider.compiledCloudFormationTemplate ?? {};
    if (resources === undefined || custom?.endpoint === undefined) return;
    const stage = this.serverless.getProvider('aws').getStage();
    finishResources(resources, { throttle: custom.throttle, stage, timeout: this.timeout });
  }
}

/** @returns whether AWS verifies callers before this event reaches the function: `{ httpApi: { authorizer: ... } }` */
function hasAuthorizer(event: object): boolean {
  const each: readonly unknown[] = Object.values(event);
  return each.some((how) => typeof how === 'object' && how !== null && 'authorizer' in how);
}

/** Without their tables, sessions and tasks are in the memory of the process. */
function localVariables({ environment = {} }: { readonly environment?: Variables }): Variables {
  const own = Object.entries(environment).filter(
    ([name, value]) => !(name.startsWith('MCP_CONCERNS_') && typeof value === 'object'),
  );
  return Object.fromEntries(own);
}
