/** Reasons to wake an operator: declared once, for Prometheus' rules and for the page that says what to do. */
export type Alert = {
  name: string
  expr: string
  /** How long it has to be so. */
  for: string
  severity: 'page' | 'ticket'
  summary: string
  means: string
  /** The steps, in order. */
  steps: string[]
}

export const alerts: Alert[] = [
  {
    name: 'OperonServiceDown',
    expr: 'sum by (upstream) (operon_upstream_instances{state="up"}) == 0',
    for: '1m',
    severity: 'page',
    summary: 'No instance of {{ $labels.upstream }} answers',
    means: 'The gateway reaches none of its instances, so everything that the service owns answers 502 or 503.',
    steps: [
      'Ask `/statusz` of the gateway: it names what fails.',
      'Read the last lines of that service. A line `is needed` or `migration … failed` means that it does not start: mend the setting or the database.',
      'If it runs and is not reached, compare `UPSTREAM_<SERVICE>` with where it listens.',
    ],
  },
  {
    name: 'OperonErrors',
    expr: 'sum by (service) (rate(operon_http_request_seconds_count{status=~"5.."}[5m])) / sum by (service) (rate(operon_http_request_seconds_count[5m])) > 0.01',
    for: '5m',
    severity: 'page',
    summary: 'More than 1 % of the requests to {{ $labels.service }} fail',
    means: '500 is a bug, 502 to 504 a part that is away, 507 a full disk.',
    steps: [
      'Search the logs for `level>=40` and that `service`: each line has `requestId`, `errorCode`, `provider` and `tenant`.',
      'If most lines name one `provider`, go on with OperonProviderFailing.',
      'For a 500 take the `trace` of one line and open it where traces are kept: the step in red is where it broke.',
    ],
  },
  {
    name: 'OperonSlow',
    expr: 'histogram_quantile(0.95, sum by (le, service) (rate(operon_http_request_seconds_bucket{route!="/live"}[10m]))) > 2.5',
    for: '10m',
    severity: 'ticket',
    summary: 'One request in twenty to {{ $labels.service }} takes more than 2.5 s',
    means: 'A provider, the database or the processor is slow. Answers of models take long by nature: look at the routes first.',
    steps: [
      'On the dashboard compare "Event loop" (the processor), "Connections" (waiting: the database) and "Providers, 95 %".',
      'More processor: run another instance. Callers that wait for connections: see OperonPoolWaiting.',
    ],
  },
  {
    name: 'OperonKeyRefused',
    expr: 'sum by (service, provider) (increase(operon_provider_requests_total{outcome="key_refused"}[5m])) > 0',
    for: '1m',
    severity: 'page',
    summary: '{{ $labels.provider }} refuses our key',
    means:
      'The key was revoked, has expired, lacks a right, or the account is closed. Other models may stand in; payments and mail have no stand-in.',
    steps: [
      'Find a line with that `provider`: `problem` or `err` says with what status it refused.',
      "Look at the key in the provider's console; make a new one if in doubt.",
      'Set it (`OPENAI_API_KEY`, `STRIPE_SECRET_KEY`, `SMTP_URL` …) and restart the service that `npm run doctor` names.',
    ],
  },
  {
    name: 'OperonProviderFailing',
    expr: 'sum by (service, provider) (rate(operon_provider_requests_total{outcome=~"failed|timeout|unreachable"}[5m])) / sum by (service, provider) (rate(operon_provider_requests_total[5m])) > 0.2',
    for: '5m',
    severity: 'ticket',
    summary: 'More than a fifth of the calls to {{ $labels.provider }} fail',
    means: 'The provider has trouble, or this machine does not reach it. One feature is worse; the others go on.',
    steps: [
      "Read the provider's status page.",
      'If all providers fail at once, look at the network, the resolver and outgoing rules of this machine.',
      'Nothing has to be restarted: calls begin again by themselves once they succeed.',
    ],
  },
  {
    name: 'OperonCircuitOpen',
    expr: 'max by (service, provider) (operon_circuit_open) > 0',
    for: '2m',
    severity: 'ticket',
    summary: '{{ $labels.provider }} is being left alone',
    means: 'It failed several times in a row, so callers are told at once instead of waiting. One call is let through every few seconds.',
    steps: ['As for OperonProviderFailing and OperonKeyRefused: find out which of the two it is by `outcome` on the dashboard.'],
  },
  {
    name: 'OperonModelCost',
    expr: 'sum(increase(operon_ai_cost_usd_total[1h])) > 50',
    for: '5m',
    severity: 'ticket',
    summary: 'Models cost more than $50 in the last hour',
    means: "Each account is bounded by its plan's budget, so this is many accounts, or a dearer model. Set the number to your own.",
    steps: [
      'On the dashboard see which model it is, and whether tokens or calls rose.',
      'In `/staff` look for accounts that were made together. Sign-ups are bounded by `RATE_PUBLIC_SEND` and a captcha (`AUTH_CAPTCHA_URL`).',
    ],
  },
  {
    name: 'OperonOutboxStuck',
    expr: 'sum by (service) (operon_oldest_seconds{what="outbox"}) > 60',
    for: '2m',
    severity: 'page',
    summary: 'Events of {{ $labels.service }} do not leave',
    means: 'The broker takes none. Nothing is lost: the rows wait.',
    steps: [
      'Is NATS (or Redis, for jobs) there, and is its disk full? `/statusz` names it.',
      'The line `outbox rows could not be sent` has the reason.',
      'They leave by themselves once the broker answers.',
    ],
  },
  {
    name: 'OperonConsumerBehind',
    expr: 'sum by (service, what) (operon_lag{what=~"inbox .*"}) > 1000',
    for: '10m',
    severity: 'ticket',
    summary: '{{ $labels.what }} of {{ $labels.service }} is behind',
    means: 'It is slower than what comes in, or fails at every try.',
    steps: [
      'Look for `event failed, will try again` with that handler.',
      'Without such lines it is only slow: run another instance of the service.',
    ],
  },
  {
    name: 'OperonParked',
    expr: 'sum by (service) (operon_lag{what=~"parked.*"}) > 0',
    for: '5m',
    severity: 'ticket',
    summary: '{{ $labels.service }} has set work aside',
    means: 'Something failed at every try and waits for a decision.',
    steps: [
      '`npm run replay` lists it with its whole reason.',
      'Mend the cause, then `npm run replay -- <id>`.',
      'Put away, with the reason, work that shall never run: `npm run replay -- --discard <id> --reason "why"`.',
    ],
  },
  {
    name: 'OperonJobsLate',
    expr: 'sum by (service) (operon_oldest_seconds{what="jobs"}) > 300',
    for: '5m',
    severity: 'ticket',
    summary: 'Jobs of {{ $labels.service }} wait for more than five minutes',
    means: 'All workers are busy, or hang in a provider.',
    steps: ['"Jobs" on the dashboard shows which job takes long.', 'Run another instance of the service: each brings its own workers.'],
  },
  {
    name: 'OperonMessagesDeferred',
    expr: 'sum by (service, what) (operon_lag{what=~"deferred .*"}) > 0',
    for: '10m',
    severity: 'ticket',
    summary: 'Messages wait for the limit of the platform ({{ $labels.what }})',
    means: 'More is asked for than `LIMIT_MAIL_PLATFORM_PER_HOUR` or `LIMIT_SMS_PLATFORM_PER_HOUR` lets out.',
    steps: ['See "Limits on messages" in operating.md: find out who asks, then raise the limit or set a captcha.'],
  },
  {
    name: 'OperonErasuresOverdue',
    expr: 'sum(operon_lag{what="erasures overdue"}) > 0',
    for: '1h',
    severity: 'ticket',
    summary: 'Deleted accounts are still known to a service',
    means: 'A service did not confirm an erasure in time. The law has a date for it.',
    steps: ['Identity logs which service (`has not erased what it holds`).', 'See what that service has parked: `npm run replay`.'],
  },
  {
    name: 'OperonPoolWaiting',
    expr: 'sum by (service, pool) (operon_pool_connections{state="waiting"}) > 5',
    for: '2m',
    severity: 'ticket',
    summary: 'Callers of {{ $labels.service }} wait for a connection to PostgreSQL',
    means: 'Statements take long, or there are more callers than `DATABASE_POOL` serves.',
    steps: [
      "`select pid, state, wait_event, query from pg_stat_activity where state <> 'idle' order by query_start` shows what is running.",
      'A lock: end the session that holds it. Load: raise `DATABASE_POOL`, and `max_connections` with it (see "Scaling a service").',
    ],
  },
  {
    name: 'OperonEventLoop',
    expr: 'max by (instance) (nodejs_eventloop_lag_p99_seconds) > 1',
    for: '5m',
    severity: 'ticket',
    summary: '{{ $labels.instance }} is held up by its own work',
    means:
      'One piece of work holds the process for half a second and more, so that everybody waits. The figure holds the half second between two looks.',
    steps: [
      'Is the processor at its limit? Run another instance.',
      'If one instance alone is slow, restart it and keep its logs of that minute.',
    ],
  },
  {
    name: 'OperonSandboxed',
    expr: 'max by (service, provider) (operon_sandboxed) > 0',
    for: '1h',
    severity: 'ticket',
    summary: 'The sandbox plays {{ $labels.provider }}',
    means: 'There is no key for it. On a demonstration this is meant: leave the rule out there.',
    steps: ['Set its key; `npm run doctor` names the variable. Take `SANDBOX_KEY` out where real people come.'],
  },
]

