// Adds serverless.observe.yml to the template if the parameter `metrics` names a namespace.
module.exports = async ({ resolveVariable }) =>
  String(await resolveVariable('param:metrics')).trim() === ''
    ? {}
    : resolveVariable('file(./templates/serverless.observe.yml)');
