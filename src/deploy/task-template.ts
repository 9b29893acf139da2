// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of serverless.yml and of CloudFormation
/** The function name of the worker, in an ARN that does not refer to the function: its role is made before it. */
const EXECUTIONS =
  "'arn:${AWS::Partition}:lambda:${AWS::Region}:${AWS::AccountId}:function:${self:service}-${self:provider.stage}-tasks:*/durable-execution/*/*'";
const LOGS =
  "'arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:/aws/lambda/${self:service}-${self:provider.stage}-tasks:*'";

/** What the variant `tasks` adds: the worker, its role, the table of the records, and alarms. */
export const TASK_PARTS = {
  environment: ['MCP_CONCERNS_TASKS_TABLE: { Ref: TasksTable }'],
  packaging: ['individually: true # each function gets only its own folder'],
  functionLines: [
    'environment:',
    '  # The alias durable, which osls makes for a durable function. It points to a version whose name follows the code: a',
    '  # task ends with the code that it began with, and new tasks begin with the newest code.',
    '  MCP_CONCERNS_TASKS_FUNCTION: { Ref: TasksDurableLambdaAlias }',
  ],
  statements: [
    '- Effect: Allow',
    '  Action: [dynamodb:GetItem, dynamodb:PutItem, dynamodb:UpdateItem, dynamodb:BatchGetItem]',
    "  Resource: { 'Fn::GetAtt': [TasksTable, Arn] }",
    '- Effect: Allow',
    '  Action: dynamodb:Query',
    "  Resource: [{ 'Fn::GetAtt': [TasksTable, Arn] }, { 'Fn::Sub': '${TasksTable.Arn}/index/byUpdate' }]",
    '- Effect: Allow',
    '  Action: lambda:InvokeFunction',
    '  Resource: { Ref: TasksDurableLambdaAlias }',
    '- Effect: Allow',
    '  Action: [lambda:GetDurableExecution, lambda:StopDurableExecution, lambda:SendDurableExecutionCallbackSuccess]',
    "  Resource: { 'Fn::Sub': '${TasksLambdaFunction.Arn}:*/durable-execution/*/*' }",
  ],
  functions: [
    'tasks:',
    '  handler: build/worker/index.handler',
    '  description: Runs the tasks of the MCP endpoint',
    '  timeout: 900 # seconds of one invocation, which ends at each sleep and question; not of a task',
    '  role: TasksRole # a role of its own: without it, both functions may do what the other may',
    '  durableConfig:',
    '    executionTimeout: ${param:taskSeconds}',
    '    retentionPeriodInDays: ${param:taskRetention}',
    '  package:',
    "    patterns: ['!build/lambda/**', build/worker/**]",
  ],
  resources: [
    '# The local index cannot be added to a table later.',
    'TasksTable:',
    '  Type: AWS::DynamoDB::Table',
    '  Properties:',
    '    BillingMode: PAY_PER_REQUEST',
    '    AttributeDefinitions:',
    '      - { AttributeName: owner, AttributeType: S }',
    '      - { AttributeName: id, AttributeType: S }',
    '      - { AttributeName: updatedAt, AttributeType: N }',
    '    KeySchema:',
    '      - { AttributeName: owner, KeyType: HASH }',
    '      - { AttributeName: id, KeyType: RANGE }',
    '    LocalSecondaryIndexes:',
    '      - IndexName: byUpdate',
    '        KeySchema:',
    '          - { AttributeName: owner, KeyType: HASH }',
    '          - { AttributeName: updatedAt, KeyType: RANGE }',
    '        Projection:',
    '          ProjectionType: INCLUDE',
    '          NonKeyAttributes: [tool, status, message, waits, createdAt, ttlMs, expiresAt]',
    '    TimeToLiveSpecification: { AttributeName: expiresAt, Enabled: true }',
    '# If tasks use other services of AWS or the secrets of endpoint.yml, allow it here.',
    'TasksRole:',
    '  Type: AWS::IAM::Role',
    '  Properties:',
    '    AssumeRolePolicyDocument:',
    "      Version: '2012-10-17'",
    '      Statement:',
    '        - { Effect: Allow, Principal: { Service: lambda.amazonaws.com }, Action: sts:AssumeRole }',
    '    Policies:',
    '      - PolicyName: tasks',
    '        PolicyDocument:',
    "          Version: '2012-10-17'",
    '          Statement:',
    '            - Effect: Allow',
    '              Action: [dynamodb:GetItem, dynamodb:UpdateItem]',
    "              Resource: { 'Fn::GetAtt': [TasksTable, Arn] }",
    '            # osls allows this only to its own role.',
    '            - Effect: Allow',
    '              Action: [lambda:CheckpointDurableExecution, lambda:GetDurableExecutionState]',
    `              Resource: { 'Fn::Sub': ${EXECUTIONS} }`,
    '            - Effect: Allow',
    '              Action: [logs:CreateLogStream, logs:PutLogEvents]',
    `              Resource: { 'Fn::Sub': ${LOGS} }`,
    ...alarm('TasksFailedAlarm', [
      'AlarmDescription: An execution of a task failed or took longer than taskSeconds, or the worker crashed. Errors that tasks return do not count.',
      'Metrics:',
      '  - Id: failures',
      '    Label: Failed executions and crashes',
      '    Expression: FILL(failed, 0) + FILL(late, 0) + FILL(crashes, 0)',
      ...metric('failed', 'DurableExecutionFailed'),
      ...metric('late', 'DurableExecutionTimedOut'),
      ...metric('crashes', 'Errors'),
    ]),
    ...alarm('TasksThrottlesAlarm', [
      'AlarmDescription: Lambda throttles the worker, so tasks wait. Raise the concurrency of the account.',
      'Namespace: AWS/Lambda',
      'MetricName: Throttles',
      'Dimensions: [{ Name: FunctionName, Value: { Ref: TasksLambdaFunction } }]',
      'Statistic: Sum',
      'Period: 300',
    ]),
  ],
  conditions: ["HasAlarmTopic: { 'Fn::Not': [{ 'Fn::Equals': ['${param:alarmTopic}', ''] }] }"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

function alarm(name: string, watched: readonly string[]): string[] {
  return [
    `${name}:`,
    '  Type: AWS::CloudWatch::Alarm',
    '  Condition: HasAlarmTopic',
    '  Properties:',
    ...watched.map((line) => `    ${line}`),
    '    ComparisonOperator: GreaterThanThreshold',
    '    Threshold: 0',
    '    EvaluationPeriods: 1',
    '    TreatMissingData: notBreaching',
    "    AlarmActions: ['${param:alarmTopic}']",
  ];
}

function metric(id: string, name: string): string[] {
  const dimensions = '[{ Name: FunctionName, Value: { Ref: TasksLambdaFunction } }]';
  return [
    `  - Id: ${id}`,
    '    ReturnData: false',
    '    MetricStat:',
    `      Metric: { Namespace: AWS/Lambda, MetricName: ${name}, Dimensions: ${dimensions} }`,
    '      Period: 300',
    '      Stat: Sum',
  ];
}
