import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { alerts } from './alerts.ts'

const root = join(import.meta.dirname, '../..')
const RULES = join(root, 'deploy/observability/alerts.yml')
const absent = spawnSync('promtool', ['--version']).error ? "skipped: promtool (Debian's package prometheus) is not on PATH: " : ''

type Series = Record<string, string>
type Case = { labels: Record<string, string>; fires: Series; calm: Series }
const [billing, openai] = [{ service: 'billing' }, { service: 'ai-gateway', provider: 'openai' }]
const of = 'service="ai-gateway",provider="openai"'
const gauge = (series: string, fires: string, calm: string, labels: Case['labels']): Case => ({
  labels,
  fires: { [series]: `${fires}x180` },
  calm: { [series]: `${calm}x180` },
})
const answers = (failed: string): Series => ({
  'operon_http_request_seconds_count{service="billing",status="200"}': '0+600x180',
  'operon_http_request_seconds_count{service="billing",status="500"}': failed,
})
const buckets = (quick: number): Series => ({
  'operon_http_request_seconds_bucket{service="billing",route="/x",le="2.5"}': `0+${quick}x180`,
  'operon_http_request_seconds_bucket{service="billing",route="/x",le="5"}': '0+100x180',
  'operon_http_request_seconds_bucket{service="billing",route="/x",le="+Inf"}': '0+100x180',
})
const calls = (failed: number): Series => ({
  [`operon_provider_requests_total{${of},outcome="ok"}`]: '0+60x180',
  [`operon_provider_requests_total{${of},outcome="timeout"}`]: `0+${failed}x180`,
})
/** The figures of one instance over three hours, with something wrong and without. */
const cases: Record<string, Case> = {
  OperonServiceDown: gauge('operon_upstream_instances{upstream="billing",state="up"}', '0', '2', { upstream: 'billing' }),
  OperonErrors: { labels: billing, fires: answers('0+20x180'), calm: answers('0+1x180') },
  OperonSlow: { labels: billing, fires: buckets(90), calm: buckets(99) },
  OperonKeyRefused: gauge(`operon_provider_requests_total{${of},outcome="key_refused"}`, '0+1', '3', openai),
  OperonProviderFailing: { labels: openai, fires: calls(30), calm: calls(3) },
  OperonCircuitOpen: gauge(`operon_circuit_open{${of}}`, '1', '0', openai),
  OperonModelCost: gauge('operon_ai_cost_usd_total{provider="openai",model="m"}', '0+1', '0+0.5', {}),
  OperonOutboxStuck: gauge('operon_oldest_seconds{service="billing",what="outbox"}', '90', '30', billing),
  OperonConsumerBehind: gauge('operon_lag{service="billing",what="inbox x"}', '2000', '900', { ...billing, what: 'inbox x' }),
  OperonParked: gauge('operon_lag{service="billing",what="parked jobs"}', '1', '0', billing),
  OperonJobsLate: gauge('operon_oldest_seconds{service="billing",what="jobs"}', '400', '200', billing),
  OperonMessagesDeferred: gauge('operon_lag{service="crm",what="deferred email"}', '3', '0', { service: 'crm', what: 'deferred email' }),
  OperonErasuresOverdue: gauge('operon_lag{service="identity",what="erasures overdue"}', '1', '0', {}),
  OperonPoolWaiting: gauge('operon_pool_connections{service="billing",pool="main",state="waiting"}', '6', '5', {
    ...billing,
    pool: 'main',
  }),
  OperonEventLoop: gauge('nodejs_eventloop_lag_p99_seconds{instance="a"}', '1.1', '0.51', { instance: 'a' }),
  OperonSandboxed: gauge(`operon_sandboxed{${of}}`, '1', '0', openai),
}

test('each alert has a case in which it fires', () => {
  expect(Object.keys(cases)).toEqual(alerts.map(({ name }) => name))
})

test(`${absent}Prometheus reads the rules; each alert fires in its case, in the words of its summary, and is quiet otherwise`, {
  timeout: 60_000,
}, (it) => {
  if (absent) return it.skip()
  expect(execFileSync('promtool', ['check', 'rules', RULES], { encoding: 'utf8' })).toContain(`${alerts.length} rules found`)
  const tests = alerts.flatMap(({ name, severity, summary, expr, for: lasting }) => {
    const { labels, fires, calm } = cases[name]!
    const at = /h$/.test(lasting) || expr.includes('[1h]') ? '2h30m' : '25m'
    const told = summary.replace(/\{\{ \$labels\.(\w+) }}/g, (_, label: string) => labels[label]!)
    const annotations = { summary: told, runbook: `docs/runbooks.md#${name.toLowerCase()}` }
    return [testOf(name, at, fires, [{ exp_labels: { severity, ...labels }, exp_annotations: annotations }]), testOf(name, at, calm, [])]
  })
  const folder = mkdtempSync(join(tmpdir(), 'operon-alerts-'))
  try {
    const file = join(folder, 'tests.yml')
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }))
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })
    expect(`${stdout}${stderr}`).toContain('SUCCESS')
    expect(status).toBe(0)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

const testOf = (alertname: string, at: string, series: Series, exp_alerts: object[]) => ({
  interval: '1m',
  input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
  alert_rule_test: [{ eval_time: at, alertname, exp_alerts }],
})
