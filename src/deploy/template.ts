// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of serverless.yml
import { TASK_PARTS } from './task-template.js';

/** What stands in front of the function. */
export const VARIANTS = ['http', 'rest', 'jwt', 'function-url', 'tasks'] as const;
export type Variant = (typeof VARIANTS)[number];

/** @returns whether a service can have a name, which is part of the name of its CloudFormation stack */
export function isServiceName(name: string): boolean {
  return /^[a-z][a-z0-9-]{1,63}$/i.test(name);
}

/**
 * Writes a `serverless.yml` that deploys what `endpoint.yml` describes.
 *
 * @param service the name of the service, which the names of its resources in AWS begin with
 * @param variant what stands in front of the function
 * @returns the text of the file
 * @example
 * writeFileSync('serverless.yml', writeTemplate('my-tools', 'http'));
 */
export function writeTemplate(service: string, variant: Variant): string {
  const { about, params, environment = [], provider = [], description, events } = PARTS[variant];
  const { statements = [], packaging = [], functionLines = [], functions = [] } = PARTS[variant];
  const { resources = [], conditions = [] } = PARTS[variant];
  return `${comment(about)}
#
# Packages of npm that it needs: mcp-concerns, @aws-lambda-powertools/logger, @aws-sdk/client-dynamodb, and for development
# osls and esbuild. endpoint.yml beside this file configures what the function serves.
#
#   npx osls package    builds everything offline, into .serverless
#   npx osls deploy     deploys to AWS, with your credentials
service: ${service}
frameworkVersion: '4'
configValidationMode: error
plugins: [mcp-concerns/serverless] # bundles what custom.endpoint describes whenever the service is packaged

custom:
  endpoint: \${file(./endpoint.yml)}
${variant === 'function-url' ? '' : THROTTLED}
# Settings. Change them here, in a section named like a stage, or with --param="logLevel=DEBUG".
params:
  default:
    logLevel: INFO
    logSampleRate: 0 # share of the requests, 0 to 1, that are logged at DEBUG
    logRetention: 30 # days
    memory: 512 # MB; more memory also means more CPU and a shorter cold start
${lines(params, 4)}
    reservedConcurrency: { Ref: AWS::NoValue } # a number reserves that many environments, which is also the limit
    sessionSeconds: 86400 # seconds after its last use until a session expires
    origins: '' # origins of web pages that may call, separated by commas: https://host.example
    resource: '' # the public URL of the endpoint, if callers use another URL than that of AWS
    metrics: '' # the namespace of metrics, which also creates a dashboard and four alarms; none if empty
    alarmTopic: '' # the ARN of an SNS topic that the alarms notify
    policyUrl: '' # a policy outside the function: ssm:/NAME, s3://BUCKET/KEY or appconfig:APPLICATION/ENVIRONMENT/PROFILE
    policySeconds: 60 # until that policy is read again

provider:
  name: aws
  runtime: nodejs24.x
  architecture: arm64
  region: \${opt:region, 'eu-central-1'}
  stage: \${opt:stage, 'dev'}
  memorySize: \${param:memory}
  timeout: \${param:timeout}
  logRetentionInDays: \${param:logRetention}
  versionFunctions: false # AWS would keep every version forever
${block(provider, 2)}  environment:
    POWERTOOLS_SERVICE_NAME: \${self:service}
    POWERTOOLS_LOG_LEVEL: \${param:logLevel}
    POWERTOOLS_LOGGER_SAMPLE_RATE: \${param:logSampleRate}
    MCP_CONCERNS_TABLE: { Ref: SessionsTable }
    MCP_CONCERNS_SESSION_SECONDS: \${param:sessionSeconds}
    MCP_CONCERNS_ORIGINS: \${param:origins}
    MCP_CONCERNS_RESOURCE: \${param:resource}
    MCP_CONCERNS_LOG_SALT: \${self:service}-\${self:provider.stage}
    MCP_CONCERNS_METRICS: \${param:metrics}
    MCP_CONCERNS_POLICY: \${param:policyUrl}
    MCP_CONCERNS_POLICY_SECONDS: \${param:policySeconds}
${block(environment, 4)}  iam:
    role:
      statements:
        - Effect: Allow
          Action: [dynamodb:GetItem, dynamodb:UpdateItem, dynamodb:PutItem]
          Resource: { 'Fn::GetAtt': [SessionsTable, Arn] }
${block(statements, 8)}
package:
${block(packaging, 2)}  patterns:
    - '!**'
    - build/lambda/**

functions:
  mcp:
    handler: build/lambda/index.handler
    description: ${description}
    reservedConcurrency: \${param:reservedConcurrency}
${block(functionLines, 4)}${lines(events, 4)}
${block(functions, 2)}
resources:
  - ${conditions.length === 0 ? '' : `Conditions:\n${lines(conditions, 6)}\n    `}Resources:
      SessionsTable:
        Type: AWS::DynamoDB::Table
        Properties:
          BillingMode: PAY_PER_REQUEST
          AttributeDefinitions: [{ AttributeName: id, AttributeType: S }]
          KeySchema: [{ AttributeName: id, KeyType: HASH }]
          TimeToLiveSpecification: { AttributeName: expiresAt, Enabled: true }
${block(resources, 6)}  - \${file(./serverless.observe.cjs)} # the dashboard and the alarms, if metrics are on
`;
}

