// Adds serverless.observe.yml to the template if the parameter `metrics` names a namespace.
module.exports = async ({ resolveVariable }) => {
  if (String(await resolveVariable('param:metrics')).trim() === '') return {};
  const { Resources, ...others } = await resolveVariable('file(./templates/serverless.observe.yml)');
  // The log of an HTTP API says which requests it refused itself. A function URL has none, and for that of a REST API osls
  // would set a role of the whole account.
  const { ApiThrottledFilter, ApiThrottledAlarm, ...alarms } = Resources;
  const isLogged = await resolveVariable('self:provider.logs.httpApi, false');
  return { ...others, Resources: isLogged ? { ...alarms, ApiThrottledFilter, ApiThrottledAlarm } : alarms };
};