const indented = (text: string) => JSON.stringify(text)

export const alertRules = () => `# Written by \`npm run generate\` from deploy/src/alerts.ts. What to do at each: docs/runbooks.md.
groups:
  - name: operon
    rules:
${alerts
  .map(
    ({ name, expr, for: lasting, severity, summary }) => `      - alert: ${name}
        expr: ${indented(expr)}
        for: ${lasting}
        labels: { severity: ${severity} }
        annotations:
          summary: ${indented(summary)}
          runbook: docs/runbooks.md#${name.toLowerCase()}`,
  )
  .join('\n')}
`

export const runbooks = () => `# Runbooks

Written by \`npm run generate\` from \`deploy/src/alerts.ts\`: what each alert of \`deploy/observability/alerts.yml\` means, and what to do. \`page\` wakes somebody, \`ticket\` waits for the morning.

From a customer's request id to the reason: search the logs for it. The line has \`errorCode\`, \`provider\`, \`tenant\` and \`trace\`; the trace, where traces are kept, shows each step with its time, and the dashboard whether others have it too.

${alerts
  .map(
    ({ name, severity, means, expr, for: lasting, steps }) => `## ${name}

\`${severity}\` after ${lasting} of \`${expr.replaceAll('|', '\\|')}\`

${means}

${steps.map((step, i) => `${i + 1}. ${step}`).join('\n')}`,
  )
  .join('\n\n')}
`
