/** One Grafana dashboard: a row of panels for each question an operator asks. */
type Query = { expr: string; legend: string }
type Panel = { title: string; unit: string; queries: Query[] }

const q = (expr: string, legend: string): Query => ({ expr, legend })
export const panels: Panel[] = [
  { title: 'Requests', unit: 'reqps', queries: [q('sum by (service) (rate(operon_http_request_seconds_count[5m]))', '{{service}}')] },
  {
    title: 'Failed requests',
    unit: 'reqps',
    queries: [q('sum by (service, status) (rate(operon_http_request_seconds_count{status=~"5.."}[5m]))', '{{service}} {{status}}')],
  },
  {
    title: 'Requests, 95 %',
    unit: 's',
    queries: [q('histogram_quantile(0.95, sum by (le, service) (rate(operon_http_request_seconds_bucket[5m])))', '{{service}}')],
  },
  { title: 'Instances down', unit: 'short', queries: [q('sum by (upstream) (operon_upstream_instances{state="down"})', '{{upstream}}')] },
  {
    title: 'Providers, calls by outcome',
    unit: 'reqps',
    queries: [q('sum by (provider, outcome) (rate(operon_provider_requests_total[5m]))', '{{provider}} {{outcome}}')],
  },
  {
    title: 'Providers, 95 %',
    unit: 's',
    queries: [q('histogram_quantile(0.95, sum by (le, provider) (rate(operon_provider_seconds_bucket[5m])))', '{{provider}}')],
  },
  {
    title: 'Providers left alone or sandboxed',
    unit: 'short',
    queries: [
      q('max by (provider) (operon_circuit_open)', '{{provider}} left alone'),
      q('max by (provider) (operon_sandboxed)', '{{provider}} in the sandbox'),
    ],
  },
  {
    title: 'Model cost an hour',
    unit: 'currencyUSD',
    queries: [q('sum by (provider, model) (increase(operon_ai_cost_usd_total[1h]))', '{{model}}')],
  },
  {
    title: 'Tokens',
    unit: 'short',
    queries: [q('sum by (model, direction) (rate(operon_ai_tokens_total[5m]))', '{{model}} {{direction}}')],
  },
  { title: 'What waits', unit: 'short', queries: [q('sum by (service, what) (operon_lag) > 0', '{{service}} {{what}}')] },
  { title: 'How long it has waited', unit: 's', queries: [q('sum by (service, what) (operon_oldest_seconds)', '{{service}} {{what}}')] },
  {
    title: 'Jobs',
    unit: 's',
    queries: [q('histogram_quantile(0.95, sum by (le, job) (rate(operon_job_seconds_bucket[15m])))', '{{job}}')],
  },
  {
    title: 'Jobs that failed',
    unit: 'short',
    queries: [q('sum by (job, outcome) (increase(operon_job_seconds_count{outcome=~"failed|parked"}[15m]))', '{{job}} {{outcome}}')],
  },
  {
    title: 'Connections',
    unit: 'short',
    queries: [q('sum by (service, pool, state) (operon_pool_connections)', '{{service}} {{pool}} {{state}}')],
  },
  { title: 'Event loop, 99 %', unit: 's', queries: [q('max by (instance) (nodejs_eventloop_lag_p99_seconds)', '{{instance}}')] },
  { title: 'Memory', unit: 'bytes', queries: [q('max by (instance) (process_resident_memory_bytes)', '{{instance}}')] },
  { title: 'Processor', unit: 'percentunit', queries: [q('sum by (instance) (rate(process_cpu_seconds_total[5m]))', '{{instance}}')] },
  { title: 'Versions', unit: 'short', queries: [q('count by (version) (operon_build_info)', '{{version}}')] },
]

const WIDTH = 8
const HEIGHT = 8
export const dashboard = () =>
  `${JSON.stringify(
    {
      uid: 'operon',
      title: 'Operon',
      tags: ['operon'],
      schemaVersion: 39,
      refresh: '30s',
      time: { from: 'now-6h', to: 'now' },
      templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus' }] },
      panels: panels.map(({ title, unit, queries }, i) => ({
        id: i + 1,
        type: 'timeseries',
        title,
        datasource: { type: 'prometheus', uid: '$' + '{datasource}' },
        gridPos: { x: (i % 3) * WIDTH, y: Math.floor(i / 3) * HEIGHT, w: WIDTH, h: HEIGHT },
        fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
        options: { legend: { displayMode: 'table', placement: 'bottom', calcs: ['lastNotNull'] }, tooltip: { mode: 'multi' } },
        targets: queries.map(({ expr, legend }, at) => ({ refId: String.fromCharCode(65 + at), expr, legendFormat: legend })),
      })),
    },
    null,
    2,
  )}\n`