/** What one variant adds to the text that all of them have. */
export interface Parts {
  readonly about: readonly string[];
  readonly params: readonly string[];
  readonly provider?: readonly string[];
  readonly environment?: readonly string[];
  readonly description: string;
  readonly events: readonly string[];
  /** What the function of the endpoint is allowed, beside its sessions. */
  readonly statements?: readonly string[];
  readonly packaging?: readonly string[];
  /** Further lines of the function of the endpoint. */
  readonly functionLines?: readonly string[];
  /** Further functions. */
  readonly functions?: readonly string[];
  readonly resources?: readonly string[];
  readonly conditions?: readonly string[];
}

const THROTTLED = '  throttle:\n    rate: ${param:throttleRate}\n    burst: ${param:throttleBurst}\n';

const THROTTLE = [
  'throttleRate: 100 # requests per second that the API accepts on average; callers above it get a 429',
  'throttleBurst: 200 # requests that the API accepts at once',
];
const SHORT = 'timeout: 29 # seconds; an HTTP API waits for 30';
const LONG = 'timeout: 300 # seconds; up to 900. A request that never ends costs this much.';

const HTTP_EVENTS = [
  'events:',
  "  - httpApi: 'POST /mcp'",
  "  - httpApi: 'GET /mcp'",
  "  - httpApi: 'DELETE /mcp'",
  "  - httpApi: 'OPTIONS /mcp'",
];

const PARTS: Readonly<Record<Variant, Parts>> = {
  http: {
    about: [
      'Deploys an MCP endpoint that filters its lists by a policy: a Lambda function behind an HTTP API, with sessions in',
      'DynamoDB. Anyone may call it.',
    ],
    params: [SHORT, ...THROTTLE],
    description: 'MCP endpoint with concern-based filtering',
    events: HTTP_EVENTS,
  },
  rest: {
    about: [
      'Deploys an MCP endpoint that filters its lists by a policy: a Lambda function behind a REST API that streams, with',
      'sessions in DynamoDB. A response may take 15 minutes and be longer than 6 MB. Anyone may call it.',
      '',
      'To verify callers, add an authorizer to the events POST, GET and DELETE, and set MCP_CONCERNS_AUTHORIZER below. Its',
      'claims then set operator concerns:',
      '',
      '  authorizer: aws_iam         # callers sign requests (SigV4)',
      '  authorizer: myAuthorizer    # the name of a Lambda function of this service',
      '',
      'To attach a web application firewall, add to Resources:',
      '',
      '  Firewall:',
      '    Type: AWS::WAFv2::WebACLAssociation',
      '    Properties:',
      '      WebACLArn: arn:aws:wafv2:…',
      '      ResourceArn:',
      "        Fn::Sub: 'arn:${AWS::Partition}:apigateway:${AWS::Region}::/restapis/${ApiGatewayRestApi}/stages/${ApiGatewayStage}'",
    ],
    params: [LONG, ...THROTTLE],
    provider: [
      'endpointType: REGIONAL # an edge endpoint ends streams that are quiet for 30 s, a regional one after 5 minutes',
    ],
    environment: [
      'MCP_CONCERNS_RESPONSE: stream',
      '# MCP_CONCERNS_AUTHORIZER: gateway # if the events below have an authorizer',
    ],
    description: 'MCP endpoint with concern-based filtering, streaming',
    events: [
      'events:',
      '  - http: { path: /mcp, method: POST, response: { transferMode: STREAM } }',
      '  - http: { path: /mcp, method: GET, response: { transferMode: STREAM } }',
      '  - http: { path: /mcp, method: DELETE, response: { transferMode: STREAM } }',
      '  - http: { path: /mcp, method: OPTIONS, response: { transferMode: STREAM } }',
    ],
  },
  jwt: {
    about: [
      'Deploys an MCP endpoint that filters its lists by a policy: a Lambda function behind an HTTP API, with sessions in',
      'DynamoDB. The HTTP API verifies the token of each caller before the function runs. Claims of the token set operator',
      'concerns, and a session belongs to the caller that opened it. Keep serverless.cors.cjs beside this file.',
      '',
      'Set issuer and audience below, or pass them:',
      '',
      '  --param="issuer=https://login.example/" --param="audience=https://mcp.example/mcp"',
    ],
    params: [
      SHORT,
      ...THROTTLE,
      '# issuer: https://login.example/ # the `iss` of tokens; AWS reads the keys from <issuer>/.well-known/openid-configuration',
      '# audience: https://mcp.example/mcp # the `aud` of tokens, or the `client_id` of tokens without `aud`',
      "scopes: '' # scopes that hosts request when they log in, separated by spaces",
    ],
    provider: [
      'httpApi:',
      '  cors: ${file(./serverless.cors.cjs)}',
      '  authorizers:',
      '    tokens:',
      '      type: jwt',
      '      identitySource: $request.header.Authorization',
      '      issuerUrl: ${param:issuer}',
      '      audience: ${param:audience}',
    ],
    environment: ['MCP_CONCERNS_ISSUERS: ${param:issuer}', 'MCP_CONCERNS_SCOPES: ${param:scopes}'],
    description: 'MCP endpoint with concern-based filtering, for callers with tokens',
    events: [
      'events:',
      '  - httpApi: { path: /mcp, method: POST, authorizer: { name: tokens } }',
      '  - httpApi: { path: /mcp, method: GET, authorizer: { name: tokens } }',
      '  - httpApi: { path: /mcp, method: DELETE, authorizer: { name: tokens } }',
      '  # Protected resource metadata (RFC 9728): tells hosts where to log in, so it needs no token.',
      '  - httpApi: GET /.well-known/oauth-protected-resource',
      '  - httpApi: GET /.well-known/oauth-protected-resource/mcp',
    ],
  },
  'function-url': {
    about: [
      'Deploys an MCP endpoint that filters its lists by a policy: a Lambda function behind a function URL that streams, with',
      'sessions in DynamoDB. A response may take 15 minutes and be longer than 6 MB. Anyone may call it.',
      '',
      'A function URL does not verify tokens, and has no throttling: reservedConcurrency limits it. If callers must log in,',
      'pass authorization.verifier to createFunction and set MCP_CONCERNS_ISSUERS, or let AWS verify signed requests (SigV4):',
      'add authorizer: aws_iam to url, and MCP_CONCERNS_AUTHORIZER: gateway to environment.',
    ],
    params: [LONG],
    environment: ['MCP_CONCERNS_RESPONSE: stream'],
    description: 'MCP endpoint with concern-based filtering, streaming',
    events: ['url: { invokeMode: RESPONSE_STREAM }'],
  },
  tasks: {
    about: [
      'Deploys an MCP endpoint with long-running tools: a Lambda function behind an HTTP API, with sessions in DynamoDB, and a',
      'durable function that runs the tasks which the server module exports. Anyone may call it.',
      '',
      'Beside the packages below, it needs @aws-sdk/client-lambda and @aws/durable-execution-sdk-js.',
    ],
    params: [
      SHORT,
      ...THROTTLE,
      'taskSeconds: 86400 # until an execution is ended: at most the longest ttlSeconds of a task',
      'taskRetention: 7 # days that Lambda keeps the result of an execution: at least the longest ttlSeconds',
    ],
    description: 'MCP endpoint with concern-based filtering and tasks',
    events: HTTP_EVENTS,
    ...TASK_PARTS,
  },
};

const comment = (text: readonly string[]): string =>
  text.map((line) => (line === '' ? '#' : `# ${line}`)).join('\n');

const lines = (text: readonly string[], indent: number): string =>
  text.map((line) => `${' '.repeat(indent)}${line}`).join('\n');

/** Lines that end with a line break; nothing if there are none. */
const block = (text: readonly string[], indent: number): string =>
  text.length === 0 ? '' : `${lines(text, indent)}\n`;
